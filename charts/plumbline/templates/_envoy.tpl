{{/*
Every Envoy configuration of this chart comes from one file, files/envoy/sidecar.yaml: the one that the end-to-end tests run.
These templates read it (its anchors are resolved by that) and put in what a cluster decides.
*/}}

{{/* The whole file, as YAML without anchors. */}}
{{- define "plumbline.envoy.file" -}}
{{- $file := .Files.Get "files/envoy/sidecar.yaml" | fromYaml -}}
{{- if hasKey $file "Error" }}{{ fail (printf "files/envoy/sidecar.yaml: %s" $file.Error) }}{{ end -}}
{{- toYaml $file -}}
{{- end -}}

{{/*
`typed_config` of the ext_proc filter.
  root            the chart
  direction       inbound | outbound
  workload        the agent's name; empty: the client's certificate or `listener.workload` says it
  routing         "host" where routes go by the Host header and nothing else; otherwise empty
  token           the value of x-plumbline-token, such as '%ENVIRONMENT(PLUMBLINE_TOKEN)%'; empty: none is sent
  cluster         the cluster's name (plumbline)
  messageTimeout  such as 7.5s; as long as the configured gates need, if left out
*/}}
{{- define "plumbline.envoy.extProc" -}}
{{- $file := include "plumbline.envoy.file" .root | fromYaml -}}
{{- $listener := index $file.static_resources.listeners 0 -}}
{{- $manager := (index (index $listener.filter_chains 0).filters 0).typed_config -}}
{{- $filter := (index $manager.http_filters 0).typed_config -}}
{{- $metadata := list (dict "key" "x-plumbline-direction" "value" .direction) -}}
{{- with .workload }}{{ $metadata = append $metadata (dict "key" "x-plumbline-workload" "value" .) }}{{ end -}}
{{- with .token }}{{ $metadata = append $metadata (dict "key" "x-plumbline-token" "value" .) }}{{ end -}}
{{- with .routing }}{{ $metadata = append $metadata (dict "key" "x-plumbline-routing" "value" .) }}{{ end -}}
{{- $service := dict "envoy_grpc" (dict "cluster_name" (default "plumbline" .cluster)) "initial_metadata" $metadata -}}
{{- $_ := set $filter "grpc_service" $service -}}
{{- $_ := set $filter "message_timeout" (default (include "plumbline.messageTimeout" .root) .messageTimeout) -}}
{{- toYaml $filter -}}
{{- end -}}

{{/*
The cluster that leads to Plumbline, with its cure for lost connections and its circuit breaker.
  root    the chart
  name    the cluster's name (plumbline)
  socket  a Unix socket, or:
  host    a name and
  port    a port, with
  tls     files of the client: cert, key, ca, and the server's name: serverName
*/}}
{{- define "plumbline.envoy.cluster" -}}
{{- $file := include "plumbline.envoy.file" .root | fromYaml -}}
{{- $cluster := index $file.static_resources.clusters 0 -}}
{{- $name := default "plumbline" .name -}}
{{- $address := dict -}}
{{- if .socket -}}
{{- $address = dict "pipe" (dict "path" .socket) -}}
{{- else -}}
{{- $address = dict "socket_address" (dict "address" .host "port_value" (int .port)) -}}
{{- $_ := set $cluster "type" "STRICT_DNS" -}}
{{- $_ := set $cluster "transport_socket" (include "plumbline.envoy.clientTls" .tls | fromYaml) -}}
{{- end -}}
{{- $_ := set $cluster "name" $name -}}
{{- $endpoint := dict "endpoint" (dict "address" $address) -}}
{{- $_ := set $cluster "load_assignment" (dict "cluster_name" $name "endpoints" (list (dict "lb_endpoints" (list $endpoint)))) -}}
{{- toYaml $cluster -}}
{{- end -}}

{{/* Mutual TLS towards the shared service: (dict "cert" … "key" … "ca" … "serverName" …), files in PEM. */}}
{{- define "plumbline.envoy.clientTls" -}}
name: envoy.transport_sockets.tls
typed_config:
  '@type': type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
  sni: {{ .serverName | quote }}
  common_tls_context:
    alpn_protocols: [h2]
    tls_certificates:
      - certificate_chain: { filename: {{ .cert | quote }} }
        private_key: { filename: {{ .key | quote }} }
    validation_context:
      trusted_ca: { filename: {{ .ca | quote }} }
      # Whoever else this authority vouches for is not Plumbline.
      match_typed_subject_alt_names:
        - { san_type: DNS, matcher: { exact: {{ .serverName | quote }} } }
{{- end -}}

{{/* The runtime layer with the other cure for lost connections. */}}
{{- define "plumbline.envoy.runtime" -}}
{{- $file := include "plumbline.envoy.file" . | fromYaml -}}
{{- toYaml $file.layered_runtime -}}
{{- end -}}
