package tidb

import (
	"testing"

	"txweave/dbms"
)

// TestErrors: what TiDB answers with its code for everything, told apart by the text.
func TestErrors(t *testing.T) {
	for text, want := range map[string]dbms.ErrorClass{
		"context canceled":                     dbms.Environment, // KILL QUERY, as a storm's nemesis sends it
		"pessimistic lock retry limit reached": dbms.StatementLost,
		"lock wait timeout":                    dbms.StatementLost, // of 256 sessions on 40 rows
		"runtime error: index out of range":    dbms.Deterministic,
	} {
		for _, p := range Levels() {
			if got := p.Classify(1105, text); got != want {
				t.Errorf("%s: %s: %v, want %v", p.Isolation, text, got, want)
			}
		}
	}
}
