package display

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"txweave/campaign/database"
	"txweave/campaign/running"
	"txweave/report/tabular"
)

// terminal is what stands on a terminal: it understands what screens write.
type terminal struct {
	lines []string // the last one is where the cursor is, or above it
	at    int
}

var control = regexp.MustCompile("^\x1b\\[([0-9]*)([AK])")

func (t *terminal) Write(text []byte) (int, error) {
	for rest := string(text); rest != ""; {
		if m := control.FindStringSubmatch(rest); m != nil {
			if rest = rest[len(m[0]):]; m[2] == "A" {
				t.at = max(t.at-1, 0)
			} else {
				t.lines[t.at] = ""
			}
			continue
		}
		switch rest[0] {
		case '\n':
			if t.at++; t.at == len(t.lines) {
				t.lines = append(t.lines, "")
			}
		case '\r':
		default:
			t.lines[t.at] += rest[:1]
		}
		rest = rest[1:]
	}
	return len(text), nil
}

// narrow breaks the lines as a terminal does that has become narrower.
func (t *terminal) narrow(columns int) {
	var out []string
	for i, line := range t.lines {
		if i == t.at {
			t.at = len(out)
		}
		for len(line) > columns {
			out, line = append(out, line[:columns]), line[columns:]
		}
		out = append(out, line)
	}
	t.lines = out
}

// stands are the lines down to the last one that is not empty.
func (t *terminal) stands() []string {
	return slices.DeleteFunc(slices.Clone(t.lines), func(line string) bool { return line == "" })
}

// TestScreen: what is said stays above the block, which is written over and never longer or wider than the terminal,
// whatever becomes of that.
func TestScreen(t *testing.T) {
	term := &terminal{lines: []string{""}}
	columns, rows, front := 12, 5, true
	s := &Screen{w: term, tty: true, size: func() (int, int) { return columns, rows }, front: func() bool { return front }}
	block := func(lines ...string) func(int, int) []string { return func(int, int) []string { return lines } }
	check := func(want ...string) {
		t.Helper()
		if got := term.stands(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s.Say("first")
	s.show(block("a", "b"))
	s.show(block("c", strings.Repeat("d", 40), "e", "f", "g"))
	s.Say("second")
	if _, err := fmt.Fprintf(s, "third\n"); err != nil {
		t.Fatal(err)
	}
	check("first", "second", "third", "c", strings.Repeat("d", 11), "e", "f")
	columns = 4
	term.narrow(columns)
	s.redraw(false)
	check("firs", "t", "seco", "nd", "thir", "d", "c", "ddd", "e", "f")
	if _, err := term.Write([]byte("^Z\nshell\n")); err != nil {
		t.Fatal(err)
	}
	front = false
	s.redraw(true)
	s.Say("said")
	check("firs", "t", "seco", "nd", "thir", "d", "c", "ddd", "e", "f", "^Z", "shell", "said")
	front, columns = true, 12
	s.redraw(true)
	check("firs", "t", "seco", "nd", "thir", "d", "c", "ddd", "e", "f", "^Z", "shell", "said", "c",
		strings.Repeat("d", 11), "e", "f")
	if _, err := term.Write([]byte("^C")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.Say("last")
	check("firs", "t", "seco", "nd", "thir", "d", "c", "ddd", "e", "f", "^Z", "shell", "said", "last")

	var plain bytes.Buffer
	s = NewScreen(&plain)
	s.show(block("a"))
	s.Say("said")
	s.Close()
	if s.tty || plain.String() != "said\n" {
		t.Errorf("%q", plain.String())
	}
}

// TestStanding: a campaign's screen fits into its rows and columns, cells that run first, and shows no control
// character of a server's.
func TestStanding(t *testing.T) {
	s := &database.CampaignStatus{Bugs: 3, Findings: 9, Running: true}
	for i, state := range []database.CellState{database.Complete, database.Waiting, database.Unavailable, database.Running,
		database.Waiting} {
		s.Cells = append(s.Cells, database.CellStatus{Name: fmt.Sprintf("c%d", i), State: string(state), Active: true,
			CasesChecked: 10, Spent: time.Minute,
			Detail: map[bool]string{true: "away \x1b[31m"}[state == database.Unavailable]})
	}
	now := time.Unix(1000, 0)
	x := running.Standing{Began: now.Add(-90 * time.Second), Now: now, TurnEnds: now.Add(30 * time.Second),
		Memory: 512 << 20, Servers: 1 << 30, Where: "out", BugsAtBeginning: 1}
	all := standingLines(s, &x, "http://127.0.0.1:8080/", 120, 20)
	text := strings.Join(all, "\n")
	for _, want := range []string{"1m30s  50 cases checked  3 bugs (2 new)  9 findings  out",
		"next cell in 30s  memory 512 MiB  servers 1024 MiB", "http://127.0.0.1:8080/",
		"unavailable", "away \\u001b[31m"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if len(all) != 8 || strings.Contains(text, "\x1b") {
		t.Errorf("%d lines:\n%s", len(all), text)
	}
	few := standingLines(s, &x, "", 80, 5)
	if len(few) != 5 || !strings.HasPrefix(few[3], "c3") || !strings.HasPrefix(few[4], "c2") || !strings.HasPrefix(few[1],
		"2 of 5 cells") {
		t.Errorf("%q", few)
	}
}

// TestStandingNarrow looks at the screen of a campaign whose names and remarks are long on terminals of several widths:
// names are told apart as long as anything fits, and no line is wider than the terminal.
func TestStandingNarrow(t *testing.T) {
	long := "sqlite-a-rather-long-name-of-a-cell-that-nobody-would-type-"
	s := &database.CampaignStatus{Bugs: 3, Findings: 9, Running: true}
	for i, state := range []database.CellState{database.Running, database.Unavailable, database.Waiting} {
		s.Cells = append(s.Cells, database.CellStatus{Name: fmt.Sprintf("%s%c", long, 'a'+i), State: string(state),
			Active: true, CasesChecked: 10 * int64(i), Spent: time.Minute,
			Detail: []string{"", "target unavailable: 服务器不见了 /nonexistent/mariadbd: no such file or directory", ""}[i],
			Counts: database.CellWork{Generated: 100, Survived: 97, OverlapEdge: 5}, Findings: 2, BugsShown: 1})
	}
	s.Cells[2].Skipped, s.Cells[2].Known, s.Cells[2].Faults = map[string]int64{"timeout": 12, "waits": 1},
		map[string]int64{"B1": 3, "B2": 4}, map[string]int64{"leak": 2}
	now := time.Unix(1000, 0)
	x := running.Standing{Began: now.Add(-90 * time.Second), Now: now, Memory: 60 << 20, Servers: 200 << 20, Disk: 1234567,
		Where: "/var/lib/a directory of a rather long name/数据库/found"}
	datadriven.RunTest(t, filepath.Join("testdata", "standing"), func(t *testing.T, d *datadriven.TestData) string {
		var columns, rows int
		d.ScanArgs(t, "columns", &columns)
		d.ScanArgs(t, "rows", &rows)
		var out strings.Builder
		for _, line := range standingLines(s, &x, "http://127.0.0.1:8080/", columns, rows) {
			fmt.Fprintln(&out, line)
			if tabular.Wide(line) > columns {
				t.Errorf("%d columns, not %d: %q", tabular.Wide(line), columns, line)
			}
		}
		return out.String()
	})
}
