// Package oracle says what the oracles of runs have in common: each judges what was observed of a run, by itself.
package oracle

import (
	"strings"

	"txweave/finding"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// Oracle judges runs.
type Oracle interface {
	// Name is the oracle as findings name it, Class the class of its findings.
	Name() string
	Class() string
	// Judge lists what is wrong with a run, the first thing first. An error is the environment's or ours, never the
	// run's.
	Judge(*observe.Observation) (Ruling, error)
}

// Ruling is what an oracle says of a run.
type Ruling struct {
	Differences []finding.Difference // nil: nothing is wrong
	// Unchecked is why the oracle could not judge the run; "" if it could.
	Unchecked string
}

// Verb is the first word of a kind of statement, as findings print it.
func Verb(k sqltext.Kind) string { return strings.ToUpper(k.String()) }
