package storm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"txweave/exec"
)

// Nemesis is an disruption beside a storm's workload, by its name.
type Nemesis string

// The nemeses.
const (
	Kill     Nemesis = "kill"
	Crash    Nemesis = "crash"
	DDL      Nemesis = "ddl"
	Pressure Nemesis = "pressure"
	Pause    Nemesis = "pause"
	Locks    Nemesis = "locks"
	Network  Nemesis = "network"
	Power    Nemesis = "power"
)

// Act is one thing that a nemesis did, and when: ns of the storm's clock.
type Act struct {
	Nemesis    Nemesis
	What       string
	Start, End int64  // End is 0 while it goes on
	Rebuilt    string // the table that was built anew meanwhile, while others wrote it; "" for none
	Indexed    string // the table of which an index was built meanwhile, while others wrote it; "" for none
	Copied     string // the table whose partitions were copied meanwhile, while others wrote it; "" for none
	Killed     int    // the session whose statement was killed, from 1 on; 0: none
}

// String prints the act as traces and findings name it.
func (a *Act) String() string {
	if a.End == 0 {
		return fmt.Sprintf("%s: %s since %d", a.Nemesis, a.What, a.Start)
	}
	return fmt.Sprintf("%s: %s in [%d, %d]", a.Nemesis, a.What, a.Start, a.End)
}

// nemesis is how one is done.
type nemesis struct {
	about string
	every time.Duration // mean time from one act to the next
	// unfit is the reason why it cannot be done to a database; "" if it can.
	unfit func(*exec.Disruption) string
	act   func(d *disturber, ctx context.Context, rng *rand.Rand) error
}

// fit says that something can be done to every database.
func fit(*exec.Disruption) string { return "" }

// disturbed says that a DBMS has disturbances of a kind.
func disturbed(of func(*exec.Disruption) []exec.Disturbance) func(*exec.Disruption) string {
	return func(u *exec.Disruption) string {
		if len(of(u)) == 0 {
			return "no such statements are known for this DBMS"
		}
		return ""
	}
}

var nemeses = map[Nemesis]*nemesis{
	DDL: {"tables are changed and put back: indexes, columns, rebuilding, partitions, renaming", 50 * time.Millisecond,
		disturbed(func(u *exec.Disruption) []exec.Disturbance { return u.Redefine }), (*disturber).redefine},
	Pressure: {"long readers, a late purge, small memory and logs, checkpoints, big rows",
		50 * time.Millisecond, fit, (*disturber).press},
	Pause: {"the database's process, or single threads of it, are stopped for up to seconds", 100 * time.Millisecond,
		func(u *exec.Disruption) string {
			if u.Stop == nil {
				return "only a private server, or an embedded engine in a process of its own, can be stopped"
			}
			return ""
		}, (*disturber).pause},
	Locks: {"tables are locked; XA transactions are prepared, and committed later by any connection",
		50 * time.Millisecond,
		disturbed(func(u *exec.Disruption) []exec.Disturbance { return u.Hold }), (*disturber).lock},
	Network: {"answers are slow, or the connection is lost during a statement or COMMIT",
		30 * time.Millisecond,
		func(u *exec.Disruption) string {
			if !u.Networked {
				return "there is no network between that could be slow"
			}
			return ""
		}, (*disturber).network},
	Kill: {"statements and connections are killed, also during COMMIT",
		20 * time.Millisecond, fit, (*disturber).kill},
	Crash: {"the database is killed (kill -9) and started again, also after a commit and during recovery",
		time.Second, func(u *exec.Disruption) string {
			if u.Crash == nil {
				return "only a private server, or an embedded engine in a process of its own, can be killed and started again on " +
					"its data"
			}
			return ""
		}, (*disturber).crash},
	Power: {"the process ends, and some sectors that were not synced are lost",
		time.Second, func(u *exec.Disruption) string {
			if u.PowerCut == nil {
				return "only what an embedded engine in a process of its own has written and not synced can be taken away"
			}
			return ""
		}, (*disturber).cutPower},
}

// Nemeses lists the names of all, in order.
func Nemeses() []Nemesis {
	out := make([]Nemesis, 0, len(nemeses))
	for n := range nemeses {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// AboutNemeses lists them with one line on each.
func AboutNemeses() string {
	var b strings.Builder
	for _, n := range Nemeses() {
		fmt.Fprintf(&b, "  %-8s %s\n", n, nemeses[n].about)
	}
	return b.String()
}

// ParseNemeses reads a list of names, each once, in order.
func ParseNemeses(names []string) ([]Nemesis, error) {
	var out []Nemesis
	for _, name := range names {
		n := Nemesis(strings.TrimSpace(name))
		if nemeses[n] == nil {
			var all []string
			for _, n := range Nemeses() {
				all = append(all, string(n))
			}
			return nil, fmt.Errorf("unknown nemesis %q (there are %s)", name, strings.Join(all, ", "))
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Unfit is the reason why a nemesis cannot be done to a target; "" if it can.
func (n Nemesis) Unfit(t exec.Target) string { return nemeses[n].unfit(exec.DisruptionOf(t)) }

// Durable says whether a database must keep all that it acknowledges, whatever becomes of its process.
func (n Nemesis) Durable() bool { return n == Crash || n == Power }

// disturber is what does the acts of a storm's nemeses.
type disturber struct {
	*storm
	disruption      *exec.Disruption
	sessions        []*session
	examiner        *examiner // nil where there are no nemeses
	over            chan struct{}
	acting, beating sync.WaitGroup

	mu      sync.Mutex
	done    map[string]int
	was     map[string]string // by the query for it, what puts a setting back
	crashed crashes
}

// crashes is what came of the crashes of a storm.
type crashes struct {
	count     int
	slowest   time.Duration // recovery
	committed int64         // transactions that were acknowledged before the last one
}

// newDisturber returns what does the acts; where there are any, the last session looks at what came of them.
func newDisturber(st *storm, all []*session) *disturber {
	d := &disturber{storm: st, disruption: exec.DisruptionOf(st.target), sessions: all[:st.opt.Sessions],
		done: map[string]int{}, was: map[string]string{}, over: make(chan struct{})}
	st.began, st.noted = d.began, d.keep
	if st.opt.receipts() {
		d.examiner = &examiner{session: all[st.opt.Sessions]}
	}
	return d
}

// start starts all nemeses.
func (d *disturber) start(ctx context.Context) {
	if d.examiner != nil {
		d.beating.Go(func() { d.examiner.beat(d.over) })
	}
	for _, n := range d.opt.Nemeses {
		h := fnv.New64a()
		fmt.Fprint(h, n)
		rng := rand.New(rand.NewPCG(d.opt.Seed, stream^h.Sum64()))
		d.acting.Go(func() { d.loop(ctx, n, rng) })
	}
}

// end ends all nemeses when the other sessions have ended, and looks at what is left.
func (d *disturber) end(ctx context.Context) {
	d.stop.Store(true)
	d.acting.Wait()
	if d.examiner != nil && d.standing() {
		d.control.Lock() // nobody else is left
		if err := d.fate(ctx, d.examiner.quiet(ctx)); err != nil && !d.down(err) {
			d.fail(fmt.Errorf("after the storm: %w", err))
		}
		d.control.Unlock()
	}
	close(d.over)
	d.beating.Wait()
	if d.examiner != nil {
		d.examiner.sink.Close()
	}
}

// loop acts from time to time until the storm is over.
func (d *disturber) loop(ctx context.Context, n Nemesis, rng *rand.Rand) {
	every := cmp.Or(d.opt.Every, nemeses[n].every)
	for d.sleep(time.Duration(2 * rng.Float64() * float64(every))) {
		switch err := nemeses[n].act(d, ctx, rng); {
		case err == nil:
		case d.down(err):
			return
		default:
			d.fail(fmt.Errorf("nemesis %s: %w", n, err))
			return
		}
	}
}

// sleep waits, and says whether the storm still goes on.
func (d *disturber) sleep(t time.Duration) bool {
	const look = 20 * time.Millisecond
	for until := time.Now().Add(t); !d.stop.Load(); {
		left := time.Until(until)
		if left <= 0 {
			return true
		}
		time.Sleep(min(left, look))
	}
	return false
}

// result adds what the nemeses did.
func (d *disturber) result(res *Result) {
	if d.examiner != nil {
		res.Kept = d.examiner.kept
	}
	res.ActsOf, res.LeftOut, res.Recovery = d.done, d.opt.leftOut(&d.disruption.Disturbances), d.recovery
	res.Crashes, res.Survived, res.SlowestRecovery = d.crashed.count, d.crashed.committed, d.crashed.slowest
}

// note notes an act that has just ended.
func (d *disturber) note(n Nemesis, start int64, format string, args ...any) {
	a := &Act{Nemesis: n, What: fmt.Sprintf(format, args...), Start: start}
	counted := a.What
	if strings.Contains(format, "%d") { // of a session: which one is told, and not counted
		counted = format
	}
	d.keep(a, counted)
}

// began tells of an act that findings may be named after, before anything of it is done.
func (d *disturber) began(a Act) *Act {
	if d.opt.Began != nil {
		d.opt.Began(&a)
	}
	return &a
}

// keep notes the end of an act, counts it under a name and tells of it.
func (d *disturber) keep(a *Act, counted string) {
	a.End = d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done[string(a.Nemesis)+": "+counted]++
	if d.opt.Acted != nil {
		d.opt.Acted(a)
	}
}

// await waits up to limit until a condition holds, looking often.
func (d *disturber) await(limit time.Duration, holds func() bool) {
	for until := time.Now().Add(limit); !holds() && time.Now().Before(until) && !d.stop.Load(); {
		time.Sleep(20 * time.Microsecond)
	}
}

// statementOf is how the kill of a statement is told.
const statementOf = "the statement of session %d"

// kill ends a session's statement or connection, at any moment of it or in its COMMIT.
func (d *disturber) kill(ctx context.Context, rng *rand.Rand) error {
	s := d.sessions[rng.IntN(len(d.sessions))]
	how, inCommit, delay := rng.IntN(3), rng.IntN(3) == 0, rng.Int64N(200)
	if inCommit {
		doing := s.activity.p.Load()
		d.await(20*time.Millisecond, func() bool { p := s.activity.p.Load(); return p != doing && p.what == "COMMIT" })
		time.Sleep(time.Duration(delay) * time.Microsecond / 2)
	}
	d.control.Lock() // so that nobody replaces the control connection
	defer d.control.Unlock()
	conn := d.connOf(s)
	start := d.now()
	var err error
	if how > 0 {
		s.hit.Store(true)
	}
	switch {
	case how == 0:
		act := d.began(Act{Nemesis: Kill, What: fmt.Sprintf(statementOf, s.id), Start: start, Killed: s.id + 1})
		err = d.target.Kill(ctx, conn)
		d.keep(act, statementOf)
	case how == 1 && d.disruption.Disconnect != nil:
		err = d.disruption.Disconnect(ctx, conn)
		d.note(Kill, start, "the connection of session %d", s.id)
	default:
		conn.Cut()
		d.note(Kill, start, "the network of session %d", s.id)
	}
	var lost *exec.LostError
	if errors.As(err, &lost) || errors.Is(err, exec.ErrUnavailable) {
		// the control connection, which the next one to need it opens again
		err = d.target.Alive(ctx)
	}
	return err
}

// crash kills the database's process and starts it again.
func (d *disturber) crash(ctx context.Context, rng *rand.Rand) error {
	return d.takeDown(ctx, rng, Crash, "the process was killed", d.disruption.Crash)
}

// cutPower does the same and takes away what was not synced.
func (d *disturber) cutPower(ctx context.Context, rng *rand.Rand) error {
	seed := rng.Uint64()
	return d.takeDown(ctx, rng, Power, "the power was cut", func() error { return d.disruption.PowerCut(seed) })
}

// takeDown ends the database's process and starts it again.
func (d *disturber) takeDown(ctx context.Context, rng *rand.Rand, n Nemesis, what string, end func() error) error {
	afterCommit, delay := rng.IntN(2) == 0, time.Duration(rng.Int64N(300))*time.Microsecond
	var interrupt time.Duration
	if rng.IntN(3) == 0 {
		interrupt = time.Duration(1+rng.Int64N(300)) * time.Millisecond
	}
	d.control.Lock() // sessions that lose their connection wait for it in lost
	defer d.control.Unlock()
	d.away.Add(1)
	defer d.away.Add(-1)
	if afterCommit {
		n := d.acknowledged.Load()
		d.await(100*time.Millisecond, func() bool { return d.acknowledged.Load() > n })
		time.Sleep(delay)
	}
	acknowledged, start := d.acknowledged.Load(), d.now()
	if err := end(); err != nil {
		return err
	}
	d.killedAt.Store(d.now())
	begun := time.Now()
	var failed *exec.RecoveryError
	switch err := d.disruption.Recover(ctx, interrupt); {
	case errors.As(err, &failed):
		d.storm.mu.Lock()
		d.recovery = failed
		d.storm.mu.Unlock()
		d.stop.Store(true)
		return nil
	case err != nil:
		return err
	}
	d.crashed.count++
	d.crashed.slowest = max(d.crashed.slowest, time.Since(begun))
	d.crashed.committed = acknowledged
	if interrupt > 0 {
		d.note(n, start, "%s, and killed again while it recovered", what)
	} else {
		d.note(n, start, "%s", what)
	}
	return d.fate(ctx, d.examiner.examine(ctx))
}

// fate looks at what became of the database when the examiner could not go on, and returns that, or else the examiner's
// error. The control connection is the caller's.
func (d *disturber) fate(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return cmp.Or(d.target.Alive(ctx), err)
}

// disturbing is the state of a storm with nemeses.
type disturbing struct {
	began        func(a Act) *Act             // disturber.began
	noted        func(a *Act, counted string) // disturber.keep
	acknowledged atomic.Int64                 // commits
	killedAt     atomic.Int64                 // when the database's process had last gone; 0: never
	away         atomic.Int32                 // the database does not answer, and is not expected to
	recovery     *exec.RecoveryError
	// Transactions that were prepared and whose connection has gone: now, and so far. They hold their rows, and not their
	// table.
	detached, branches atomic.Int64
	altered            atomic.Int32 // the number of the table that is being changed, from 1; 0: none
}

// reopenTime is how long a database that is up may refuse a connection.
const reopenTime = time.Minute

// struck says whether a nemesis has ended the session's connection. If so it returns once the database is there again.
func (s *session) struck() bool {
	if !s.hit.Swap(false) && s.killedAt.Load() <= s.openedAt {
		return false
	}
	s.control.Lock()
	defer s.control.Unlock()
	s.openedAt = s.now()
	return true
}
