{{/* What a schema cannot say about values, with a sentence on how to mend it. Included once, by config.yaml. */}}
{{- define "plumbline.checks" -}}
{{- include "plumbline.checks.secrets" . -}}
{{- include "plumbline.checks.variables" . -}}
{{- include "plumbline.checks.attachments" . -}}
{{- if eq .Values.shape "shared" -}}
{{- include "plumbline.checks.shared" . -}}
{{- else -}}
{{- include "plumbline.checks.sidecar" . -}}
{{- end -}}
{{- if and .Values.sparcService.enabled (not .Values.sparcService.image.repository) -}}
{{- fail "sparcService.image.repository: build an image of sparc-service (its README says how) and name it here." -}}
{{- end -}}
{{- end -}}

{{/* A bearer in the values is in the release's history and in everybody's `helm get values`. */}}
{{- define "plumbline.checks.secrets" -}}
{{- range $direction, $chain := .Values.config.pipeline -}}
{{- range $entry := $chain.plugins -}}
{{- $plugin := include "plumbline.plugin" $entry | fromYaml -}}
{{- range $key, $value := $plugin.config -}}
{{- if and (hasSuffix "bearer" $key) $value (not (regexMatch "^\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}$" (toString $value))) -}}
{{- fail (printf "config.pipeline.%s: %s of %s is written into the values. Put it into a Secret, name that in secrets.env, and write %s: '${NAME}'." $direction $key $plugin.name $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A variable that nobody sets is empty text: most likely the pod would not start, and with one replica nothing would pass. */}}
{{- define "plumbline.checks.variables" -}}
{{- $set := dict -}}
{{- range concat .Values.secrets.env .Values.extraEnv }}{{ $_ := set $set .name true }}{{ end -}}
{{- if .Values.sparcService.enabled }}{{ $_ := set $set "SPARC_ENDPOINT" true }}{{ end -}}
{{- if and .Values.sparcService.enabled .Values.sparcService.bearer.secretName }}{{ $_ := set $set "SPARC_BEARER" true }}{{ end -}}
{{- range $reference := regexFindAll "\\$?\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}" (toJson .Values.config) -1 -}}
{{- $name := $reference | trimPrefix "${" | trimSuffix "}" -}}
{{- if and (hasPrefix "${" $reference) (not (hasKey $set $name)) -}}
{{- fail (printf "config: %s is set nowhere. Name %s in secrets.env (a secret) or in extraEnv. (SPARC_ENDPOINT is set by sparcService.enabled, SPARC_BEARER by sparcService.bearer.secretName.)" $reference $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The name is that of the objects, and for most of them the workload: two of one name are one. */}}
{{- define "plumbline.checks.attachments" -}}
{{- range $environment, $lists := .Values.attach -}}
{{- $seen := dict -}}
{{- range $list, $entries := $lists -}}
{{- if kindIs "slice" $entries -}}
{{- range $entry := $entries -}}
{{- if hasKey $seen $entry.name -}}
{{- fail (printf "attach.%s: the name %q stands twice. Each attachment needs its own." $environment $entry.name) -}}
{{- end -}}
{{- $_ := set $seen $entry.name true -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "plumbline.checks.shared" -}}
{{- $v := .Values -}}
{{- if not $v.tls.secretName -}}
{{- fail "tls.secretName: the shared service speaks mutual TLS and nothing else: whoever reaches its port can forge what a user asked. Name a Secret with tls.crt, tls.key and ca.crt (tls.certificate.enabled: true has cert-manager make it)." -}}
{{- end -}}
{{- if and $v.tls.certificate.enabled (not $v.tls.certificate.issuerRef.name) -}}
{{- fail "tls.certificate.issuerRef.name: which Issuer of cert-manager signs the certificate?" -}}
{{- end -}}
{{- if and $v.tls.certificate.client.enabled (not (and $v.tls.certificate.enabled $v.tls.certificate.client.secretName)) -}}
{{- fail "tls.certificate.client: needs tls.certificate.enabled: true, and secretName, the Secret that the certificate of the clients goes into." -}}
{{- end -}}
{{- if and $v.networkPolicy.enabled (not $v.networkPolicy.gateways) -}}
{{- fail "networkPolicy.gateways: say which pods are the Envoys, as a list of { namespaceSelector, podSelector }; nobody else reaches the port. (networkPolicy.enabled: false leaves that to you.)" -}}
{{- end -}}
{{- range $peer := $v.networkPolicy.gateways -}}
{{- $block := default dict $peer.ipBlock -}}
{{- if or (hasSuffix "/0" (default "" $block.cidr)) (not (or $peer.ipBlock $peer.namespaceSelector $peer.podSelector)) -}}
{{- fail (printf "networkPolicy.gateways: %s is everybody, or a whole namespace's worth of them: an empty selector selects all. Select the Envoys by labels." (toJson $peer)) -}}
{{- end -}}
{{- end -}}
{{- if eq $v.sessionStore.kind "memory" -}}
{{- if ne (int $v.replicas) 1 -}}
{{- fail (printf "replicas: %d: sessions live in the memory of one process, and a second one would not know what the user asked of the first. Until there is a shared session store, it is 1." (int $v.replicas)) -}}
{{- end -}}
{{- range $part := list "autoscaling" "podDisruptionBudget" "topologySpread" -}}
{{- if (get $v $part).enabled -}}
{{- fail (printf "%s.enabled: it is for several replicas, and sessions live in the memory of one process. It needs a shared session store, which there is not yet." $part) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "plumbline.checks.sidecar" -}}
{{- $v := .Values -}}
{{- if eq (int $v.sidecar.agentUid) (int $v.runAsUser) -}}
{{- fail (printf "sidecar.agentUid: %d is runAsUser as well. The agent must be another user than Envoy and Plumbline." (int $v.runAsUser)) -}}
{{- end -}}
{{- $ports := dict "9094" "Plumbline's admin address" -}}
{{- if eq $v.probes.kind "grpc" }}{{ $_ := set $ports "9093" "Plumbline's health service" }}{{ end -}}
{{- $own := dict "sidecar.agentPort" $v.sidecar.agentPort "sidecar.ports.inbound" $v.sidecar.ports.inbound "sidecar.ports.outbound" $v.sidecar.ports.outbound -}}
{{- range $name, $port := $own -}}
{{- $number := int $port | toString -}}
{{- if hasKey $ports $number -}}
{{- fail (printf "%s: %s is also %s. All containers of a pod share its ports." $name $number (get $ports $number)) -}}
{{- end -}}
{{- $_ := set $ports $number $name -}}
{{- end -}}
{{- include "plumbline.checks.agent" . -}}
{{- if and (eq $v.sidecar.variant "transparent") (not $v.sidecar.transparent.cni) (not $v.sidecar.transparent.init.image.repository) -}}
{{- fail "sidecar.transparent.init.image.repository: name an image with sh, iptables-restore and ip6tables-restore; it captures the agent's connections before the agent starts. (sidecar.transparent.cni: true: something else of yours does.)" -}}
{{- end -}}
{{- end -}}

{{/* What the agent is given besides must not take back what keeps it behind Envoy. */}}
{{- define "plumbline.checks.agent" -}}
{{- $v := .Values -}}
{{- $set := list "HOST" "PORT" -}}
{{- if eq $v.sidecar.variant "proxy" }}{{ $set = concat $set (list "HTTP_PROXY" "HTTPS_PROXY" "NO_PROXY") }}{{ end -}}
{{- range $variable := $v.agent.env -}}
{{- if has (upper $variable.name) $set -}}
{{- fail (printf "agent.env: %s is what the chart sets, so that the agent is reached and sends through Envoy alone; of two, the later would hold. (sidecar.agentPort and sidecar.noProxy are there for it.)" $variable.name) -}}
{{- end -}}
{{- end -}}
{{- $own := list "config" "plumbline-socket" "listener-token" "admin-token" "envoy-config" "capture" "capture-run" -}}
{{- range $mount := $v.agent.extraVolumeMounts -}}
{{- if has $mount.name $own -}}
{{- fail (printf "agent.extraVolumeMounts: %s is a volume of Envoy and Plumbline. Who opens what is in it can forge what a user asked." $mount.name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
