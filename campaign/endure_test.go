package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/store"
	"txweave/exec"
	"txweave/finding"
)

// TestEndure: a fault of txweave's own costs the case at which it comes, and no other; what comes again and again ends
// the run.
func TestEndure(t *testing.T) {
	tries := map[int]int{}
	cfg, closed := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		tries[n]++
		switch {
		case n == 2:
			panic("index out of range")
		case n == 4 && tries[n] == 1:
			return nil, errors.New("no such thing")
		}
		return result(n), nil
	})
	var notes []string
	cfg.Note = func(text string) { notes = append(notes, text) }
	dir := t.TempDir()
	cfg.Source.Count, cfg.Endure, cfg.Store = 8, 3, database.In(dir)
	sum, err := Run(t.Context(), cfg)
	if err != nil || sum.CasesChecked != 7 || sum.Skipped[SkippedFault] != 1 || tries[2] != 2 || tries[4] != 2 {
		t.Fatalf("%+v: %v, %v", sum, err, tries)
	}
	if sum.Faults != 2 {
		t.Errorf("%d faults", sum.Faults)
	}
	for name, want := range map[string][]string{
		"seed-7-case-000002.txt": {"case     2 of seed 7\n", "target   fake 1.0 at serializable\n",
			"panic: index out of range, in txweave/campaign.TestEndure",
			"endure_test.go:", "\n\nrun again, the case failed in the same way\n"},
		"seed-7-case-000004.txt": {"\n\nno such thing\n", "the fault did not come again"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, store.FaultsDir, name))
		if err != nil {
			t.Error(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s does not say %q:\n%s", name, w, text)
			}
		}
	}
	if *closed != 4 { // replaced after both faults of case 2 and after that of case 4, and closed at the end
		t.Errorf("%d workers were closed", *closed)
	}
	all := strings.Join(notes, "\n")
	for _, want := range []string{"case 2 of seed 7: a fault of txweave's own: panic: index out of range, in " +
		"txweave/campaign.TestEndure", "case 4 of seed 7: the fault did not come again"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not said: %s", want, all)
		}
	}

	cfg, _ = fakes(func(_ context.Context, n int) (*CaseResult, error) { panic(n) })
	cfg.Source.Count = 100
	if sum, err := Run(t.Context(), cfg); err == nil || sum.Skipped[SkippedFault] != Endured || sum.Faults != Endured+1 {
		t.Errorf("%+v: %v", sum, err)
	}
	cfg, _ = fakes(func(_ context.Context, n int) (*CaseResult, error) {
		// cases that are passed over are no sign of health
		if n%4 == 3 {
			return nil, errors.New("6 cases in a row failed")
		}
		return &CaseResult{Case: n, Skipped: "refused"}, nil
	})
	cfg.Source.Count = 100
	if sum, err := Run(t.Context(), cfg); err == nil || sum.Faults != Endured+1 || sum.Cases != 4*(Endured+1)-1 {
		t.Errorf("%+v: %v", sum, err)
	}
	cfg, _ = fakes(func(_ context.Context, n int) (*CaseResult, error) {
		return nil, fmt.Errorf("%w: away", exec.ErrUnavailable)
	})
	cfg.Source.Count = 100
	if sum, err := Run(t.Context(), cfg); !errors.Is(err, exec.ErrUnavailable) || sum.Cases != 0 || sum.Faults != 0 {
		t.Errorf("%+v: %v", sum, err)
	}
}

// TestEndureWithResult: a worker that says what it had done before it failed is a fault as any other; what the case had
// shown is kept, and the case not run again.
func TestEndureWithResult(t *testing.T) {
	tries := map[int]int{}
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		tries[n]++
		switch n {
		case 1:
			return &CaseResult{Case: n}, errors.New("it is all my fault")
		case 3:
			return &CaseResult{Case: n, Findings: []Found{found(finding.ClassCrash)}}, errors.New("no other worker")
		}
		return result(n), nil
	})
	cfg.Source.Count, cfg.Store = 6, database.In(t.TempDir())
	sum, err := Run(t.Context(), cfg)
	if err != nil || sum.Faults != 2 || sum.Skipped[SkippedFault] != 1 || len(sum.Bugs) != 1 || sum.Cases != 6 ||
		tries[1] != 2 || tries[3] != 1 {
		t.Errorf("%+v: %v, %v", sum, err, tries)
	}
}

// TestFaultBehindCases: what fails where a case's outcome is counted ends the run, and not the process.
func TestFaultBehindCases(t *testing.T) {
	cfg, closed := fakes(func(_ context.Context, n int) (*CaseResult, error) { return result(n), nil })
	cfg.Source.Count, cfg.Progress = 4, func(*Summary) { panic("nobody looks") }
	var panicked *PanicError
	if _, err := Run(t.Context(), cfg); !errors.As(err, &panicked) || *closed != 1 {
		t.Errorf("%v, %d workers closed", err, *closed)
	}
}

// forgetful makes no case, and panics when it is asked for one for the second time.
func forgetful(n int) []byte {
	if n == 1 {
		panic("which one?")
	}
	return nil
}

// TestMadePanics: where what makes cases from others panics, that is a fault of one case, which is the generator's
// then, and the campaign goes on.
func TestMadePanics(t *testing.T) {
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) { return result(n), nil })
	cfg.Source.Made = forgetful
	dir := t.TempDir()
	cfg.Source.Count, cfg.Store = 4, database.In(dir)
	if sum, err := Run(t.Context(), cfg); err != nil || sum.CasesChecked != 4 || sum.Faults != 1 {
		t.Fatalf("%+v: %v", sum, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, store.FaultsDir, "seed-7-case-000001.txt"))
	if err != nil || !strings.Contains(string(text), "panic: which one?, in txweave/campaign.forgetful") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestReducerPanics: a finding whose reduction fails is placed as it is.
func TestReducerPanics(t *testing.T) {
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		res := result(n)
		res.Findings = []Found{found(finding.ClassReplay)}
		return res, nil
	})
	cfg.Source.Count, cfg.ReduceTime, cfg.Store = 1, time.Second, database.In(t.TempDir())
	cfg.NewReducer = func(context.Context) (Reducer, error) { return panickyReducer{}, nil }
	if sum, err := Run(t.Context(), cfg); err != nil || len(sum.Bugs) != 1 {
		t.Fatalf("%+v: %v", sum, err)
	}
}

type panickyReducer struct{}

func (panickyReducer) Reduce(context.Context, *finding.Record, []byte) (*Reduced, error) {
	panic("reducer")
}
func (panickyReducer) Close() error { return nil }

// TestLateReduction: a reduction that is under way when the time for those that are left is over has its grace; one
// that takes longer is given up, and that is said.
func TestLateReduction(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		note  string
	}{{2200 * time.Millisecond, ""}, {time.Minute, "not reduced for want of time: 1 of the findings, "}} {
		cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
			res := result(n)
			res.Findings = []Found{found(finding.ClassReplay)}
			return res, nil
		})
		var notes []string
		cfg.Note = func(text string) { notes = append(notes, text) }
		cfg.Source.Count, cfg.ReduceTime, cfg.Store = 1, 2*time.Second, database.In(t.TempDir())
		slow := &slowReducer{takes: c.takes}
		cfg.NewReducer = func(context.Context) (Reducer, error) { return slow, nil }
		sum, err := Run(t.Context(), cfg)
		if err != nil || len(sum.Bugs) != 1 {
			t.Fatalf("%+v: %v", sum, err)
		}
		if got := strings.Join(notes, "\n"); slow.done != (c.note == "") || !strings.HasPrefix(got, c.note) ||
			c.note == "" && got != "" {
			t.Errorf("%v: done %v, notes %q", c.takes, slow.done, got)
		}
	}
}

// slowReducer takes its time, but not when it is told to end.
type slowReducer struct {
	takes time.Duration
	done  bool
}

func (r *slowReducer) Reduce(ctx context.Context, f *finding.Record, text []byte) (*Reduced, error) {
	select {
	case <-time.After(r.takes):
		r.done = true
		return &Reduced{Found: Found{Finding: f.Finding, Files: map[string][]byte{finding.CaseFile: text}}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
func (*slowReducer) Close() error { return nil }

// TestCountsAddUp: a case of whose statements one has neither survived nor been dropped for a reason is a fault of
// txweave's own that is written down; what it showed is kept, and the campaign goes on with counts that add up.
func TestCountsAddUp(t *testing.T) {
	dir := t.TempDir()
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) {
		res := result(n)
		if n == 1 || n == 3 {
			res.Statements.Survived--
		}
		if n == 3 {
			res.Findings = []Found{found("isolation-violation")}
		}
		return res, nil
	})
	cfg.Source.Count, cfg.Store = 6, database.In(dir)
	sum, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Faults != 2 || sum.Skipped[SkippedFault] != 1 || len(sum.Findings) != 1 || sum.CasesChecked != 5 {
		t.Errorf("%d faults, skipped %v, %d findings, %d checked", sum.Faults, sum.Skipped, len(sum.Findings),
			sum.CasesChecked)
	}
	if st := sum.Statements; st.Generated != st.Survived+st.DroppedBlocked+st.DroppedCyclic+st.DroppedAborted+
		st.DroppedBlamed || st.Generated != 4*15 {
		t.Errorf("%+v", st)
	}
	text, err := os.ReadFile(filepath.Join(dir, store.FaultsDir, "seed-7-case-000001.txt"))
	if err != nil || !strings.Contains(string(text),
		"of 15 statements 14 have survived or were dropped for a reason: the counts do not add up") {
		t.Errorf("%s, %v", text, err)
	}
}
