{{/* Name of an image. Takes `root`, the program's `name`, and its `image` with tag and digest. */}}
{{- define "witan.image" -}}
{{- $repository := printf "%s/%s" .root.Values.image.repository .name -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (.image.tag | default .root.Values.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
