{{/* Names, labels and addresses that several templates use. */}}

{{- define "plumbline.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Short enough that what the templates put behind it still is a name. */}}
{{- define "plumbline.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "plumbline.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What selects the pods of a component: (dict "root" $ "component" "plumbline"). It must never change for a release. */}}
{{- define "plumbline.selectorLabels" -}}
app.kubernetes.io/name: {{ include "plumbline.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* The labels of an object: (dict "root" $ "component" "plumbline"). */}}
{{- define "plumbline.labels" -}}
{{ include "plumbline.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: plumbline
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | quote }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A reference to an image, by digest where there is one: (dict "image" .Values.image "tag" .Chart.AppVersion). */}}
{{- define "plumbline.imageReference" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" .image.repository (default .tag .image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "plumbline.image" -}}
{{- include "plumbline.imageReference" (dict "image" .Values.image "tag" .Chart.AppVersion) -}}
{{- end -}}

{{/* The name under which Envoys reach the shared service; it is in the server's certificate. */}}
{{- define "plumbline.serviceHost" -}}
{{- printf "%s.%s.svc.%s" (include "plumbline.fullname" .) .Release.Namespace .Values.clusterDomain -}}
{{- end -}}

{{/* The port of the shared service for a direction: (dict "root" $ "direction" "inbound"). */}}
{{- define "plumbline.servicePort" -}}
{{- if eq .root.Values.service.direction "port" -}}
{{- get .root.Values.service.ports .direction -}}
{{- else -}}
{{- .root.Values.service.ports.extProc -}}
{{- end -}}
{{- end -}}

{{- define "plumbline.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "plumbline.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The component whose pods Plumbline runs in. */}}
{{- define "plumbline.component" -}}
{{- ternary "plumbline" "agent" (eq .Values.shape "shared") -}}
{{- end -}}
