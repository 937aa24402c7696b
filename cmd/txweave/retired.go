package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"txweave/campaign/rotation"
	"txweave/internal/spelling"
)

// retired are the flags of an earlier guidance by what cases showed: command lines that have them go on working.
type retired struct {
	guide  string
	corpus string
}

// add adds those of the flags that a command had.
func (f *retired) add(fs *pflag.FlagSet, names ...string) {
	all := map[string]*string{"guide": &f.guide, "corpus": &f.corpus}
	for _, name := range names {
		fs.StringVar(all[name], name, "", "does nothing")
		fs.Lookup(name).Hidden = true
	}
}

// check refuses what never was a value, and says once of flags that are there that they do nothing.
func (f *retired) check(fs *pflag.FlagSet, stderr io.Writer) error {
	if fs.Changed("guide") && !slices.Contains([]string{"none", "coverage"}, f.guide) {
		return usage(spelling.NoneOf("--guide", f.guide, "none", "coverage"))
	}
	var there []string
	for _, name := range []string{"guide", "corpus"} {
		if fs.Changed(name) {
			there = append(there, "--"+name)
		}
	}
	if len(there) > 0 {
		fmt.Fprintln(stderr, doNothing(strings.Join(there, ", ")))
	}
	return nil
}

// tellGuides says the same of cells.
func tellGuides(plan *rotation.CampaignPlan, stderr io.Writer) {
	if slices.ContainsFunc(plan.Parts, func(p rotation.Part) bool { return p.Guide != "" }) {
		fmt.Fprintln(stderr, doNothing("guide of a cell"))
	}
}

// doNothing says of what is left of guidance why it does nothing.
func doNothing(what string) string {
	return "txweave: " + what +
		": cases are not guided by what they show any more, as that gained nothing (docs/decisions.md); fuzz --seeds " +
		"changes cases of known bugs"
}
