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
    # Without IPv6 there is nothing to capture there. By reading: the size of such a file is always 0.
    six=""
    if read -r address 2> /dev/null < /proc/net/if_inet6; then six=yes; fi
    iptables-restore --noflush < /capture/rules.v4
    if [ "$six" ]; then ip6tables-restore --noflush < /capture/rules.v6; fi
    # This pod's name servers and no other: whatever else answers on port 53 would be a way out.
    while read -r word server rest; do
      if [ "$word" != nameserver ]; then continue; fi
      restore=iptables-restore
      case "$server" in *:*) restore=ip6tables-restore; if [ ! "$six" ]; then continue; fi ;; esac
      printf '*filter\n-I PLUMBLINE -d %s -p udp --dport 53 -j RETURN\nCOMMIT\n' "${server%%[%]*}" | "$restore" --noflush
    done < /etc/resolv.conf
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
By user: what Envoy and Plumbline send is theirs. All else of this pod's TCP goes to Envoy, whoever sends it: a container that
was given another user than the agent's is captured too. What stays in the pod is let alone, but for the ports that the agent has
no business at: who reaches the inbound one speaks as a user. No other protocol leaves, so that none goes round Envoy; the
questions to name servers are added where those are known.
*/}}
{{- define "plumbline.sidecar.rules.v4" -}}
*nat
:PLUMBLINE - [0:0]
-A OUTPUT -p tcp -j PLUMBLINE
-A PLUMBLINE -m owner --uid-owner {{ int64 .Values.runAsUser }} -j RETURN
-A PLUMBLINE -o lo -j RETURN
-A PLUMBLINE -p tcp -j REDIRECT --to-ports {{ int .Values.sidecar.ports.outbound }}
COMMIT
*filter
:PLUMBLINE - [0:0]
-A OUTPUT -j PLUMBLINE
# Not even Envoy reaches the inbound port by the pod's address: the agent would have it carry a user's words there.
-A PLUMBLINE -o lo -p tcp ! -d 127.0.0.0/8 --dport {{ int .Values.sidecar.ports.inbound }} -j REJECT
{{ include "plumbline.sidecar.letAlone" . }}
-A PLUMBLINE -p tcp --dport {{ int .Values.sidecar.ports.inbound }} -j REJECT
-A PLUMBLINE -p tcp --dport 9093:9094 -j REJECT
-A PLUMBLINE -o lo -j RETURN
-A PLUMBLINE -d 127.0.0.0/8 -j RETURN
-A PLUMBLINE -j REJECT
COMMIT
{{ end -}}

{{/* Envoy listens on IPv4: over IPv6 nobody else reaches anything but its own pod. */}}
{{- define "plumbline.sidecar.rules.v6" -}}
*filter
:PLUMBLINE - [0:0]
-A OUTPUT -j PLUMBLINE
{{ include "plumbline.sidecar.letAlone" . }}
# The kernel's own questions for neighbours; no program of this pod can send these.
{{- range list 133 135 136 143 }}
-A PLUMBLINE -p icmpv6 --icmpv6-type {{ . }} -j RETURN
{{- end }}
-A PLUMBLINE -o lo -j RETURN
# At once, so that a client tries IPv4.
-A PLUMBLINE -p tcp -j REJECT --reject-with tcp-reset
-A PLUMBLINE -j REJECT
COMMIT
{{ end -}}

{{- define "plumbline.sidecar.letAlone" -}}
-A PLUMBLINE -m owner --uid-owner {{ int64 .Values.runAsUser }} -j RETURN
# The end of a connection whose program is gone, and the kernel's word that nobody listens.
-A PLUMBLINE -m owner ! --socket-exists -j RETURN
-A PLUMBLINE -p tcp --tcp-flags RST RST -j RETURN
{{- end -}}
