package campaign

import (
	"context"
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
	"txweave/finding"
)

func TestPauses(t *testing.T) {
	var alarms []string
	f := newPauses(50, func(cause string, cases int) { alarms = append(alarms, fmt.Sprint(cause, cases)) })
	held := 0
	step := func(causes ...string) {
		f.note(causes)
		for _, c := range causes {
			if f.holds(c) {
				held++
			}
		}
	}
	for i := range pauseWindow - 1 {
		if step("often"); i%4 == 0 {
			step("seldom")
		}
	}
	if f.cases < pauseWindow {
		t.Fatal("the window is not full")
	}
	if len(alarms) != 1 || !strings.HasPrefix(alarms[0], "often") || held == 0 || f.held["often"] != held ||
		f.held["seldom"] != 0 {
		t.Fatalf("alarms %v, held %v", alarms, f.held)
	}
	for range pauseWindow * 3 / 4 {
		step()
	}
	before := held
	if step("often"); held != before {
		t.Error("still held when it is rare again")
	}
	for range pauseWindow {
		step("often")
	}
	if len(alarms) != 2 || held == before {
		t.Errorf("the second pause: %v", alarms)
	}
	never := newPauses(0, nil)
	for range 2 * pauseWindow {
		if never.note([]string{"x"}); never.holds("x") {
			t.Fatal("held though switched off")
		}
	}
}

// fakeReducer makes every case a minimal one of the text that it is told.
type fakeReducer struct {
	reduce func(ctx context.Context, f *finding.Record) (*Reduced, error)
	closed chan bool
}

func (r *fakeReducer) Reduce(ctx context.Context, f *finding.Record, _ []byte) (*Reduced, error) {
	return r.reduce(ctx, f)
}

func (r *fakeReducer) Close() error {
	select {
	case r.closed <- true:
	default: // it was closed before
	}
	return nil
}

const fakeCase = "txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- T0 --\nBEGIN;\n%s;\nCOMMIT;\n"

// reducing is a campaign that finds one thing in every case and reduces it to one of two.
func reducing(t *testing.T, dir string, cases int, reduce func(ctx context.Context, f *finding.Record) (*Reduced,
	error)) (cfg Config, r *fakeReducer) {
	t.Helper()
	cfg, _ = fakes(func(_ context.Context, n int) (*CaseResult, error) {
		res := result(n)
		res.Findings = []Found{found("a")}
		return res, nil
	})
	r = &fakeReducer{reduce, make(chan bool, 1)}
	cfg.Source.Count, cfg.MaxKept, cfg.ReduceTime, cfg.Store = cases, 2, time.Minute, database.In(dir)
	cfg.NewReducer = func(context.Context) (Reducer, error) { return r, nil }
	return cfg, r
}

func small(sql string) *Reduced {
	f := found("a")
	f.Files = map[string][]byte{finding.CaseFile: fmt.Appendf(nil, fakeCase, sql), "reduction.json": []byte("{}")}
	return &Reduced{Found: f, Minimal: true}
}

func TestReductions(t *testing.T) {
	dir := t.TempDir()
	cfg, r := reducing(t, dir, 100, func(_ context.Context, f *finding.Record) (*Reduced, error) {
		if f.Environment.Case%2 == 0 {
			return small("SELECT 1"), nil
		}
		return small("DELETE FROM t0"), nil
	})
	s, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	<-r.closed
	// More than wait in the queue at once are placed where they belong, or to the one bug of those that are not reduced.
	if s.Total() != 100 || len(s.Bugs) < 2 || len(s.Bugs) > 3 || len(s.Findings)+s.Repeats != 100 {
		t.Fatalf("%d findings, bugs %+v", s.Total(), s.Bugs)
	}
	var signatures []string
	for _, b := range s.Bugs {
		signatures = append(signatures, b.Signature)
	}
	if !slices.Contains(signatures, "a {read}") || !slices.Contains(signatures, "a {write}") || !s.Bugs[0].New {
		t.Errorf("%v", signatures)
	}
	dirs, _ := filepath.Glob(filepath.Join(dir, "finding-*"))
	kept := 0
	for _, b := range s.Bugs {
		kept += min(2, b.Count)
	}
	if len(dirs) != kept {
		t.Errorf("kept %v", dirs)
	}
	for _, d := range dirs {
		if _, err := os.Stat(filepath.Join(d, finding.ReducedDir)); err != nil && len(s.Bugs) == 3 {
			continue // of the bug of those that are not reduced
		}
		if rec, err := finding.ReadRecord(filepath.Join(d, finding.ReducedDir)); err != nil ||
			rec.Environment.DBMS != "fake" {
			t.Errorf("%+v, %v", rec, err)
		}
	}
}

// TestUnreduced: a finding that cannot be reduced, and may be a bug that was, is none of its own at the end, whichever
// comes first. Once that bug is known it is not reported either.
func TestUnreduced(t *testing.T) {
	for first, reports := range map[string]int{finding.ClassReplay: 1, finding.ClassIsolation: 2} {
		cfg, _ := reducing(t, t.TempDir(), 2, func(_ context.Context, f *finding.Record) (*Reduced, error) {
			if f.Class == finding.ClassIsolation {
				return nil, nil // it comes back too seldom
			}
			small := small("SELECT 1")
			small.Finding = f.Finding
			return small, nil
		})
		classes := []string{finding.ClassReplay, finding.ClassIsolation}
		if first == finding.ClassIsolation {
			slices.Reverse(classes)
		}
		cfg.NewWorker = func(context.Context, int) (Worker, error) {
			return &fakeWorker{func(_ context.Context, n int) (*CaseResult, error) {
				res, f := result(n), found(classes[n])
				f.Files = map[string][]byte{finding.CaseFile: fmt.Appendf(nil, fakeCase, "SELECT 1;\nDELETE FROM t0")}
				res.Findings = []Found{f}
				return res, nil
			}, new(int), new(sync.Mutex)}, nil
		}
		told := 0
		cfg.Report = func(FindingRef, *finding.Finding, bool) { told++ }
		s, err := Run(t.Context(), cfg)
		if bugs, unreduced := s.Told(); err != nil || bugs != 1 || unreduced != 1 || s.Total() != 2 ||
			s.Reported() == 0 || told != reports {
			t.Fatalf("%s first: %v, %d reports, %+v", first, err, told, s)
		}
		for _, b := range s.Bugs {
			if unreduced := len(b.MayBe) > 0; unreduced != strings.HasPrefix(b.Signature, finding.ClassIsolation) {
				t.Errorf("%s first: %+v", first, b)
			}
		}
	}
}

// TestReductionsFail checks that findings are placed as they are when they cannot be reduced, that each is tried with a
// new reducer, and that reductions go on however often they failed.
func TestReductionsFail(t *testing.T) {
	calls, opened := 0, 0
	cfg, r := reducing(t, t.TempDir(), 20, func(context.Context, *finding.Record) (*Reduced, error) {
		if calls++; calls > 19*reduceTries {
			return small("SELECT 1"), nil
		}
		return nil, errors.New("no room")
	})
	cfg.NewReducer = func(context.Context) (Reducer, error) { opened++; return r, nil }
	var notes []string
	cfg.Note = func(text string) { notes = append(notes, text) }
	s, err := Run(t.Context(), cfg)
	if err != nil || s.Total() != 20 || len(s.Bugs) != 2 || calls != 19*reduceTries+1 || opened != calls {
		t.Errorf("%v, %+v, %d calls, %d reducers", err, s.Bugs, calls, opened)
	}
	if len(notes) != 5 || !strings.Contains(notes[0], "no room") { // after 1, 2, 4, 8 and 16
		t.Errorf("notes %v", notes)
	}
}

// TestReductionsInterrupted checks that an interrupt ends a reduction, and that what was found is placed.
func TestReductionsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg, _ := reducing(t, t.TempDir(), 5, func(ctx context.Context, _ *finding.Record) (*Reduced, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s, err := Run(ctx, cfg)
	if err != nil || s.Total() == 0 || len(s.Bugs) != 1 {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestKilledCampaign leaves a store as a campaign leaves it that is killed while it reduces: the next one takes care of
// its finding, and counters go on. A store that another campaign uses is left alone.
func TestKilledCampaign(t *testing.T) {
	dir := t.TempDir()
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) { return result(n), nil })
	cfg.Source.Count, cfg.Store = 1, database.In(dir)
	f := found("a")
	f.Files[finding.CaseFile] = fmt.Appendf(nil, fakeCase, "SELECT 1")
	left := &finding.Record{ID: "finding-000007-0", Finding: f.Finding, Environment: finding.Environment{DBMS: "fake",
		Version: "1.0", Isolation: "serializable"}}
	dead := database.In(dir)
	if _, err := dead.Save(left, f.Files); err != nil {
		t.Fatal(err)
	}
	if s, err := Run(t.Context(), cfg); err != nil || len(s.Bugs) != 0 {
		t.Fatalf("while the other one lives: %v, %+v", err, s)
	}
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Run(t.Context(), cfg)
	if err != nil || len(s.Bugs) != 1 || s.Bugs[0].Dir != filepath.Join(dir, left.ID) {
		t.Fatalf("%v, %+v", err, s)
	}
	if s, err := Run(t.Context(), cfg); err != nil || len(s.Bugs) != 0 {
		t.Fatalf("placed twice: %v, %+v", err, s)
	}
	b, err := cfg.Store.Bugs()
	if err != nil || len(b.Bugs) != 1 || b.Bugs[0].Count != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, left.ID, finding.CaseFile)); err != nil {
		t.Error(err)
	}
}

func TestKnownAreCounted(t *testing.T) {
	cfg, _ := reducing(t, t.TempDir(), 10, func(context.Context, *finding.Record) (*Reduced, error) {
		return small("SELECT 1"), nil
	})
	cfg.Known = func(_ *finding.Finding, s finding.Signature) string {
		if s.Minimal { // only the reduced case tells
			return "k1"
		}
		return ""
	}
	s, err := Run(t.Context(), cfg)
	if err != nil || s.Known["k1"] != 10 || len(s.Bugs) != 0 {
		t.Errorf("%v, %+v", err, s)
	}
	if b, err := cfg.Store.Bugs(); err != nil || b.Known["k1"] != 10 {
		t.Errorf("%+v, %v", b, err)
	}
	if dirs, _ := filepath.Glob(cfg.Store.Where("finding-*")); len(dirs) > 0 {
		t.Errorf("kept %v", dirs)
	}
}

// TestAgain: what a campaign had no time to reduce is reduced first by the next one, once, and counted to the bug that
// it is.
func TestAgain(t *testing.T) {
	shows := func(class, sql string) func() *Reduced {
		return func() *Reduced {
			r := small(sql)
			r.Finding = found(class).Finding
			return r
		}
	}
	for _, tc := range []struct {
		name        string
		second      func() *Reduced // what the second reduction comes to
		bugs        string          // then
		told, tried string          // the bugs that the second and third campaign tell of, and the findings that they reduce
	}{
		{"another bug", shows(finding.ClassReplay, "SELECT 1"), "B1 open 2", "", "isolation-violation"},
		{"its own", shows(finding.ClassIsolation, "DELETE FROM t0"), "B1 open 1, B2 open 1", "B2", "isolation-violation"},
		{"too large", func() *Reduced { return nil }, "B1 open 1, B2 unreduced, may be B1 1", "", "isolation-violation"},
	} {
		dir := t.TempDir()
		first, _ := reducing(t, dir, 2, func(_ context.Context, f *finding.Record) (*Reduced, error) {
			if f.Class == finding.ClassIsolation {
				return nil, nil // there is no time
			}
			return shows(finding.ClassReplay, "SELECT 1")(), nil
		})
		first.NewWorker = func(context.Context, int) (Worker, error) {
			return &fakeWorker{func(_ context.Context, n int) (*CaseResult, error) {
				res, f := result(n), found([]string{finding.ClassReplay, finding.ClassIsolation}[n])
				f.Files = map[string][]byte{finding.CaseFile: fmt.Appendf(nil, fakeCase, "SELECT 1;\nDELETE FROM t0")}
				res.Findings = []Found{f}
				return res, nil
			}, new(int), new(sync.Mutex)}, nil
		}
		if _, err := Run(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		var told, tried []string
		for range 2 {
			next, _ := reducing(t, dir, 1, func(_ context.Context, f *finding.Record) (*Reduced, error) {
				tried = append(tried, f.Class)
				return tc.second(), nil
			})
			next.Again = true
			next.Report = func(ref FindingRef, _ *finding.Finding, _ bool) { told = append(told, ref.Bug) }
			next.NewWorker = func(context.Context, int) (Worker, error) {
				return &fakeWorker{func(_ context.Context, n int) (*CaseResult, error) { return result(n), nil }, new(int),
					new(sync.Mutex)}, nil
			}
			if _, err := Run(t.Context(), next); err != nil {
				t.Fatal(err)
			}
		}
		b, err := database.In(dir).Bugs()
		if err != nil {
			t.Fatal(err)
		}
		var bugs []string
		for _, g := range b.Bugs {
			bugs = append(bugs, fmt.Sprintf("%s %s %d", g.ID, g.State(), g.Count))
		}
		for what, got := range map[string][2]string{"bugs": {strings.Join(bugs, ", "), tc.bugs},
			"told": {strings.Join(told, " "), tc.told}, "tried": {strings.Join(tried, " "), tc.tried}} {
			if got[0] != got[1] {
				t.Errorf("%s: %s: %q, want %q", tc.name, what, got[0], got[1])
			}
		}
	}
}

// TestBrokenFinding: a finding that a killed campaign left and that cannot be read does not end the next one.
func TestBrokenFinding(t *testing.T) {
	dir := t.TempDir()
	cfg, _ := fakes(func(_ context.Context, n int) (*CaseResult, error) { return result(n), nil })
	cfg.Source.Count, cfg.Store = 1, database.In(dir)
	var notes []string
	cfg.Note = func(text string) { notes = append(notes, text) }
	for name, text := range map[string]string{"finding-000001-0": "", "finding-000002-0": "{",
		"finding-000003-0": `{"format": 99}`} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, finding.RecordFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Run(t.Context(), cfg)
	if err != nil || s.CasesClean != 1 || len(notes) != 3 {
		t.Errorf("%v, %+v, %q", err, s, notes)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "quarantine", "finding-*")); len(left) != 3 {
		t.Errorf("in quarantine: %v", left)
	}
}

// TestTellsWhatIsItsOwn: a bug that might have been another one, of which nobody was told, is told once one of its
// findings can be none of these.
func TestTellsWhatIsItsOwn(t *testing.T) {
	told := map[string]int{}
	r := &run{sum: &Summary{}, cfg: Config{Store: &store.Memory{},
		Report: func(ref FindingRef, _ *finding.Finding, _ bool) { told[ref.Bug]++ }}}
	met := func(id string, sigs ...finding.Signature) {
		g := &finding.Bug{ID: id, DBMS: "sqlite", Status: finding.StatusOpen, Signature: sigs[0]}
		for _, s := range sigs {
			g.Kept = append(g.Kept, finding.Kept{Signature: s})
		}
		r.count(g, true, FindingRef{Bug: id}, &finding.Record{})
	}
	minimal := finding.Signature{Coarse: "replay-difference/SELECT:rows", Features: []string{"SELECT"}, Minimal: true}
	large := finding.Signature{Coarse: "replay-difference/final", Features: []string{"SELECT", "where"}}
	other := finding.Signature{Coarse: "replay-difference/final", Features: []string{"DELETE"}, Minimal: true}
	met("B1", minimal)
	met("B2", large)
	met("B2", large, large)
	if bugs, unreduced := r.sum.Told(); told["B1"] != 1 || told["B2"] != 0 || bugs != 1 || unreduced != 1 {
		t.Fatalf("told %v, %s", told, finding.CountBugs(bugs, unreduced))
	}
	met("B2", large, other)
	met("B2", large, other)
	if bugs, unreduced := r.sum.Told(); told["B1"] != 1 || told["B2"] != 1 || bugs != 2 || unreduced != 0 {
		t.Fatalf("told %v, %s", told, finding.CountBugs(bugs, unreduced))
	}
}

// explained is a store whose bugs are what somebody has made of them meanwhile.
type explained struct {
	store.Memory
	bugs *finding.Bugs
}

func (e *explained) Bugs() (*finding.Bugs, error) { return e.bugs, nil }

// TestTellsAtTheEnd: a group that might have been a bug is told, once, where the end of the campaign finds that nothing
// explains it any more: that bug was settled meanwhile, or is another one.
func TestTellsAtTheEnd(t *testing.T) {
	var told []string
	s := &explained{bugs: &finding.Bugs{Bugs: []*finding.Bug{{ID: "B1", Status: finding.StatusInvalid},
		{ID: "B2", Status: finding.StatusOpen}, {ID: "B3", Status: finding.StatusOpen, MayBe: []string{"B4"}}}}}
	r := &run{sum: &Summary{}, cfg: Config{Store: s,
		Report: func(ref FindingRef, f *finding.Finding, _ bool) { told = append(told, ref.Bug+": "+f.Summary) }}}
	minimal := finding.Signature{Coarse: "replay-difference/SELECT:rows", Features: []string{"SELECT"}, Minimal: true}
	large := finding.Signature{Coarse: "replay-difference/final", Features: []string{"SELECT", "where"}}
	r.count(&finding.Bug{ID: "B1", DBMS: "sqlite", Status: finding.StatusOpen, Signature: minimal}, true,
		FindingRef{Bug: "B1"}, &finding.Record{Finding: finding.Finding{Summary: "reduced"}})
	for _, id := range []string{"B2", "B3"} {
		r.count(&finding.Bug{ID: id, DBMS: "sqlite", Status: finding.StatusOpen, Signature: large}, true,
			FindingRef{Bug: id}, &finding.Record{Finding: finding.Finding{Summary: "large"}})
	}
	for range 2 {
		if err := r.explain(); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"B1: reduced", "B2: large"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
