{{/*
What another chart includes to have Envoy and Plumbline beside its agent. With this chart as its dependency `plumbline`
(shape: sidecar, agent.enabled: false), the context is .Subcharts.plumbline:

  metadata:
    labels: {{ include "plumbline.sidecar.labels" .Subcharts.plumbline | nindent 4 }}
    annotations: {{ include "plumbline.sidecar.annotations" .Subcharts.plumbline | nindent 4 }}
  spec:
    initContainers: {{ include "plumbline.sidecar.initContainers" .Subcharts.plumbline | nindent 4 }}
    containers:
      - name: agent
        env: {{ include "plumbline.sidecar.agentEnv" .Subcharts.plumbline | nindent 8 }}
        securityContext: {{ include "plumbline.sidecar.agentSecurityContext" .Subcharts.plumbline | nindent 8 }}
    volumes: {{ include "plumbline.sidecar.volumes" .Subcharts.plumbline | nindent 4 }}

With sidecar.native: false, plumbline.sidecar.containers goes beside the agent's container.
*/}}

{{- define "plumbline.sidecar.workload" -}}
{{- default (include "plumbline.fullname" .) .Values.sidecar.workload -}}
{{- end -}}

{{/* "true" where the Host header alone decides where a request goes; only then may anything trust a host. */}}
{{- define "plumbline.sidecar.routesByHost" -}}
{{- or (eq .Values.sidecar.variant "proxy") (eq .Values.sidecar.transparent.routing "host") -}}
{{- end -}}

{{- define "plumbline.sidecar.labels" -}}
{{ include "plumbline.podLabels" (dict "root" . "component" "agent") }}
{{- end -}}

{{/* Envoy does not read a changed file: another one is another pod. */}}
{{- define "plumbline.sidecar.annotations" -}}
checksum/config: {{ include "plumbline.configChecksum" . }}
checksum/envoy: {{ include "plumbline.envoy.sidecar" . | sha256sum }}
{{- end -}}

{{- define "plumbline.sidecar.initContainers" -}}
{{- if eq (include "plumbline.sidecar.captures" .) "true" }}
- {{- include "plumbline.sidecar.capture" . | nindent 2 }}
{{- end }}
{{- if .Values.sidecar.native }}
{{ include "plumbline.sidecar.pair" . }}
{{- end }}
{{- end -}}

{{- define "plumbline.sidecar.containers" -}}
{{- if not .Values.sidecar.native }}
{{- include "plumbline.sidecar.pair" . }}
{{- end }}
{{- end -}}

{{/* Plumbline first: an Envoy that is ready before it answers 503. */}}
{{- define "plumbline.sidecar.pair" -}}
- {{- include "plumbline.container" . | nindent 2 }}
  {{- include "plumbline.sidecar.restartPolicy" . | nindent 2 }}
- {{- include "plumbline.sidecar.envoy" . | nindent 2 }}
  {{- include "plumbline.sidecar.restartPolicy" . | nindent 2 }}
{{- end -}}

{{/* A native sidecar is an init container that is always restarted: it starts before the agent and ends after it. */}}
{{- define "plumbline.sidecar.restartPolicy" -}}
{{- if .Values.sidecar.native -}}
restartPolicy: Always
{{- end -}}
{{- end -}}

{{- define "plumbline.sidecar.envoy" -}}
{{- $envoy := .Values.sidecar.envoy -}}
name: envoy
image: {{ include "plumbline.imageReference" (dict "image" $envoy.image "tag" "") | quote }}
imagePullPolicy: {{ $envoy.image.pullPolicy }}
# Not the image's entry point, which would want to be root; and no hot restart, which would want shared memory.
command: [/usr/local/bin/envoy]
args:
  - --config-path
  - /etc/envoy/envoy.yaml
  - --disable-hot-restart
  - --concurrency
  - {{ $envoy.concurrency | quote }}
  - --log-level
  - {{ $envoy.logLevel }}
{{- with .Values.secrets.listenerToken }}
{{- if .secretName }}
env:
  {{- include "plumbline.secretVariable" (dict "name" "PLUMBLINE_TOKEN" "secretName" .secretName "key" .key) | nindent 2 }}
{{- end }}
{{- end }}
ports:
  - { name: http-inbound, containerPort: {{ int .Values.sidecar.ports.inbound }}, protocol: TCP }
# Its admin is a Unix socket, which no probe can ask.
startupProbe:
  tcpSocket: { port: http-inbound }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  tcpSocket: { port: http-inbound }
  timeoutSeconds: 3
readinessProbe:
  tcpSocket: { port: http-inbound }
  periodSeconds: 5
  timeoutSeconds: 3
resources:
  {{- toYaml $envoy.resources | nindent 2 }}
securityContext:
  {{- include "plumbline.securityContext" (dict "uid" .Values.runAsUser "readOnly" true) | nindent 2 }}
volumeMounts:
  - { name: envoy-config, mountPath: /etc/envoy, readOnly: true }
  - { name: plumbline-socket, mountPath: /run/plumbline }
{{- end -}}

{{- define "plumbline.sidecar.volumes" -}}
{{ include "plumbline.volumes" . }}
- name: envoy-config
  configMap:
    name: {{ include "plumbline.fullname" . }}-envoy
{{- if eq (include "plumbline.sidecar.captures" .) "true" }}
- name: capture
  configMap:
    name: {{ include "plumbline.fullname" . }}-capture
- name: capture-run
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
{{- end }}
{{- end -}}

{{/* Both cases: curl obeys the lower one alone. HTTPS_PROXY is set so that https:// is refused by Envoy and does not go past it. */}}
{{- define "plumbline.sidecar.agentEnv" -}}
{{- if eq .Values.sidecar.variant "proxy" -}}
{{- $proxy := printf "http://127.0.0.1:%d" (int .Values.sidecar.ports.outbound) -}}
{{- range list "HTTP_PROXY" "http_proxy" "HTTPS_PROXY" "https_proxy" }}
- { name: {{ . }}, value: {{ $proxy | quote }} }
{{- end }}
{{- range list "NO_PROXY" "no_proxy" }}
- { name: {{ . }}, value: {{ $.Values.sidecar.noProxy | quote }} }
{{- end }}
{{- end -}}
{{- end -}}

{{/* Another user than Envoy and Plumbline: what is captured goes by user, and the socket is for theirs alone. */}}
{{- define "plumbline.sidecar.agentSecurityContext" -}}
{{ include "plumbline.securityContext" (dict "uid" .Values.sidecar.agentUid "readOnly" .Values.agent.readOnlyRootFilesystem) }}
{{- end -}}
