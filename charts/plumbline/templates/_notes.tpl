{{/* What passes unchecked with these values, one line each; nothing where nothing does. */}}
{{- define "plumbline.failsOpen" -}}
{{- $outbound := dict -}}
{{- range $direction, $chain := .Values.config.pipeline -}}
{{- range $entry := $chain.plugins -}}
{{- $plugin := include "plumbline.plugin" $entry | fromYaml -}}
{{- $mode := default "enforce" $plugin.on_error -}}
{{- if eq $direction "outbound" }}{{ $_ := set $outbound $plugin.name $mode }}{{ end -}}
{{- if ne $mode "enforce" }}
  - {{ $direction }}/{{ $plugin.name }}: on_error: {{ $mode }}: its refusals do not hold.
{{- end -}}
{{- if and (eq $plugin.name "ibac") (ne (default "passthrough" $plugin.config.unclassified_policy) "judge") }}
  - {{ $direction }}/ibac: unclassified_policy: passthrough: traffic that no parser understands passes unjudged.
{{- end -}}
{{- if and (eq $plugin.name "ibac") (ne (default "" $plugin.config.no_intent_policy) "deny") }}
  - {{ $direction }}/ibac: no_intent_policy is not deny: an action without a known intent passes (after a restart, every one).
{{- end -}}
{{- if and (eq $plugin.name "sparc") (ne (default "open" $plugin.config.fail_policy) "closed") }}
  - {{ $direction }}/sparc: fail_policy: open: a call passes unchecked when the reflector or the conversation is missing.
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not (or (hasKey $outbound "ibac") (hasKey $outbound "sparc")) }}
  - config.pipeline.outbound has no gate: nothing that the agent does is judged.
{{- end -}}
{{- if not .Values.networkPolicy.enabled }}
  - networkPolicy.enabled: false: every pod reaches the ports of these.
{{- end -}}
{{- if eq .Values.shape "sidecar" -}}
{{- if eq .Values.sidecar.variant "proxy" }}
  - sidecar.variant: proxy: a client that does not obey HTTP_PROXY goes past Envoy. No NetworkPolicy can tell the containers
    of a pod apart; the transparent variant can.
{{- with .Values.sidecar.noProxy }}
  - sidecar.noProxy: {{ . }} goes past Envoy.
{{- end -}}
{{- else -}}
{{- if eq .Values.sidecar.transparent.tls "pass" }}
  - sidecar.transparent.tls: pass: what the agent encrypts itself is seen and judged by nobody.
{{- end -}}
{{- if .Values.sidecar.transparent.cni }}
  - sidecar.transparent.cni: this chart captures nothing. The rules are in the ConfigMap {{ include "plumbline.fullname" . }}-capture.
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
