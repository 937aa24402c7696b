package tidb

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
)

// TestErrors: what TiDB answers with its code for everything, told apart by the text.
func TestErrors(t *testing.T) {
	for text, want := range map[string]dbms.ErrorClass{
		"context canceled": dbms.Environment, // KILL QUERY, as a storm's nemesis sends it
		"[executor:1317]Query execution was interrupted": dbms.Environment,
		// max_execution_time
		"[executor:3024]Query execution was interrupted, maximum statement execution time exceeded": dbms.Environment,
		"pessimistic lock retry limit reached":                                                      dbms.StatementLost,
		// of 256 sessions on 40 rows
		"lock wait timeout":                 dbms.StatementLost,
		"runtime error: index out of range": dbms.Deterministic,
	} {
		for _, p := range Levels() {
			if got := p.Errors.Classify(1105, text); got != want {
				t.Errorf("%s: %s: %v, want %v", p.Isolation, text, got, want)
			}
		}
	}
}

// TestAsides: what the plan cache says of itself depends on what the session has executed before; other warnings with
// the code for everything are of the statement.
func TestAsides(t *testing.T) {
	for w, want := range map[history.Warning]bool{
		{Level: "Warning", Code: 1105, Message: "skip plan-cache: plan rebuild failed, rebuild to get an unsafe range"}: true,
		{Level: "Warning", Code: 1105, Message: "skip non-prepared plan-cache: query has some unsupported Node"}:        true,
		{Level: "Warning", Code: 1105,
			Message: "disable dynamic pruning due to t0 has no global stats"}: false,
		{Level: "Warning", Code: 1292,
			Message: "skip plan-cache: no"}: false,
	} {
		if got := Server.Protocol.Asides(w); got != want {
			t.Errorf("%v: %v, want %v", w, got, want)
		}
	}
}
