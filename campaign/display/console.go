// Package display shows on a terminal, or in a log, how campaigns stand and what they find.
package display

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"txweave/campaign"
	"txweave/campaign/bugs"
	"txweave/campaign/shrink"
	"txweave/campaign/storming"
	"txweave/exec/storm/verdict"
	"txweave/finding"
	"txweave/internal/memory"
	"txweave/internal/output"
	"txweave/reduce"
	"txweave/report/tabular"
)

// Console shows a campaign's progress: one line that is written over on a terminal, else a line with its time now and
// then.
type Console struct {
	w    io.Writer
	tty  bool
	last time.Time
	// indexFailed says that the page of all bugs could not be written, slow that the rate was remarked upon.
	indexFailed, slow bool
	open              bool // a progress line stands on the terminal
	shown             int  // how wide it is

	// What the campaign is to do, for what is left of it.
	Cases    int
	Duration time.Duration
	OnServer bool   // of the user's
	Faster   string // what makes such a server faster
	Planted  bool   // bugs are
}

// New shows progress on a terminal, unless that does not understand how a line is written over.
func New(w io.Writer) *Console {
	if f, ok := output.Terminal(w); ok && isatty.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb" {
		return &Console{w: f, tty: true, last: time.Now()} // it moves the cursor, and cleans what it says
	}
	return &Console{w: w, last: time.Now()}
}

// width is how many characters a line of the terminal has.
func (c *Console) width() int {
	if f, ok := c.w.(*os.File); ok {
		if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
			return int(size.Col)
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}

// Show writes a line of progress, in parts from the most to the least important.
func (c *Console) Show(parts []string) {
	if c.tty {
		width := c.width()
		line := output.Clean(tabular.Fit(parts, width-1))
		// A terminal that has become narrower has broken the line that stands there.
		fmt.Fprintf(c.w, "\r\x1b[2K%s%s", strings.Repeat("\x1b[A\x1b[2K", max((c.shown-1)/width, 0)), line)
		c.open, c.shown = true, tabular.Wide(line)
		return
	}
	fmt.Fprintln(c.w, time.Now().Format("2006-01-02 15:04:05")+"  "+strings.Join(parts, "  "))
}

// Due says whether it is time for another line of progress.
func (c *Console) Due() bool {
	every := 30 * time.Second
	if c.tty {
		every = 200 * time.Millisecond
	}
	if time.Since(c.last) < every {
		return false
	}
	c.last = time.Now()
	return true
}

// Progress shows how a campaign goes, now and then.
func (c *Console) Progress(s *campaign.Summary) {
	c.remarkRate(s)
	if c.Due() {
		c.Show(c.status(s, time.Now()))
	}
}

// status says how a campaign goes, the most important things first.
func (c *Console) status(s *campaign.Summary, now time.Time) []string {
	elapsed := time.Duration(s.ElapsedS * float64(time.Second))
	clock := elapsed.Truncate(time.Second).String()
	if left := c.left(s, elapsed); left > 0 {
		clock += ", " + left.Truncate(time.Second).String() + " left"
	}
	what := "bug"
	if c.Planted {
		what = "planted bug"
	}
	told, unreduced := s.Told()
	bugs := finding.Count(told, what)
	if s.LastBug != "" {
		bugs += fmt.Sprintf(" (%s %s ago)", s.LastBug, now.Sub(s.LastBugAt).Truncate(time.Second))
	}
	out := []string{clock, finding.Count(s.Cases, "case"), bugs, fmt.Sprintf("%.0f/min", s.CasesPerMinute)}
	add := func(n int, one, many string) {
		if n == 1 {
			out = append(out, "1 "+one)
		} else if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, many))
		}
	}
	known, paused, unchecked := 0, 0, 0
	for _, n := range s.Known {
		known += n
	}
	for _, n := range s.Paused {
		paused += n
	}
	for _, n := range s.Skipped {
		unchecked += n
	}
	add(unreduced, "unreduced group", "unreduced groups")
	add(s.Total(), "finding", "findings")
	add(known, "of known bugs", "of known bugs")
	add(paused, "held back", "held back")
	add(len(s.Unconfirmed), "not each time", "not each time")
	add(s.Waiting, "to reduce", "to reduce")
	add(unchecked, "case not checked", "cases not checked")
	add(s.Statements.Errored, "statement failed, as some are to", "statements failed, as some are to")
	return append(out, fmt.Sprintf("%.1f %% of statements replayed", 100*s.Statements.SurvivalRate()))
}

// left is how long the campaign goes on, by its time or by its cases at the speed so far; 0 where nobody knows.
func (c *Console) left(s *campaign.Summary, elapsed time.Duration) time.Duration {
	var left time.Duration
	if c.Duration > 0 {
		left = c.Duration - elapsed
	}
	if c.Cases > 0 && s.Cases > 0 {
		byCases := time.Duration(float64(elapsed) / float64(s.Cases) * float64(c.Cases-s.Cases))
		if c.Duration == 0 || byCases < left {
			left = byCases
		}
	}
	return left
}

// A campaign that checks fewer cases in its first minute on a server of the user's is told why that may be.
const (
	lowRate  = 200 // cases a minute
	rateTime = time.Minute
)

// remarkRate says once that a server of the user's is slow, and what makes it fast.
func (c *Console) remarkRate(s *campaign.Summary) {
	if c.slow || !c.OnServer || s.ElapsedS < rateTime.Seconds() || s.CasesPerMinute >= lowRate {
		return
	}
	c.slow = true
	say := fmt.Sprintf(
		"%.0f cases a minute are few: a server that waits for its disk at each commit, and for each table, makes them so",
		s.CasesPerMinute)
	if c.Faster != "" {
		say += ". For a server that nobody else uses: " + c.Faster + " (docs/howto/own-server.md)"
	}
	c.Note(say)
}

// Report says what was found for the first time.
func (c *Console) Report(ref campaign.FindingRef, f *finding.Finding, unconfirmed bool) {
	c.End()
	kind := "FINDING"
	if unconfirmed {
		kind = "unconfirmed"
	}
	fmt.Fprintf(c.w, "%s %s: %s (%s)\n", kind, ref.Where(), finding.Line(cmp.Or(f.Title, f.Summary)), campaign.CameBack(f))
	if ref.Dir == "" {
		return
	}
	page := filepath.Join(ref.Dir, finding.ReducedDir, finding.PageFile)
	if _, err := os.Stat(page); err != nil {
		page = filepath.Join(ref.Dir, finding.PageFile)
	}
	fmt.Fprintf(c.w, "        see %s, then txweave report %s\n", page, filepath.Join(filepath.Dir(ref.Dir), ref.Bug))
	c.Index(filepath.Dir(ref.Dir))
}

// Index brings the page of all bugs up to date. That it cannot be written is said once: the campaign goes on.
func (c *Console) Index(out string) {
	if err := bugs.WriteIndex(out); err != nil && !c.indexFailed {
		c.indexFailed = true
		c.Note(err.Error())
	}
}

// Write says what others write, which are whole lines.
func (c *Console) Write(text []byte) (int, error) {
	c.End()
	return c.w.Write(text)
}

// Note says something that is no finding.
func (c *Console) Note(text string) {
	c.End()
	fmt.Fprintln(c.w, "txweave: "+finding.Line(text))
}

// End leaves the progress line.
func (c *Console) End() {
	if c.open {
		fmt.Fprintln(c.w)
		c.open, c.shown = false, 0
	}
}

// Reduction returns what shows on a terminal how far a reduction is that has so much time.
func (c *Console) Reduction(limit time.Duration) func(reduce.Progress) {
	return func(p reduce.Progress) {
		if c.tty && c.Due() {
			c.Show(reduction(p, limit))
		}
	}
}

// reduction are the parts of the line.
func reduction(p reduce.Progress, limit time.Duration) []string {
	s := shrink.SizeOf(p.Case)
	clock := p.Elapsed.Truncate(time.Second).String()
	if left := limit - p.Elapsed; left > 0 {
		clock += ", at most " + left.Truncate(time.Second).String() + " left"
	}
	return []string{clock, finding.Count(s.Statements, "statement") + " in " +
		finding.Count(s.Transactions, "transaction"), finding.Count(s.Rows, "row"),
		fmt.Sprintf("%d tries", p.Attempts), fmt.Sprintf("round %d, %s", p.Round, p.Pass),
		fmt.Sprintf("%d bytes of SQL", s.Bytes)}
}

// Storm shows how far a storm is until it is stopped.
func (c *Console) Storm(v *verdict.OnlineCheck, duration time.Duration) (stop func()) {
	begun := time.Now()
	tick := time.NewTicker(200 * time.Millisecond)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				if !c.Due() {
					continue
				}
				operations, verified, found := v.Progress()
				lasted := time.Since(begun)
				clock := lasted.Truncate(time.Second).String()
				if left := duration - lasted; left > 0 {
					clock += ", " + left.Truncate(time.Second).String() + " left"
				}
				c.Show([]string{clock, fmt.Sprintf("%d operations", operations), finding.Count(int(found), "finding"),
					fmt.Sprintf("%d not verified yet", operations-verified),
					fmt.Sprintf("%.0f a second", storming.Rate(operations, lasted)), fmt.Sprintf("%.0f MiB", memory.PeakMiB())})
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-ended
		c.End()
	}
}

// Steps returns what shows on a terminal how many of the things of a name are done, and how long the rest takes at
// this pace, at most until limit is over; 0: no limit. A log has none of it.
func (c *Console) Steps(name string, limit time.Duration) func(done, all int) {
	begun := time.Now()
	return func(done, all int) {
		if c.tty && c.Due() {
			c.Show(steps(name, done, all, time.Since(begun), limit))
		}
	}
}

// Before is a writer that leaves the progress line before it writes to another one.
func (c *Console) Before(w io.Writer) io.Writer { return &behind{c, w} }

type behind struct {
	console *Console
	w       io.Writer
}

func (b *behind) Write(text []byte) (int, error) {
	b.console.End()
	return b.w.Write(text)
}

// steps are the parts of the line.
func steps(name string, done, all int, elapsed, limit time.Duration) []string {
	clock := elapsed.Truncate(time.Second).String()
	left := time.Duration(0)
	if done > 0 {
		left = time.Duration(float64(elapsed) / float64(done) * float64(all-done))
	}
	if limit > 0 && (done == 0 || left > limit-elapsed) {
		left = limit - elapsed
	}
	if left > 0 {
		clock += ", " + left.Truncate(time.Second).String() + " left"
	}
	return []string{clock, fmt.Sprintf("%d of %s", done, finding.Count(all, name))}
}
