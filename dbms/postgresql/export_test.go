package postgresql

import (
	"fmt"
	"testing"

	"txweave/instrument"
	"txweave/internal/testkit/servers"
	"txweave/testcase"
)

// TestExported: what the database says of snapshots is told for each transaction that keeps one: that of T1, whose
// first statement waits for T0, which rolls back, and in whose snapshot T2 has not committed; not that of T3, which
// sets a savepoint first.
func TestExported(t *testing.T) {
	db := server(t)
	c, err := testcase.Parse("waited", []byte(waited))
	if err != nil {
		t.Fatal(err)
	}
	for isolation, want := range map[string]string{
		"read-committed":  "[]",
		"repeatable-read": "[map[t0:map[2:1 3:2]] map[t0:map[2:1 3:2]] map[t0:map[2:1 3:2]] map[]]",
		"serializable":    "[map[t0:map[2:1 3:2]] map[t0:map[2:1 3:2]] map[t0:map[2:1 3:2]] map[]]",
	} {
		plan, err := instrument.Instrument(c, profile(t, isolation))
		if err != nil {
			t.Fatal(err)
		}
		r := servers.Runner(t, db, profile(t, isolation))
		if _, err := r.Load(plan); err != nil {
			t.Fatal(err)
		}
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(run.Exported); got != want {
			t.Errorf("%s: %s, want %s", isolation, got, want)
		}
	}
}
