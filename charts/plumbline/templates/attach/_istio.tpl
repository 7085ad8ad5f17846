{{/* Parts of an EnvoyFilter. Istio has no API of its own for ext_proc. */}}

{{/* The name under which Istio's proxies know the shared service. */}}
{{- define "plumbline.istio.cluster" -}}
{{- printf "outbound|%v||%s" (include "plumbline.servicePort" (dict "root" .root "direction" .direction)) (include "plumbline.serviceHost" .root) -}}
{{- end -}}

{{/*
What puts one direction through Plumbline.
  root, entry
  context        SIDECAR_INBOUND | SIDECAR_OUTBOUND | GATEWAY
  direction      inbound | outbound
  cluster        of Plumbline
  routing        "host" where the Host header alone decides where bytes go; otherwise empty
  listener       the one listener that is meant, where not all are
*/}}
{{- define "plumbline.istio.patches" -}}
{{- $file := include "plumbline.envoy.file" .root | fromYaml -}}
{{- $manager := (index (index (index $file.static_resources.listeners 0).filter_chains 0).filters 0).typed_config -}}
{{- $limit := include "plumbline.attach.bodyLimit" . | int64 -}}
{{- $hardened := pick $manager "@type" "normalize_path" "merge_slashes" "path_with_escaped_slashes_action" "common_http_protocol_options" "always_set_request_id_in_response" -}}
{{- $_ := set $hardened "http2_protocol_options" (dict "initial_stream_window_size" $limit) -}}
{{- $ofListener := dict -}}
{{- with .listener }}{{ $_ := set $ofListener "name" . }}{{ end -}}
{{- $managerFilter := dict "name" "envoy.filters.network.http_connection_manager" -}}
{{- $ofManager := mergeOverwrite (deepCopy $ofListener) (dict "filterChain" (dict "filter" $managerFilter)) -}}
{{- $routerFilter := mergeOverwrite (deepCopy $managerFilter) (dict "subFilter" (dict "name" "envoy.filters.http.router")) -}}
{{- $ofRouter := mergeOverwrite (deepCopy $ofListener) (dict "filterChain" (dict "filter" $routerFilter)) -}}
{{- $extProc := include "plumbline.envoy.extProc" (dict "root" .root "direction" .direction "workload" (default .entry.name .entry.workload) "routing" .routing "token" (include "plumbline.istio.token" .) "cluster" .cluster) | fromYaml -}}
{{- /* Envoy would send the cluster's name as the authority, and no HTTP/2 server of Node takes one with bars in it. */ -}}
{{- $_ := set $extProc.grpc_service.envoy_grpc "authority" (include "plumbline.serviceHost" .root) -}}
# Last before the router: after authentication and authorization, so that a caller whom they refuse is never judged and plants no
# intent, and after all that edits a request, so that what is judged is what leaves.
- applyTo: HTTP_FILTER
  match:
    context: {{ .context }}
    listener: {{- toYaml $ofRouter | nindent 6 }}
  patch:
    operation: INSERT_BEFORE
    value:
      name: envoy.filters.http.ext_proc
      typed_config: {{- toYaml $extProc | nindent 8 }}
{{- if and (eq .context "SIDECAR_INBOUND") (not .listener) }}
# Not inside the tunnels of ambient mesh: what comes out of them passes the listener behind, and a tunnel is a CONNECT, which
# Plumbline refuses.
- applyTo: HTTP_FILTER
  match:
    context: {{ .context }}
    listener:
      name: connect_terminate
      filterChain:
        filter:
          name: envoy.filters.network.http_connection_manager
          subFilter: { name: envoy.filters.http.ext_proc }
  patch: { operation: REMOVE }
{{- end }}
# The path and the headers that are judged are the ones that are served.
- applyTo: NETWORK_FILTER
  match:
    context: {{ .context }}
    listener: {{- toYaml $ofManager | nindent 6 }}
  patch:
    operation: MERGE
    value:
      name: envoy.filters.network.http_connection_manager
      typed_config: {{- toYaml $hardened | nindent 8 }}
# Bodies are held until they are judged.
- applyTo: LISTENER
  match:
    context: {{ .context }}
    {{- with $ofListener }}
    listener: {{- toYaml . | nindent 6 }}
    {{- end }}
  patch:
    operation: MERGE
    value: { per_connection_buffer_limit_bytes: {{ $limit }} }
{{- end -}}

{{- define "plumbline.istio.token" -}}
{{- with .entry.tokenVariable }}{{ printf "%%ENVIRONMENT(%s)%%" . }}{{ end -}}
{{- end -}}

{{/* Mutual TLS from the proxies that `labels` selects to the shared service, and the cure for lost connections. */}}
{{- define "plumbline.istio.destinationRule" -}}
{{- $file := include "plumbline.envoy.file" .root | fromYaml -}}
{{- $cluster := index $file.static_resources.clusters 0 -}}
{{- $limits := index $cluster.circuit_breakers.thresholds 0 -}}
{{- $options := get $cluster.typed_extension_protocol_options "envoy.extensions.upstreams.http.v3.HttpProtocolOptions" -}}
{{- $host := include "plumbline.serviceHost" .root -}}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {{- include "plumbline.attach.metadata" . | nindent 2 }}
spec:
  host: {{ $host }}
  exportTo: ['.']
  workloadSelector:
    matchLabels: {{- toYaml .labels | nindent 6 }}
  trafficPolicy:
    connectionPool:
      http:
        # Renews the connection before Node counts a thousand resets on it.
        maxRequestsPerConnection: {{ $options.common_http_protocol_options.max_requests_per_connection }}
        # One stream per exchange under way; Plumbline takes as many.
        http2MaxRequests: {{ $limits.max_requests }}
        http1MaxPendingRequests: {{ $limits.max_pending_requests }}
    tls:
      mode: MUTUAL
      {{- $tls := default dict .entry.clientTls }}
      {{- if $tls.credentialName }}
      credentialName: {{ $tls.credentialName }}
      {{- else }}
      clientCertificate: {{ default "/etc/plumbline-client/tls.crt" $tls.cert }}
      privateKey: {{ default "/etc/plumbline-client/tls.key" $tls.key }}
      caCertificates: {{ default "/etc/plumbline-client/ca.crt" $tls.ca }}
      {{- end }}
      sni: {{ $host }}
      # Whoever else this authority vouches for is not Plumbline.
      subjectAltNames: [{{ $host }}]
{{- end -}}

{{/* Gateways and waypoints know only the services that their routes name, unless told. */}}
{{- define "plumbline.istio.annotations" -}}
annotations:
  envoyfilter.istio.io/referenced-services: {{ printf "%s/%s" .root.Release.Namespace (include "plumbline.serviceHost" .root) }}
{{- end -}}
