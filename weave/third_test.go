package weave_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
)

// other is a database whose third execution is edited.
type other struct {
	weave.Runner
	edit  func(*observe.Replayed)
	fails error    // in place of the execution
	asked []string // plan settings
	usual int      // replays under the usual plan
}

func (o *other) Replay(blocks []*instrument.Block) (*observe.Replayed, error) {
	o.usual++
	return o.Runner.Replay(blocks)
}

func (o *other) ReplayUnder(blocks []*instrument.Block, s *dbms.PlanSetting) (*observe.Replayed, error) {
	o.asked = append(o.asked, s.Name)
	if o.fails != nil {
		return nil, o.fails
	}
	rep, err := o.Runner.ReplayUnder(blocks, s)
	if err == nil && o.edit != nil {
		o.edit(rep)
	}
	return rep, err
}

// searchOf is the query right before a write in a third execution.
func searchOf(r *observe.Replayed, txn, stmt int) *history.Event {
	for _, s := range r.Searches {
		if s.Txn == txn && s.Stmt == stmt {
			return s
		}
	}
	panic(fmt.Sprintf("T%d.S%d was not searched for", txn, stmt))
}

// TestThird: a case that names a plan setting is executed a third time, under every setting of SQLite without a
// difference; what that execution answers otherwise is a finding, unless a plan may decide it.
func TestThird(t *testing.T) {
	p := lookup(t, "sqlite/serializable")
	r := newRunner(t, p)
	run := func(o *other, setting string) (*weave.Report, error) {
		c, err := testcase.Parse("planted", []byte(strings.Replace(plantedCase, "serializable\n",
			"serializable\nplan: "+setting+"\n", 1)))
		if err != nil {
			t.Fatal(err)
		}
		o.Runner = r
		return weave.Check(o, c, p, weave.Options{Repeats: 3})
	}
	for _, s := range p.Variants.Plans {
		o := &other{}
		rep, err := run(o, s.Name)
		if err != nil || len(rep.Findings) > 0 || !rep.Checked || !slices.Equal(o.asked, []string{s.Name}) {
			t.Errorf("%s: %v, %+v, asked %q", s.Name, err, rep, o.asked)
		}
	}
	for _, c := range []struct {
		name string
		edit func(*observe.Replayed)
		want string // signature
	}{
		{"a row is missing", inReplay(0, 0, func(e *history.Event) { dropRow(e.Rows) }), "plan-difference/SELECT:rows"},
		{"another number of affected rows", inReplay(0, 1, func(e *history.Event) { e.Affected++ }),
			"plan-difference/UPDATE:affected"},
		{"other contents", func(r *observe.Replayed) { r.Final["t"].Cells[3] = history.IntValue(0) },
			"plan-difference/final"},
		{"fewer rows found than written", func(r *observe.Replayed) { dropRow(searchOf(r, 0, 1).Rows) },
			"plan-difference/UPDATE:matched-versus-affected"},
		{"a key that no row has", func(r *observe.Replayed) { s := searchOf(r, 0, 2); s.Rows.Cells = nil },
			"plan-difference/INSERT:refused-versus-held"},
		{"a key that a row has", inReplay(0, 2, func(e *history.Event) { e.Err, e.Affected = nil, 1 }),
			"plan-difference/INSERT:refused-versus-held"},
		{"a row that is refused for something else",
			inReplay(0, 2, func(e *history.Event) { e.Err = &history.DBError{Code: 275} }), ""},
		{"a search that fails", func(r *observe.Replayed) {
			s := searchOf(r, 0, 1)
			s.Rows, s.Err = nil, &history.DBError{Code: 1}
		}, ""},
		{"an error that no statement causes", inReplay(1, 0, func(e *history.Event) {
			e.Rows, e.Err = nil,
				&history.DBError{Code: 11}
		}), "unexpected-error/11"},
		{"such an error of a search", func(r *observe.Replayed) {
			s := searchOf(r, 0, 1)
			s.Rows, s.Err = nil, &history.DBError{Code: 11}
		}, "unexpected-error/11"},
		{"another order of rows", inReplay(0, 0, func(e *history.Event) { swapRows(e.Rows) }), ""},
		{"a query that fails", inReplay(1, 0, func(e *history.Event) { e.Rows, e.Err = nil, &history.DBError{Code: 1} }), ""},
		{"a write that fails, and what it leaves", func(r *observe.Replayed) {
			inReplay(0, 1, func(e *history.Event) { e.Err = &history.DBError{Code: 2067} })(r)
			r.Final["t"].Cells[3] = history.IntValue(0)
		}, ""},
	} {
		rep, err := run(&other{edit: c.edit}, "no-indexes")
		if err != nil {
			t.Fatal(err)
		}
		want := []string{}
		if c.want != "" {
			want = append(want, c.want)
		}
		if got := signatures(rep.Findings); !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		} else if len(got) == 1 {
			f := rep.Findings[0]
			if f.Class != finding.ClassPlan && f.Class != finding.ClassUnexpected || f.Confirmed != 3 || f.Repeated != 3 ||
				f.Replayed == nil || len(f.Order) != 5 {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
	}
	rep, err := run(&other{fails: exec.ErrNoSetting}, "no-indexes")
	if err != nil || len(rep.Findings) > 0 || rep.NotJudged["plans"] == "" {
		t.Errorf("refused: %v, %+v", err, rep)
	}
	var bad *weave.UnjudgeableError
	if _, err := run(&other{}, "by-magic"); !errors.As(err, &bad) || !strings.Contains(err.Error(), "by-magic") {
		t.Errorf("a setting that is not known: %v", err)
	}
}

// TestReplayedOtherwise: a replay under another plan that gives all that the run gave stands for one under the usual
// plan; where one thing differs there are both.
func TestReplayedOtherwise(t *testing.T) {
	p := lookup(t, "sqlite/serializable")
	c, err := testcase.Parse("planted", []byte(strings.Replace(plantedCase, "serializable\n",
		"serializable\nplan: no-indexes\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, p)
	for _, x := range []struct {
		name          string
		edit          func(*observe.Replayed)
		orders, usual int
	}{
		{"the same", nil, 1, 0},
		{"a second order", nil, 2, 1},
		{"another order of rows", inReplay(0, 0, func(e *history.Event) { swapRows(e.Rows) }), 1, 1},
		{"a warning", inReplay(0, 0, func(e *history.Event) { e.Warnings = []history.Warning{{Level: "Note", Code: 1}} }), 1,
			1},
		// one, and one for each time that it is repeated
		{"a search that another number of rows is written than",
			func(r *observe.Replayed) { dropRow(searchOf(r, 0, 1).Rows) }, 1, 4},
	} {
		o := &other{Runner: r, edit: x.edit}
		rep, err := weave.Check(o, c, p, weave.Options{Repeats: 3, Orders: x.orders})
		if err != nil {
			t.Fatal(err)
		}
		if !rep.Checked || o.usual != x.usual {
			t.Errorf("%s: %d replays under the usual plan, want %d", x.name, o.usual, x.usual)
		}
	}
}

// TestSpoiltOtherwise: an execution under another plan that the environment spoils hides no difference under the usual
// one, and spoils a case that has none.
func TestSpoiltOtherwise(t *testing.T) {
	p := lookup(t, "sqlite/serializable")
	c, err := testcase.Parse("planted", []byte(strings.Replace(plantedCase, "serializable\n",
		"serializable\nplan: no-indexes\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	spoilt := fmt.Errorf("%w: %w", exec.ErrTimeout,
		&exec.EnvironmentError{Answer: &exec.AnswerError{Err: &history.DBError{Code: 9}}})
	wrong := &editor{Runner: newRunner(t, p), when: always, replay: inReplay(0, 0,
		func(e *history.Event) { dropRow(e.Rows) })}
	rep, err := weave.Check(&other{Runner: wrong, fails: spoilt}, c, p, weave.Options{Repeats: 3})
	if err != nil || !slices.Equal(signatures(rep.Findings), []string{"replay-difference/SELECT:rows"}) {
		t.Errorf("%v, %+v", err, rep)
	}
	if _, err := weave.Check(&other{Runner: wrong.Runner, fails: spoilt}, c, p, weave.Options{Repeats: 3}); !errors.Is(err,
		exec.ErrTimeout) {
		t.Errorf("%v, want that the case is spoilt", err)
	}
}

// TestOpaqueConditions: an index lookup that MariaDB makes wrong (docs/findings/mariadb-index-lookup-rounds.md) is no
// lookup where the condition is hidden; one that it makes right is a difference to nobody.
func TestOpaqueConditions(t *testing.T) {
	p := lookup(t, "mariadb/repeatable-read")
	r := newRunner(t, p)
	for _, x := range []struct{ condition, want string }{
		{"c0 = 1.5", "inconsistent-read-write/SELECT:search-versus-rows plan-difference/SELECT:rows"}, {"c0 = 2", ""}} {
		text := "txweave case 1\ntarget: mariadb\nisolation: repeatable-read\nplan: opaque-conditions\n\n-- schema --\n" +
			"CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT, c0 INT, KEY (c0));\n\n-- " +
			"rows --\n" +
			"INSERT INTO t (pkey, vkey, c0) VALUES (1, 1, 2);\n\n-- T0 --\nBEGIN;\nSELECT c0 FROM t WHERE " + x.condition +
			";\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"
		c, err := testcase.Parse("lookup", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := weave.Check(r, c, p, weave.Options{Repeats: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(signatures(rep.Findings), " "); got != x.want || !rep.Checked || rep.Replays < 2 {
			t.Errorf("%s: %q, want %q (%d replays)", x.condition, got, x.want, rep.Replays)
		}
	}
}
