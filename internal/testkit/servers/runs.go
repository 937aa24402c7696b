package servers

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/exec"
	"txweave/instrument"
	"txweave/oracle/observe"
)

// Level looks up a profile, "mariadb/repeatable-read" or the default of "mariadb", held to a stronger level where claim
// names one.
func Level(t testing.TB, name, claim string) *dbms.Profile {
	t.Helper()
	system, isolation, _ := strings.Cut(name, "/")
	p, err := dbms.Lookup(system, isolation)
	if err != nil {
		t.Fatal(err)
	}
	if claim == "" {
		return p
	}
	stronger, err := dbms.Lookup(system, claim)
	if err != nil {
		t.Fatal(err)
	}
	return p.HeldTo(stronger)
}

// Runner opens a runner that the test's end closes.
func Runner(t testing.TB, target exec.Target, p *dbms.Profile) *exec.Runner {
	t.Helper()
	r, err := exec.NewRunner(t.Context(), target, p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// Once loads a plan and runs its steps, with a runner of its own.
func Once(t testing.TB, target exec.Target, p *dbms.Profile, plan *instrument.Plan) *observe.Run {
	t.Helper()
	r, err := exec.NewRunner(t.Context(), target, p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Load(plan); err != nil {
		t.Fatal(err)
	}
	run, err := r.Run(plan, plan.Steps)
	if err != nil {
		t.Fatal(err)
	}
	return run
}
