package display

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"txweave/campaign"
	"txweave/campaign/database"
	"txweave/campaign/running"
	"txweave/finding"
	"txweave/internal/output"
	"txweave/report/tabular"
)

// Screen shows how a campaign stands. On a terminal it is a block of lines at the end that is written over, and what is
// said stands above it; elsewhere only what is said. Its methods may be called by many goroutines.
type Screen struct {
	w     io.Writer
	tty   bool
	size  func() (columns, rows int)
	front func() bool // the terminal is ours, not a shell's that has us in the background
	Page  string      // where the campaign's page is; "" if it has none

	mu    sync.Mutex
	block func(columns, rows int) []string // nil: nothing is shown
	shown []int                            // of the lines of it that stand on the terminal, how wide each is
}

// NewScreen returns a screen on w, if that is a terminal which understands how lines are written over.
func NewScreen(w io.Writer) *Screen {
	f, ok := output.Terminal(w)
	if !ok || !isatty.IsTerminal(f.Fd()) || os.Getenv("TERM") == "dumb" {
		return &Screen{w: w}
	}
	s := &Screen{w: f, tty: true}
	fd := int(f.Fd())
	s.size = func() (columns, rows int) {
		if size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err == nil && size.Col > 0 && size.Row > 0 {
			return int(size.Col), int(size.Row)
		}
		return 80, 24
	}
	s.front = func() bool {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err != nil || group == unix.Getpgrp()
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGWINCH, unix.SIGCONT)
	go func() {
		for sig := range signals {
			s.redraw(sig == unix.SIGCONT)
		}
	}()
	return s
}

// redraw shows the block anew, as the terminal has another size. Forget says that others have written to the terminal
// since: what stands there is left as it is.
func (s *Screen) redraw(forget bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if forget {
		s.shown = nil
	}
	s.draw("")
}

// Say prints a line that stays.
func (s *Screen) Say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(line + "\n")
}

// Write says what others write, which are whole lines.
func (s *Screen) Write(text []byte) (int, error) {
	s.Say(strings.TrimSuffix(string(text), "\n"))
	return len(text), nil
}

// show puts other lines in the place of the block.
func (s *Screen) show(block func(columns, rows int) []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block = block
	s.draw("")
}

// Close leaves the terminal as it is: the outcome is printed after it.
func (s *Screen) Close() { s.show(nil) }

// draw writes text where the block stands, and the block below it, in one step, so that nothing flickers.
func (s *Screen) draw(text string) {
	if !s.tty {
		_, _ = io.WriteString(s.w, text) // there is nobody else to tell
		return
	}
	var b bytes.Buffer
	columns, rows := s.size()
	// A terminal that has become narrower has broken the lines that stand there. Each row is erased by itself: some
	// terminals keep a copy of a screen that is erased as a whole.
	if len(s.shown) > 0 {
		b.WriteString("\r\x1b[2K")
	}
	for _, width := range s.shown {
		b.WriteString(strings.Repeat("\x1b[A\x1b[2K", max((width+columns-1)/columns, 1)))
	}
	s.shown = nil
	b.WriteString(output.Clean(text))
	if s.block != nil && s.front() {
		lines := s.block(columns-1, rows-1)
		for _, line := range lines[:min(len(lines), max(rows-1, 0))] {
			line = tabular.Fit([]string{output.Clean(line)}, columns-1)
			s.shown = append(s.shown, tabular.Wide(line))
			b.WriteString("\r\x1b[2K" + line + "\n")
		}
	}
	_, _ = s.w.Write(b.Bytes()) // there is nobody else to tell
}

// Live says whether it is a terminal.
func (s *Screen) Live() bool { return s.tty }

// Report prints a finding.
func (s *Screen) Report(ref campaign.FindingRef, f *finding.Finding, unconfirmed bool) {
	kind := "FINDING"
	if unconfirmed {
		kind = "unconfirmed"
	}
	s.Say(fmt.Sprintf("%s %s, %s: %s (%s)", kind, ref.Bug, ref.Where(), finding.Line(cmp.Or(f.Title, f.Summary)),
		campaign.CameBack(f)))
}

// Show shows how a campaign stands: on a terminal as a screen, else on one line.
func (s *Screen) Show(c *database.CampaignStatus, x running.Standing) {
	if !s.tty {
		s.Say(statusLine(c, x.Now))
		return
	}
	s.show(func(columns, rows int) []string { return standingLines(c, &x, s.Page, columns, rows) })
}
