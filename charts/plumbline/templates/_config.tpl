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
{{- $plugin := ternary (dict "name" $entry) $entry (kindIs "string" $entry) -}}
{{- if and (hasKey $known $plugin.name) (ne (default "enforce" $plugin.on_error) "off") -}}
{{- $timeout := default (get $known $plugin.name) (dig "config" "timeout_ms" nil $plugin) -}}
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
