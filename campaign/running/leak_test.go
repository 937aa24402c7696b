package running

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/resources"
	"txweave/campaign/rotation"
)

// leaky is the environment variable that makes this test's program a server which takes so many MiB for every case.
const leaky = "TXWEAVE_TEST_LEAKY"

func TestMain(m *testing.M) {
	if text := os.Getenv(leaky); text != "" {
		serveLeaky(text)
		return
	}
	os.Exit(m.Run())
}

// perCase is what a note of a leak says of each case.
var perCase = regexp.MustCompile(`"bytes_per_case": ([0-9.e+]+)`)

// serveLeaky answers each line of standard input, and keeps so many MiB for it.
func serveLeaky(text string) {
	const mib = 1 << 20
	var each int
	if _, err := fmt.Sscan(text, &each); err != nil {
		os.Exit(2)
	}
	var kept [][]byte
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		kept = append(kept, slices.Repeat([]byte{1}, each*mib))
		fmt.Println(len(kept))
	}
}

// TestLeak plants a server that leaks: it is noted once, counted to its cell, and kept with what was measured; that the
// next one leaks, too, is said, and so is that one did not.
func TestLeak(t *testing.T) {
	dir := t.TempDir()
	db, err := database.Open(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	part := rotation.Part{Name: "one", Target: "sqlite", Mode: rotation.ModeFuzz}
	made, err := db.Begin(t.Context(), database.Shard{Index: 0, Count: 1}, "test",
		[]database.CellPlan{{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: rotation.ModeFuzz, Seed: 7}},
		nil)
	if err != nil {
		t.Fatal(err)
	}
	display := &shown{}
	l := &Life{Plan: &rotation.CampaignPlan{}, DB: db, Display: display, Log: slog.New(slog.DiscardHandler),
		turns: []*rotation.Turn{{Part: &part, Cell: made[0]}}}
	l.watched.Limits = resources.LeakLimits{Points: 10, Time: time.Millisecond, Cases: 10, Growth: 24 << 20}
	status := &database.CampaignStatus{Cells: []database.CellStatus{{Name: "one", State: string(database.Running)}}}
	look := func(pids ...int) {
		l.leaks(t.Context(), status, slices.DeleteFunc(resources.Processes(), func(p resources.Process) bool {
			return !slices.Contains(pids, p.PID)
		}))
	}
	// server runs sixty cases on a server that takes so many MiB for each.
	server := func(each int) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", leaky, each))
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewScanner(out)
		for range 60 {
			if _, err := fmt.Fprintln(in, "a case"); err != nil || !answers.Scan() {
				t.Fatalf("the server has ended: %v", err)
			}
			status.Cells[0].Cases++
			look(cmd.Process.Pid)
		}
		in.Close()
		_ = cmd.Wait()
		look()
	}
	said := func(text string) int {
		return strings.Count(strings.Join(display.lines, "\n"), text)
	}
	server(0)
	if len(display.lines) > 0 {
		t.Fatalf("a server that does not leak: %q", display.lines)
	}
	server(2)
	if said("leak: ") != 1 || said("comes again") != 0 {
		t.Fatalf("of one leak is said: %q", display.lines)
	}
	server(2)
	if said("it comes again") != 1 {
		t.Errorf("of the second leak is said: %q", display.lines)
	}
	server(0)
	if said("it did not come again") != 1 {
		t.Errorf("of the server that does not leak is said: %q", display.lines)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "leak-*.json"))
	if err != nil || len(kept) != 2 {
		t.Errorf("kept are %v, %v", kept, err)
	}
	for _, name := range kept {
		text, err := os.ReadFile(name)
		var each float64
		if m := perCase.FindSubmatch(text); m != nil {
			each, _ = strconv.ParseFloat(string(m[1]), 64)
		}
		// The race detector keeps some bytes of its own for each of the server's.
		if err != nil || each < 1.8*(1<<20) || each > 16*(1<<20) || !strings.Contains(string(text), "Rss:") {
			t.Errorf("%s: %v: %g bytes a case, of 2 MiB: %s", name, err, each, text)
		}
	}
	s, err := db.Status(t.Context())
	if err != nil || s.Cells[0].Faults["leak"] != 2 {
		t.Errorf("%d leaks are counted, %v", s.Cells[0].Faults["leak"], err)
	}
}
