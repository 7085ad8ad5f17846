{{/* The transparent variant: how the agent's connections come to Envoy although it knows of none. */}}

{{/* "true" where this chart captures, and not something else of the cluster's. */}}
{{- define "plumbline.sidecar.captures" -}}
{{- and (eq .Values.sidecar.variant "transparent") (not .Values.sidecar.transparent.cni) -}}
{{- end -}}

{{/* The only container with capabilities. It ends before the agent starts. */}}
{{- define "plumbline.sidecar.capture" -}}
{{- $init := .Values.sidecar.transparent.init -}}
name: capture
image: {{ include "plumbline.imageReference" (dict "image" $init.image "tag" "latest") | quote }}
imagePullPolicy: {{ $init.image.pullPolicy }}
command: [sh, -ec]
args:
  - |
    iptables-restore --noflush < /capture/rules.v4
    # A kernel without IPv6 has nothing to capture there.
    if [ -s /proc/net/if_inet6 ]; then ip6tables-restore --noflush < /capture/rules.v6; fi
resources:
  {{- toYaml $init.resources | nindent 2 }}
securityContext:
  runAsUser: 0
  runAsGroup: 0
  runAsNonRoot: false
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  privileged: false
  capabilities:
    drop: [ALL]
    add: [NET_ADMIN, NET_RAW]
  seccompProfile:
    type: RuntimeDefault
volumeMounts:
  - { name: capture, mountPath: /capture, readOnly: true }
  # iptables keeps its lock there.
  - { name: capture-run, mountPath: /run }
{{- end -}}

{{/*
By user: what Envoy and Plumbline send is theirs. What stays in the pod is let alone. All else of the agent's TCP goes to Envoy;
of the rest only questions to name servers pass, so that no other protocol goes round it.
*/}}
{{- define "plumbline.sidecar.rules.v4" -}}
*nat
:PLUMBLINE - [0:0]
-A OUTPUT -p tcp -m owner --uid-owner {{ int64 .Values.sidecar.agentUid }} -j PLUMBLINE
-A PLUMBLINE -o lo -j RETURN
-A PLUMBLINE -p tcp -j REDIRECT --to-ports {{ int .Values.sidecar.ports.outbound }}
COMMIT
*filter
:PLUMBLINE - [0:0]
-A OUTPUT -m owner --uid-owner {{ int64 .Values.sidecar.agentUid }} -j PLUMBLINE
-A PLUMBLINE -o lo -j RETURN
-A PLUMBLINE -d 127.0.0.0/8 -j RETURN
-A PLUMBLINE -p udp --dport 53 -j RETURN
-A PLUMBLINE -j REJECT
COMMIT
{{ end -}}

{{/* Envoy listens on IPv4: over IPv6 the agent reaches nothing but its own pod. */}}
{{- define "plumbline.sidecar.rules.v6" -}}
*filter
:PLUMBLINE - [0:0]
-A OUTPUT -m owner --uid-owner {{ int64 .Values.sidecar.agentUid }} -j PLUMBLINE
-A PLUMBLINE -o lo -j RETURN
-A PLUMBLINE -p udp --dport 53 -j RETURN
-A PLUMBLINE -j REJECT
COMMIT
{{ end -}}
