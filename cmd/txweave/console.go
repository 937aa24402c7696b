package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"
	"golang.org/x/text/width"

	"txweave/campaign"
	"txweave/finding"
	"txweave/internal/output"
)

// console shows a campaign's progress: one line that is written over on a terminal, else a line with its time now and then.
type console struct {
	w      io.Writer
	tty    bool
	last   time.Time
	faster string // what makes a server of the user's faster
	// indexFailed says that the page of all bugs could not be written, slow that the rate was remarked upon.
	indexFailed, slow bool
	open              bool // a progress line stands on the terminal
	shown             int  // how wide it is

	// What the campaign is to do, for what is left of it.
	cases    int
	duration time.Duration
	dsn      bool // on a server of the user's
	planted  bool
}

// newConsole shows progress on a terminal, unless that does not understand how a line is written over.
func newConsole(w io.Writer) *console {
	if f, ok := output.Terminal(w); ok && isatty.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb" {
		return &console{w: f, tty: true, last: time.Now()} // it moves the cursor, and cleans what it says
	}
	return &console{w: w, last: time.Now()}
}

// width is how many characters a line of the terminal has.
func (c *console) width() int {
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

// wide is how many columns of a terminal a line takes: Chinese characters, say, take two each, what is put on the character before it none.
func wide(line string) (columns int) {
	for _, r := range line {
		columns += runeWidth(r)
	}
	return columns
}

func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// cut is as much of a line's beginning as fits into so many columns.
func cut(line string, columns int) string {
	for i, r := range line {
		if columns -= runeWidth(r); columns < 0 {
			return line[:i]
		}
	}
	return line
}

// shorten takes from a text's middle what is too much for so many columns: names that begin alike differ at their ends.
func shorten(text string, columns int) string {
	if wide(text) <= columns {
		return text
	}
	begin := cut(text, (columns-1)/2)
	end, left := len(text), columns-1-wide(begin)
	for end > len(begin) {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if left -= runeWidth(r); left < 0 {
			break
		}
		end -= size
	}
	return cut(begin+"…"+text[end:], columns)
}

// fit joins the parts that fit into a width, the first ones first; a first one that is too long is cut.
func fit(parts []string, columns int) string {
	line := ""
	for i, p := range parts {
		longer := p
		if i > 0 {
			longer = line + "  " + p
		}
		if wide(longer) > columns {
			if i == 0 {
				return cut(p, columns)
			}
			break
		}
		line = longer
	}
	return line
}

// show writes a line of progress, in parts from the most to the least important.
func (c *console) show(parts []string) {
	if c.tty {
		columns := c.width()
		line := output.Clean(fit(parts, columns-1))
		// A terminal that has become narrower has broken the line that stands there.
		fmt.Fprintf(c.w, "\r\x1b[2K%s%s", strings.Repeat("\x1b[A\x1b[2K", max((c.shown-1)/columns, 0)), line)
		c.open, c.shown = true, wide(line)
		return
	}
	fmt.Fprintln(c.w, time.Now().Format("2006-01-02 15:04:05")+"  "+strings.Join(parts, "  "))
}

// due says whether it is time for another line of progress.
func (c *console) due() bool {
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

func (c *console) progress(s *campaign.Summary) {
	c.remarkRate(s)
	if c.due() {
		c.show(c.status(s, time.Now()))
	}
}

// status says how a campaign goes, the most important things first.
func (c *console) status(s *campaign.Summary, now time.Time) []string {
	elapsed := time.Duration(s.ElapsedS * float64(time.Second))
	clock := elapsed.Truncate(time.Second).String()
	if left := c.left(s, elapsed); left > 0 {
		clock += ", " + left.Truncate(time.Second).String() + " left"
	}
	what := "bug"
	if c.planted {
		what = "planted bug"
	}
	bugs := finding.Count(len(s.Bugs), what)
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
	add(s.Total(), "finding", "findings")
	add(known, "of known bugs", "of known bugs")
	add(paused, "held back", "held back")
	add(len(s.Flaky), "not each time", "not each time")
	add(s.Waiting, "to reduce", "to reduce")
	add(unchecked, "case not checked", "cases not checked")
	add(s.Statements.Errored, "statement failed, as some are to", "statements failed, as some are to")
	return append(out, fmt.Sprintf("%.1f %% of statements replayed", 100*s.Statements.SurvivalRate()))
}

// left is how long the campaign goes on, by its time or by its cases at the speed so far; 0 where nobody knows.
func (c *console) left(s *campaign.Summary, elapsed time.Duration) time.Duration {
	var left time.Duration
	if c.duration > 0 {
		left = c.duration - elapsed
	}
	if c.cases > 0 && s.Cases > 0 {
		byCases := time.Duration(float64(elapsed) / float64(s.Cases) * float64(c.cases-s.Cases))
		if c.duration == 0 || byCases < left {
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
func (c *console) remarkRate(s *campaign.Summary) {
	if c.slow || !c.dsn || s.ElapsedS < rateTime.Seconds() || s.CasesPerMinute >= lowRate {
		return
	}
	c.slow = true
	say := fmt.Sprintf("%.0f cases a minute are few: a server that waits for its disk at each commit, and for each table, makes them so", s.CasesPerMinute)
	if c.faster != "" {
		say += ". For a server that nobody else uses: " + c.faster + " (docs/campaign.md)"
	}
	c.note(say)
}

func (c *console) report(ref campaign.FindingRef, f *finding.Finding, flaky bool) {
	c.end()
	kind := "FINDING"
	if flaky {
		kind = "suspect"
	}
	title := f.Title
	if title == "" {
		title = f.Summary
	}
	fmt.Fprintf(c.w, "%s %s: %s (%s)\n", kind, where(ref.Dir, ref.ID), finding.Line(title), cameBack(f))
	if ref.Dir == "" {
		return
	}
	page := filepath.Join(ref.Dir, finding.ReducedDir, finding.PageFile)
	if _, err := os.Stat(page); err != nil {
		page = filepath.Join(ref.Dir, finding.PageFile)
	}
	fmt.Fprintf(c.w, "        see %s, then txweave report %s\n", page, filepath.Join(filepath.Dir(ref.Dir), ref.Bug))
	c.index(filepath.Dir(ref.Dir))
}

// index brings the page of all bugs up to date. That it cannot be written is said once: the campaign goes on.
func (c *console) index(out string) {
	if err := writeIndex(out); err != nil && !c.indexFailed {
		c.indexFailed = true
		c.note(err.Error())
	}
}

// cameBack says how often a finding came back.
func cameBack(f *finding.Finding) string {
	return cmp.Or(f.Again(), "not repeated")
}

// note says something that is no finding.
func (c *console) note(text string) {
	c.end()
	fmt.Fprintln(c.w, "txweave: "+finding.Line(text))
}

// where says where a finding is kept.
func where(dir, id string) string {
	if dir == "" {
		return id + " (not kept)"
	}
	return dir
}

// end leaves the progress line.
func (c *console) end() {
	if c.open {
		fmt.Fprintln(c.w)
		c.open, c.shown = false, 0
	}
}
