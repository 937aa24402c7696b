package database

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"txweave/campaign/store"
	"txweave/finding"
)

// CellPlan is a cell as somebody wants it.
type CellPlan struct {
	Name, Target, Isolation, Mode string
	Seed                          uint64 // 0: one is drawn when the cell is made
	Spec                          string // all of it, as text; the database only keeps it
}

// Cell is one part of a campaign: a target at a level in a mode, with its cases. It implements store.Ledger for the
// process's shard of its cases.
type Cell struct {
	CellPlan
	part
	sampled *Sample // the last one

	Limit int64 // number of the first case that is not wanted; 0: there is no end

	mu    sync.Mutex
	next  int64   // number of the next case that nobody has begun
	holes []int64 // numbers below it that were begun and not counted
	uses  map[string]usage
}

var _ store.Ledger = (*Cell)(nil)

// PlanError says that a plan does not go on where the database is, or that what it names is no address of one.
type PlanError struct{ Reason string }

func (e *PlanError) Error() string { return e.Reason }

// Begin registers this process with its shard and makes the cells what the plans say: cells that are there go on at
// their cursors, those that are in no plan rest. draw draws the seeds of those that have none.
func (d *DB) Begin(ctx context.Context, shard Shard, tool string, plans []CellPlan, draw func() uint64) (
	out []*Cell, err error) {
	d.shard = shard
	start := d.number()
	err = d.tx(ctx, func(t *tx) error {
		out = nil
		if err := t.lock(); err != nil {
			return err
		}
		if err := t.checkShards(shard); err != nil {
			return err
		}
		if err := t.exec("UPDATE cells SET active = 0"); err != nil {
			return err
		}
		for i := range plans {
			c, err := t.define(plans[i], draw)
			if err != nil {
				return err
			}
			out = append(out, c)
		}
		// Whoever did this part before has been killed. If it lives on by mistake, it says so at its next beat.
		if err := t.exec("UPDATE starts SET ended = beat WHERE shard = ? AND ended = 0", shard.Index); err != nil {
			return err
		}
		return t.exec("INSERT INTO starts (id, shard, host, pid, tool, began, beat, ended) VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
			start, shard.Index, hostName(), int64(os.Getpid()), tool, now(), now())
	})
	if err != nil {
		return nil, err
	}
	d.start = start
	return out, d.tidy()
}

// tidy removes what processes that were killed had begun to write, or to remove, in the directory, which this process
// alone uses.
func (d *DB) tidy() error {
	for _, where := range []string{finding.TempPrefix + "*", filepath.Join("*", finding.TempPrefix+"*")} {
		list, err := filepath.Glob(filepath.Join(globbed(d.dir), where))
		if err != nil {
			return err
		}
		for _, path := range list {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// globbed makes a path one that a pattern has as it is.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// lock lets one process at a time do what comes until the transaction's end.
func (t *tx) lock() error { return t.exec("UPDATE meta SET v = v WHERE k = 'lock'") }

// checkShards refuses another number of shards than the cursors were made with.
func (t *tx) checkShards(s Shard) error {
	var have string
	if err := t.row("SELECT v FROM meta WHERE k = 'shards'").Scan(&have); err != nil {
		return err
	}
	want := strconv.FormatInt(s.Count, 10)
	if have == "" {
		return t.exec("UPDATE meta SET v = ? WHERE k = 'shards'", want)
	}
	if have != want {
		return &PlanError{fmt.Sprintf("the campaign was begun in %s parts, not in %s: its cursors are of that many (--shard)",
			have, want)}
	}
	return nil
}

// define finds or makes a cell.
func (t *tx) define(p CellPlan, draw func() uint64) (*Cell, error) {
	c := &Cell{CellPlan: p, part: part{BugStore: t.d, db: t.d}}
	have := CellPlan{Name: p.Name}
	var seed int64
	err := t.row("SELECT id, target, isolation, mode, seed FROM cells WHERE name = ?", p.Name).Scan(&c.id, &have.Target,
		&have.Isolation, &have.Mode, &seed)
	switch {
	case isNone(err):
		if c.Seed == 0 {
			c.Seed = draw()
		}
		if err := t.row("SELECT COALESCE(MAX(id), 0) + 1 FROM cells").Scan(&c.id); err != nil {
			return nil, err
		}
		if err := t.exec(
			"INSERT INTO cells (id, name, target, isolation, mode, seed, spec, active) VALUES (?, ?, ?, ?, ?, ?, ?, 1)",
			c.id, c.Name, c.Target, c.Isolation, c.Mode, int64(c.Seed), c.Spec); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case have.Target != p.Target || have.Isolation != p.Isolation || have.Mode != p.Mode || p.Seed != 0 &&
		int64(p.Seed) != seed:
		return nil,
			&PlanError{
				fmt.Sprintf(
					"cell %q was begun as %s of %s at %s with seed %d: its cursor is of these cases; what is another cell needs "+
						"another name",
					p.Name, have.Mode, have.Target, have.Isolation, uint64(seed))}
	default:
		c.Seed = uint64(seed)
		if err := t.exec("UPDATE cells SET active = 1, spec = ? WHERE id = ?", c.Spec, c.id); err != nil {
			return nil, err
		}
	}
	var n int64
	if err := t.row("SELECT COUNT(*) FROM progress WHERE cell = ? AND shard = ?", c.id, t.d.shard.Index).Scan(
		&n); err != nil {
		return nil, err
	}
	if n == 0 {
		err = t.exec(
			"INSERT INTO progress (cell, shard, next_case, state, detail, failures, retry_at, spent_ms, version, changed) "+
				"VALUES (?, ?, ?, 'waiting', '', 0, 0, 0, '', ?)",
			c.id, t.d.shard.Index, t.d.shard.Index, now())
	} else { // whoever was running is not any more
		err = t.exec("UPDATE progress SET state = 'waiting' WHERE cell = ? AND shard = ? AND state = 'running'", c.id,
			t.d.shard.Index)
	}
	return c, err
}

// Beat says that this process is alive; End, that it has come to its end.
func (d *DB) Beat(ctx context.Context) error {
	return d.tx(ctx, func(t *tx) error {
		return t.exec("UPDATE starts SET beat = ?, ended = 0 WHERE id = ?", now(), d.start)
	})
}

// End notes the end of this process's run.
func (d *DB) End(ctx context.Context) error {
	return d.tx(ctx, func(t *tx) error { return t.exec("UPDATE starts SET ended = ? WHERE id = ?", now(), d.start) })
}

// Resume goes to where the cell's cursor is.
func (c *Cell) Resume(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holes = nil
	if err := c.db.row(ctx, "SELECT next_case FROM progress WHERE cell = ? AND shard = ?", c.id, c.db.shard.Index).Scan(
		&c.next); err != nil {
		return err
	}
	return c.db.rows(ctx, func(scan func(...any) error) error {
		var n int64
		if err := scan(&n); err != nil {
			return err
		}
		c.holes = append(c.holes, n)
		return nil
	}, "SELECT n FROM holes WHERE cell = ? AND shard = ? ORDER BY n", c.id, c.db.shard.Index)
}

// Next returns the number of a case that nobody has begun since Resume; false if there are no more.
func (c *Cell) Next() (n int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.holes) > 0 {
		n, c.holes = int(c.holes[0]), c.holes[1:]
		return n, true
	}
	if c.Limit > 0 && c.next >= c.Limit {
		return 0, false
	}
	n = int(c.next)
	c.next += c.db.shard.Count
	return n, true
}

// Done implements store.Ledger.
func (c *Cell) Done(done *store.CaseDone) (fresh bool, err error) {
	ctx := context.Background()
	for i := range done.Waiting {
		if err := c.db.publish(ctx, done.Waiting[i].Name); err != nil {
			return false, err
		}
	}
	err = c.db.tx(ctx, func(t *tx) (err error) {
		if fresh, err = c.advance(t, int64(done.Case)); err != nil || !fresh {
			return err
		}
		return c.record(t, done)
	})
	if err == nil && fresh {
		c.used(done)
	}
	if err == nil && len(done.Waiting) > 0 {
		err = c.db.flush(ctx)
	}
	return fresh, err
}

// record writes what came of a case that was not counted before.
func (c *Cell) record(t *tx, done *store.CaseDone) error {
	if err := c.add(t, done); err != nil {
		return err
	}
	if err := c.tallyAll(t, kindKnown, done.Known); err != nil {
		return err
	}
	if err := c.tallyAll(t, kindHeld, done.Held); err != nil {
		return err
	}
	if u := done.Unchecked; u != nil {
		if err := c.unchecked(t, u); err != nil {
			return err
		}
	}
	for i := range done.Waiting {
		if err := c.wait(t, int64(done.Case), &done.Waiting[i]); err != nil {
			return err
		}
		if c.db.shared() {
			if err := t.upload(done.Waiting[i].Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// The kinds of tallies.
const (
	kindKnown   = "known"
	kindHeld    = "held"
	kindSkipped = "skipped"
	kindFault   = "fault"
)

// advance counts a case's number, and returns false if it was counted.
func (c *Cell) advance(t *tx, n int64) (fresh bool, err error) {
	shard := c.db.shard
	// An update first: it holds the row until the end.
	if err := t.exec("UPDATE progress SET changed = ? WHERE cell = ? AND shard = ?", now(), c.id,
		shard.Index); err != nil {
		return false, err
	}
	var next int64
	if err := t.row("SELECT next_case FROM progress WHERE cell = ? AND shard = ?", c.id, shard.Index).Scan(
		&next); err != nil {
		return false, err
	}
	if n < next {
		gone, err := t.changes("DELETE FROM holes WHERE cell = ? AND shard = ? AND n = ?", c.id, shard.Index, n)
		return gone == 1, err
	}
	for ; next < n; next += shard.Count {
		if err := t.exec("INSERT INTO holes (cell, shard, n) VALUES (?, ?, ?)", c.id, shard.Index, next); err != nil {
			return false, err
		}
	}
	return true, t.exec("UPDATE progress SET next_case = ? WHERE cell = ? AND shard = ?", n+shard.Count, c.id, shard.Index)
}

// add adds a case to what this start has counted.
func (c *Cell) add(t *tx, done *store.CaseDone) error {
	one := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	w := &done.Work
	values := []any{1, one(done.Outcome != finding.Unchecked), one(done.Outcome == finding.Found), w.Runs, w.Replays,
		w.Sent, w.Generated, w.Survived, w.Aborted, w.Errored,
		one(w.Overlapping), one(w.OverlapEdge), c.id, c.db.shard.Index, c.db.start}
	n, err := t.changes(`UPDATE counts SET cases = cases + ?, checked = checked + ?, found = found + ?, runs = runs + ?, replays = replays + ?, sent = sent + ?, statements = statements + ?,
		survived = survived + ?, aborted = aborted + ?, errored = errored + ?, overlapping = overlapping + ?, overlap_edge = overlap_edge + ? WHERE cell = ? AND shard = ? AND start = ?`, values...)
	if err != nil || n > 0 {
		return err
	}
	return t.exec(
		`INSERT INTO counts (cases, checked, found, runs, replays, sent, statements, survived, aborted, errored, overlapping, overlap_edge, cell, shard, start)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
}

// CountFault counts a fault of the cell that is no case's: of its server, or of txweave's own.
func (c *Cell) CountFault(ctx context.Context, name string) error {
	return c.db.tx(ctx, func(t *tx) error { return c.tally(t, kindFault, name) })
}

// maxUnchecked is how many cases that could not be checked are listed for each cell; all are counted.
const maxUnchecked = 10_000

func (c *Cell) unchecked(t *tx, u *store.Unchecked) error {
	if err := c.tally(t, kindSkipped, u.Reason); err != nil {
		return err
	}
	var n int64
	if err := t.row("SELECT COUNT(*) FROM unchecked WHERE cell = ?", c.id).Scan(&n); err != nil || n >= maxUnchecked {
		return err
	}
	return t.exec("INSERT INTO unchecked (cell, n, reason, detail) VALUES (?, ?, ?, ?)", c.id, u.Case, valid(u.Reason),
		valid(u.Detail))
}

// CellState is how a cell is.
type CellState string

// The states of a cell.
const (
	Waiting     CellState = "waiting"     // for its turn
	Running     CellState = "running"     // cases are being checked
	Stopped     CellState = "stopped"     // no campaign is running; it goes on with the next one
	Unavailable CellState = "unavailable" // its target cannot be had; it is tried again
	Failed      CellState = "failed"      // something else went wrong; it is tried again
	Complete    CellState = "done"        // all the cases that are wanted are checked
)

// SetState notes how the cell is, why, and what it took: failures in a row, and for how long it ran.
func (c *Cell) SetState(ctx context.Context, s CellState, detail string, failures int64, retryAt time.Time,
	ran time.Duration) error {
	at := int64(0)
	if !retryAt.IsZero() {
		at = retryAt.Unix()
	}
	return c.db.tx(ctx, func(t *tx) error {
		return t.exec(
			"UPDATE progress SET state = ?, detail = ?, failures = ?, retry_at = ?, spent_ms = spent_ms + ?, changed = ? "+
				"WHERE cell = ? AND shard = ?",
			string(s), valid(detail), failures, at, ran.Milliseconds(), now(), c.id, c.db.shard.Index)
	})
}

// SetVersion notes which version of its DBMS the cell ran on.
func (c *Cell) SetVersion(ctx context.Context, version string) error {
	return c.db.tx(ctx, func(t *tx) error {
		return t.exec("UPDATE progress SET version = ? WHERE cell = ? AND shard = ?", valid(version), c.id, c.db.shard.Index)
	})
}

// Ran adds to the time for which the cell has run.
func (c *Cell) Ran(ctx context.Context, d time.Duration) error {
	return c.db.tx(ctx, func(t *tx) error {
		return t.exec("UPDATE progress SET spent_ms = spent_ms + ? WHERE cell = ? AND shard = ?", d.Milliseconds(), c.id,
			c.db.shard.Index)
	})
}

// Progress returns how often the cell has failed in a row, when it is to be tried again, and how long it has run.
func (c *Cell) Progress(ctx context.Context) (failures int64, retryAt time.Time, spent time.Duration, err error) {
	var at, ms int64
	err = c.db.row(ctx, "SELECT failures, retry_at, spent_ms FROM progress WHERE cell = ? AND shard = ?", c.id,
		c.db.shard.Index).Scan(&failures, &at, &ms)
	if at > 0 {
		retryAt = time.Unix(at, 0)
	}
	return failures, retryAt, time.Duration(ms) * time.Millisecond, err
}

// part is a part of what is kept: a cell's findings and counts, or those of no cell, whose number is 0.
type part struct {
	store.BugStore // the database
	id             int64
	db             *DB

	note func(line string) // who is told of what was put aside; nil: nobody
}

func (c *part) tallyAll(t *tx, kind string, names []string) error {
	for _, name := range names {
		if err := c.tally(t, kind, name); err != nil {
			return err
		}
	}
	return nil
}

// tally adds one to what is counted under a name.
func (c *part) tally(t *tx, kind, name string) error {
	name = short(name)
	n, err := t.changes("UPDATE tallies SET n = n + 1 WHERE cell = ? AND shard = ? AND kind = ? AND name = ?", c.id,
		c.db.shard.Index, kind, name)
	if err != nil || n > 0 {
		return err
	}
	return t.exec("INSERT INTO tallies (cell, shard, kind, name, n) VALUES (?, ?, ?, ?, 1)", c.id,
		c.db.shard.Index, kind, name)
}
