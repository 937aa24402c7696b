package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/store"
	_ "txweave/dbms/registry" // how statements are read
	"txweave/exec"
	"txweave/finding"
)

// fakeWorker answers as a function says.
type fakeWorker struct {
	check  func(ctx context.Context, n int) (*CaseResult, error)
	closed *int
	mu     *sync.Mutex
}

func (w *fakeWorker) Check(ctx context.Context, j Job) (*CaseResult, error) {
	return w.check(ctx, j.Case)
}

func (w *fakeWorker) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	*w.closed++
	return nil
}

// fakes returns a configuration whose workers answer as check says, and counts those that have been closed.
func fakes(check func(ctx context.Context, n int) (*CaseResult, error)) (cfg Config, closed *int) {
	closed = new(int)
	var mu sync.Mutex
	return Config{
		Seed:      7,
		NewWorker: func(context.Context, int) (Worker, error) { return &fakeWorker{check, closed, &mu}, nil },
		Describe: func() finding.Environment {
			return finding.Environment{DBMS: "fake", Version: "1.0", Isolation: "serializable", Seed: 7}
		},
	}, closed
}

// result is a case's result in which every number is different.
func result(n int) *CaseResult {
	return &CaseResult{Case: n, Statements: Statements{Generated: 15, Errored: 2, Effective: 9, Rows: 20, Survived: 8,
		DroppedBlocked: 1, DroppedCyclic: 2,
		DroppedAborted: 4}, Runs: 3, Replays: 5, Sent: 100, Checked: true, Overlapping: true, OverlapEdge: n%2 == 0,
		CrossEdges: map[string]int{"item-wr": 6, "item-ww": n}, Uses: []string{"select"}}
}

func found(class string) Found {
	f := Found{Finding: finding.Finding{Class: class, Oracle: "fake", Summary: "a summary"},
		Files: map[string][]byte{"case.txw": []byte("text")}}
	f.Sign()
	return f
}

func TestAddingUp(t *testing.T) {
	cfg, closed := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		if n%5 == 4 { // not checked: its statements count nowhere, its work does
			return &CaseResult{Case: n, Statements: Statements{Generated: 99}, Runs: 3, Replays: 5, Sent: 100,
				Skipped: "environment"}, nil
		}
		return result(n), nil
	})
	cfg.Source.First, cfg.Source.Count, cfg.Workers = 10, 10, 3
	calls := 0
	cfg.Progress = func(*Summary) { calls++ }
	s, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if *closed != 3 || calls != 10 {
		t.Errorf("%d workers closed, %d calls of Progress", *closed, calls)
	}
	if s.ElapsedS <= 0 || s.CasesPerMinute <= 0 {
		t.Errorf("clock: %v s, %v cases a minute", s.ElapsedS, s.CasesPerMinute)
	}
	s.ElapsedS, s.CasesPerMinute = 0, 0
	got := fmt.Sprintf("%+v", *s)
	want := fmt.Sprintf("%+v", Summary{Seed: 7, Target: "fake", Version: "1.0", Isolation: "serializable", Cases: 10,
		CasesChecked: 8, CasesClean: 8,
		OverlappingCases: 8, OverlapEdgeCases: 4, CrossEdges: map[string]int{"item-wr": 48,
			"item-ww": 10 + 11 + 12 + 13 + 15 + 16 + 17 + 18},
		Statements: Statements{Generated: 120, Errored: 16, Effective: 72, Rows: 160, Survived: 64, DroppedBlocked: 8,
			DroppedCyclic: 16, DroppedAborted: 32}, Features: map[string]int{"select": 8},
		Runs: 30, Replays: 50, ServerStatements: 1000, Bugs: []*BugRef{}, Findings: []FindingRef{}, Known: map[string]int{},
		Paused:      map[string]int{},
		Unconfirmed: []string{}, Skipped: map[string]int{"environment": 2}})
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if rate := s.Statements.SurvivalRate(); rate != 64.0/88 {
		t.Errorf("survival rate %v", rate)
	}
	if rate := (&Statements{}).SurvivalRate(); rate != 0 {
		t.Errorf("survival rate of nothing: %v", rate)
	}
}

func TestCasesAreGivenOutOnce(t *testing.T) {
	var mu sync.Mutex
	var seen []int
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, n)
		return result(n), nil
	})
	cfg.Source.First, cfg.Source.Count, cfg.Workers = 100, 200, 8
	if _, err := Run(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	for i, n := range seen {
		if n != 100+i {
			t.Fatalf("cases %v", seen)
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d cases", len(seen))
	}
}

func TestFindingsAndFlaky(t *testing.T) {
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		r := result(n)
		if n == 1 {
			r.Findings = []Found{found("a"), found("b")}
			r.Unconfirmed = []Found{found("c")}
		}
		return r, nil
	})
	cfg.Source.Count = 3
	cfg.Store = database.In(filepath.Join(t.TempDir(), "out"))
	var reports []string
	cfg.Report = func(ref FindingRef, f *finding.Finding, unconfirmed bool) {
		reports = append(reports, fmt.Sprintln(ref.ID, f.Class, unconfirmed))
	}
	s, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Findings) != 3 || s.CasesFinding != 1 || s.CasesClean != 2 ||
		s.UnconfirmedBugs() != 1 || s.Bugs[2].Status != finding.StatusUnconfirmed || s.Findings[0].ID != "finding-000001-0" ||
		s.Findings[1].Class != "b" || s.Findings[1].Signature != "b" {
		t.Errorf("findings %+v", s.Findings)
	}
	if !slices.Equal(s.Unconfirmed, []string{"unconfirmed-000001-2"}) {
		t.Errorf("unconfirmed %v", s.Unconfirmed)
	}
	if want := []string{"finding-000001-0 a false\n", "finding-000001-1 b false\n",
		"unconfirmed-000001-2 c true\n"}; !slices.Equal(reports, want) {
		t.Errorf("reports %v", reports)
	}
	for _, f := range s.Findings {
		if _, err := os.Stat(filepath.Join(f.Dir, "finding.json")); err != nil {
			t.Error(err)
		}
	}
}

// TestNamedAsKept: an unconfirmed finding whose name an earlier campaign's has is told by the name that it is kept
// under.
func TestNamedAsKept(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"unconfirmed-000000-0", "unconfirmed-000000-0.2"} {
		cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
			r := result(n)
			r.Unconfirmed = []Found{found("a")}
			return r, nil
		})
		cfg.Source.Count, cfg.Store, cfg.MaxKept = 1, database.In(dir), 3
		s, err := Run(t.Context(), cfg)
		if err != nil || len(s.Unconfirmed) != 1 || s.Unconfirmed[0] != want {
			t.Fatalf("%v, %q, want %s", err, s.Unconfirmed, want)
		}
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
}

// TestFindingThatCannotBeKept checks that a finding whose files cannot be written is still counted and reported,
// with what is needed to get it again.
func TestFindingThatCannotBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	cfg, closed := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		r := result(n)
		if n == 2 {
			if err := os.WriteFile(file, nil, 0o644); err != nil { // it could have been made a directory until now
				return nil, err
			}
			r.Findings, r.Unconfirmed = []Found{found("a")}, []Found{found("b")}
		}
		return r, nil
	})
	cfg.Source.Count, cfg.Store = 10, database.In(file)
	reports := 0
	cfg.Report = func(ref FindingRef, _ *finding.Finding, _ bool) { reports++ }
	s, err := Run(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "cannot keep finding-000002-0, case 2 of seed 7") ||
		!strings.Contains(err.Error(), "unconfirmed-000002-1") {
		t.Errorf("error %v", err)
	}
	if s.Cases != 3 || len(s.Findings) != 2 || s.Findings[0].Dir != "" || len(s.Unconfirmed) != 1 || reports != 2 ||
		*closed != 1 {
		t.Errorf("%+v, %d reports, %d closed", s, reports, *closed)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg, closed := fakes(func(ctx context.Context, n int) (*CaseResult, error) {
		if n < 4 {
			return result(n), nil
		}
		cancel()
		<-ctx.Done()
		return result(n), ctx.Err() // half a case
	})
	cfg.Workers = 2
	s, err := Run(ctx, cfg)
	if err != nil || s.Cases != 4 || *closed != 2 {
		t.Errorf("%v, %d cases, %d workers closed", err, s.Cases, *closed)
	}
}

// TestDuration checks that a case that is under way when the time is up is finished and counted: its finding may be
// the only one.
func TestDuration(t *testing.T) {
	cfg, _ := fakes(func(ctx context.Context, n int) (*CaseResult, error) {
		r := result(n)
		if n == 3 {
			<-ctx.Done()
			r.Findings = []Found{found("late")}
		}
		return r, nil
	})
	cfg.Duration = 300 * time.Millisecond
	s, err := Run(t.Context(), cfg)
	if err != nil || s.Cases != 4 || len(s.Findings) != 1 {
		t.Errorf("%v, %+v", err, s)
	}
	if s.ElapsedS < 0.3 {
		t.Errorf("ended after %v s", s.ElapsedS)
	}
}

// TestWhole: the first case of a turn that takes longer than the turn is brought to its end where that is asked for,
// and is lost else.
func TestWhole(t *testing.T) {
	for _, whole := range []bool{true, false} {
		over := make(chan struct{})
		cfg, _ := fakes(func(ctx context.Context, n int) (*CaseResult, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-over:
				return result(n), nil
			}
		})
		cfg.Duration, cfg.Whole = time.Millisecond, whole
		time.AfterFunc(300*time.Millisecond, func() { close(over) })
		if s, err := Run(t.Context(), cfg); err != nil || whole != (s.Cases == 1) || s.Cases > 1 {
			t.Errorf("whole %t: %v, %d cases", whole, err, s.Cases)
		}
	}
}

func TestFailures(t *testing.T) {
	boom := errors.New("boom")
	for _, tc := range []struct {
		name        string
		check       func(n int) (*CaseResult, error)
		unavailable bool
		workers     int
		closed      int // with those that a fault of txweave's own has replaced, before the case is run again and behind that
	}{
		{"error", func(int) (*CaseResult, error) { return nil, boom }, false, 1, 1 + 2*Endured},
		{"fatal", func(n int) (*CaseResult, error) { return &CaseResult{Case: n}, errors.New("boom") }, false, 1,
			1 + 2*Endured},
		{"unavailable", func(n int) (*CaseResult, error) {
			return &CaseResult{Case: n}, fmt.Errorf("%w: boom", exec.ErrUnavailable)
		}, true, 2, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg, closed := fakes(func(_ context.Context, n int) (*CaseResult, error) {
				if n < 5 {
					return result(n), nil
				}
				return tc.check(n)
			})
			cfg.Workers = tc.workers
			s, err := Run(t.Context(), cfg)
			if err == nil || !strings.Contains(err.Error(), "boom") || errors.Is(err, exec.ErrUnavailable) != tc.unavailable {
				t.Errorf("error %v", err)
			}
			if s.CasesChecked != 5 || *closed != tc.closed {
				t.Errorf("%d cases checked, %d workers closed", s.CasesChecked, *closed)
			}
		})
	}
}

// TestWorkerThatCannotStart checks that the others are closed, and that no case is begun.
func TestWorkerThatCannotStart(t *testing.T) {
	cfg, closed := fakes(func(context.Context, int) (*CaseResult, error) {
		t.Error("a case was begun")
		return nil, nil
	})
	cfg.Workers = 3
	ok := cfg.NewWorker
	cfg.NewWorker = func(ctx context.Context, i int) (Worker, error) {
		if i == 1 {
			return nil, fmt.Errorf("%w: no place", exec.ErrUnavailable)
		}
		return ok(ctx, i)
	}
	s, err := Run(t.Context(), cfg)
	if !errors.Is(err, exec.ErrUnavailable) || s.Target != "" || *closed != 2 {
		t.Errorf("%v, %+v, %d closed", err, s, *closed)
	}
}

// TestUnconfirmedBecomeABug: what comes back now and then counts once there are enough of one signature, or at once
// where the engine is in the process.
func TestUnconfirmedBecomeABug(t *testing.T) {
	for _, tc := range []struct{ enough, cases, unconfirmed, reported int }{{0, 2, 1, 0}, {0, 3, 0, 1}, {1, 1, 0, 1}} {
		cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
			r := result(n)
			r.Unconfirmed = []Found{found("a")}
			return r, nil
		})
		cfg.Source.Count, cfg.Unconfirmed = tc.cases, tc.enough
		s, err := Run(t.Context(), cfg)
		if err != nil || s.UnconfirmedBugs() != tc.unconfirmed || s.Reported() != tc.reported {
			t.Errorf("%+v: %v, %d unconfirmed, %d reported", tc, err, s.UnconfirmedBugs(), s.Reported())
		}
	}
}

// TestUncheckedCasesAreKept: each case has one outcome, and those that were not checked are on disk with the reason.
func TestUncheckedCasesAreKept(t *testing.T) {
	dir := t.TempDir()
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		r := &CaseResult{Case: n, Skipped: "time-out", Detail: "no answer"}
		switch n % 3 {
		case 1:
			return result(n), nil
		case 2: // a case with a finding is not skipped, whatever else is said of it
			r.Findings = []Found{found("a")}
		}
		return r, nil
	})
	cfg.Source.Count, cfg.Store = 9, database.In(dir)
	s, err := Run(t.Context(), cfg)
	if err != nil || s.Skipped["time-out"] != 3 || s.CasesClean != 3 || s.CasesFinding != 3 || s.CasesChecked != 6 {
		t.Errorf("%v, %+v", err, s)
	}
	text, err := os.ReadFile(filepath.Join(dir, "unchecked.jsonl"))
	if want := `{"seed":7,"case":0,"reason":"time-out","detail":"no answer"}` + "\n"; err != nil ||
		strings.Count(string(text), "\n") != 3 || !strings.HasPrefix(string(text), want) {
		t.Errorf("%v, %s", err, text)
	}
}

// TestUncheckedMutants: of a case that was made from others, and could not be checked, the file is kept, as its number
// does not make it again.
func TestUncheckedMutants(t *testing.T) {
	dir := t.TempDir()
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		if n%4 == 0 {
			return result(n), nil
		}
		return &CaseResult{Case: n, Skipped: SkippedRefused, Detail: "no"}, nil
	})
	cfg.Source.Made = func(n int) []byte {
		if n%2 > 0 {
			return nil
		}
		return fmt.Appendf(nil, "case %d", n)
	}
	cfg.Source.Count, cfg.Store = 12, database.In(dir)
	s, err := Run(t.Context(), cfg)
	if err != nil || s.FromSeeds == nil || *s.FromSeeds != (FromSeeds{Cases: 6, Unchecked: 3}) {
		t.Fatalf("%v, %+v", err, s.FromSeeds)
	}
	text, err := os.ReadFile(filepath.Join(dir, "unchecked.jsonl"))
	if err != nil || strings.Count(string(text), "\n") != 9 {
		t.Fatalf("%v, %s", err, text)
	}
	for line := range strings.Lines(string(text)) {
		var u store.Unchecked
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			t.Fatal(err)
		}
		if want := string(cfg.Source.Made(u.Case)); u.Text != want {
			t.Errorf("of case %d %q is kept, want %q", u.Case, u.Text, want)
		}
	}
}

// TestUncheckedByError: a case that ends its campaign, or at which txweave itself fails, is noted with the error that
// did, whatever else its worker says of it.
func TestUncheckedByError(t *testing.T) {
	for _, c := range []struct {
		err  error
		says CaseResult
		want string
	}{
		{fmt.Errorf("%w: the kernel ended it", exec.ErrUnavailable), CaseResult{},
			`"reason":"unavailable","detail":"target unavailable: the kernel ended it"`},
		{fmt.Errorf("%w: x", exec.ErrUnavailable), CaseResult{Skipped: "killed from outside", Detail: "signal: killed"},
			`"reason":"killed from outside","detail":"signal: killed"`},
		{errors.New("no such thing"), CaseResult{}, `"reason":"a fault of txweave's own","detail":"no such thing"`},
	} {
		dir := t.TempDir()
		cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
			r := c.says
			r.Case = n
			return &r, c.err
		})
		cfg.Source.Count, cfg.Store = 1, database.In(dir)
		if _, err := Run(t.Context(), cfg); errors.Is(c.err, exec.ErrUnavailable) && !errors.Is(err, c.err) ||
			!errors.Is(c.err, exec.ErrUnavailable) && err != nil {
			t.Errorf("%v", err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "unchecked.jsonl"))
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%v, %s, want %s", err, text, c.want)
		}
	}
}

// telling is a worker that says what it is at.
type telling struct{ Worker }

func (telling) Doing() string { return "T1: SELECT 1\x1b[2J, sent 3m ago" }

// TestSlowCase: a case that takes long is named, with what it is at, again and again.
func TestSlowCase(t *testing.T) {
	slow := slowCase
	slowCase = time.Millisecond
	defer func() { slowCase = slow }()
	notes := make(chan string)
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		for range 2 {
			if text := <-notes; !strings.HasPrefix(text, "case 0 of seed 7 has been running for ") || !strings.HasSuffix(text,
				`: T1: SELECT 1\u001b[2J, sent 3m ago`) {
				t.Errorf("it says %q", text)
			}
		}
		go func() { // the campaign may have more to say before it sees the result
			for range notes {
			}
		}()
		return result(n), nil
	})
	made := cfg.NewWorker
	cfg.NewWorker = func(ctx context.Context, i int) (Worker, error) {
		w, err := made(ctx, i)
		return telling{w}, err
	}
	cfg.Source.Count, cfg.Note = 1, func(text string) { notes <- text }
	sum, err := Run(t.Context(), cfg)
	if err != nil || sum.CasesClean != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestRemovedDirectoryIsNoticed: where somebody removes what a campaign keeps, or puts another directory in its place,
// that ends the campaign and is said, and what is gone does not count as kept.
func TestRemovedDirectoryIsNoticed(t *testing.T) {
	for _, again := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "out")
		cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
			r := result(n)
			if n == 5 {
				if err := os.RemoveAll(dir); err != nil {
					return nil, err
				}
				if again {
					if err := os.Mkdir(dir, 0o700); err != nil {
						return nil, err
					}
				}
			}
			r.Findings = []Found{found(fmt.Sprint("class", n))}
			return r, nil
		})
		cfg.Source.Count, cfg.Store, cfg.MaxKept = 50, database.In(dir), 3
		s, err := Run(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), dir+" was removed while the campaign ran") {
			t.Errorf("%v: %v", again, err)
		}
		if s.Kept() != 0 || s.Cases > 10 {
			t.Errorf("%v: %d kept, %d cases", again, s.Kept(), s.Cases)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%v: it is begun anew: %v", again, left)
		}
	}
}
