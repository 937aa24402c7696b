package weave_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
)

// Two bugs in one case: neither hides the other, the statements that they name leave, and the rest is replayed. The run
// is repeated once for both.
func TestBugsDoNotHideEachOther(t *testing.T) {
	wrong := inRun("T0.S1", func(b *observe.BlockRun) { b.Target.Affected++ })
	e := &editor{
		run: func(r *observe.Run) {
			wrong(r)
			inRun("T1.S0", func(b *observe.BlockRun) { b.VSR[0].Rows.Cells[2] = history.IntValue(999) })(r)
		},
		replay: inReplay(0, 0, func(e *history.Event) { dropRow(e.Rows) }),
	}
	rep := check(t, newRunner(t, lookup(t, "sqlite/serializable")), e)
	want := []string{"inconsistent-read-write/UPDATE:affected-versus-written", "snapshot-violation/thin-air-read",
		"replay-difference/SELECT:rows"}
	if got := signatures(rep.Findings); !slices.Equal(got, want) {
		t.Fatalf("findings %q, want %q", got, want)
	}
	if rep.Fates["T0.S1"] != weave.DroppedBlamed || rep.Fates["T1.S0"] != weave.DroppedBlamed || rep.Fates["T0.S3"] !=
		weave.Survived {
		t.Errorf("fates %v", rep.Fates)
	}
	if with := rep.Findings[2].With; with != want[0] {
		t.Errorf("%s goes with %q", want[2], with)
	}
	if !rep.Checked || rep.Outcome != finding.Found {
		t.Errorf("checked %v, outcome %s", rep.Checked, rep.Outcome)
	}
}

// A finding with a known signature is counted: one that stands on its trace is not repeated, another one once.
func TestKnownSignature(t *testing.T) {
	p := served(t)
	r := newRunner(t, p)
	for known, e := range map[string]*editor{
		"inconsistent-read-write/UPDATE:affected-versus-written": {run: inRun("T0.S1",
			func(b *observe.BlockRun) { b.Target.Affected++ })},
		"replay-difference/SELECT:rows": {replay: inReplay(0, 0,
			func(e *history.Event) { dropRow(e.Rows) })},
	} {
		e.Runner, e.when = r, always
		c, err := testcase.Parse("planted", []byte(plantedCase))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := weave.Check(e, c, p, weave.Options{Known: func(s string) bool { return s == known }})
		if err != nil {
			t.Fatal(err)
		}
		repeated := 0
		if e.replay != nil {
			repeated = 1
		}
		if got := signatures(rep.Findings); !slices.Equal(got, []string{known}) || rep.Findings[0].Repeated != repeated ||
			rep.Runs != 2 {
			t.Errorf("findings %q, %d runs", got, rep.Runs)
		}
	}
}

// breaker is a database that ends a run before its time.
type breaker struct {
	weave.Runner
	err    error
	broken int // so many runs, the first ones
	alone  time.Duration
}

func (b *breaker) Run(p *instrument.Plan, steps []instrument.Step) (*observe.Run, error) {
	run, err := b.Runner.Run(p, steps)
	if b.broken--; b.broken < 0 || err != nil {
		return run, err
	}
	last := run.Blocks[len(run.Blocks)-1]
	last.Target.Done = -1 // no answer
	run.Blocks = run.Blocks[:len(run.Blocks)-1]
	run.Trace.Events = run.Trace.Events[:slices.Index(run.Trace.Events, last.Target)+1]
	return run, b.err
}

func (b *breaker) Replay(blocks []*instrument.Block) (*observe.Replayed, error) {
	rep, err := b.Runner.Replay(blocks)
	if err == nil {
		last := rep.Events[len(rep.Events)-1]
		last.End = last.Start + int64(b.alone)
	}
	return rep, err
}

// What ends a run before its time and is no fault of the environment is a finding: the database is damaged, or a
// statement hangs which is at once there without transactions.
func TestBroken(t *testing.T) {
	malformed := &exec.AnswerError{Text: "SELECT * FROM t", Err: &history.DBError{Code: 11,
		Message: "database disk image is malformed"}}
	full := &exec.AnswerError{Text: "SELECT * FROM t", Err: &history.DBError{Code: 13,
		Message: "database or disk is full"}}
	lost := &exec.AnswerError{Text: "SELECT pkey, c1 FROM t", Err: &history.DBError{Code: 1,
		Message: "no such column: c1"}}
	overflow := &exec.AnswerError{Text: "SELECT * FROM t", Err: &history.DBError{Code: 1, Message: "integer overflow"}}
	late := fmt.Errorf("%w: T1", exec.ErrTimeout)
	for _, c := range []struct {
		name      string
		breaker   breaker
		signature string // "": the error is returned
		confirmed int
		embedded  bool
	}{
		{"corruption", breaker{err: fmt.Errorf("vsr: %w", malformed), broken: 1}, "corruption/11", 0, false},
		{"a column is lost", breaker{err: lost, broken: 1}, "corruption/1", 0, true},
		{"an expression fails", breaker{err: overflow, broken: 1}, "", 0, true},
		{"a column is lost on a server", breaker{err: lost, broken: 1}, "", 0, false}, // somebody may have dropped it
		{"disk full", breaker{err: &exec.EnvironmentError{Answer: full}, broken: 1}, "", 0, true},
		{"a hang", breaker{err: late, broken: 9, alone: 2 * time.Millisecond}, "hang/SELECT:hang", 1, false},
		{"a hang, once", breaker{err: late, broken: 1, alone: 2 * time.Millisecond}, "hang/SELECT:hang", 0, false},
		{"much to do", breaker{err: late, broken: 9, alone: 2 * time.Second}, "", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := *lookup(t, "sqlite/serializable")
			p.Embedded = c.embedded
			c.breaker.Runner = newRunner(t, &p)
			given, err := testcase.Parse("planted", []byte(plantedCase))
			if err != nil {
				t.Fatal(err)
			}
			rep, err := weave.Check(&c.breaker, given, &p, weave.Options{Repeats: 2})
			if c.signature == "" {
				if err == nil {
					t.Fatalf("findings %q, want an error", signatures(rep.Findings))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			found := slices.Concat(rep.Findings, rep.Unconfirmed)
			if got := signatures(found); !slices.Equal(got, []string{c.signature}) || !rep.Spoilt || rep.Outcome !=
				finding.Found {
				t.Fatalf("found %q, spoilt %v, %s", got, rep.Spoilt, rep.Outcome)
			}
			unconfirmed := !strings.HasPrefix(c.signature, "corruption/") && c.confirmed == 0
			if f := found[0]; f.Confirmed != c.confirmed || f.Run == nil || len(f.Run.Trace.Events) == 0 ||
				(len(rep.Unconfirmed) > 0) != unconfirmed {
				t.Errorf("confirmed %d of %d, unconfirmed %q", f.Confirmed, f.Repeated, signatures(rep.Unconfirmed))
			}
			if f := found[0]; (f.Class == finding.ClassHang) != (f.Replayed != nil) {
				t.Errorf("evidence of a %s: replay %v", f.Class, f.Replayed != nil)
			}
		})
	}
}

// ownBreaker is a database on which statements of the tool's own do not end: while tables are made or read, or as
// probes.
type ownBreaker struct {
	weave.Runner
	loads, runs int // so many of them, the first ones
	role        history.Role
	gone        int // it answers nobody when it is asked for the n-th time; 0: it always answers
}

func (b *ownBreaker) Alive() error {
	if b.gone--; b.gone == 0 {
		return &exec.HangError{State: "T (stopped)", Err: exec.ErrTimeout}
	}
	return nil
}

func (b *ownBreaker) Load(p *instrument.Plan) (map[string]*history.Rows, error) {
	if b.loads--; b.loads >= 0 {
		return nil, fmt.Errorf("SELECT * FROM t: %w", exec.ErrTimeout)
	}
	return b.Runner.Load(p)
}

func (b *ownBreaker) Run(p *instrument.Plan, steps []instrument.Step) (*observe.Run, error) {
	run, err := b.Runner.Run(p, steps)
	if b.runs--; b.runs < 0 || err != nil {
		return run, err
	}
	at := slices.IndexFunc(run.Trace.Events, func(e *history.Event) bool { return e.Role == b.role })
	run.Trace.Events = run.Trace.Events[:at+1]
	run.Trace.Events[at].Done = -1 // no answer
	return run, exec.ErrTimeout
}

// ended is a database to which nothing more may be sent, as the campaign has come to its end.
type ended struct{ weave.Runner }

func (ended) Over() error { return context.DeadlineExceeded }

// TestEndedMeanwhile: what ends with the campaign is no hang, and no wait in vain, however much it looks like one. What
// the database had answered by then stands.
func TestEndedMeanwhile(t *testing.T) {
	long := *weave.WaitedLong
	defer func() { *weave.WaitedLong = long }()
	*weave.WaitedLong = 0
	p := lookup(t, "sqlite/serializable")
	c, err := testcase.Parse("planted", []byte(plantedCase))
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []*ownBreaker{{loads: 9}, {runs: 9, role: history.VSR}, {runs: 9, role: history.Target}} {
		broken.Runner = newRunner(t, p)
		if rep, err := weave.Check(ended{broken}, c, p, weave.Options{Repeats: 2}); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("%v, findings %q, want that it was ended", err, signatures(rep.Findings))
		}
	}
	malformed := &exec.AnswerError{Text: "SELECT * FROM t", Err: &history.DBError{Code: 11,
		Message: "database disk image is malformed"}}
	damaged := &breaker{Runner: newRunner(t, p), err: malformed, broken: 1}
	rep, err := weave.Check(ended{damaged}, c, p, weave.Options{Repeats: 2})
	if err != nil || !slices.Equal(signatures(rep.Findings), []string{"corruption/11"}) {
		t.Errorf("%+v, %v: want the damage that the database told of", rep, err)
	}
}

// slowReplay is a database on which the replay is slow, and then a statement of the run.
type slowReplay struct {
	weave.Runner
	slow bool
}

func (b *slowReplay) Replay([]*instrument.Block) (*observe.Replayed, error) {
	b.slow = true
	return nil, exec.ErrTimeout
}

func (b *slowReplay) Run(p *instrument.Plan, steps []instrument.Step) (*observe.Run, error) {
	run, err := b.Runner.Run(p, steps)
	if err != nil || !b.slow {
		return run, err
	}
	return (&ownBreaker{Runner: given{b.Runner, run}, runs: 1, role: history.Target}).Run(p, steps)
}

// given is a database whose next run is there already.
type given struct {
	weave.Runner
	run *observe.Run
}

func (b given) Run(*instrument.Plan, []instrument.Step) (*observe.Run, error) { return b.run, nil }

// TestSlowReplay: a statement of the case that runs out of time in the replay, and then in the run, has much to do.
func TestSlowReplay(t *testing.T) {
	long := *weave.WaitedLong
	defer func() { *weave.WaitedLong = long }()
	*weave.WaitedLong = 0
	p := lookup(t, "sqlite/serializable")
	c, err := testcase.Parse("planted", []byte(plantedCase))
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := weave.Check(&slowReplay{Runner: newRunner(t, p)}, c, p, weave.Options{Repeats: 2}); !errors.Is(err,
		exec.ErrTimeout) {
		t.Errorf("%v, findings %q, want the time-out", err, signatures(rep.Findings))
	}
}

// TestOwnHang: a statement of the tool's own that does not end, twice, is a finding; once it is none, nor is a search
// with the case's own WHERE clause, what ends at once because the campaign does, or a server that answers nobody:
// somebody may have stopped it.
func TestOwnHang(t *testing.T) {
	long := *weave.WaitedLong
	defer func() { *weave.WaitedLong = long }()
	for _, c := range []struct {
		name    string
		breaker ownBreaker
		waited  time.Duration
		want    string // "": the error is returned
	}{
		{"reading tables", ownBreaker{loads: 9}, 0, "hang/hang"},
		{"reading tables, once", ownBreaker{loads: 1}, 0, ""},
		{"an added read", ownBreaker{runs: 9, role: history.VSR}, 0, "hang/added-read:hang"},
		{"an added read, once", ownBreaker{runs: 1, role: history.VSR}, 0, ""},
		{"a search", ownBreaker{runs: 9, role: history.BWR}, 0, ""},
		{"the end of a campaign", ownBreaker{loads: 9}, time.Hour, ""},
		{"a stopped server", ownBreaker{loads: 9, gone: 1}, 0, ""},
		{"one that goes on and is stopped again", ownBreaker{runs: 9, role: history.VSR, gone: 2}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			*weave.WaitedLong = c.waited
			p := lookup(t, "sqlite/serializable")
			c.breaker.Runner = newRunner(t, p)
			given, err := testcase.Parse("planted", []byte(plantedCase))
			if err != nil {
				t.Fatal(err)
			}
			rep, err := weave.Check(&c.breaker, given, p, weave.Options{Repeats: 2})
			switch {
			case c.want == "" && !errors.Is(err, exec.ErrTimeout):
				t.Errorf("%v, want the time-out", err)
			case c.want == "":
			case err != nil:
				t.Error(err)
			case !slices.Equal(signatures(rep.Findings), []string{c.want}) || !rep.Spoilt || rep.Findings[0].Confirmed != 1:
				t.Errorf("findings %q, spoilt %v", signatures(rep.Findings), rep.Spoilt)
			}
		})
	}
}
