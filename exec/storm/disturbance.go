package storm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/gen/workload"
)

// disturb does what a DBMS can be disturbed with: statements over a connection of its own, and after a while those that
// put back what they did.
func (d *disturber) disturb(ctx context.Context, n Nemesis, rng *rand.Rand) error {
	all := d.opt.sent(n, &d.disruption.Disturbances)
	if len(all) == 0 {
		return nil
	}
	tables := d.opt.Workload.Tables
	s, table := all[rng.IntN(len(all))], tables[rng.IntN(len(tables))].Name
	hold := time.Duration(rng.Int64N(int64(d.longest(n))))
	if len(s.Undo)+len(s.Settings) == 0 { // there is nothing that lasts
		hold = 0
	}
	start := d.now()
	conn, err := d.connect(ctx)
	if err != nil {
		return nil // the database is away: whoever took it away says what comes of that
	}
	defer func() { conn.Close() }()
	if n == DDL {
		defer d.changing(table)()
	}
	act := d.actOn(n, s, table, start)
	undo, refused, err := d.settings(ctx, conn, s)
	if err == nil && refused == nil {
		refused, err = d.send(ctx, conn, table, s.Do)
	}
	before, branches, detached := "", d.branches.Load(), d.detached.Load()
	if err == nil && refused == nil && s.Frozen && d.profile.ConsistentRead != dbms.NoConsistentRead {
		before, err = d.contents(ctx, conn, table)
	}
	if err == nil && refused == nil {
		d.sleep(hold)
	}
	if before != "" && err == nil {
		var after string
		if after, err = d.contents(ctx, conn, table); err == nil && after != "" && after != before &&
			(s.HoldsCommits || detached == 0 && d.branches.Load() == branches) {
			d.fault(WrongAnswer{Class: finding.ClassMechanism, What: fault.TableLock, Statement: s.Do[len(s.Do)-1],
				Detail: fmt.Sprintf("%s held %s, and then %s", table, before, after)})
		}
	}
	conn = d.putBack(ctx, conn, err, table, undo)
	if refused != nil { // of several statements some may have been done, and undone
		act.What += ", refused"
	}
	d.keep(act, act.What)
	if refused != nil {
		return nil
	}
	return d.examiner.look(ctx, 0)
}

// settings are the statements that put back what a disturbance does: the settings that it changes as they were before
// the storm's first change of them, and the rest.
func (d *disturber) settings(ctx context.Context, conn *exec.Session, s exec.Disturbance) (undo []string,
	refused, err error) {
	for _, query := range s.Settings {
		d.mu.Lock()
		back, known := d.was[query]
		d.mu.Unlock()
		if !known {
			a, err := conn.Query(ctx, query)
			switch {
			case err != nil:
				return s.Undo, nil, err
			case a.Err != nil: // the server does not have it, or does not tell
				return s.Undo, errors.New(a.Err.String()), nil
			case a.Rows.Len() != 1 || a.Rows.Cell(0, 0).S == "":
				return s.Undo, fmt.Errorf("no answer to %s", query), nil
			}
			back = a.Rows.Cell(0, 0).S
			d.mu.Lock()
			d.was[query] = back
			d.mu.Unlock()
		}
		undo = append(undo, back)
	}
	return append(undo, s.Undo...), nil, nil
}

// putBack sends what undoes a disturbance, over another connection where err, or a later one, says that this one has
// gone, and what it held. It returns the last one.
func (d *disturber) putBack(ctx context.Context, conn *exec.Session, err error, table string,
	undo []string) *exec.Session {
	for until := time.Now().Add(reopenTime); len(undo) > 0 && time.Now().Before(until); time.Sleep(time.Millisecond) {
		if err != nil {
			conn.Close()
			fresh, oerr := d.connect(ctx)
			if oerr != nil {
				continue
			}
			conn = fresh
		}
		var late error
		if late, err = d.send(ctx, conn, table, undo); err == nil && !errors.Is(late, errWait) {
			break
		}
	}
	return conn
}

// NameOf is how acts name a disturbance: by all that tells it from others.
func NameOf(s exec.Disturbance) string {
	if s.ByUndo {
		return done(s) + "; " + s.Undo[0]
	}
	return done(s)
}

// done is what a disturbance does, without what puts it back: the name that it had in files of before.
func done(s exec.Disturbance) string { return strings.Join(s.Do, "; ") }

// Named says whether a disturbance is among acts, by its name, or by what it does alone.
func Named(s exec.Disturbance, acts []string) bool {
	return slices.Contains(acts, NameOf(s)) || slices.Contains(acts, done(s))
}

// StatementsOf is what a nemesis does by statements.
func StatementsOf(n Nemesis, s *exec.Disturbances) []exec.Disturbance {
	switch n {
	case DDL:
		return s.Redefine
	case Pressure:
		return s.Press
	case Locks:
		return s.Hold
	default:
		return nil
	}
}

// DisturbancesOf lists what nemeses can do to a target by statements, as Options.Acts names it.
func DisturbancesOf(t exec.Target, nemeses []Nemesis) []string {
	u := exec.DisruptionOf(t)
	var out []string
	for _, n := range nemeses {
		for _, s := range StatementsOf(n, &u.Disturbances) {
			out = append(out, NameOf(s))
		}
	}
	return out
}

// wants says whether a disturbance is among the acts that a storm is to do.
func (o *Options) wants(s exec.Disturbance) bool { return len(o.Acts) == 0 || Named(s, o.Acts) }

// sent is what a nemesis does by statements in a storm: what it is to do, but for what a killed server may not keep.
func (o *Options) sent(n Nemesis, all *exec.Disturbances) []exec.Disturbance {
	durable := slices.ContainsFunc(o.Nemeses, Nemesis.Durable)
	return slices.DeleteFunc(slices.Clone(StatementsOf(n, all)), func(s exec.Disturbance) bool {
		return durable && s.Volatile || !o.wants(s)
	})
}

// leftOut says which acts a storm does not do that it was told to do, and why.
func (o *Options) leftOut(all *exec.Disturbances) []string {
	var out []string
	for _, n := range o.Nemeses {
		wanted := slices.DeleteFunc(slices.Clone(StatementsOf(n, all)), func(s exec.Disturbance) bool { return !o.wants(s) })
		if without := len(wanted) - len(o.sent(n, all)); without > 0 {
			beside := o.Nemeses[slices.IndexFunc(o.Nemeses, Nemesis.Durable)]
			out = append(out,
				fmt.Sprintf(
					"%s: %d of %d acts beside %s, because a server that is killed may then keep a half of what it acknowledged", n,
					without, len(wanted), beside))
		}
	}
	for _, act := range o.Acts {
		if !slices.ContainsFunc(o.Nemeses, func(n Nemesis) bool {
			return slices.ContainsFunc(StatementsOf(n, all), func(s exec.Disturbance) bool { return Named(s, []string{act}) })
		}) {
			out = append(out, fmt.Sprintf("%q, because none of these nemeses does it", act))
		}
	}
	return out
}

// longest is for how long a nemesis leaves a disturb at most.
func (d *disturber) longest(n Nemesis) time.Duration {
	if n == Locks {
		return 30 * time.Millisecond
	}
	return 60 * time.Millisecond
}

// errWait says that a disturbance was refused because others are in the way.
var errWait = errors.New("others are in the way")

// send sends statements to one table's disturbance. refused is the database's answer against one of them, errWait if it
// may take it later; the others are sent all the same. The error is the connection's.
func (d *disturber) send(ctx context.Context, conn *exec.Session, table string, sqls []string) (refused, err error) {
	for _, sql := range sqls {
		sql = strings.ReplaceAll(sql, "{table}", table)
		send := conn.Exec
		if strings.HasPrefix(sql, "SELECT") || strings.HasPrefix(sql, "PRAGMA") || strings.HasPrefix(sql, "OPTIMIZE") ||
			strings.HasPrefix(sql, "ANALYZE TABLE") {
			send = conn.Query
		}
		for until := time.Now().Add(2 * time.Second); ; time.Sleep(time.Millisecond) {
			a, err := send(ctx, sql)
			if err != nil {
				return nil, err
			}
			if a.Err == nil {
				break
			}
			class := d.profile.Errors.Classify(a.Err.Code, a.Err.Message)
			if class != dbms.WouldBlock || time.Now().After(until) {
				if refused = errors.New(a.Err.String()); class != dbms.Deterministic {
					refused = errWait
				}
				break
			}
		}
	}
	return refused, nil
}

// contents is what a table holds, in a word; "" where the database does not tell now.
func (d *disturber) contents(ctx context.Context, conn *exec.Session, table string) (string, error) {
	a, err := conn.Query(ctx, "SELECT COUNT(*), SUM(vkey), SUM(v) FROM "+table)
	if err != nil || a.Err != nil || a.Rows.Len() == 0 {
		return "", err
	}
	r := a.Rows.Row(0)
	return fmt.Sprintf("%s rows, sums %s and %s", r[0].String(), r[1].String(), r[2].String()), nil
}

// look reads all tables in one transaction, twice if it lasts: what is read again is the same where the level says so.
// A connection that is gone is opened again the next time.
func (e *examiner) look(ctx context.Context, lasts time.Duration) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken {
		conn, err := e.connect(ctx)
		if err != nil {
			return nil
		}
		e.conn.Close()
		e.conn, e.broken = conn, false
	}
	err := e.transaction(ctx, func(t workload.Tx) error {
		err := e.readAll(t)
		if err != nil || lasts == 0 {
			return err
		}
		for until := e.now() + int64(lasts); e.now() < until && !e.stop.Load(); time.Sleep(time.Millisecond) {
			e.sink.Sending(e.now())
		}
		return e.readAll(t)
	})
	e.broken = err != nil
	return nil
}

// redefine changes how tables are kept.
func (d *disturber) redefine(ctx context.Context, rng *rand.Rand) error {
	return d.disturb(ctx, DDL, rng)
}

// press keeps a transaction open beside the writers, or changes settings and fills memory.
func (d *disturber) press(ctx context.Context, rng *rand.Rand) error {
	if len(d.disruption.Press) > 0 && rng.IntN(2) == 0 {
		return d.disturb(ctx, Pressure, rng)
	}
	longest := int64(time.Second)
	if d.profile.LockingReads {
		longest /= 20 // it keeps all writers out
	}
	start := d.now()
	err := d.examiner.look(ctx, time.Duration(rng.Int64N(longest)))
	d.note(Pressure, start, "a transaction that goes on reading")
	return err
}

// lock holds whole tables.
func (d *disturber) lock(ctx context.Context, rng *rand.Rand) error {
	return d.disturb(ctx, Locks, rng)
}

// preempt takes the processor from single threads of the database, one after another, each for up to 50 ms.
func (d *disturber) preempt(rng *rand.Rand) error {
	const threads, shortest, longest = 8, 100 * time.Microsecond, 50 * time.Millisecond
	start := d.now()
	for range 1 + rng.IntN(threads) {
		// As many short ones as long ones: what is met in a microsecond is met by any, and what lasts holds others up.
		lasts := time.Duration(float64(shortest) * math.Pow(float64(longest/shortest), rng.Float64()))
		if err := d.disruption.Halt(rng.IntN, lasts); err != nil {
			d.note(Pause, start, "a thread was stopped, refused")
			return nil
		}
		if d.stop.Load() {
			break
		}
	}
	d.note(Pause, start, "threads were stopped, one at a time")
	return nil
}

// pause halts the database's process or single threads of it, or puts all of it on one processor, for a while.
func (d *disturber) pause(_ context.Context, rng *rand.Rand) error {
	if d.disruption.Halt != nil && rng.IntN(2) == 0 {
		d.control.Lock() // so that nobody kills it meanwhile
		defer d.control.Unlock()
		return d.preempt(rng)
	}
	kind, share := rng.IntN(20), rng.Float64()
	lasts := time.Duration(share * float64(50*time.Millisecond))
	switch {
	case kind == 0:
		lasts = time.Duration(share * float64(2*time.Second))
	case kind < 8:
		lasts = time.Duration(share * float64(time.Millisecond))
	}
	d.control.Lock() // so that nobody kills it meanwhile
	defer d.control.Unlock()
	start := d.now()
	if kind >= 14 && d.disruption.Crowd != nil {
		if err := d.disruption.Crowd(true); err != nil {
			return err
		}
		d.sleep(4 * lasts)
		err := d.disruption.Crowd(false)
		d.note(Pause, start, "all threads on one processor")
		return err
	}
	d.away.Add(1)
	defer d.away.Add(-1)
	if err := d.disruption.Stop(); err != nil {
		return err
	}
	time.Sleep(lasts)
	err := d.disruption.Continue()
	d.note(Pause, start, "the process was stopped")
	return err
}

// actOn is what is done to a table. That it is made anew is known as soon as that begins.
func (d *disturber) actOn(n Nemesis, s exec.Disturbance, table string, start int64) *Act {
	act := &Act{Nemesis: n, What: NameOf(s), Start: start}
	if s.Rebuilds {
		act.Rebuilt = table
	}
	if s.Indexes {
		act.Indexed = table
	}
	if s.Repartitions {
		act.Copied = table
	}
	if act.Rebuilt+act.Indexed+act.Copied != "" {
		act = d.began(*act)
	}
	return act
}
