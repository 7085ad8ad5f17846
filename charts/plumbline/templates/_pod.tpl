{{/* What every container of this chart may do: nothing. (dict "uid" 65532 "readOnly" true) */}}
{{- define "plumbline.securityContext" -}}
runAsUser: {{ int64 .uid }}
runAsGroup: {{ int64 .uid }}
runAsNonRoot: true
readOnlyRootFilesystem: {{ .readOnly }}
allowPrivilegeEscalation: false
privileged: false
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Without the versions of chart and program: a new chart alone is no reason to end a pod, and the sessions in it. */}}
{{- define "plumbline.podLabels" -}}
{{ include "plumbline.selectorLabels" . }}
app.kubernetes.io/part-of: plumbline
{{- with .root.Values.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Pods hold no key to the cluster's API. */}}
{{- define "plumbline.podSpec" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A variable from a Secret: (dict "name" … "secretName" … "key" …). */}}
{{- define "plumbline.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secretName }}
      key: {{ .key }}
{{- end -}}
