{{/* The container of Plumbline and what it mounts: the same in both shapes. */}}

{{- define "plumbline.container" -}}
name: plumbline
image: {{ include "plumbline.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [serve, --config, /etc/plumbline/config/plumbline.yaml]
{{- with include "plumbline.environment" . | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
ports:
  {{- if eq .Values.shape "shared" }}
  {{- range $name, $port := include "plumbline.containerPorts" . | fromYaml }}
  - { name: {{ $name }}, containerPort: {{ int $port }}, protocol: TCP }
  {{- end }}
  {{- end }}
  - { name: admin, containerPort: 9094, protocol: TCP }
  {{- if eq .Values.probes.kind "grpc" }}
  - { name: grpc-health, containerPort: 9093, protocol: TCP }
  {{- end }}
{{ include "plumbline.probes" . }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  {{- include "plumbline.securityContext" (dict "uid" .Values.runAsUser "readOnly" true) | nindent 2 }}
volumeMounts:
  # As a folder, not as one file of it: only so does the kubelet put a changed configuration there.
  - { name: config, mountPath: /etc/plumbline/config, readOnly: true }
  {{- if eq .Values.shape "shared" }}
  - { name: tls, mountPath: /etc/plumbline/tls, readOnly: true }
  {{- else }}
  - { name: plumbline-socket, mountPath: /run/plumbline }
  {{- end }}
  {{- if .Values.secrets.listenerToken.secretName }}
  - { name: listener-token, mountPath: /etc/plumbline/listener-token, readOnly: true }
  {{- end }}
  {{- if .Values.secrets.adminToken.secretName }}
  - { name: admin-token, mountPath: /etc/plumbline/admin-token, readOnly: true }
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Ports for Envoys: by name. The names say to a mesh that it is gRPC. */}}
{{- define "plumbline.containerPorts" -}}
{{- if eq .Values.service.direction "port" -}}
grpc-inbound: {{ int .Values.service.ports.inbound }}
grpc-outbound: {{ int .Values.service.ports.outbound }}
{{- else -}}
grpc-extproc: {{ int .Values.service.ports.extProc }}
{{- end -}}
{{- end -}}

{{- define "plumbline.environment" -}}
{{- range .Values.secrets.env }}
{{ include "plumbline.secretVariable" . }}
{{- end }}
{{- if .Values.sparcService.enabled }}
- name: SPARC_ENDPOINT
  value: http://{{ include "plumbline.sparc.host" . }}:8090
{{- with .Values.sparcService.bearer }}
{{- if .secretName }}
{{ include "plumbline.secretVariable" (dict "name" "SPARC_BEARER" "secretName" .secretName "key" .key) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Started once it is alive; ready as /readyz, or gRPC health, says. */}}
{{- define "plumbline.probes" -}}
{{- $grpc := eq .Values.probes.kind "grpc" -}}
startupProbe:
  {{- if $grpc }}
  grpc: { port: 9093 }
  {{- else }}
  httpGet: { path: /healthz, port: admin }
  {{- end }}
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  {{- if $grpc }}
  grpc: { port: 9093 }
  {{- else }}
  httpGet: { path: /healthz, port: admin }
  {{- end }}
  periodSeconds: 10
  timeoutSeconds: 3
readinessProbe:
  {{- if $grpc }}
  grpc: { port: 9093 }
  {{- else }}
  httpGet: { path: /readyz, port: admin }
  {{- end }}
  periodSeconds: 5
  timeoutSeconds: 3
{{- end -}}

{{- define "plumbline.volumes" -}}
- name: config
  configMap:
    name: {{ include "plumbline.fullname" . }}-config
{{- if eq .Values.shape "shared" }}
- name: tls
  secret:
    secretName: {{ .Values.tls.secretName }}
{{- else }}
# In memory, and mounted only into Envoy and Plumbline: who opens the socket can forge what a user asked.
- name: plumbline-socket
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
{{- end }}
{{- with .Values.secrets.listenerToken }}
{{- if .secretName }}
- name: listener-token
  secret:
    secretName: {{ .secretName }}
    items: [{ key: {{ .key | quote }}, path: token }]
{{- end }}
{{- end }}
{{- with .Values.secrets.adminToken }}
{{- if .secretName }}
- name: admin-token
  secret:
    secretName: {{ .secretName }}
    items: [{ key: {{ .key | quote }}, path: token }]
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
