package main

import (
	"strings"

	"github.com/spf13/pflag"

	"txweave/finding"
)

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
