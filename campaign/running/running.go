// Package running is the life of a campaign: its cells in turn, the beat that notes how it stands and keeps it within
// its budgets, and who is told of what it meets. How a cell is run, and where the campaign is shown, others say.
package running

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"txweave/campaign"
	"txweave/campaign/database"
	"txweave/campaign/notify"
	"txweave/campaign/resources"
	"txweave/campaign/rotation"
	"txweave/finding"
)

// Display is where people see how a campaign stands. Its methods may be called by many goroutines.
type Display interface {
	Say(line string) // what stays
	Report(ref campaign.FindingRef, f *finding.Finding, unconfirmed bool)
	Live() bool // it is painted more often than at every beat
	Show(s *database.CampaignStatus, x Standing)
	Close() // the campaign has ended
}

// Standing is what is shown beside a campaign's status.
type Standing struct {
	Began, Now      time.Time
	TurnEnds        time.Time // zero: none runs
	Memory, Servers int64     // of this process, and of those that it has started, in bytes
	Disk            int64     // bytes
	Where           string    // the campaign lies, or is shown
	BugsAtBeginning int
}

// Life is a campaign that runs.
type Life struct {
	Plan    *rotation.CampaignPlan
	DB      *database.DB
	Display Display
	Log     *slog.Logger

	// Configure says how a cell is run in its turn; done lets go of what that takes.
	Configure func(context.Context, *rotation.Turn) (c campaign.Config, done func() error, err error)

	turns   []*rotation.Turn
	first   chan struct{}       // holds a word once the first case is checked
	begun   sync.Once           // that word is sent
	tells   *notify.Messenger   // nil: nobody is told
	watched resources.LeakWatch // watch alone uses it
	servers map[int]string      // processes, and the cell that ran alone when they were seen first; watch alone uses it
	// cells and programs of which one has leaked: the next one tells whether it comes again; watch alone uses it
	leaked map[string]bool
	stands Standing // watch alone uses it
	// When the last sample was taken, and how many were before; watch alone uses them.
	sampled time.Time
	samples int
	faults  atomic.Int64
	out     os.FileInfo // the campaign's directory, as it was when it began
	removed error       // it is there no more; watch alone writes it
}

// Faults is at how many cases txweave itself has failed.
func (l *Life) Faults() int64 { return l.faults.Load() }

// Run runs the cells until ctx, or the campaign's time, ends.
func (l *Life) Run(ctx context.Context, cells []*database.Cell) error {
	if d := time.Duration(l.Plan.Duration); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = campaign.Until(ctx, time.Now().Add(d))
		defer cancel()
	}
	for i, c := range cells {
		c.Limit = int64(l.Plan.Parts[i].Cases)
		l.turns = append(l.turns, &rotation.Turn{Part: &l.Plan.Parts[i], Cell: c})
	}
	if limit := int64(l.Plan.MaxRSS); limit > 0 { // ours comes first; the kernel's is for what grows faster than we look
		group, err := resources.Confine(limit + limit/2)
		if err != nil {
			l.Log.Info("memory is not bounded by a control group", "why", err.Error())
		}
		defer func() {
			if err := group.Leave(); err != nil {
				l.Note(err.Error())
			}
		}()
	}
	if st, err := os.Stat(l.DB.Dir()); err == nil {
		l.out = st
	}
	l.tells = l.teller()
	defer l.tells.Close()
	l.first = make(chan struct{}, 1)
	beat, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	all := rotation.Rotation{Turns: l.turns, Parallel: l.Plan.Parallel, Run: l.turn, Dead: l.dead}
	running, stop := context.WithCancel(ctx)
	defer stop()
	wg.Go(func() { l.watch(beat, &all, stop) })
	err := all.Go(running)
	cancel()
	wg.Wait()
	if s, serr := l.DB.Status(context.WithoutCancel(ctx)); serr == nil {
		l.tell(rotation.EventEnd, "", "", fmt.Sprintf("the campaign has ended with %s and %s", finding.CountBugs(s.Bugs,
			s.Unreduced), finding.Count(s.Findings, "finding")))
	}
	return errors.Join(err, l.removed, l.DB.End(context.WithoutCancel(ctx)))
}

// dead tells that a cell cannot run: the first time, the second, the fourth … in a row. What is tried again every ten
// minutes for days is in the log.
func (l *Life) dead(t *rotation.Turn, err error, failures int64) {
	text := fmt.Sprintf("cell %s cannot run (%d times in a row): %s", t.Name, failures, finding.ErrorLine(err))
	l.Note(text)
	if failures&(failures-1) != 0 {
		return
	}
	l.tell(rotation.EventDead, t.Name, "", text)
	if err := t.Cell.Happened(context.Background(), rotation.EventDead, text); err != nil {
		l.Note(err.Error())
	}
}

// turn runs a cell for so long.
func (l *Life) turn(ctx context.Context, t *rotation.Turn, length time.Duration) (complete bool, err error) {
	l.Log.Info("turn begins", "cell", t.Name, "mode", t.Mode, "slice", length, "why", t.Why())
	defer func() { l.Log.Info("turn ends", "cell", t.Name, "complete", complete, "error", err) }()
	c, done, err := l.Configure(ctx, t)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, done()) }()
	c.Duration, c.Whole, c.Store, c.Source.Numbers, c.Name = length, true, t.Cell, t.Cell.Next, t.Name
	c.Again = true
	c.Progress = func(sum *campaign.Summary) {
		if sum.CasesChecked > 0 {
			l.begun.Do(func() { l.first <- struct{}{} })
		}
	}
	describe := c.Describe
	c.Describe = func() finding.Environment {
		env := describe()
		if err := t.Cell.SetVersion(context.WithoutCancel(ctx), env.Version); err != nil {
			l.Note(err.Error())
		}
		return env
	}
	c.Note = func(text string) {
		l.Note(t.Name + ": " + text)
		if err := t.Cell.Happened(context.Background(), "note", text); err != nil {
			l.Note(err.Error())
		}
	}
	c.Report = func(ref campaign.FindingRef, f *finding.Finding, unconfirmed bool) { l.report(t, ref, f, unconfirmed) }
	sum, err := campaign.Run(ctx, c)
	if l.faults.Add(int64(sum.Faults)); err != nil {
		return false, err
	}
	if err := t.Cell.WriteUses(context.WithoutCancel(ctx)); err != nil {
		return false, err
	}
	if err := t.Cell.Resume(context.WithoutCancel(ctx)); err != nil { // what was not counted is there again
		return false, err
	}
	_, more := t.Cell.Next()
	return !more, nil
}

// report tells of a bug that is new to this turn of the cell. People are told once of each bug that a cell shows: the
// next turns meet it again.
func (l *Life) report(t *rotation.Turn, ref campaign.FindingRef, f *finding.Finding, unconfirmed bool) {
	kind := "finding"
	if unconfirmed {
		kind = "unconfirmed"
	}
	l.Log.Info(kind, "cell", t.Name, "bug", ref.Bug, "finding", ref.ID, "what", finding.Line(cmp.Or(f.Title, f.Summary)))
	fresh, err := l.DB.First(context.Background(), ref.Bug, t.Name, unconfirmed)
	if err != nil || fresh {
		l.Display.Report(ref, f, unconfirmed)
	}
	if err != nil || !fresh {
		return // an earlier turn met it
	}
	text := fmt.Sprintf("%s: %s", ref.Bug, cmp.Or(f.Title, f.Summary))
	if unconfirmed {
		text += " (it did not come back each time)"
	}
	l.tell(rotation.EventBug, t.Name, ref.Bug, text)
	if err := t.Cell.Happened(context.Background(), rotation.EventBug, text); err != nil {
		l.Note(err.Error())
	}
}
