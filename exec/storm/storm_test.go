package storm

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/dbms"
	_ "txweave/dbms/registry"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/gen/workload"
	"txweave/history"
)

// kept is a sink that keeps everything.
type kept struct {
	t      *testing.T
	ops    []history.Operation
	low    int64
	closed bool
}

func (k *kept) Ready(func() int64)  {}
func (k *kept) Sending(start int64) { k.low = max(k.low, start) }
func (k *kept) Close()              { k.closed = true }

func (k *kept) Append(op *history.Operation) error {
	if op.Start < k.low {
		k.t.Errorf("a %s starts at %d, after it was said that nothing starts before %d", op.Kind, op.Start, k.low)
	}
	o := *op
	o.Reads, o.Writes, o.Ranges = slices.Clone(op.Reads), slices.Clone(op.Writes), slices.Clone(op.Ranges)
	k.ops = append(k.ops, o)
	return nil
}

// run storms SQLite for a moment and returns what the sinks got.
func run(t *testing.T, name string, target func(exec.Target) exec.Target, o Options) ([]*kept, *Result) {
	t.Helper()
	ctx := context.Background()
	db, err := sqlite.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	if o.Workload, err = workload.New(name, workload.Config{Keys: 20, Distribution: workload.Uniform,
		Dialect: sqlite.Dialect}); err != nil {
		t.Fatal(err)
	}
	o.Sessions, o.Seed = 4, 1
	if o.Duration == 0 {
		o.Duration = 150 * time.Millisecond
	}
	sinks := make([]*kept, o.Sessions)
	o.Sink = func(i int) Sink {
		sinks[i] = &kept{t: t}
		return sinks[i]
	}
	if target != nil {
		db = target(db)
	}
	res, err := Run(ctx, db, p, o)
	for ; err == nil && res.Crash == nil && res.Committed < 50 && o.Duration < time.Minute; res, err = Run(ctx, db, p, o) {
		o.Duration *= 2 // a machine that has no time for us
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sinks {
		if !s.closed {
			t.Errorf("sink %d is not closed", i)
		}
	}
	return sinks, res
}

// A session's operations are in order and its transactions whole; versions are unique in their item, but for absence.
func TestTrace(t *testing.T) {
	for _, name := range workload.Names() {
		t.Run(name, func(t *testing.T) {
			sinks, res := run(t, name, nil, Options{})
			written := map[history.Access]int64{}
			var txns, commits int64
			for i, s := range sinks {
				var last history.Operation
				open := false
				for _, op := range s.ops {
					if op.Session != int32(i) || op.Start < last.Start || op.End < op.Start || op.Start < last.End &&
						op.Kind != history.OpAbort {
						t.Fatalf("session %d: %+v after %+v", i, op, last)
					}
					if (op.Kind == history.OpBegin) == open || open && op.Txn != last.Txn {
						t.Fatalf("session %d: %+v, with a transaction open: %v", i, op, open)
					}
					open = op.Kind != history.OpCommit && op.Kind != history.OpAbort
					if !open {
						txns++
					}
					if op.Kind == history.OpCommit {
						commits++
					}
					for _, w := range op.Writes {
						if by, twice := written[w]; twice && w.Version != history.Absent {
							t.Fatalf("T%d and T%d wrote %+v", by, op.Txn, w)
						}
						written[w] = op.Txn
					}
					last = op
				}
				if open {
					t.Errorf("session %d leaves a transaction open", i)
				}
			}
			if txns != res.Transactions || commits != res.Committed || res.Committed == 0 || len(written) == 0 {
				t.Errorf("%d transactions, %d commits, %d versions; the result says %+v", txns, commits, len(written), res)
			}
			if txns != res.Committed+res.Aborted+res.RolledBack+res.Unknown {
				t.Errorf("the outcomes do not add up: %+v", res)
			}
			if len(res.Faults) > 0 || res.Crash != nil {
				t.Errorf("faults %+v, crash %v", res.Faults, res.Crash)
			}
		})
	}
}

// A range whose bounds leave nothing, as a delivery of tpcc has one in a district without orders, says of no row that
// it was absent: at REPEATABLE READ somebody may have committed the row of its lower bound since the bounds were read.
func TestEmptyRange(t *testing.T) {
	ctx := context.Background()
	db, p, w := small(t, "tpcc", 20)
	const lo, newOrder = 7, 6
	w.Audit = nil
	for _, c := range []struct {
		hi            int64
		reads, ranges int
	}{{lo - 1, 0, 0}, {lo - 5, 0, 0}, {lo, 1, 0}, {lo + 1, 0, 1}} {
		var sinks []*kept
		w.Next = func(*rand.Rand, *workload.SessionMemory) workload.Program {
			return func(tx workload.Tx) error {
				_, err := tx.Scan(newOrder, lo, c.hi, workload.Where{}, true)
				return err
			}
		}
		for d := 20 * time.Millisecond; ; d *= 2 {
			sinks = nil
			res, err := Run(ctx, db, p, Options{Workload: w, Sessions: 1, Seed: 1, Duration: d, Record: true,
				Sink: func(int) Sink {
					sinks = append(sinks, &kept{t: t})
					return sinks[len(sinks)-1]
				}})
			if err != nil || len(res.Faults) > 0 {
				t.Fatal(err, res.Faults)
			}
			if res.Transactions > 1 { // the last one reads all tables; a machine that has no time for us makes no other
				break
			}
		}
		op := sinks[0].ops[1]
		if op.Kind != history.OpRead || len(op.Reads) != c.reads || len(op.Ranges) != c.ranges {
			t.Errorf("from %d to %d: %+v, want %d reads and %d ranges", lo, c.hi, op, c.reads, c.ranges)
		}
	}
}

// What is recorded is what the trace says, and SQLite's histories are strictly serializable.
func TestHistory(t *testing.T) {
	for name, level := range map[string]dbms.Level{"mini": dbms.SSER, "cas": dbms.LIN, "append": dbms.SSER} {
		_, res := run(t, name, nil, Options{Record: true})
		h := res.History.History()
		if int64(len(h.Txns)) != res.Transactions {
			t.Errorf("%s: %d transactions recorded of %d", name, len(h.Txns), res.Transactions)
		}
		if v := blackbox.Check(t.Context(), h, level, checker.Options{SessionOrder: true}); v.Outcome != checker.Valid {
			t.Errorf("%s: %s", name, v)
		}
	}
}

// A commit after which the database does not tell its times, here because it has no clock, is one of unknown outcome to
// the record: a committed one that is missing there would make its readers wrong.
func TestNoStamps(t *testing.T) {
	_, res := run(t, "mini", nil, Options{Record: true, Stamps: true})
	h := res.History.History()
	if int64(len(h.Txns)) != res.Transactions || res.Transactions != res.Committed+res.Aborted+res.RolledBack+res.Unknown {
		t.Errorf("%d transactions recorded; the result says %+v", len(h.Txns), res)
	}
	if v := blackbox.Check(t.Context(), h, dbms.SSER, checker.Options{SessionOrder: true}); v.Outcome != checker.Valid {
		t.Error(v)
	}
}

// A planted lost commit makes the same history one that is not.
func TestLostCommit(t *testing.T) {
	i := slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name == "lost-commit" })
	_, res := run(t, "mini", func(db exec.Target) exec.Target { return planted.Plant(db, planted.Faults()[i], 1) },
		Options{Record: true})
	if v := blackbox.Check(t.Context(), res.History.History(), dbms.SSER,
		checker.Options{SessionOrder: true}); v.Outcome != checker.Invalid {
		t.Errorf("with commits lost: %s", v)
	}
}

// Planted bugs strike sessions at full speed without getting into each other's way: for the race detector.
func TestPlantedBugs(t *testing.T) {
	db, p, w := small(t, "random-sql", 8)
	for _, f := range planted.Faults() {
		longer(t, 60*time.Millisecond, func(d time.Duration) bool {
			res, err := Run(t.Context(), planted.Plant(db, f, 1), p, Options{Workload: w, Sessions: 3, Duration: d, Seed: 1,
				Sink: func(int) Sink { return &kept{t: t} }})
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			return res.Transactions > 0
		})
	}
}

// gone is a target whose sessions' connections break, and which says that it crashed.
type gone struct {
	exec.Target
	crash error
}

func (g *gone) Alive(context.Context) error { return g.crash }

// A crash ends the storm; what was done before stays.
func TestCrash(t *testing.T) {
	i := slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name == "crash-while-blocked" })
	_, res := run(t, "blindw-w", func(db exec.Target) exec.Target { return planted.Plant(db, planted.Faults()[i], 1) },
		Options{Duration: 5 * time.Minute})
	if res.Crash == nil {
		t.Errorf("no crash was noticed: %+v", res)
	}
	if res.Elapsed > 4*time.Minute {
		t.Errorf("the storm went on for %s", res.Elapsed)
	}
}

// An environment that fails is an error, and ends the storm.
func TestUnavailable(t *testing.T) {
	ctx := context.Background()
	db, p, w := small(t, "mini", 5)
	i := slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name == "crash-while-blocked" })
	sink := &kept{t: t}
	away := errors.New("the server is away")
	target := &gone{planted.Plant(db, planted.Faults()[i], 1), away}
	_, err := Run(ctx, target, p, Options{Workload: w, Sessions: 2, Duration: 5 * time.Minute, Seed: 1,
		Sink: func(i int) Sink {
			if i == 0 {
				return sink
			}
			return &kept{t: t}
		}})
	if !errors.Is(err, away) {
		t.Errorf("the error is %v", err)
	}
	if !sink.closed {
		t.Error("the sink is not closed")
	}
}
