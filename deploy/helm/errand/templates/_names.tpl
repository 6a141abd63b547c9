{{/* The name of all objects: that of the release, with "errand" unless it contains it. The pod's name has two more characters. */}}
{{- define "errand.name" -}}
{{- $name := .Release.Name -}}
{{- if not (contains "errand" $name) }}{{ $name = printf "%s-errand" $name }}{{ end -}}
{{- $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* The labels by which pods are found. They never change. */}}
{{- define "errand.selector" -}}
app.kubernetes.io/name: errand
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "errand.labels" -}}
{{ include "errand.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The content of config.yaml. */}}
{{- define "errand.configuration" -}}
{{- $stop := dict "server" (dict "stop_delay" (printf "%ds" (int .Values.stop.delay))) "dispatcher" (dict "drain" (printf "%ds" (int .Values.stop.drain))) -}}
{{- mustMergeOverwrite (deepCopy .Values.configuration) $stop | toYaml -}}
{{- end -}}

{{- define "errand.secret" -}}
{{- .Values.token.existingSecret | default (include "errand.name" .) -}}
{{- end -}}

{{- define "errand.account" -}}
{{- .Values.serviceAccount.name | default (ternary (include "errand.name" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}
