package mechanism

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/internal/testkit/effort"
)

var traces = effort.Flag("txweave.traces", 100, "traces of the model engine for each level")

// levels are those that the model engine implements.
func levels(t testing.TB) []level {
	var out []level
	for _, l := range []struct {
		dbms, isolation string
		locked, oneFile bool
	}{
		{"mariadb", "read-uncommitted", false, false}, {"mariadb", "read-committed", false, false},
		{"mariadb", "repeatable-read", false, false}, {"mariadb", "snapshot", false, false},
		{"mariadb", "serializable", true, false}, {"sqlite", "serializable", false, true},
		{"postgresql", "read-committed", false, false}, {"postgresql", "snapshot", false, false},
		{"postgresql", "serializable", false, false}, {"tidb", "snapshot", false, false},
		{"rocksdb", "optimistic", false, false}, {"foundationdb", "serializable", false, false},
		{"spanner", "serializable", true, false},
	} {
		c, err := dbms.LookupPromise(l.dbms, l.isolation)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, level{c, l.locked, l.oneFile})
	}
	return out
}

type level struct {
	*dbms.Profile
	locked, oneFile bool
}

// trace runs the model once.
func (l level) trace(seed uint64, b bug) (*model, Options) {
	rng := rand.New(rand.NewPCG(seed, uint64(b)))
	m := newModel(rng, l.Guarantees.Mechanisms, 1+rng.IntN(5))
	m.locked, m.oneFile, m.bug = l.locked, l.oneFile, b
	m.unique = rng.IntN(4) > 0
	m.silent = rng.IntN(4) == 0
	m.run(2+rng.IntN(4), 30+rng.IntN(120))
	o := Options{Promise: l.Guarantees.Mechanisms, Initial: rng.IntN(3) > 0, Partitions: 1 + rng.IntN(3)}
	if b == noBug && rng.IntN(3) == 0 { // killed: what was not written yet is lost
		m.trace = m.trace[:1+rng.IntN(len(m.trace))]
	}
	return m, o
}

// TestModelIsNeverBlamed is the soundness of the oracle: whatever the intervals, a correct engine is not reported.
//
//	go test ./oracle/mechanism -run NeverBlamed -v -txweave.traces 20000
func TestModelIsNeverBlamed(t *testing.T) {
	for _, l := range levels(t) {
		t.Run(l.DBMS+"/"+l.Isolation, func(t *testing.T) {
			t.Parallel()
			var total TraceStats
			for seed := range uint64(traces()) {
				m, o := l.trace(seed, noBug)
				r, err := Check(o, m.trace)
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Violations) > 0 {
					t.Fatalf("seed %d: a correct engine is blamed:\n%s\n%s", seed, printReport(r, true), printTrace(m.trace))
				}
				total.add(&r.Stats)
				total.Committed += r.Stats.Committed
			}
			before, after := total.Uncertain()
			t.Logf("%d traces, %d committed, %d reads checked, %d locks; uncertain %.1f %%, after deduction %.1f %%",
				traces(), total.Committed, total.Reads, total.Locks, 100*before, 100*after)
			if total.Committed == 0 || total.Reads == 0 && l.ConsistentRead != dbms.NoConsistentRead {
				t.Error("nothing was checked")
			}
		})
	}
}

func printTrace(ops []*history.Operation) string {
	sym := history.NewSymbols()
	sym.Table("t")
	var b []byte
	for _, op := range ops {
		b = history.AppendOperation(b, op, sym)
	}
	return string(b)
}

// applies says whether a bug can show at a level.
func (l level) applies(b bug) bool {
	plainSnapshot := l.ConsistentRead != dbms.NoConsistentRead && !l.locked
	switch b {
	case staleRead, dirtyRead, missingRow:
		return plainSnapshot
	case fracturedRead:
		return plainSnapshot && l.ConsistentRead == dbms.PerTransaction
	case lostLock:
		return l.MutualExclusion && !l.oneFile
	case noFirstUpdater:
		return l.FirstUpdaterWins && !l.oneFile
	case noCertifier:
		return l.Certifier != dbms.NoCertifier && l.Certifier != dbms.ConflictCycles
	case abortVisible, ownWriteLost:
		return l.ConsistentRead != dbms.NoConsistentRead
	}
	return false
}

// TestPlantedBugsAreFound measures what share of the traces in which a planted bug made a difference is reported. It
// is no 100 %: intervals overlap so much here that a wrong version may be the right one for all that can be known,
// and what was written wrongly need not be read again.
func TestPlantedBugsAreFound(t *testing.T) {
	type count struct{ shown, found int }
	var mu sync.Mutex
	counts := map[bug]*count{}
	t.Run("levels", func(t *testing.T) {
		for _, l := range levels(t) {
			t.Run(l.DBMS+"/"+l.Isolation, func(t *testing.T) {
				t.Parallel()
				for b := staleRead; b < bugs; b++ {
					if !l.applies(b) {
						continue
					}
					c := count{}
					for seed := range uint64(traces() / 2) {
						m, o := l.trace(seed, b)
						if m.shown == 0 {
							continue
						}
						r, err := Check(o, m.trace)
						if err != nil {
							t.Fatal(err)
						}
						c.shown++
						if len(r.Violations) > 0 {
							c.found++
						}
					}
					t.Logf("%-28s %d of %d", bugNames[b], c.found, c.shown)
					if c.shown >= 10 && c.found == 0 {
						t.Errorf("%s: shown in %d traces, found in %d", bugNames[b], c.shown, c.found)
					}
					mu.Lock()
					if counts[b] == nil {
						counts[b] = &count{}
					}
					counts[b].shown += c.shown
					counts[b].found += c.found
					mu.Unlock()
				}
			})
		}
	})
	for b := staleRead; b < bugs; b++ {
		c := counts[b]
		t.Logf("%-28s %d of %d (%.0f %%)", bugNames[b], c.found, c.shown, 100*float64(c.found)/float64(c.shown))
		if c.shown < effort.Cases(10) || c.found*2 < c.shown {
			t.Errorf("%s: fewer than half are found", bugNames[b])
		}
	}
}

// TestOnline checks the same traces while they are made, by sessions that append side by side: the same violations
// are found.
func TestOnline(t *testing.T) {
	l := levels(t)[2]
	for seed := range uint64(20) {
		m, o := l.trace(seed, fracturedRead)
		want, err := Check(o, m.trace)
		if err != nil {
			t.Fatal(err)
		}
		o.Sessions = 6
		v := New(o)
		v.Start(m.trace[0].Writes)
		var work sync.WaitGroup
		for id := range o.Sessions {
			work.Go(func() {
				s := v.Session(id)
				for _, op := range m.trace[1:] {
					if int(op.Session) != id {
						continue
					}
					s.Sending(op.Start)
					if op.Txn%3 == 0 {
						runtime.Gosched()
					}
					if err := s.Append(op); err != nil {
						t.Error(err)
					}
				}
				s.Close()
			})
		}
		work.Wait()
		got := v.Wait()
		if _, n, _ := v.Progress(); n < want.Stats.Operations {
			t.Errorf("seed %d: %d of %d operations dispatched", seed, n, want.Stats.Operations)
		}
		if a, b := printReport(got, false), printReport(want, false); a != b {
			t.Errorf("seed %d: online\n%s\noffline\n%s", seed, a, b)
		}
	}
}

// TestSessionErrors: what no session can do is refused.
func TestSessionErrors(t *testing.T) {
	v := New(Options{Sessions: 1})
	v.Start(nil)
	s := v.Session(0)
	ok := &history.Operation{Kind: history.OpRead, Txn: 1, Start: 5, End: 6}
	if err := s.Append(ok); err != nil {
		t.Fatal(err)
	}
	for _, op := range []*history.Operation{
		{Kind: history.OpRead, Txn: 1, Start: 4, End: 6}, {Kind: history.OpRead, Txn: 2, Start: 7, End: 8},
		{Kind: history.OpLoad}, {Kind: history.OpClose},
	} {
		if err := s.Append(op); err == nil {
			t.Errorf("%+v was accepted", op)
		}
	}
	s.Close()
	if r := v.Wait(); r.Stats.Unknown != 1 || r.Stats.Operations != 1 {
		t.Errorf("%+v", r.Stats)
	}
}

// TestViolationsAreSorted: the order in which partitions finish must not show.
func TestViolationsAreSorted(t *testing.T) {
	l := levels(t)[3]
	for seed := range uint64(30) {
		m, o := l.trace(seed, staleRead)
		var texts []string
		for _, o.Partitions = range []int{1, 2, 5} {
			r, err := Check(o, m.trace)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Violations { // the order graph may meet another tangle first
				if r.Violations[i].Mechanism == Isolation {
					r.Violations[i].Explanation = nil
				}
			}
			texts = append(texts, fmt.Sprint(r.Violations))
		}
		if len(slices.Compact(texts)) > 1 {
			t.Errorf("seed %d: %q", seed, texts)
		}
	}
}

// TestDeletedRowsAreForgotten: rows that come and go do not stay in memory.
func TestDeletedRowsAreForgotten(t *testing.T) {
	l := levels(t)[1]
	v := New(Options{Promise: l.Guarantees.Mechanisms, Sessions: 1, Initial: true, Partitions: 2})
	v.Start(nil)
	s := v.Session(0)
	const rows = 50_000
	for i := range int64(rows) {
		row := history.ItemID{Key: i}
		for k, op := range []history.Operation{
			{Kind: history.OpWrite, Writes: []history.Access{{ItemID: row, Version: i}}}, {Kind: history.OpCommit},
			{Kind: history.OpRead, Reads: []history.Access{{ItemID: row, Version: i}}},
			{Kind: history.OpWrite, Writes: []history.Access{{ItemID: row, Version: history.Absent}}}, {Kind: history.OpCommit},
			{Kind: history.OpRead, Reads: []history.Access{{ItemID: row, Version: history.Absent}}}, {Kind: history.OpCommit},
		} {
			op.Txn = 3*i + int64([]int{0, 0, 1, 1, 1, 2, 2}[k])
			op.Start = 20*i + 2*int64(k)
			op.End = op.Start + 1
			if err := s.Append(&op); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Close()
	r := v.Wait()
	if len(r.Violations) > 0 || r.Stats.Reads != 2*rows {
		t.Errorf("%d reads checked, %v", r.Stats.Reads, r.Violations)
	}
	if r.Stats.Items > rows/5 {
		t.Errorf("%d of %d deleted rows are still kept", r.Stats.Items, rows)
	}
}
