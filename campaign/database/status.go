package database

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"txweave/finding"
	"txweave/internal/input"
)

// CampaignStatus is how a campaign stands: the object that "campaign status --format json" prints.
type CampaignStatus struct {
	Cells     []CellStatus `json:"cells"`
	Bugs      int          `json:"bugs"`
	Unreduced int          `json:"unreduced"` // groups that may be one of these: see finding.Bugs.Explain
	Findings  int          `json:"findings"`  // counted to bugs or groups, or waiting for that
	Running   bool         `json:"running"`
}

// CellStatus is how a cell stands. What is not printed is for people.
type CellStatus struct {
	Name      string `json:"name"`
	Target    string `json:"target"`
	Isolation string `json:"isolation"`
	Mode      string `json:"mode"`
	Seed      uint64 `json:"seed"`
	// NextCase is the number of the first case that nobody has counted and that is larger than all that were counted.
	NextCase     int64  `json:"next_case"`
	CasesChecked int64  `json:"cases_checked"` // in all starts
	State        string `json:"state"`

	ID        int64            `json:"-"`
	Active    bool             `json:"-"` // the campaign has it now
	Cases     int64            `json:"-"` // counted: checked, and those that could not be
	This      int64            `json:"-"` // the same of the starts that go on
	Found     int64            `json:"-"` // cases with findings
	Holes     int64            `json:"-"` // cases below NextCase that were begun and not counted: they are checked next
	Detail    string           `json:"-"`
	Version   string           `json:"-"`
	Failures  int64            `json:"-"`
	RetryAt   time.Time        `json:"-"`
	Spent     time.Duration    `json:"-"`
	Counts    CellWork         `json:"-"`
	Skipped   map[string]int64 `json:"-"`
	Known     map[string]int64 `json:"-"`
	Held      map[string]int64 `json:"-"`
	Faults    map[string]int64 `json:"-"` // of its servers and of txweave's own that are no case's
	BugsShown int64            `json:"-"` // bugs of which it has findings
	Findings  int64            `json:"-"` // but those of known bugs, as CampaignStatus counts them
}

// CellWork is the sums of a cell's work; see store.Work.
type CellWork struct {
	Runs, Replays, Sent, Generated, Survived, Aborted, Errored, Overlapping, OverlapEdge int64
}

// Rate is how many cases a minute were checked while the cell ran.
func (c *CellStatus) Rate() float64 {
	if c.Spent <= 0 {
		return 0
	}
	return float64(c.CasesChecked) / c.Spent.Minutes()
}

// ShownRate is the rate for people: with a decimal where cases take long, nothing where it is not known yet.
func (c *CellStatus) ShownRate() string {
	switch rate := c.Rate(); {
	case c.Spent <= 0:
		return ""
	case rate < 10:
		return fmt.Sprintf("%.1f", rate)
	default:
		return fmt.Sprintf("%.0f", rate)
	}
}

// Survival is the share of statements outside aborted transactions that were replayed, from 0 to 1.
func (c *CellStatus) Survival() float64 {
	if whole := c.Counts.Generated - c.Counts.Aborted; whole > 0 {
		return float64(c.Counts.Survived) / float64(whole)
	}
	return 0
}

// Status reads how the campaign stands, in one transaction.
func (d *DB) Status(ctx context.Context) (*CampaignStatus, error) {
	var s *CampaignStatus
	err := d.read(ctx, func(t *tx) (err error) {
		s = &CampaignStatus{Cells: []CellStatus{}}
		if err := t.statusCells(s); err != nil {
			return err
		}
		b, err := t.bugs()
		if err != nil {
			return err
		}
		b.Explain()
		s.Bugs, s.Unreduced = b.Told()
		if err := t.statusCounts(s, unreduced(b)); err != nil {
			return err
		}
		return t.row("SELECT COUNT(*) FROM findings WHERE state <> ?", findingKnown).Scan(&s.Findings)
	})
	if err != nil {
		return nil, err
	}
	if s.Running, err = d.running(ctx); !s.Running {
		s.End()
	}
	return s, err
}

// unreduced are the numbers of the groups that may be one of the bugs, and so count as none.
func unreduced(b *finding.Bugs) map[int64]bool {
	out := map[int64]bool{}
	for _, g := range b.Bugs {
		if n, err := bugNumber(g.ID); err == nil && len(g.MayBe) > 0 {
			out[n] = true
		}
	}
	return out
}

// End says that nothing of the campaign runs any more.
func (s *CampaignStatus) End() {
	s.Running = false
	for i := range s.Cells {
		if state := &s.Cells[i].State; *state == string(Running) || *state == string(Waiting) {
			*state = string(Stopped)
		}
	}
}

// Shows says which cells have findings of which bugs.
func (d *DB) Shows(ctx context.Context) (out map[string]map[int64]bool, err error) {
	out = map[string]map[int64]bool{}
	err = d.rows(ctx, func(scan func(...any) error) error {
		var bug, cell int64
		err := scan(&bug, &cell)
		id := bugName(bug)
		if out[id] == nil {
			out[id] = map[int64]bool{}
		}
		out[id][cell] = true
		return err
	}, "SELECT DISTINCT bug, cell FROM findings WHERE bug > 0")
	return out, err
}

// First says whether nobody has been told yet that a cell shows a bug, or may show
// it; from then on somebody has been.
func (d *DB) First(ctx context.Context, bug, cell string, unconfirmed bool) (fresh bool, err error) {
	err = d.tx(ctx, func(t *tx) error {
		number, err := bugNumber(bug)
		if err != nil {
			return err
		}
		if err := t.lock(); err != nil {
			return err
		}
		found := "found by " + cell
		what, before := found, found
		if unconfirmed {
			what, before = "unconfirmed by "+cell, "suspected by "+cell // as earlier versions wrote it
		}
		var n int64
		if err := t.row("SELECT COUNT(*) FROM changes WHERE bug = ? AND who = 'txweave' AND what IN (?, ?, ?)", number, what,
			before, found).Scan(&n); err != nil {
			return err
		}
		if fresh = n == 0; fresh {
			return t.note(number, "txweave", what)
		}
		return nil
	})
	return fresh, err
}

// Spec returns a cell's plan, as text.
func (d *DB) Spec(ctx context.Context, cell string) (spec string, err error) {
	err = d.row(ctx, "SELECT spec FROM cells WHERE name = ?", cell).Scan(&spec)
	return spec, err
}

// statusCells reads the cells with their progress.
func (t *tx) statusCells(s *CampaignStatus) error {
	parts := int64(1)
	var text string
	if err := t.row("SELECT v FROM meta WHERE k = 'shards'").Scan(&text); err != nil {
		return err
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		parts = n
	}
	return t.rows(func(scan func(...any) error) error {
		c := CellStatus{Skipped: map[string]int64{}, Known: map[string]int64{}, Held: map[string]int64{},
			Faults: map[string]int64{}}
		var seed, active, spent, retry, changed int64
		var state string
		if err := scan(&c.ID, &c.Name, &c.Target, &c.Isolation, &c.Mode, &seed, &active, &c.NextCase, &state, &c.Detail,
			&c.Failures, &retry, &spent, &c.Version, &changed); err != nil {
			return err
		}
		c.NextCase = max(c.NextCase-parts+1, 0) // a part's cursor is as many numbers behind its last case as there are parts
		c.Seed, c.Active, c.State, c.Spent = uint64(seed), active == 1, state, time.Duration(spent)*time.Millisecond
		if retry > 0 {
			c.RetryAt = time.Unix(retry, 0).UTC()
		}
		if n := len(s.Cells); n > 0 && s.Cells[n-1].ID == c.ID { // another shard of the same
			s.Cells[n-1].join(&c)
		} else {
			s.Cells = append(s.Cells, c)
		}
		return nil
	}, `SELECT c.id, c.name, c.target, c.isolation, c.mode, c.seed, c.active, p.next_case, p.state, p.detail, p.failures, p.retry_at, p.spent_ms, p.version, p.changed
		FROM cells c JOIN progress p ON p.cell = c.id ORDER BY c.id, p.shard`)
}

// join adds what another shard of the cell says.
func (c *CellStatus) join(o *CellStatus) {
	c.NextCase = max(c.NextCase, o.NextCase)
	c.Spent += o.Spent
	c.Failures = max(c.Failures, o.Failures)
	if rank(o.State) > rank(c.State) {
		c.State = o.State
	}
	if o.Detail != "" {
		c.Detail = o.Detail
	}
	if o.Version != "" {
		c.Version = o.Version
	}
	if o.RetryAt.After(c.RetryAt) {
		c.RetryAt = o.RetryAt
	}
}

// rank says which of the states of a cell's shards tells more.
func rank(state string) int {
	switch CellState(state) {
	case Running:
		return 4
	case Failed:
		return 3
	case Unavailable:
		return 2
	case Waiting:
		return 1
	}
	return 0
}

// Of which bugs and groups cells have findings.
const (
	bugsByCell = "SELECT DISTINCT cell, bug FROM findings WHERE bug > 0"
	bugsOfCell = "SELECT DISTINCT bug FROM findings WHERE cell = ? AND bug > 0"
)

// statusCounts adds what was counted. Of the groups that are no bugs no cell shows one.
func (t *tx) statusCounts(s *CampaignStatus, unreduced map[int64]bool) error {
	byID := map[int64]*CellStatus{}
	for i := range s.Cells {
		byID[s.Cells[i].ID] = &s.Cells[i]
	}
	err := t.rows(func(scan func(...any) error) error {
		var id, cases, checked, found, this int64
		var w CellWork
		if err := scan(&id, &cases, &checked, &found, &w.Runs, &w.Replays, &w.Sent, &w.Generated, &w.Survived, &w.Aborted,
			&w.Errored, &w.Overlapping, &w.OverlapEdge, &this); err != nil {
			return err
		}
		if c := byID[id]; c != nil {
			c.Cases, c.CasesChecked, c.Found, c.Counts, c.This = cases, checked, found, w, this
		}
		return nil
	}, `SELECT n.cell, SUM(n.cases), SUM(n.checked), SUM(n.found), SUM(n.runs), SUM(n.replays), SUM(n.sent), SUM(n.statements), SUM(n.survived), SUM(n.aborted), SUM(n.errored),
		SUM(n.overlapping), SUM(n.overlap_edge), SUM(CASE WHEN s.ended = 0 THEN n.cases ELSE 0 END) FROM counts n LEFT JOIN starts s ON s.id = n.start GROUP BY n.cell`)
	if err != nil {
		return err
	}
	for query, field := range map[string]func(*CellStatus) *int64{
		"SELECT cell, COUNT(*) FROM holes GROUP BY cell": func(c *CellStatus) *int64 { return &c.Holes },
		"SELECT cell, COUNT(*) FROM findings WHERE state <> '" + findingKnown +
			"' GROUP BY cell": func(c *CellStatus) *int64 {
			return &c.Findings
		},
	} {
		err := t.rows(func(scan func(...any) error) error {
			var id, n int64
			err := scan(&id, &n)
			if c := byID[id]; c != nil {
				*field(c) = n
			}
			return err
		}, query)
		if err != nil {
			return err
		}
	}
	if err := t.countBugs(byID, unreduced); err != nil {
		return err
	}
	return t.rows(func(scan func(...any) error) error {
		var id, n int64
		var kind, name string
		if err := scan(&id, &kind, &name, &n); err != nil {
			return err
		}
		if c := byID[id]; c != nil {
			if of := map[string]map[string]int64{kindSkipped: c.Skipped, kindKnown: c.Known, kindHeld: c.Held,
				kindFault: c.Faults}[kind]; of != nil {
				of[name] = n
			}
		}
		return nil
	}, "SELECT cell, kind, name, SUM(n) FROM tallies GROUP BY cell, kind, name")
}

// countBugs adds of how many bugs each cell has findings.
func (t *tx) countBugs(cells map[int64]*CellStatus, unreduced map[int64]bool) error {
	return t.rows(func(scan func(...any) error) error {
		var id, bug int64
		err := scan(&id, &bug)
		if c := cells[id]; c != nil && !unreduced[bug] {
			c.BugsShown++
		}
		return err
	}, bugsByCell)
}

// runFile is locked by the process that runs the campaign in a directory.
const runFile = ".running"

// deadAfter is for how long a process that shares the database may say nothing before it counts as gone.
const deadAfter = 45 * time.Second

// running says whether a process runs the campaign now.
func (d *DB) running(ctx context.Context) (bool, error) {
	if d.shared() {
		var n int
		err := d.row(ctx, "SELECT COUNT(*) FROM starts WHERE ended = 0 AND beat > ?",
			time.Now().Add(-deadAfter).Unix()).Scan(&n)
		return n > 0, err
	}
	f, err := input.OpenKept(filepath.Join(d.dir, runFile))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// ErrRunning says that another process runs the campaign.
var ErrRunning = errors.New("a campaign runs there already")

// How often a directory's lock is asked for, and how long between.
const (
	lockTries = 20
	lockPause = 25 * time.Millisecond
)

// Lock makes this process the one that runs the campaign in its directory, until unlock is called.
func Lock(dir string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, runFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	// Whoever asks whether the campaign runs holds the lock for a moment.
	for try := 0; ; try++ {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) || try == lockTries {
			break
		}
		time.Sleep(lockPause)
	}
	if err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrRunning
		}
		return nil, err
	}
	return f.Close, nil
}

// CampaignEvent is something that happened: a server that went away, a bug that is new.
type CampaignEvent struct {
	At         time.Time
	Cell       int64 // 0: the campaign
	Kind, What string
}

// maxEvents is how many events are kept: the latest.
const maxEvents = 5000

// Happened notes an event.
func (d *DB) Happened(ctx context.Context, cell int64, kind, what string) error {
	return d.tx(ctx, func(t *tx) error {
		if err := t.exec("INSERT INTO events (id, at, cell, kind, what) VALUES (?, ?, ?, ?, ?)", d.number(), now(), cell,
			kind, valid(what)); err != nil {
			return err
		}
		var n int64
		if err := t.row("SELECT COUNT(*) FROM events").Scan(&n); err != nil || n < maxEvents+maxEvents/10 {
			return err
		}
		var oldest int64
		if err := t.row("SELECT id FROM events ORDER BY id DESC LIMIT 1 OFFSET 4999").Scan(&oldest); err != nil {
			return err
		}
		return t.exec("DELETE FROM events WHERE id < ?", oldest)
	})
}

// Happened notes an event of the cell.
func (c *Cell) Happened(ctx context.Context, kind, what string) error {
	return c.db.Happened(ctx, c.id, kind, what)
}

// Events returns the latest events, the latest first.
func (d *DB) Events(ctx context.Context, limit int) (out []CampaignEvent, err error) {
	err = d.rows(ctx, func(scan func(...any) error) error {
		var e CampaignEvent
		var at int64
		err := scan(&at, &e.Cell, &e.Kind, &e.What)
		e.At = time.Unix(at, 0).UTC()
		out = append(out, e)
		return err
	}, "SELECT at, cell, kind, what FROM events ORDER BY id DESC LIMIT ?", limit)
	return out, err
}

// Shown is the state as people read it.
func (c *CellStatus) Shown() string {
	if !c.Active {
		return "left out"
	}
	return c.State
}

// Remark says on one line what there is to say of the cell's state; "" if nothing is.
func (c *CellStatus) Remark(now time.Time) string {
	var out []string
	if c.Detail != "" {
		out = append(out, finding.Line(c.Detail))
	}
	if c.Failures > 0 && c.RetryAt.After(now) {
		out = append(out, "tried again in "+c.RetryAt.Sub(now).Round(time.Second).String())
	}
	for _, name := range slices.Sorted(maps.Keys(c.Skipped)) {
		out = append(out, fmt.Sprintf("%d not checked: %s", c.Skipped[name], finding.Line(name)))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Faults)) {
		out = append(out, fmt.Sprintf("%d × %s", c.Faults[name], finding.Line(name)))
	}
	return strings.Join(out, "; ")
}
