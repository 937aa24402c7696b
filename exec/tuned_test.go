package exec

import (
	"errors"
	"fmt"
	"testing"

	"txweave/history"
	"txweave/instrument"
	"txweave/testcase"
)

// TestSessionSettings: statements run, and are replayed, in sessions that are set to what the case says, and nothing of
// that outlasts it.
func TestSessionSettings(t *testing.T) {
	p := lookup(t, "sqlite/serializable")
	r := newRunner(t, target(t, "sqlite"), p, Options{})
	const script = `T0:1 BEGIN
T0:1 SELECT pkey, vkey FROM t
T0:1 COMMIT
T1 SELECT pkey, vkey FROM t
T2:1 SELECT pkey, vkey FROM s`
	first := func(events []*history.Event) (out string) {
		for _, e := range events {
			if e.Role == history.Target {
				pkey, _ := e.Rows.Cell(0, 0).Int64()
				out += fmt.Sprint(pkey)
			}
		}
		return out
	}
	reverse := []testcase.Stmt{{SQL: "PRAGMA reverse_unordered_selects = ON"}}
	for _, c := range []struct {
		sessions []testcase.SessionSettings
		want     string
	}{
		{nil, "111"},
		{[]testcase.SessionSettings{{Number: 1, Stmts: reverse}}, "312"},
		{[]testcase.SessionSettings{{Stmts: reverse}}, "332"},
		{nil, "111"},
	} {
		made := parseCase(t, tables, script)
		made.Target, made.Sessions = "sqlite", c.sessions
		plan := load(t, r, made)
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		replayed, err := r.Replay([]*instrument.Block{plan.Txns[0].Blocks[0], plan.Txns[1].Blocks[0], plan.Txns[2].Blocks[0]})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := first(run.Trace.Events), first(replayed.Events); a != c.want || b != c.want {
			t.Errorf("%+v: first rows %s, and in the replay %s, want %s", c.sessions, a, b, c.want)
		}
	}
}

// TestSettingRefused: what the database does not set is said before the case runs.
func TestSettingRefused(t *testing.T) {
	p := lookup(t, "mariadb/repeatable-read")
	r := newRunner(t, mariadb(t), p, Options{})
	c := parseCase(t, tables, "T0 SELECT pkey, vkey FROM t")
	c.Target, c.Sessions = "mariadb",
		[]testcase.SessionSettings{{Stmts: []testcase.Stmt{{SQL: "SET SESSION optimizer_switch = 'nonsense=off'"}}}}
	plan, err := instrumented(c, r)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Load(plan)
	var refused *SettingError
	if !errors.As(err, &refused) || refused.Answer.Code != 1231 {
		t.Error(fmt.Sprint(err))
	}
}
