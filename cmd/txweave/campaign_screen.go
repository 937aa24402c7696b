package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"txweave/campaign/database"
	"txweave/finding"
)

// screen shows how a campaign stands. On a terminal it is a block of lines at the end that is written over, and what is said stands
// above it; elsewhere only what is said. Its methods may be called by many goroutines.
type screen struct {
	w    io.Writer
	tty  bool
	size func() (columns, rows int)

	mu    sync.Mutex
	block []string
	shown int // lines of it that stand on the terminal
}

// newScreen returns a screen on w, if that is a terminal which understands how lines are written over.
func newScreen(w io.Writer) *screen {
	f, ok := w.(*os.File)
	s := &screen{w: w, tty: ok && isatty.IsTerminal(f.Fd()) && os.Getenv("TERM") != "dumb"}
	s.size = func() (columns, rows int) {
		if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 && size.Row > 0 {
			return int(size.Col), int(size.Row)
		}
		return 80, 24
	}
	return s
}

// say prints a line that stays.
func (s *screen) say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(line + "\n")
}

// Write says what others write, which are whole lines.
func (s *screen) Write(text []byte) (int, error) {
	s.say(strings.TrimSuffix(string(text), "\n"))
	return len(text), nil
}

// show puts other lines in the place of the block.
func (s *screen) show(block []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block = block
	s.draw("")
}

// close leaves the terminal as it is: the outcome is printed after it.
func (s *screen) close() { s.show(nil) }

// draw writes text where the block stands, and the block below it, in one step, so that nothing flickers.
func (s *screen) draw(text string) {
	if !s.tty {
		_, _ = io.WriteString(s.w, text) // there is nobody else to tell
		return
	}
	var b bytes.Buffer
	if s.shown > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", s.shown)
	}
	b.WriteString(text)
	columns, rows := s.size()
	s.shown = min(len(s.block), max(rows-1, 0))
	for _, line := range s.block[:s.shown] {
		b.WriteString(fit([]string{line}, columns-1) + "\n")
	}
	_, _ = s.w.Write(b.Bytes()) // there is nobody else to tell
}

// standing is what a campaign's screen tells beside its status.
type standing struct {
	began           time.Time
	now             time.Time
	turnEnds        time.Time // zero: none runs
	memory, disk    int64     // bytes
	where           string    // the campaign lies, or is shown
	bugsAtBeginning int
}

// lines writes a campaign's screen in so many rows: cells that run first where there is not room for all.
func (x *standing) lines(s *database.CampaignStatus, rows int) (out []string) {
	var checked int64
	for i := range s.Cells {
		checked += s.Cells[i].CasesChecked
	}
	head := fmt.Sprintf("%s  %s  %d cases checked  %s", x.where, x.now.Sub(x.began).Truncate(time.Second), checked, count(s.Bugs, "bug"))
	if fresh := s.Bugs - x.bugsAtBeginning; fresh > 0 {
		head += fmt.Sprintf(" (%d new)", fresh)
	}
	head += "  " + count(s.Findings, "finding")
	second := fmt.Sprintf("memory %d MiB  disk %d MiB", x.memory>>20, x.disk>>20)
	if left := x.turnEnds.Sub(x.now); left > 0 {
		second += "  next cell in " + left.Truncate(time.Second).String()
	}
	order := make([]*database.CellStatus, 0, len(s.Cells))
	for i := range s.Cells {
		if s.Cells[i].Active {
			order = append(order, &s.Cells[i])
		}
	}
	const others = 4 // rows that are no cell's: two lines of sums, the head of the table, and what is left out
	if room := max(rows-others, 1); len(order) > room {
		slices.SortStableFunc(order, func(a, b *database.CellStatus) int { return urgency(b.State) - urgency(a.State) })
		second += fmt.Sprintf("  and %s more", count(len(order)-room, "cell"))
		order = order[:room]
	}
	table := [][]string{{"cell", "state", "checked", "a minute", "survival", "with edges", "found", "bugs", ""}}
	for _, c := range order {
		table = append(table, []string{c.Name, c.Shown(), fmt.Sprint(c.CasesChecked), fmt.Sprintf("%.0f", c.Rate()), portion(c.Counts.Survived, c.Counts.Generated-c.Counts.Aborted),
			portion(c.Counts.OverlapEdge, c.CasesChecked), fmt.Sprint(c.Found), fmt.Sprint(c.BugsShown), c.Remark(x.now)})
	}
	var b strings.Builder
	_ = printTable(&b, table) // a string takes all
	for _, line := range append([]string{head, second}, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...) {
		out = append(out, finding.Line(line))
	}
	return out
}

// urgency says which cells are shown where there is not room for all.
func urgency(state string) int {
	return slices.Index([]string{string(database.Complete), string(database.Waiting), string(database.Unavailable), string(database.Failed), string(database.Running)}, state)
}

// portion is a share in percent; "" where there is nothing to share.
func portion(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}
