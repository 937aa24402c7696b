package weave_test

import (
	"slices"
	"testing"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
)

// plantedCase has one statement of each kind, one that fails, and two transactions that overlap.
const plantedCase = `txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT, a INT UNIQUE);

-- rows --
INSERT INTO t (pkey, vkey, v, a) VALUES (1, 1, 10, 1), (2, 2, 20, 2), (3, 3, 30, 3);

-- T0 --
BEGIN;
SELECT pkey, vkey, v FROM t ORDER BY pkey;
UPDATE t SET pvkey = vkey, vkey = 100, v = v + 1 WHERE pkey < 3;
INSERT INTO t (pkey, vkey, a) VALUES (9, 101, 3);
DELETE FROM t WHERE pkey = 2;
COMMIT;

-- T1 --
BEGIN;
SELECT v FROM t WHERE pkey < 100;
COMMIT;

-- schedule --
T0 T1 T0 T0 T0 T0 T0 T1 T1
`

// editor is a runner whose answers are edited: a database with one bug.
type editor struct {
	weave.Runner
	run    func(*observe.Run)      // edits each run
	replay func(*observe.Replayed) // edits each replay
	watch  func(*observe.Replayed) // edits each replay that is watched
	when   func(n int) bool        // which runs, or replays, are edited; n counts from 0
	runs   int
	reps   int
	edited int
}

func (e *editor) Run(p *instrument.Plan, steps []instrument.Step) (*observe.Run, error) {
	run, err := e.Runner.Run(p, steps)
	if err == nil && e.run != nil && e.when(e.runs) {
		e.run(run)
		e.edited++
	}
	e.runs++
	return run, err
}

func (e *editor) Replay(blocks []*instrument.Block) (*observe.Replayed, error) {
	rep, err := e.Runner.Replay(blocks)
	if err == nil && e.replay != nil && e.when(e.reps) {
		e.replay(rep)
		e.edited++
	}
	e.reps++
	return rep, err
}

func (e *editor) Watch(blocks []*instrument.Block) (*observe.Replayed, error) {
	rep, err := e.Runner.Watch(blocks)
	if err == nil && e.watch != nil {
		e.watch(rep)
	}
	return rep, err
}

func always(int) bool { return true }

// inRun edits the block of that name in a run, inReplay the statement's event in a replay; one that has left is let be.
func inRun(name string, edit func(*observe.BlockRun)) func(*observe.Run) {
	return func(r *observe.Run) {
		for _, b := range r.Blocks {
			if b.Block.Name() == name {
				edit(b)
			}
		}
	}
}

// fails makes a statement fail; its event in the trace is the same one.
func fails(code int, message string) func(*observe.BlockRun) {
	return func(b *observe.BlockRun) {
		b.Target.Rows, b.Target.Err = nil, &history.DBError{Code: code, Message: message}
	}
}

func inReplay(txn, stmt int, edit func(*history.Event)) func(*observe.Replayed) {
	return func(r *observe.Replayed) {
		for _, e := range r.Events {
			if e.Txn == txn && e.Stmt == stmt {
				edit(e)
			}
		}
	}
}

func dropRow(r *history.Rows) { r.Cells = r.Cells[len(r.Columns):] }

func swapRows(r *history.Rows) {
	w := len(r.Columns)
	r.Cells = slices.Concat(r.Cells[w:2*w], r.Cells[:w], r.Cells[2*w:])
}

// check runs the planted case with an edited database.
func check(t *testing.T, r weave.Runner, e *editor) *weave.Report {
	t.Helper()
	return checkAt(t, r, lookup(t, "sqlite/serializable"), e)
}

func checkAt(t *testing.T, r weave.Runner, p *dbms.Profile, e *editor) *weave.Report {
	t.Helper()
	c, err := testcase.Parse("planted", []byte(plantedCase))
	if err != nil {
		t.Fatal(err)
	}
	e.Runner = r
	if e.when == nil {
		e.when = always
	}
	rep, err := weave.Check(e, c, p, weave.Options{Repeats: 3})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// withoutSnapshot is the level with nothing said about snapshots: what the snapshot oracle sees first is then left
// to the dependency inference.
func withoutSnapshot(t *testing.T) *dbms.Profile {
	p := *lookup(t, "sqlite/serializable")
	p.ConsistentRead = dbms.NoConsistentRead
	return &p
}

// planted are bugs of a database by the signature of the finding that each must become; "" for edits that are no
// difference.
var planted = []struct {
	name      string
	edit      editor
	signature string
}{
	{"nothing", editor{}, ""},

	{"a row is missing", editor{replay: inReplay(0, 0, func(e *history.Event) { dropRow(e.Rows) })},
		"replay-difference/SELECT:rows"},
	{"a row is missing in the transaction",
		editor{run: inRun("T1.S0", func(b *observe.BlockRun) { dropRow(b.Target.Rows) })}, "replay-difference/SELECT:rows"},
	{"all rows are missing", editor{replay: inReplay(1, 0, func(e *history.Event) { e.Rows.Cells = nil })},
		"replay-difference/SELECT:rows"},
	{"a row twice", editor{replay: inReplay(1, 0, func(e *history.Event) {
		e.Rows.Cells = append(e.Rows.Cells,
			e.Rows.Cells[0])
	})}, "replay-difference/SELECT:rows"},
	{"another value", editor{replay: inReplay(0, 0, func(e *history.Event) { e.Rows.Cells[2] = history.IntValue(11) })},
		"replay-difference/SELECT:rows"},
	{"NULL for a value", editor{replay: inReplay(0, 0, func(e *history.Event) { e.Rows.Cells[2] = history.Value{} })},
		"replay-difference/SELECT:rows"},
	{"a float for an integer",
		editor{replay: inReplay(0, 0, func(e *history.Event) { e.Rows.Cells[2] = history.FloatValue(10) })},
		"replay-difference/SELECT:rows"},
	{"a text for an integer",
		editor{replay: inReplay(0, 0, func(e *history.Event) { e.Rows.Cells[2] = history.TextValue("10") })},
		"replay-difference/SELECT:rows"},
	{"another order under a total ORDER BY", editor{replay: inReplay(0, 0, func(e *history.Event) { swapRows(e.Rows) })},
		"replay-difference/SELECT:order"},
	{"another order without one", editor{replay: inReplay(1, 0, func(e *history.Event) { swapRows(e.Rows) })}, ""},

	{"other affected rows", editor{replay: inReplay(0, 1, func(e *history.Event) { e.Affected++ })},
		"replay-difference/UPDATE:affected"},
	{"an error", editor{replay: inReplay(0, 1, func(e *history.Event) {
		e.Err, e.Affected = &history.DBError{Code: 1,
			Message: "x"}, -1
	})}, "replay-difference/UPDATE:error(none,1)"},
	{"no error", editor{replay: inReplay(0, 2, func(e *history.Event) { e.Err, e.Affected = nil, 0 })},
		"replay-difference/INSERT:error(2067,none)"},
	{"another error", editor{replay: inReplay(0, 2, func(e *history.Event) { e.Err.Code = 19 })},
		"replay-difference/INSERT:error(2067,19)"},
	{"another message", editor{replay: inReplay(0, 2, func(e *history.Event) { e.Err.Message = "row 7" })}, ""},
	{"a warning",
		editor{replay: inReplay(0, 3, func(e *history.Event) {
			e.Warnings = []history.Warning{{Level: "Warning",
				Code: 1292}}
		})}, "replay-difference/DELETE:warnings"},
	{"a warning of another message", editor{
		run: inRun("T0.S0", func(b *observe.BlockRun) {
			b.Target.Warnings = []history.Warning{{Level: "Warning", Code: 1, Message: "row 1"}}
		}),
		replay: inReplay(0, 0, func(e *history.Event) {
			e.Warnings = []history.Warning{{Level: "Warning", Code: 1,
				Message: "row 2"}}
		}),
	}, ""},

	{"other final contents", editor{replay: func(r *observe.Replayed) { dropRow(r.Final["t"]) }},
		"replay-difference/final"},
	{"other final contents after the transactions",
		editor{run: func(r *observe.Run) { r.Final["t"].Cells[3] = history.IntValue(0) }}, "replay-difference/final"},
	{"an empty table", editor{run: func(r *observe.Run) { r.Final["t"].Cells = nil }}, "replay-difference/final"},
	{"final contents in another order", editor{replay: func(r *observe.Replayed) { swapRows(r.Final["t"]) }}, ""},
	{"two differences", editor{replay: func(r *observe.Replayed) {
		inReplay(0, 0, func(e *history.Event) { dropRow(e.Rows) })(r)
		inReplay(0, 1, func(e *history.Event) { e.Affected++ })(r)
	}}, "replay-difference/SELECT:rows"},

	{"an UPDATE counts a row too many", editor{run: inRun("T0.S1", func(b *observe.BlockRun) { b.Target.Affected++ })},
		"inconsistent-read-write/UPDATE:affected-versus-written"},
	{"a DELETE counts a row too few", editor{run: inRun("T0.S3", func(b *observe.BlockRun) { b.Target.Affected-- })},
		"inconsistent-read-write/DELETE:affected-versus-written"},
	{"an UPDATE misses a row that a SELECT finds",
		editor{run: inRun("T0.S1", func(b *observe.BlockRun) { dropRow(b.AWR.Rows); b.Target.Affected-- })},
		"inconsistent-read-write/UPDATE:matched-versus-written"},
	{"a SELECT misses a row that an UPDATE finds",
		editor{run: inRun("T0.S1", func(b *observe.BlockRun) { dropRow(b.BWR.Rows) })},
		"inconsistent-read-write/UPDATE:matched-versus-written"},
	{"a SELECT misses a row that a DELETE finds",
		editor{run: inRun("T0.S3", func(b *observe.BlockRun) { dropRow(b.BWR.Rows) })},
		"inconsistent-read-write/DELETE:matched-versus-written"},
	{"an UPDATE overwrites another version than it saw",
		editor{run: inRun("T0.S1", func(b *observe.BlockRun) { b.AWR.Rows.Cells[2] = history.IntValue(2) })},
		"inconsistent-read-write/UPDATE:overwrote-unseen"},
	{"a statement fails and yet writes",
		editor{run: inRun("T0.S1", func(b *observe.BlockRun) { b.Target.Err = &history.DBError{Code: 19, Message: "x"} })},
		"inconsistent-read-write/UPDATE:failed-yet-wrote"},
	{"a probe prints a row twice", editor{run: inRun("T1.S0", func(b *observe.BlockRun) {
		b.VSR[0].Rows.Cells = append(b.VSR[0].Rows.Cells, b.VSR[0].Rows.Row(0)...)
	})}, "inconsistent-read-write/SELECT:row-twice"},

	{"an error that no statement causes", editor{run: inRun("T1.S0", fails(11, "database disk image is malformed"))},
		"unexpected-error/11"},
	{"an error that no statement causes, without transactions", editor{replay: inReplay(1, 0, func(e *history.Event) {
		e.Rows, e.Err = nil, &history.DBError{Code: 779, Message: "database disk image is malformed"}
	})}, "unexpected-error/779"},
	{"a lost table", editor{run: inRun("T1.S0", fails(1, "no such table: t"))}, "unexpected-error/1"},
	{"a statement fails without transactions and yet writes", editor{
		replay: func(r *observe.Replayed) { r.Final["t"].Cells[3] = history.IntValue(0) },
		watch: func(r *observe.Replayed) {
			for i, e := range r.Events {
				if e.Err != nil { // the INSERT leaves its row
					table := r.Around[i].After["t"]
					table.Cells = append(table.Cells, table.Row(0)...)
				}
			}
		},
	}, "inconsistent-read-write/INSERT:failed-yet-wrote"},

	{"a DELETE counts a row too many without transactions", editor{
		replay: inReplay(0, 3, func(e *history.Event) { e.Affected++ }),
		watch:  inReplay(0, 3, func(e *history.Event) { e.Affected++ }),
	}, "inconsistent-read-write/DELETE:affected-versus-written"},

	{"a COMMIT fails", editor{run: func(r *observe.Run) {
		at := slices.IndexFunc(r.Trace.Events, func(e *history.Event) bool { return e.Role == history.End })
		r.Trace.Events[at].Err = &history.DBError{Code: 8141, Message: "assertion failed"}
	}}, "inconsistent-read-write/COMMIT:failed-commit"},

	{"a version that nobody wrote",
		editor{run: inRun("T1.S0", func(b *observe.BlockRun) { b.VSR[0].Rows.Cells[2] = history.IntValue(999) })},
		"snapshot-violation/thin-air-read"},
	{"an initial row that nobody deleted is missing", editor{run: inRun("T1.S0", func(b *observe.BlockRun) {
		r := b.VSR[0].Rows
		r.Cells = r.Cells[:len(r.Cells)-3]
	})}, "snapshot-violation/missing-row"},
	{"a result prints a version that was not there",
		editor{run: inRun("T0.S0", func(b *observe.BlockRun) { b.Target.Rows.Cells[1] = history.IntValue(100) })},
		"snapshot-violation/thin-air-read"},
}

// TestUnexplained: the dependency inference reports what no committed statement accounts for.
func TestUnexplained(t *testing.T) {
	r := newRunner(t, lookup(t, "sqlite/serializable"))
	want := map[string]string{
		"a version that nobody wrote":                   "unwritten-version",
		"an initial row that nobody deleted is missing": "missing-row",
		"a result prints a version that was not there":  "printed-unseen",
	}
	for _, p := range planted {
		reason, ok := want[p.name]
		if !ok {
			continue
		}
		delete(want, p.name)
		e := p.edit
		rep := checkAt(t, r, withoutSnapshot(t), &e)
		if len(rep.Findings) != 1 || rep.Findings[0].Signature != "unexplained-read/SELECT:"+reason {
			t.Errorf("%s: findings %q", p.name, signatures(rep.Findings))
		}
	}
	if len(want) > 0 {
		t.Errorf("not planted: %v", want)
	}
}

// TestPlantedDifferences: a database that gives one wrong answer, each time, is found out, and its bug is of the
// right class. An edit that is no difference is none.
func TestPlantedDifferences(t *testing.T) {
	r := newRunner(t, lookup(t, "sqlite/serializable"))
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			e := p.edit
			rep := check(t, r, &e)
			if len(rep.Unconfirmed) > 0 {
				t.Errorf("unconfirmed: %s (%d of %d)", rep.Unconfirmed[0].Signature, rep.Unconfirmed[0].Confirmed,
					rep.Unconfirmed[0].Repeated)
			}
			if p.signature == "" {
				if len(rep.Findings) > 0 || !rep.Checked {
					t.Errorf("findings %v, checked %v (%s)", signatures(rep.Findings), rep.Checked, rep.Why)
				}
				return
			}
			if len(rep.Findings) != 1 || rep.Findings[0].Signature != p.signature {
				t.Fatalf("findings %q, want %q", signatures(rep.Findings), p.signature)
			}
			f := rep.Findings[0]
			if f.Confirmed != 3 || f.Repeated != 3 || f.Summary == "" || f.Run == nil || e.edited == 0 {
				t.Errorf("the finding: %d of %d, %q", f.Confirmed, f.Repeated, f.Summary)
			}
			if (f.Class == finding.ClassReplay || e.replay != nil) != (f.Replayed != nil && len(f.Order) == 5) {
				t.Errorf("evidence of a %s: replay %v, order %v", f.Class, f.Replayed != nil, f.Order)
			}
		})
	}
}

func signatures(evidence []*weave.Evidence) []string {
	var out []string
	for _, ev := range evidence {
		out = append(out, ev.Signature)
	}
	return out
}

// served is that level of a database that is a server, with nothing said about snapshots.
func served(t *testing.T) *dbms.Profile {
	p := withoutSnapshot(t)
	p.Embedded = false
	return p
}

// TestUnconfirmed: a difference that does not come back each time is unconfirmed, with its rate: what came back some of
// the first times is repeated more often. What a trace shows by itself stands on it, and so does all that an embedded
// engine answers.
func TestUnconfirmed(t *testing.T) {
	r := newRunner(t, lookup(t, "sqlite/serializable"))
	once := func(n int) bool { return n == 0 }
	atFirst := func(n int) bool { return n < 3 }
	for _, c := range []struct {
		name      string
		edit      editor
		signature string
		confirmed int
		repeated  int
		stands    bool
	}{
		{"a replay, once", editor{replay: inReplay(0, 0, func(e *history.Event) { dropRow(e.Rows) }), when: once},
			"replay-difference/SELECT:rows", 0, 3, false},
		{"a replay, three times", editor{replay: inReplay(0, 0, func(e *history.Event) { dropRow(e.Rows) }), when: atFirst},
			"replay-difference/SELECT:rows", 2, 20, false},
		{"final contents, once", editor{run: func(r *observe.Run) { r.Final["t"].Cells = nil }, when: once},
			"replay-difference/final", 0, 3, false},
		{"a run, once", editor{run: inRun("T1.S0", func(b *observe.BlockRun) { dropRow(b.Target.Rows) }), when: once},
			"replay-difference/SELECT:rows", 0, 3, false},
		{"affected rows, once", editor{run: inRun("T0.S1", func(b *observe.BlockRun) { b.Target.Affected++ }), when: once},
			"inconsistent-read-write/UPDATE:affected-versus-written", 0, 3, true},
		{"affected rows, three times", editor{run: inRun("T0.S1", func(b *observe.BlockRun) { b.Target.Affected++ }),
			when: atFirst},
			"inconsistent-read-write/UPDATE:affected-versus-written", 2, 3, true},
		{"a version that nobody wrote, once",
			editor{run: inRun("T1.S0", func(b *observe.BlockRun) { b.VSR[0].Rows.Cells[2] = history.IntValue(999) }),
				when: once},
			"unexplained-read/SELECT:unwritten-version", 0, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range []*dbms.Profile{served(t), withoutSnapshot(t)} {
				e := c.edit
				rep := checkAt(t, r, p, &e)
				kept, other := rep.Unconfirmed, rep.Findings
				if c.stands || p.Embedded {
					kept, other = other, kept
				}
				if len(other) > 0 || len(kept) != 1 || kept[0].Signature != c.signature || rep.Outcome != finding.Found {
					t.Fatalf("embedded %v: findings %q, unconfirmed %q, want %q", p.Embedded, signatures(rep.Findings),
						signatures(rep.Unconfirmed), c.signature)
				}
				if f := kept[0]; f.Confirmed != c.confirmed || f.Repeated != c.repeated {
					t.Errorf("embedded %v: its rate is %d of %d, want %d of %d", p.Embedded, f.Confirmed, f.Repeated,
						c.confirmed, c.repeated)
				}
			}
		})
	}
}

// TestRunThatIsAnother: a difference to a run that answers otherwise the next time proves nothing.
func TestRunThatIsAnother(t *testing.T) {
	n := 0
	e := &editor{
		replay: func(r *observe.Replayed) {
			inReplay(0, 0, func(e *history.Event) { dropRow(e.Rows) })(r)
			if n > 2 {
				inReplay(1, 0, func(e *history.Event) { e.Rows.Cells[0] = history.IntValue(77) })(r)
			}
		},
		run: func(r *observe.Run) {
			if n++; n > 2 { // the first run and its first repetition agree
				inRun("T1.S0", func(b *observe.BlockRun) { b.Target.Rows.Cells[0] = history.IntValue(77) })(r)
			}
		},
	}
	rep := checkAt(t, newRunner(t, lookup(t, "sqlite/serializable")), served(t), e)
	if len(rep.Findings) > 0 || len(rep.Unconfirmed) != 1 || rep.Unconfirmed[0].Confirmed != 1 {
		t.Errorf("findings %q, unconfirmed %q", signatures(rep.Findings), signatures(rep.Unconfirmed))
	}
}

// TestRefused: what cannot be judged is an error, not a verdict.
func TestRefused(t *testing.T) {
	r := newRunner(t, lookup(t, "sqlite/serializable"))
	c, err := testcase.Parse("planted", []byte(plantedCase))
	if err != nil {
		t.Fatal(err)
	}
	c.Txns[1].Stmts[0].SQL = "SELECT v FROM nowhere"
	if rep, err := weave.Check(r, c, lookup(t, "sqlite/serializable"), weave.Options{}); err == nil {
		t.Errorf("a statement on an unknown table is judged: %+v", rep)
	}
	for _, sql := range []string{
		"INSERT INTO t (pkey, vkey, v) VALUES (8, 200, 0), (1, 200, 0)", // an initial row's
		"INSERT INTO t (pkey, vkey, v) VALUES (9, 200, 0)",              // of another INSERT
	} {
		c.Txns[1].Stmts[0].SQL = sql
		if rep, err := weave.Check(r, c, lookup(t, "sqlite/serializable"), weave.Options{}); err == nil {
			t.Errorf("%s: a primary key used twice is judged: %+v", sql, rep)
		}
	}
	c.Txns[1].Stmts[0].SQL = "REPLACE INTO t (pkey, vkey, v) VALUES (1, 200, 0)"
	if rep, err := weave.Check(r, c, lookup(t, "sqlite/serializable"), weave.Options{}); err != nil || !rep.Checked ||
		len(rep.Findings) > 0 {
		t.Errorf("REPLACE: %+v, %v", rep, err)
	}
}
