// Package recipe keeps what a storm is made of, so that it can be run again, and makes it smaller.
//
// A storm is not replayed: the same recipe sends the same transactions, and how they meet is up to the machine. So what
// a recipe says of a finding is how often it came.
package recipe

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"

	"txweave/finding"
	"txweave/gen/workload"
	"txweave/internal/former"
	"txweave/internal/input"
	"txweave/internal/output"
	"txweave/internal/strict"
)

// Recipe is a storm: a file storm.toml.
type Recipe struct {
	Target       string   `toml:"target"`
	Server       string   `toml:"server,omitempty"` // path of the binary; it may be another one on another machine
	Isolation    string   `toml:"isolation,omitempty"`
	Claim        string   `toml:"claim,omitempty"`
	Inject       []string `toml:"inject,omitempty"` // planted bugs
	Workload     string   `toml:"workload"`
	Keys         int      `toml:"keys"`
	Distribution string   `toml:"distribution"`
	Without      []string `toml:"without,omitempty"` // operations that its transactions leave out
	Sessions     int      `toml:"sessions"`
	Seed         uint64   `toml:"seed"`
	Transactions int      `toml:"transactions,omitzero"` // a storm ends once so many have committed; 0: it does not
	workload.Tuning
	Duration strict.Duration `toml:"duration"` // of one storm; one that shows something may end before
	Nemesis  []string        `toml:"nemesis,omitempty"`
	Acts     []string        `toml:"acts,omitempty"` // what the nemeses do, of all that they can; empty: everything
	Every    strict.Duration `toml:"every,omitzero"`
	Perturb  bool            `toml:"perturb,omitempty"`
	Finding  []Seen          `toml:"finding,omitempty"`
}

// Seen is how often a finding came.
type Seen struct {
	Signature string          `toml:"signature"`
	Summary   string          `toml:"summary"`
	Times     int             `toml:"times"`           // storms that showed it
	Storms    int             `toml:"storms"`          // that were run
	Median    strict.Duration `toml:"median,omitzero"` // of the time until it was seen, where it was
}

// Read reads a recipe. Keys that there are not are errors.
func Read(ctx context.Context, path string) (*Recipe, error) {
	text, err := input.Read(ctx, path, input.Config)
	if err != nil {
		return nil, err
	}
	r := &Recipe{}
	meta, err := strict.TOML(path, text, "a storm", r, former.Recipe)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"target", "workload", "keys", "sessions", "duration"} {
		if !meta.IsDefined(key) {
			return nil, fmt.Errorf("%s: %s is missing", path, key)
		}
	}
	for i := range r.Finding {
		r.Finding[i].Signature = finding.Renamed(r.Finding[i].Signature)
	}
	r.Workload, r.Distribution = former.Workloads.Now(r.Workload), cmp.Or(r.Distribution, "uniform")
	return r, nil
}

// Write writes a recipe, which is there only once it is whole.
func (r *Recipe) Write(ctx context.Context, path string) error {
	var b bytes.Buffer
	b.WriteString("# txweave storm repeat runs this, txweave storm reduce makes it smaller\n")
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(r); err != nil {
		return err
	}
	return output.Replace(ctx, path, b.Bytes())
}

// clone copies a recipe.
func (r *Recipe) clone() *Recipe {
	c := *r
	c.Inject, c.Without, c.Nemesis = slices.Clone(r.Inject), slices.Clone(r.Without), slices.Clone(r.Nemesis)
	c.Tuning = r.Tuning.Clone()
	c.Acts, c.Finding = slices.Clone(r.Acts), slices.Clone(r.Finding)
	return &c
}
