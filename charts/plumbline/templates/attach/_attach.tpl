{{/* What the attachments share. Each is one object of a list in `attach`, given as `entry`, with the chart as `root`. */}}

{{- define "plumbline.attach.name" -}}
{{- printf "%s-%s" (include "plumbline.fullname" .root) .entry.name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "plumbline.attach.namespace" -}}
{{- default .root.Release.Namespace .entry.namespace -}}
{{- end -}}

{{- define "plumbline.attach.metadata" -}}
name: {{ include "plumbline.attach.name" . }}
namespace: {{ include "plumbline.attach.namespace" . }}
labels: {{- include "plumbline.labels" (dict "root" .root "component" "attachment") | nindent 2 }}
{{- end -}}

{{/* The longest body, as Envoy and Plumbline have to agree on it. */}}
{{- define "plumbline.attach.bodyLimit" -}}
{{- $file := include "plumbline.envoy.file" .root | fromYaml -}}
{{- $shipped := (index $file.static_resources.listeners 0).per_connection_buffer_limit_bytes -}}
{{- default $shipped .root.Values.config.listener.max_body_bytes | int64 -}}
{{- end -}}

{{/* How long Envoy waits for a verdict, as the Gateway API writes a duration: it knows no fractions. */}}
{{- define "plumbline.attach.messageTimeout" -}}
{{- $ms := add (include "plumbline.verdictDeadline" .root | int64) 500 -}}
{{- printf "%ds%dms" (div $ms 1000) (mod $ms 1000) -}}
{{- end -}}

{{- define "plumbline.attach.requireSharedService" -}}
{{- if ne .root.Values.shape "shared" -}}
{{- fail (printf "attach.%s: %q talks to the shared service: set shape: shared." .what .entry.name) -}}
{{- end -}}
{{- end -}}

{{/* A gateway that cannot say the direction uses a port of its own for each. */}}
{{- define "plumbline.attach.requirePortDirection" -}}
{{- include "plumbline.attach.requireSharedService" . -}}
{{- if ne .root.Values.service.direction "port" -}}
{{- fail (printf "attach.%s: %q cannot say the direction in metadata: set service.direction: port, so that Plumbline has a port for each direction." .what .entry.name) -}}
{{- end -}}
{{- end -}}

{{/* The Service is in another namespace than the policy that names it: its namespace has to consent. */}}
{{- define "plumbline.attach.referenceGrant" -}}
{{- $namespace := include "plumbline.attach.namespace" . -}}
{{- if ne $namespace .root.Release.Namespace }}
---
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata:
  name: {{ include "plumbline.attach.name" . }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "plumbline.labels" (dict "root" .root "component" "attachment") | nindent 4 }}
spec:
  from:
    - group: {{ .group }}
      kind: {{ .kind }}
      namespace: {{ $namespace }}
  to:
    - group: ''
      kind: Service
      name: {{ include "plumbline.fullname" .root }}
{{- end }}
{{- end -}}
