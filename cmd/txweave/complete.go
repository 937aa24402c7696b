package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign/bugs"
	"txweave/campaign/target"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/gen/workload"
	"txweave/report"
	"txweave/report/export"
)

// completions are what the values of flags may be, by the flag's name.
var completions = map[string]func(cmd *cobra.Command) []string{
	"target":    func(*cobra.Command) []string { return registry.Names() },
	"isolation": levelNames, "claim": levelNames,
	"inject":    func(*cobra.Command) []string { return faultNames() },
	"for":       func(*cobra.Command) []string { return append(report.Trackers(), report.HTML) },
	"to":        func(*cobra.Command) []string { return export.Formats() },
	"workload":  func(*cobra.Command) []string { return workload.Names() },
	"format":    func(*cobra.Command) []string { return []string{"text", "json"} },
	"precision": func(*cobra.Command) []string { return []string{"exact", "column", "match"} },
	"status":    func(*cobra.Command) []string { return []string{"open", "unconfirmed", "duplicate", "invalid", "fixed"} },
}

// levelNames are the levels of the command's target, of all targets where it names none.
func levelNames(cmd *cobra.Command) []string {
	targets := registry.Names()
	if f := cmd.Flags().Lookup("target"); f != nil && slices.Contains(targets, f.Value.String()) {
		targets = []string{f.Value.String()}
	}
	var out []string
	for _, t := range targets {
		for _, p := range dbms.Levels(t) {
			if !slices.Contains(out, p.Isolation) {
				out = append(out, p.Isolation)
			}
		}
	}
	return out
}

func faultNames() []string {
	var out []string
	for _, f := range target.AllFaults() {
		out = append(out, f.Name)
	}
	return out
}

// takesBugs are the commands whose arguments are bugs, findings or cases.
var takesBugs = []string{"replay", "explore", "reduce", "report", "export", "verify", "show", "label", "merge", "dup",
	"invalid", "reopen", "fixed-in", "split"}

// complete makes the shell complete what can be known: names of targets, levels, planted bugs, formats; bugs and
// findings.
func complete(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		complete(sub)
	}
	for name, values := range completions {
		if cmd.Flags().Lookup(name) == nil || name == "format" && cmd.Name() == "check" {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			// an error: it has one
			before, last := "", typed
			if at := strings.LastIndexByte(typed, ','); at >= 0 && name == "inject" { // a list
				before, last = typed[:at+1], typed[at+1:]
			}
			var out []string
			for _, v := range values(cmd) {
				if strings.HasPrefix(v, last) {
					out = append(out, before+v)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		})
	}
	if slices.Contains(takesBugs, cmd.Name()) && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return bugNames(cmd, typed), cobra.ShellCompDirectiveDefault // files, too
		}
	}
}

// bugNames lists the bugs of a campaign's directory, and the findings that are kept, as named takes them.
func bugNames(cmd *cobra.Command, typed string) []string {
	dir, _ := filepath.Split(typed)
	in := dir
	if f := cmd.Flags().Lookup("out"); in == "" && f != nil {
		in = f.Value.String()
	}
	if in == "" {
		in = bugs.DefaultOut
	}
	s, err := bugs.Open(in)
	if err != nil {
		return nil
	}
	defer s.Close()
	b, err := s.Bugs()
	if err != nil {
		return nil
	}
	var out []string
	for _, g := range b.Bugs {
		names := []string{g.ID}
		for _, k := range g.Kept {
			names = append(names, k.Dir)
		}
		for _, name := range names {
			if strings.HasPrefix(dir+name, typed) {
				out = append(out, dir+name+"\t"+g.Title)
			}
		}
	}
	return out
}
