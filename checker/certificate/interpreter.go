package certificate

import (
	"context"
	"fmt"

	"txweave/history"
)

// Engine evaluates conditions on rows by itself, asking no server: an embedded one.
type Engine interface {
	// Evaluate returns the rows, by their numbers, that a condition is true for. Their columns are c0, c1, …; they have no
	// type, so that nothing is converted.
	Evaluate(condition string, width int, rows [][]history.Value) ([]int, error)
	Close() error
}

// Interpreter is the matches oracle that asks no server: an embedded engine evaluates the predicate. It judges only
// what means the same there as in every other database: comparisons and arithmetic of integers that cannot overflow,
// and comparisons of binary strings; no implicit casts, no division, no functions, no collations.
type Interpreter struct{ engine Engine }

// NewInterpreter returns the oracle on an engine, which its Close closes.
func NewInterpreter(e Engine) *Interpreter { return &Interpreter{e} }

// Close frees the engine.
func (in *Interpreter) Close() error { return in.engine.Close() }

// Match implements Matches.
func (in *Interpreter) Match(_ context.Context, t *Relation, where string, rows [][]history.Value) ([]bool, error) {
	tr, err := newTranslator(t, rows)
	if err != nil {
		return nil, err
	}
	condition, err := tr.translate(where)
	if err != nil {
		return nil, err
	}
	found, err := in.engine.Evaluate(condition, len(t.columns()), rows)
	if err != nil {
		return nil, fmt.Errorf("interpreter: %s: %w", condition, err)
	}
	match := make([]bool, len(rows))
	for _, n := range found {
		match[n] = true
	}
	return match, nil
}

// column is the name of a column in the engine.
func column(i int) string { return fmt.Sprintf("c%d", i) }
