{{/* A processing mode in kgateway's spelling: what it leaves out gets a default there, so it is whole. */}}
{{- define "plumbline.kgateway.mode" -}}
requestHeaderMode: {{ default "SEND" .request_header_mode }}
requestBodyMode: {{ .request_body_mode }}
requestTrailerMode: {{ .request_trailer_mode }}
responseHeaderMode: {{ .response_header_mode }}
responseBodyMode: {{ .response_body_mode }}
responseTrailerMode: {{ .response_trailer_mode }}
{{- end -}}
