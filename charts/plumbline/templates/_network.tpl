{{/* Rules that the policies of both shapes share. */}}

{{/* The admin address: for those who watch, and for `helm test`. */}}
{{- define "plumbline.network.admin" -}}
- from:
    - podSelector:
        matchLabels:
          {{- include "plumbline.selectorLabels" (dict "root" . "component" "test") | nindent 10 }}
    {{- with .Values.networkPolicy.monitoring }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  ports: [{ port: admin, protocol: TCP }]
{{- end -}}

{{/* What the pods may reach: name servers, the reflection service, and what the values list. */}}
{{- define "plumbline.network.egress" -}}
{{- if .Values.networkPolicy.egress.dns }}
- to: [{ namespaceSelector: {}, podSelector: { matchLabels: { k8s-app: kube-dns } } }]
  ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
{{- end }}
{{- if .Values.sparcService.enabled }}
- to:
    - podSelector:
        matchLabels:
          {{- include "plumbline.selectorLabels" (dict "root" . "component" "sparc") | nindent 10 }}
  ports: [{ port: 8090, protocol: TCP }]
{{- end }}
{{- with .Values.networkPolicy.egress.to }}
{{ toYaml . }}
{{- end }}
{{- end -}}
