package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/running"
)

// terminal is what stands on a terminal: it understands what screens write.
type terminal struct {
	lines []string // the last one is where the cursor is
	at    int
}

var control = regexp.MustCompile("^\x1b\\[([0-9]*)([AJ])")

func (t *terminal) Write(text []byte) (int, error) {
	for rest := string(text); rest != ""; {
		if m := control.FindStringSubmatch(rest); m != nil {
			rest = rest[len(m[0]):]
			if m[2] == "A" {
				n, _ := strconv.Atoi(m[1])
				t.at = max(t.at-n, 0)
			} else {
				t.lines = append(t.lines[:t.at:t.at], "")
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

// TestScreen: what is said stays above the block, which is written over and never longer or wider than the terminal.
func TestScreen(t *testing.T) {
	term := &terminal{lines: []string{""}}
	s := &screen{w: term, tty: true, size: func() (int, int) { return 12, 4 }}
	s.say("first")
	s.show([]string{"a", "b"})
	s.show([]string{"c", strings.Repeat("d", 40), "e", "f"})
	s.say("second")
	if _, err := fmt.Fprintf(s, "third\n"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"first", "second", "third", "c", strings.Repeat("d", 11), "e", ""}; !slices.Equal(term.lines, want) {
		t.Errorf("%q, want %q", term.lines, want)
	}
	s.close()
	s.say("last")
	if want := []string{"first", "second", "third", "last", ""}; !slices.Equal(term.lines, want) {
		t.Errorf("%q, want %q", term.lines, want)
	}

	var plain bytes.Buffer
	s = newScreen(&plain)
	s.show([]string{"a"})
	s.say("said")
	s.close()
	if s.tty || plain.String() != "said\n" {
		t.Errorf("%q", plain.String())
	}
}

// TestStanding: a campaign's screen fits into its rows, cells that run first, and shows no control character of a server's.
func TestStanding(t *testing.T) {
	s := &database.CampaignStatus{Bugs: 3, Findings: 9, Running: true}
	for i, state := range []database.CellState{database.Complete, database.Waiting, database.Unavailable, database.Running, database.Waiting} {
		s.Cells = append(s.Cells, database.CellStatus{Name: fmt.Sprintf("c%d", i), State: string(state), Active: true, CasesChecked: 10, Spent: time.Minute,
			Detail: map[bool]string{true: "away \x1b[31m"}[state == database.Unavailable]})
	}
	now := time.Unix(1000, 0)
	x := running.Standing{Began: now.Add(-90 * time.Second), Now: now, TurnEnds: now.Add(30 * time.Second), Memory: 512 << 20, Where: "out", BugsAtBeginning: 1}
	all := standingLines(s, &x, 20)
	text := strings.Join(all, "\n")
	for _, want := range []string{"out  1m30s  50 cases checked  3 bugs (2 new)  9 findings", "memory 512 MiB", "next cell in 30s", "unavailable", "away \\u001b[31m"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if len(all) != 8 || strings.Contains(text, "\x1b") {
		t.Errorf("%d lines:\n%s", len(all), text)
	}
	few := standingLines(s, &x, 6)
	if len(few) != 5 || !strings.HasPrefix(few[3], "c3") || !strings.HasPrefix(few[4], "c2") || !strings.Contains(few[1], "and 3 cells more") {
		t.Errorf("%q", few)
	}
}
