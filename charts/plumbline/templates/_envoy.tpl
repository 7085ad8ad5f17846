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
{{- with .root.Values.config.listener.max_streams -}}
{{- $_ := set $cluster "circuit_breakers" (dict "thresholds" (list (dict "max_requests" (int64 .) "max_pending_requests" (int64 .)))) -}}
{{- end -}}
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

{{/*
── The sidecar ──
The whole configuration of an Envoy beside an agent: the file, with the values of `sidecar` put in.
Each step changes the file in place; what it does not find, it fails on, so that a file of another shape is noticed.
*/}}
{{- define "plumbline.envoy.sidecar" -}}
{{- $sidecar := .Values.sidecar -}}
{{- $file := include "plumbline.envoy.file" . | fromYaml -}}
{{- $listeners := $file.static_resources.listeners -}}
{{- $inbound := index $listeners 0 -}}
{{- $outbound := index $listeners 1 -}}
{{- if or (ne $inbound.name "inbound") (ne $outbound.name "outbound") }}{{ fail "files/envoy/sidecar.yaml: inbound and outbound are not where they were" }}{{ end -}}
{{- $_ := set $inbound.address.socket_address "port_value" (int $sidecar.ports.inbound) -}}
{{- $_ := set $outbound.address.socket_address "port_value" (int $sidecar.ports.outbound) -}}
{{- $byHost := include "plumbline.sidecar.routesByHost" . -}}
{{- range $listener := $listeners -}}
{{- $manager := (index (index $listener.filter_chains 0).filters 0).typed_config -}}
{{- $routing := ternary "host" "" (and (eq $listener.name "outbound") (eq $byHost "true")) -}}
{{- $token := ternary "%ENVIRONMENT(PLUMBLINE_TOKEN)%" "" (ne $.Values.secrets.listenerToken.secretName "") -}}
{{- with $.Values.config.listener.max_body_bytes -}}
{{- $_ := set $listener "per_connection_buffer_limit_bytes" (int64 .) -}}
{{- $_ := set $manager.http2_protocol_options "initial_stream_window_size" (int64 (max 65535 .)) -}}
{{- end -}}
{{- $speaks := dict "root" $ "direction" $listener.name "workload" (include "plumbline.sidecar.workload" $) "token" $token "routing" $routing -}}
{{- $_ := set (index $manager.http_filters 0) "typed_config" (include "plumbline.envoy.extProc" $speaks | fromYaml) -}}
{{- end -}}
{{- $manager := (index (index $outbound.filter_chains 0).filters 0).typed_config -}}
{{- range $filter := $manager.http_filters -}}
{{- if eq $filter.name "envoy.filters.http.rbac" -}}
{{- $_ := set $filter.typed_config.rules.policies.own_ports "permissions" (list (include "plumbline.envoy.ownPorts" (dict "root" $ "filter" $filter "byHost" $byHost) | fromYaml)) -}}
{{- end -}}
{{- end -}}
{{- $clusters := list (include "plumbline.envoy.cluster" (dict "root" . "socket" "/run/plumbline/plumbline.sock") | fromYaml) -}}
{{- $_ := set $file.static_resources "clusters" (concat $clusters (rest $file.static_resources.clusters)) -}}
{{- range $cluster := $file.static_resources.clusters -}}
{{- if eq $cluster.name "agent" -}}
{{- $endpoint := (index (index $cluster.load_assignment.endpoints 0).lb_endpoints 0).endpoint -}}
{{- $_ := set $endpoint.address.socket_address "port_value" (int $sidecar.agentPort) -}}
{{- else if eq $cluster.name "by_host_tls" -}}
{{- $_ := set $cluster.transport_socket.typed_config.common_tls_context.validation_context.trusted_ca "filename" $sidecar.trustedCa -}}
{{- end -}}
{{- end -}}
{{- $hosts := $manager.route_config.virtual_hosts -}}
{{- if $sidecar.tlsHosts -}}
{{- $domains := list -}}
{{- range $sidecar.tlsHosts }}{{ $domains = concat $domains (list . (printf "%s:443" .)) }}{{ end -}}
{{- $_ := set (index $hosts 0) "domains" $domains -}}
{{- else -}}
{{- $_ := set $manager.route_config "virtual_hosts" (rest $hosts) -}}
{{- end -}}
{{- if eq $sidecar.variant "transparent" -}}
{{- $_ := set $file.static_resources "listeners" (list $inbound (include "plumbline.envoy.captured" (dict "root" . "listener" $outbound "byHost" $byHost) | fromYaml)) -}}
{{- if or (ne $byHost "true") (eq $sidecar.transparent.tls "pass") -}}
{{- $_ := set $file.static_resources "clusters" (append $file.static_resources.clusters (include "plumbline.envoy.originalDestination" $file | fromYaml)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $file -}}
{{- end -}}

{{/*
What the agent must not reach through the proxy: this pod's own ports, by the address that a name led to. Where routes go by
original destination there is no such address, and nothing of this pod that a captured connection could have been for.
*/}}
{{- define "plumbline.envoy.ownPorts" -}}
{{- if eq .byHost "true" -}}
{{- $permission := index .filter.typed_config.rules.policies.own_ports.permissions 0 -}}
{{- $ports := (index $permission.and_rules.rules 1).or_rules -}}
{{- $type := (index $ports.rules 0).matcher.typed_config -}}
{{- $matchers := list -}}
{{- range $port := list 9094 (int .root.Values.sidecar.ports.inbound) (int .root.Values.sidecar.ports.outbound) -}}
{{- $range := dict "@type" (get $type "@type") "upstream_port_range" (dict "start" $port "end" (add $port 1)) -}}
{{- $matchers = append $matchers (dict "matcher" (dict "name" "envoy.rbac.matchers.upstream_ip_port" "typed_config" $range)) -}}
{{- end -}}
{{- $_ := set $ports "rules" $matchers -}}
{{- toYaml $permission -}}
{{- else -}}
or_rules:
  rules:
    - destination_ip: { address_prefix: 127.0.0.0, prefix_len: 8 }
    - destination_ip: { address_prefix: '::1', prefix_len: 128 }
{{- end -}}
{{- end -}}

{{/* The outbound listener, for connections that the agent meant for somebody else. */}}
{{- define "plumbline.envoy.captured" -}}
{{- $listener := .listener -}}
{{- $chain := index $listener.filter_chains 0 -}}
{{- $_ := set $chain "filter_chain_match" (dict "transport_protocol" "raw_buffer") -}}
{{- $filters := list (dict "name" "envoy.filters.listener.original_dst" "typed_config" (dict "@type" "type.googleapis.com/envoy.extensions.filters.listener.original_dst.v3.OriginalDst")) -}}
{{- $filters = append $filters (dict "name" "envoy.filters.listener.tls_inspector" "typed_config" (dict "@type" "type.googleapis.com/envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector")) -}}
{{- $_ := set $listener "listener_filters" $filters -}}
{{- /* A protocol in which the server speaks first shows nothing to look at: it ends here. */ -}}
{{- $_ := set $listener "listener_filters_timeout" "5s" -}}
{{- /* What is TLS finds no chain, and is closed; or passes, unseen. */ -}}
{{- if eq .root.Values.sidecar.transparent.tls "pass" -}}
{{- $_ := set $listener "filter_chains" (append $listener.filter_chains (include "plumbline.envoy.unseen" . | fromYaml)) -}}
{{- end -}}
{{- if ne .byHost "true" -}}
{{- $manager := (index $chain.filters 0).typed_config -}}
{{- $kept := list -}}
{{- range $manager.http_filters -}}
{{- if ne .name "envoy.filters.http.dynamic_forward_proxy" }}{{ $kept = append $kept . }}{{ end -}}
{{- end -}}
{{- $_ := set $manager "http_filters" $kept -}}
{{- range $host := $manager.route_config.virtual_hosts -}}
{{- $_ := set (index $host.routes 1).route "cluster" "original_destination" -}}
{{- end -}}
{{- end -}}
{{- toYaml $listener -}}
{{- end -}}

{{- define "plumbline.envoy.unseen" -}}
name: unseen
filter_chain_match: { transport_protocol: tls }
filters:
  # Only to where a captured connection was going: Envoy opens none for one that was not captured.
  - name: envoy.filters.network.tcp_proxy
    typed_config:
      '@type': type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
      stat_prefix: unseen
      cluster: original_destination
{{- end -}}

{{/* As the agent speaks, to where it connected. Takes the file, for the protocols of by_host. */}}
{{- define "plumbline.envoy.originalDestination" -}}
{{- $protocols := dict -}}
{{- range .static_resources.clusters -}}
{{- if eq .name "by_host" }}{{ $protocols = index .typed_extension_protocol_options "envoy.extensions.upstreams.http.v3.HttpProtocolOptions" }}{{ end -}}
{{- end -}}
{{- $protocols = omit $protocols "upstream_http_protocol_options" -}}
name: original_destination
type: ORIGINAL_DST
lb_policy: CLUSTER_PROVIDED
connect_timeout: 5s
typed_extension_protocol_options:
  envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
    {{- toYaml $protocols | nindent 4 }}
{{- end -}}
