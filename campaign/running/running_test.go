package running

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"txweave/campaign"
	"txweave/campaign/database"
	"txweave/campaign/rotation"
	_ "txweave/dbms/registry" // how statements are read
	"txweave/finding"
	"txweave/internal/strict"
)

// shown keeps what is shown.
type shown struct {
	mu     sync.Mutex
	lines  []string
	found  []string
	first  *database.CampaignStatus
	told   chan struct{} // closed when something is shown
	closed bool
}

func (s *shown) Say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

func (s *shown) Report(ref campaign.FindingRef, f *finding.Finding, _ bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = append(s.found, ref.Bug+" "+f.Summary)
}

func (s *shown) Live() bool { return false }

func (s *shown) Show(c *database.CampaignStatus, _ Standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil {
		s.first = c
		close(s.told)
	}
}

func (s *shown) Close() { s.closed = true }

// every finds something in each case whose number it divides.
type every int

func (w every) Check(_ context.Context, j campaign.Job) (*campaign.CaseResult, error) {
	res := &campaign.CaseResult{Case: j.Case, Checked: true}
	if j.Case%int(w) == 0 {
		f := campaign.Found{Finding: finding.Finding{Class: "crash", Summary: fmt.Sprintf("crash of %d", w),
			Signature: fmt.Sprintf("crash/%d", w)},
			Files: map[string][]byte{finding.CaseFile: []byte("text")}}
		res.Findings = append(res.Findings, f)
	}
	return res, nil
}

func (w every) Close() error { return nil }

// heard goes on after its first case when something has been shown.
type heard struct {
	every
	told <-chan struct{}
}

func (w heard) Check(ctx context.Context, j campaign.Job) (*campaign.CaseResult, error) {
	if j.Case == 1 {
		select {
		case <-w.told:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return w.every.Check(ctx, j)
}

// TestLife runs a campaign of three cells, one of which cannot run: each case of the others is counted once, the first
// one is shown before another is checked, a bug is told of when it is met first, the cell that cannot run is said to,
// and the files beside the database hold how it ended.
func TestLife(t *testing.T) {
	dir := t.TempDir()
	db, err := database.Open(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	plan := &rotation.CampaignPlan{Slice: strict.Duration(2 * time.Second),
		Duration: strict.Duration(8 * time.Second), Parallel: 3}
	var cells []database.CellPlan
	for _, name := range []string{"threes", "fives", "gone"} {
		plan.Parts = append(plan.Parts, rotation.Part{Name: name, Target: "sqlite", Mode: rotation.ModeFuzz, Cases: 20})
		cells = append(cells, database.CellPlan{Name: name, Target: "sqlite", Isolation: "serializable",
			Mode: rotation.ModeFuzz, Seed: 7})
	}
	made, err := db.Begin(t.Context(), database.Shard{Index: 0, Count: 1}, "test", cells, nil)
	if err != nil {
		t.Fatal(err)
	}
	display := &shown{told: make(chan struct{})}
	l := &Life{Plan: plan, DB: db, Display: display, Log: slog.New(slog.DiscardHandler), Configure: func(_ context.Context,
		turn *rotation.Turn) (c campaign.Config, done func() error, err error) {
		finds, known := map[string]every{"threes": 3, "fives": 5}[turn.Name]
		if !known {
			return c, nil, errors.New("there is no server")
		}
		return campaign.Config{Seed: 7, Workers: 1, NewWorker: func(context.Context, int) (campaign.Worker, error) {
				return heard{finds, display.told}, nil
			},
				Describe: func() finding.Environment { return finding.Environment{DBMS: "fake", Version: "1", Seed: 7} }},
			func() error { return nil }, nil
	}}
	log, err := l.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Run(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := db.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Cells[0].CasesChecked != 20 || s.Cells[1].CasesChecked != 20 || s.Bugs != 2 || s.Findings != 7+4 {
		t.Errorf("checked %d and %d cases, %d bugs, %d findings; want 20, 20, 2, 11", s.Cells[0].CasesChecked,
			s.Cells[1].CasesChecked, s.Bugs, s.Findings)
	}
	if all := strings.Join(display.lines, "\n"); !strings.Contains(all,
		"cell gone cannot run (1 times in a row): there is no server") {
		t.Errorf("nobody was told of the cell that cannot run:\n%s", all)
	}
	if s := display.first; s == nil || s.Cells[0].CasesChecked+s.Cells[1].CasesChecked == 0 {
		t.Errorf("what is shown first is not that a case is checked: %+v", s)
	}
	if len(display.found) < 2 || !display.closed {
		t.Errorf("shown: %q, closed: %v", display.found, display.closed)
	}
	if err := l.WriteStatus(s); err != nil {
		t.Fatal(err)
	}
	var again database.CampaignStatus
	text, err := os.ReadFile(filepath.Join(dir, statusFile))
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil || again.Bugs != 2 {
		t.Errorf("%s holds %d bugs: %v", statusFile, again.Bugs, err)
	}
	text, err = os.ReadFile(filepath.Join(dir, logFile))
	if err != nil || strings.Count(string(text), `"msg":"finding"`) != len(display.found) {
		t.Errorf("the log has not each of %d findings: %v\n%s", len(display.found), err, text)
	}
	l.Log = slog.New(slog.DiscardHandler) // the file is closed
	gone := l.turns[2]
	before, err := db.Events(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(20) {
		l.dead(gone, errors.New("still away"), n+1)
	}
	if after, err := db.Events(t.Context(), 1000); err != nil || len(after)-len(before) != 5 {
		t.Errorf("a cell that cannot run for the 20th time is told of %d times, %v", len(after)-len(before), err)
	}
	told := len(display.found)
	for range 3 { // turns later
		for _, turn := range l.turns[:2] {
			for _, unconfirmed := range []bool{true, false} {
				l.report(turn, campaign.FindingRef{Bug: "B1"}, &finding.Finding{Summary: "crash"}, unconfirmed)
			}
		}
	}
	// Of one of the two cells it is B1 that is known, of the other it is news, first that it is unconfirmed.
	if n := len(display.found) - told; n != 2 {
		t.Errorf("told %d times: %q", n, display.found[told:])
	}
}

// TestRemovedDirectoryEndsTheCampaign: a campaign whose directory is removed, or replaced, ends with a word.
func TestRemovedDirectoryEndsTheCampaign(t *testing.T) {
	for _, again := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "out")
		db, err := database.Open(t.Context(), dir, true)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		l := &Life{DB: db}
		if l.out, err = os.Stat(dir); err != nil {
			t.Fatal(err)
		}
		stopped := 0
		stop := func() { stopped++ }
		if l.gone(stop) || stopped > 0 {
			t.Fatal("it is there")
		}
		if err := os.Rename(dir, dir+".old"); err != nil {
			t.Fatal(err)
		}
		if again {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		first, second := l.gone(stop), l.gone(stop)
		if !first || !second || stopped != 1 || l.removed == nil || !strings.Contains(l.removed.Error(),
			"was removed while the campaign ran") {
			t.Errorf("%v: stopped %d times, %v", again, stopped, l.removed)
		}
	}
}
