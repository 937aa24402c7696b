package main

import (
	"github.com/spf13/pflag"

	"txweave/campaign/bugs"
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
