package finding

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"txweave/history"
	"txweave/testcase"
)

// PlainFormat is the number of plain.json's format.
const PlainFormat = 1

// Plain is a finding's case as a person would write it, with what it was answered: no probes, and of the bookkeeping
// only what makes it visible.
type Plain struct {
	Format int              `json:"format"`
	Case   string           `json:"case"` // the text of the case
	Run    []*history.Event `json:"run"`  // in transactions; of a finding that differs by plan, without
	// Orders are executions without transactions, none of which gives what Run gives. Of a finding that differs by plan
	// the first one is by the other plan, and a second one, if any, on another database: it gives what one of the two
	// gives.
	Orders []PlainOrder `json:"orders"`
	// Later says that orders were left out in which something comes first that was committed after a query was answered.
	Later bool `json:"later,omitempty"`
	Shown int  `json:"shown"` // it was seen so many times …
	Runs  int  `json:"runs"`  // … of so many, on new tables and connections
}

// PlainOrder is one execution without concurrency.
type PlainOrder struct {
	// Txns are the transactions, one after the other; nil for the order of statements that the dependencies allow.
	Txns   []int            `json:"txns,omitempty"`
	Plan   string           `json:"plan,omitempty"` // the plan setting in force
	On     string           `json:"on,omitempty"`   // another database, with its version
	Events []*history.Event `json:"events"`
}

// Print returns the text of plain.json.
func (p *Plain) Print() ([]byte, error) {
	p.Format = PlainFormat
	text, err := json.Marshal(p)
	return append(text, '\n'), err
}

// Plain reads plain.json with its case; nil where there is none.
func (d *Dir) Plain() (*Plain, *testcase.Case, error) {
	text, err := d.Read(PlainFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	p := new(Plain)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.file(PlainFile), err)
	}
	if err := CheckFormat(p.Format, PlainFormat); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.file(PlainFile), err)
	}
	c, err := testcase.Read(d.file(PlainFile), []byte(p.Case))
	if err != nil {
		return nil, nil, err
	}
	return p, c, nil
}
