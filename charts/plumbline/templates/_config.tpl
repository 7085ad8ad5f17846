{{/* What Plumbline's configuration says, and what follows from it. */}}

{{/* The time-outs of gates that a configuration may leave out; a test holds them to the program's. */}}
{{- define "plumbline.gateTimeouts" -}}
ibac: 5000
sparc: 30000
{{- end -}}

{{/*
How long a verdict may take, in milliseconds: as configured, or as long as the gates of the longer chain may take together
and 2000 beside. It may be a little longer than the program's own (which knows that some gates never wait for each other), never shorter.
*/}}
{{- define "plumbline.verdictDeadline" -}}
{{- $configured := .Values.config.listener.verdict_deadline_ms -}}
{{- if $configured -}}
{{- int64 $configured -}}
{{- else -}}
{{- $known := include "plumbline.gateTimeouts" . | fromYaml -}}
{{- $longest := 0 -}}
{{- range $direction, $chain := .Values.config.pipeline -}}
{{- $sum := 0 -}}
{{- range $entry := $chain.plugins -}}
{{- $plugin := include "plumbline.plugin" $entry | fromYaml -}}
{{- if and (hasKey $known $plugin.name) (ne (default "enforce" $plugin.on_error) "off") -}}
{{- $timeout := default (get $known $plugin.name) $plugin.config.timeout_ms -}}
{{- if kindIs "string" $timeout -}}
{{- fail (printf "config.pipeline.%s: the chart cannot know what timeout_ms: %s of %s will be. Write a number, or set config.listener.verdict_deadline_ms: Envoy has to wait longer than Plumbline." $direction $timeout $plugin.name) -}}
{{- end -}}
{{- $sum = add $sum (int64 $timeout) -}}
{{- end -}}
{{- end -}}
{{- $longest = max $longest $sum -}}
{{- end -}}
{{- add $longest 2000 -}}
{{- end -}}
{{- end -}}

{{/* Envoy waits half a second longer, so that the client sees Plumbline's answer and not Envoy's own. */}}
{{- define "plumbline.messageTimeout" -}}
{{- $ms := add (include "plumbline.verdictDeadline" . | int64) 500 -}}
{{- printf "%d.%03ds" (div $ms 1000) (mod $ms 1000) -}}
{{- end -}}

{{/* An entry of a chain, written out: a bare name is the same as { name }. */}}
{{- define "plumbline.plugin" -}}
{{- $plugin := ternary (dict "name" .) . (kindIs "string" .) -}}
{{- toYaml (dict "name" $plugin.name "on_error" $plugin.on_error "config" (default dict $plugin.config)) -}}
{{- end -}}

{{/* Plumbline's configuration: what the user wrote, and what only the chart knows. */}}
{{- define "plumbline.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- $listener := $config.listener -}}
{{- $admin := $config.admin -}}
{{- if eq .Values.shape "sidecar" -}}
{{- $_ := set $listener "ext_proc_addr" "unix:/run/plumbline/plumbline.sock" -}}
{{- else -}}
{{- $ports := .Values.service.ports -}}
{{- if eq .Values.service.direction "port" -}}
{{- $_ := set $listener "inbound_addr" (printf "0.0.0.0:%d" (int $ports.inbound)) -}}
{{- $_ := set $listener "outbound_addr" (printf "0.0.0.0:%d" (int $ports.outbound)) -}}
{{- else -}}
{{- $_ := set $listener "ext_proc_addr" (printf "0.0.0.0:%d" (int $ports.extProc)) -}}
{{- end -}}
{{- $tls := "/etc/plumbline/tls" -}}
{{- $_ := set $listener "tls" (dict "cert" (printf "%s/tls.crt" $tls) "key" (printf "%s/tls.key" $tls) "client_ca" (printf "%s/ca.crt" $tls)) -}}
{{- end -}}
{{- if eq .Values.probes.kind "grpc" -}}
{{- $_ := set $listener "health_addr" "0.0.0.0:9093" -}}
{{- end -}}
{{- if .Values.secrets.listenerToken.secretName -}}
{{- $_ := set $listener "token_file" "/etc/plumbline/listener-token/token" -}}
{{- end -}}
{{- /* On every address: the kubelet and Prometheus come from outside the pod. What is secret there needs the token. */ -}}
{{- $_ := set $admin "address" "0.0.0.0:9094" -}}
{{- if .Values.secrets.adminToken.secretName -}}
{{- $_ := set $admin "token_file" "/etc/plumbline/admin-token/token" -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{/* The options that a running Plumbline cannot take over: a pod with other ones is another pod. A test holds them to the program's. */}}
{{- define "plumbline.configChecksum" -}}
{{- $config := include "plumbline.config" . | fromYaml -}}
{{- if eq .Values.reload "restart" -}}
{{- toJson $config | sha256sum -}}
{{- else -}}
{{- $addresses := pick $config.listener "ext_proc_addr" "inbound_addr" "outbound_addr" "health_addr" "tls" -}}
{{- $limits := pick $config.listener "max_streams" "max_receive_bytes" "max_bodies_bytes" "body_deadline_ms" "drain_deadline_ms" -}}
{{- list $addresses $limits $config.session $config.admin | toJson | sha256sum -}}
{{- end -}}
{{- end -}}

{{/* Seconds from SIGTERM to the end: as long as open exchanges may take, and a little to end in. */}}
{{- define "plumbline.gracePeriod" -}}
{{- $drain := .Values.config.listener.drain_deadline_ms -}}
{{- add 15 (div (ternary 30000 $drain (kindIs "invalid" $drain) | int64) 1000) -}}
{{- end -}}
