{{/* The sidecar's configuration for an Envoy that stands by itself: it is reached from elsewhere, and so is Plumbline. */}}
{{- define "plumbline.plainEnvoy.gateway" -}}
{{- $root := .root -}}
{{- $entry := .entry -}}
{{- $file := include "plumbline.envoy.file" $root | fromYaml -}}
{{- $tls := default dict $entry.clientTls -}}
{{- $files := dict "cert" (default "/etc/plumbline-client/tls.crt" $tls.cert) "key" (default "/etc/plumbline-client/tls.key" $tls.key) "ca" (default "/etc/plumbline-client/ca.crt" $tls.ca) "serverName" (include "plumbline.serviceHost" $root) -}}
{{- $clusters := list -}}
{{- range $direction := list "inbound" "outbound" -}}
{{- $port := include "plumbline.servicePort" (dict "root" $root "direction" $direction) -}}
{{- $name := printf "plumbline_%s" $direction -}}
{{- $clusters = append $clusters (include "plumbline.envoy.cluster" (dict "root" $root "name" $name "host" (include "plumbline.serviceHost" $root) "port" $port "tls" $files) | fromYaml) -}}
{{- end -}}
{{- range $cluster := $file.static_resources.clusters -}}
{{- if eq $cluster.name "agent" -}}
{{- $_ := set $cluster "type" "STRICT_DNS" -}}
{{- $endpoint := dict "endpoint" (dict "address" (dict "socket_address" (dict "address" $entry.agent.host "port_value" (int $entry.agent.port)))) -}}
{{- $_ := set $cluster.load_assignment "endpoints" (list (dict "lb_endpoints" (list $endpoint))) -}}
{{- end -}}
{{- if ne $cluster.name "plumbline" -}}
{{- $clusters = append $clusters $cluster -}}
{{- end -}}
{{- end -}}
{{- $_ := set $file.static_resources "clusters" $clusters -}}
{{- range $listener := $file.static_resources.listeners -}}
{{- $_ := set $listener.address.socket_address "address" "0.0.0.0" -}}
{{- $_ := set $listener "per_connection_buffer_limit_bytes" (include "plumbline.attach.bodyLimit" (dict "root" $root) | int64) -}}
{{- $manager := (index (index $listener.filter_chains 0).filters 0).typed_config -}}
{{- range $filter := $manager.http_filters -}}
{{- if eq $filter.name "envoy.filters.http.ext_proc" -}}
{{- $routing := ternary "host" "" (eq $listener.name "outbound") -}}
{{- $_ := set $filter "typed_config" (include "plumbline.envoy.extProc" (dict "root" $root "direction" $listener.name "workload" (default $entry.name $entry.workload) "routing" $routing "cluster" (printf "plumbline_%s" $listener.name)) | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- range $host := $manager.route_config.virtual_hosts -}}
{{- if and (eq $host.name "tls_by_envoy") $entry.tlsHosts -}}
{{- $domains := list -}}
{{- range $entry.tlsHosts }}{{ $domains = concat $domains (list . (printf "%s:443" .)) }}{{ end -}}
{{- $_ := set $host "domains" $domains -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $file -}}
{{- end -}}
