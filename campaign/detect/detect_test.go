package detect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec/planted"
	"txweave/internal/testkit/effort"
)

// TestOwnBugs: what the cases show with nothing planted is listed, and no planted bug is found by it. The engine's own
// bug is one that was planted before.
func TestOwnBugs(t *testing.T) {
	effort.Full(t)
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	target, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}()
	fault := func(name string) *planted.Fault {
		return planted.Faults()[slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name == name })]
	}
	o := Config{Budget: 20, Seeds: 1, First: 1}
	for ; ; o.First++ { // cases that vanished-error does not strike
		d, err := o.RunOn(t.Context(), target, p, []*planted.Fault{fault("vanished-error")})
		if err != nil || o.First > 20 {
			t.Fatalf("seed %d: %v", o.First, err)
		}
		if !d.Planted[0].Found {
			break
		}
	}
	d, err := o.RunOn(t.Context(), planted.Plant(target, fault("lost-delete"), 3), p,
		[]*planted.Fault{fault("vanished-error"), fault("lost-insert")})
	if err != nil {
		t.Fatal(err)
	}
	if d.FalseAlarms == 0 || len(d.Unplanted) != d.FalseAlarms {
		t.Fatalf("%d false alarms, %v: the engine's own bug does not show", d.FalseAlarms, d.Unplanted)
	}
	if d.Planted[0].Found || !d.Planted[1].Found {
		t.Errorf("%+v: vanished-error, which strikes no case of these, is not to be found by another bug; lost-insert is",
			d.Planted)
	}
	var out strings.Builder
	err = d.Table(&out)
	if err != nil || !strings.Contains(out.String(), fmt.Sprintf("\nseed %d, case ", o.First)) ||
		!strings.Contains(out.String(), "/DELETE:affected-versus-written: DELETE reports") {
		t.Errorf("%s, %v", out.String(), err)
	}
}
