package detect

import (
	"context"
	"errors"
	"slices"
	"testing"

	"txweave/campaign"
	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec/planted"
)

// TestWorkerInterrupted: the end of a turn in the midst of a self-test leaves the worker, and its target, as they are:
// both are closed once, and the next case is tried.
func TestWorkerInterrupted(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	target, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name == "lost-insert" })
	w := &Worker{target, p, planted.Faults()[at : at+1], 1, 20}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := w.Check(ended, campaign.Job{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its turn: %v", err)
	}
	if res, err := w.Check(t.Context(), campaign.Job{}); err != nil || !res.Checked {
		t.Errorf("in the next turn: %+v, %v", res, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
