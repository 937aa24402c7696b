package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"txweave/campaign"
	"txweave/campaign/database"
	"txweave/campaign/running"
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

// Say prints a line that stays.
func (s *screen) Say(line string) { s.say(line) }

// Live says whether it is a terminal.
func (s *screen) Live() bool { return s.tty }

// Close leaves the terminal as it is.
func (s *screen) Close() { s.close() }

// Report prints a finding.
func (s *screen) Report(ref campaign.FindingRef, f *finding.Finding, suspect bool) {
	kind := "FINDING"
	if suspect {
		kind = "suspect"
	}
	s.say(fmt.Sprintf("%s %s, %s: %s (%s)", kind, ref.Bug, where(ref.Dir, ref.ID), finding.Line(cmp.Or(f.Title, f.Summary)), cameBack(f)))
}

// Show shows how a campaign stands: on a terminal as a screen, else on one line.
func (s *screen) Show(c *database.CampaignStatus, x running.Standing) {
	if !s.tty {
		s.say(statusLine(c, x.Now))
		return
	}
	_, rows := s.size()
	s.show(standingLines(c, &x, rows-1))
}

// statusLine says on one line how a campaign stands.
func statusLine(s *database.CampaignStatus, now time.Time) string {
	var checked int64
	var running, away []string
	for i := range s.Cells {
		c := &s.Cells[i]
		checked += c.CasesChecked
		switch database.CellState(c.State) {
		case database.Running:
			running = append(running, c.Name)
		case database.Unavailable, database.Failed:
			away = append(away, c.Name)
		}
	}
	text := fmt.Sprintf("%s  %d cases checked  %s  %s  running: %s", now.Format("2006-01-02 15:04:05"), checked, finding.Count(s.Bugs, "bug"), finding.Count(s.Findings, "finding"),
		cmp.Or(strings.Join(running, ", "), "none"))
	if len(away) > 0 {
		text += "  cannot run: " + strings.Join(away, ", ")
	}
	return text
}

// standingLines writes a campaign's screen in so many rows: cells that run first where there is not room for all.
func standingLines(s *database.CampaignStatus, x *running.Standing, rows int) (out []string) {
	var checked int64
	for i := range s.Cells {
		checked += s.Cells[i].CasesChecked
	}
	head := fmt.Sprintf("%s  %s  %d cases checked  %s", x.Where, x.Now.Sub(x.Began).Truncate(time.Second), checked, finding.Count(s.Bugs, "bug"))
	if fresh := s.Bugs - x.BugsAtBeginning; fresh > 0 {
		head += fmt.Sprintf(" (%d new)", fresh)
	}
	head += "  " + finding.Count(s.Findings, "finding")
	second := fmt.Sprintf("memory %d MiB  disk %d MiB", x.Memory>>20, x.Disk>>20)
	if left := x.TurnEnds.Sub(x.Now); left > 0 {
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
		second += fmt.Sprintf("  and %s more", finding.Count(len(order)-room, "cell"))
		order = order[:room]
	}
	table := [][]string{{"cell", "state", "checked", "a minute", "survival", "with edges", "found", "bugs", ""}}
	for _, c := range order {
		table = append(table, []string{c.Name, c.Shown(), fmt.Sprint(c.CasesChecked), c.ShownRate(), portion(c.Counts.Survived, c.Counts.Generated-c.Counts.Aborted),
			portion(c.Counts.OverlapEdge, c.CasesChecked), fmt.Sprint(c.Found), fmt.Sprint(c.BugsShown), c.Remark(x.Now)})
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
