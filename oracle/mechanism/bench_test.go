package mechanism

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/history"
)

// workload makes a valid trace as fast as it can: sessions whose statements overlap in time, on keys chosen so that
// no two concurrent transactions conflict, because the traces must be valid at every level.
type workload struct {
	rng      *rand.Rand
	keys     []wlKey
	sessions []wlSession
	clock    int64 // one step of one session
	commits  int64
	value    int64
	txn      int64
	stmts    int // of a transaction
	op       history.Operation
}

type wlKey struct {
	value   int64
	changed int64 // number of the commit
	writer  int32 // session + 1 that wrote it and has not committed
	readers int32 // sessions that read it and have not committed
	read    int64 // number of commits when the last reader committed
}

type wlSession struct {
	txn, snapshot, last int64
	at                  int
	reads, writes       []int32
}

func newWorkload(keys, sessions, stmts int) *workload {
	w := &workload{rng: rand.New(rand.NewPCG(1, 2)), keys: make([]wlKey, keys), sessions: make([]wlSession, sessions),
		stmts: stmts, value: 1}
	for i := range w.sessions {
		w.sessions[i].at = -1
	}
	for i := range w.keys {
		w.keys[i].value = history.Absent
	}
	return w
}

// key chooses one that a session may read or write without a conflict.
func (w *workload) key(id int, s *wlSession, write bool) int32 {
	for {
		k := w.rng.Int32N(int32(len(w.keys)))
		key := &w.keys[k]
		if key.writer == 0 && key.changed <= s.snapshot && (!write || key.readers == 0 && key.read <= s.snapshot) {
			return k
		}
	}
}

// next makes the next operation of session id: half of the statements read, half write. Its interval reaches from
// the session's step before to this one, so it overlaps those of all other sessions.
func (w *workload) next(id int) *history.Operation {
	s := &w.sessions[id]
	w.clock++
	op := &w.op
	*op = history.Operation{Session: int32(id), Start: s.last + 1, End: w.clock, Reads: op.Reads[:0],
		Writes: op.Writes[:0]}
	s.last = w.clock
	if s.at < 0 {
		w.txn++
		s.txn, s.snapshot, s.at = w.txn, w.commits, 0
	}
	op.Txn = s.txn
	if s.at == w.stmts {
		op.Kind = history.OpCommit
		w.commits++
		for _, k := range s.reads {
			w.keys[k].readers--
			w.keys[k].read = w.commits
		}
		for _, k := range s.writes {
			w.keys[k].writer, w.keys[k].changed = 0, w.commits
		}
		s.reads, s.writes, s.at = s.reads[:0], s.writes[:0], -1
		return op
	}
	write := s.at%2 == 1
	s.at++
	k := w.key(id, s, write)
	key := &w.keys[k]
	op.Reads = append(op.Reads, history.Access{ItemID: history.ItemID{Key: int64(k)}, Version: key.value})
	op.Kind = history.OpRead
	if write {
		w.value++
		key.value, key.writer = w.value, int32(id)+1
		op.Kind, op.Lock = history.OpWrite, history.LockExclusive
		op.Writes = append(op.Writes, history.Access{ItemID: history.ItemID{Key: int64(k)}, Version: key.value})
		s.writes = append(s.writes, k)
	} else {
		key.readers++
		s.reads = append(s.reads, k)
	}
	return op
}

// peak watches how much memory the process has from the system at most, in MiB.
func peak() func() float64 {
	var most atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapInuse+m.StackInuse))
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(stop)
		<-done
		return float64(most.Load()) / (1 << 20)
	}
}

// verify runs a workload of so many operations through a verifier, online.
func verify(b *testing.B, promise dbms.Mechanisms, w *workload, operations int) *TraceReport {
	v := New(Options{Promise: promise, Sessions: len(w.sessions), Initial: true})
	v.Start(nil)
	for i := range operations {
		id := i % len(w.sessions)
		if err := v.Session(id).Append(w.next(id)); err != nil {
			b.Fatal(err)
		}
		for i&1023 == 0 && int64(i)-v.operations.Load() > maxBacklog && !v.starving.Load() {
			time.Sleep(100 * time.Microsecond)
		}
	}
	for id := range w.sessions {
		v.Session(id).Close()
	}
	r := v.Wait()
	if len(r.Violations) > 0 {
		b.Fatalf("a valid trace is blamed: %v", r.Violations[0])
	}
	if r.Stats.Operations != int64(operations) {
		b.Fatalf("%d of %d operations were checked", r.Stats.Operations, operations)
	}
	return r
}

// cpu returns a function that tells the processor time used since, in seconds: on a machine that is shared, the
// figure that repeats.
func cpu() func() float64 {
	used := func() float64 {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	start := used()
	return func() float64 { return used() - start }
}

func promiseOf(b *testing.B, name, level string) dbms.Mechanisms {
	c, err := dbms.LookupPromise(name, level)
	if err != nil {
		b.Fatal(err)
	}
	return c.Guarantees.Mechanisms
}

// BenchmarkFourMechanisms verifies CR, ME, FUW and SC (SSI) while a workload runs: time is linear in the operations
// and memory does not grow with them. The time of making the workload up is included; BenchmarkWorkload is it alone.
//
//	go test ./oracle/mechanism -run '^$' -bench FourMechanisms -benchtime 1x
func BenchmarkFourMechanisms(b *testing.B) {
	promise := promiseOf(b, "postgresql", "serializable")
	for _, n := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var mib float64
			used := cpu()
			for b.Loop() {
				runtime.GC()
				stop := peak()
				verify(b, promise, newWorkload(10_000, 24, 8), n)
				mib = max(mib, stop())
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
			b.ReportMetric(mib, "peak-MiB")
			b.ReportMetric(used()/float64(b.N), "cpu-s/op")
		})
	}
}

// BenchmarkMiniTransactions verifies CR, ME and FUW of a million mini-transactions (a read, a read-modify-write and a
// commit), which Leopard needs 282 s and 4.8 GB for on such a machine.
func BenchmarkMiniTransactions(b *testing.B) {
	promise := promiseOf(b, "postgresql", "snapshot")
	const txns = 1_000_000
	var mib float64
	used := cpu()
	for b.Loop() {
		runtime.GC()
		stop := peak()
		verify(b, promise, newWorkload(10_000, 24, 2), 3*txns)
		mib = max(mib, stop())
	}
	b.ReportMetric(txns*float64(b.N)/b.Elapsed().Seconds(), "txns/s")
	b.ReportMetric(mib, "peak-MiB")
	b.ReportMetric(used()/float64(b.N), "cpu-s/op")
}

// BenchmarkWorkload makes the workload up and does nothing with it.
func BenchmarkWorkload(b *testing.B) {
	w := newWorkload(10_000, 24, 8)
	i := 0
	for b.Loop() {
		w.next(i % len(w.sessions))
		i++
	}
}

// BenchmarkCheckTrace verifies the same workload from a file, which is parsed.
func BenchmarkCheckTrace(b *testing.B) {
	const n = 300_000
	promise := promiseOf(b, "postgresql", "serializable")
	sym := history.NewSymbols()
	sym.Table("t")
	var file bytes.Buffer
	w := newWorkload(10_000, 24, 8)
	out, err := history.NewOperationWriter(&file, sym, history.TraceHeader{Sessions: len(w.sessions),
		Initial: true}, time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if err := out.Append(w.next(i % len(w.sessions))); err != nil {
			b.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		r, err := history.NewOperationReader(bytes.NewReader(file.Bytes()), history.NewSymbols())
		if err != nil {
			b.Fatal(err)
		}
		rep, err := CheckTrace(Options{Promise: promise}, r)
		if err != nil || len(rep.Violations) > 0 || rep.Stats.Operations != n {
			b.Fatal(err, rep)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}
