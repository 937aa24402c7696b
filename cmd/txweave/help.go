package main

import "github.com/spf13/cobra"

// choices is the annotation of a command with what its flags may choose among: a heading and a line for each.
const choices = "choices"

// helpText is what help prints of a command: what it does, examples, more about it, and its flags.
const helpText = `{{.Short}}.
{{- with .Example}}

Examples:
{{.}}
{{- end}}
{{- with .Long}}

{{trimTrailingWhitespaces .}}
{{- end}}
{{- with index .Annotations "choices"}}

{{trimTrailingWhitespaces .}}
{{- end}}

{{.UsageString}}`

// usageText is the rest of it.
const usageText = `Usage:
{{- if .Runnable}}
  {{.UseLine}}
{{- end}}
{{- if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]
{{- $all := .Commands}}
{{- range $group := .Groups}}

{{.Title}}
{{- range $all}}{{if and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}} {{.Short}}
{{- end}}{{end}}
{{- end}}
{{- if not .Groups}}

Commands:
{{- range $all}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}
{{- end}}{{end}}
{{- end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{trimTrailingWhitespaces .LocalFlags.FlagUsages}}
{{- end}}
{{- if .HasAvailableInheritedFlags}}

Shared flags:
{{trimTrailingWhitespaces .InheritedFlags.FlagUsages}}
{{- end}}
{{- if .HasAvailableSubCommands}}

"{{.CommandPath}} [command] --help" says more about a command.
{{- end}}
`

// explain sets what help prints. Commands come in the order of the work, not of the alphabet.
func explain(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	root.SetHelpTemplate(helpText)
	root.SetUsageTemplate(usageText)
}
