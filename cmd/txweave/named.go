package main

import (
	"strings"

	"github.com/spf13/pflag"

	"txweave/campaign/bugs"
	"txweave/finding"
)

// sourceFlags say where a finding comes from that a command is about.
type sourceFlags struct {
	bugs.Shelf
	flags *pflag.FlagSet
}

func (f *sourceFlags) add(fs *pflag.FlagSet) {
	f.flags = fs
	addStore(fs, &f.Shared,
		"the database of several machines, as of campaign run, in which the bug or finding is")
	fs.StringVar(&f.Out, "out", bugs.DefaultOut,
		"the campaign's directory, in which bugs and findings are looked up by name")
}

// parsed notes what the flags say of each other, once they are read.
func (f *sourceFlags) parsed() *bugs.Shelf {
	f.Explicit = f.flags.Changed("out")
	return &f.Shelf
}

// plantedFlag lets commands that write for others take findings with planted bugs.
type plantedFlag struct{ planted bool }

func (f *plantedFlag) add(fs *pflag.FlagSet) {
	fs.BoolVar(&f.planted, "planted", false,
		"take a finding that was made with planted bugs: it says nothing of the database")
}

// allows refuses a finding with planted bugs, unless it is asked for.
func (f *plantedFlag) allows(r *finding.Record) error {
	if p := r.Environment.Planted; len(p) > 0 && !f.planted {
		return usagef(
			"the finding was made with a planted bug (%s): it says nothing of the database; --planted writes it all the same",
			strings.Join(p, ", "))
	}
	return nil
}
