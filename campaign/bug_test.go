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
	"txweave/finding"
)

// TestUpdateTogether lets several writers count in one store at once: none may lose another's.
func TestUpdateTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := &Store{Dir: dir} // as another process would
			for range 25 {
				if err := s.Update(func(b *finding.Bugs) error { b.Known["k"]++; return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := &Store{Dir: dir}
	b, err := s.Bugs()
	if err != nil || b.Known["k"] != 100 {
		t.Errorf("%+v, %v", b, err)
	}
	boom := errors.New("boom")
	if err := s.Update(func(b *finding.Bugs) error { b.Known["k"] = 0; return boom }); !errors.Is(err, boom) {
		t.Error(err)
	}
	if b, _ := s.Bugs(); b.Known["k"] != 100 {
		t.Error("a change that failed was written")
	}
}

func TestFlood(t *testing.T) {
	var alarms []string
	f := newFlood(50, func(cause string, cases int) { alarms = append(alarms, fmt.Sprint(cause, cases)) })
	held := 0
	step := func(causes ...string) {
		f.note(causes)
		for _, c := range causes {
			if f.holds(c) {
				held++
			}
		}
	}
	for i := range floodWindow - 1 {
		if step("often"); i%4 == 0 {
			step("seldom")
		}
	}
	if f.cases < floodWindow {
		t.Fatal("the window is not full")
	}
	if len(alarms) != 1 || !strings.HasPrefix(alarms[0], "often") || held == 0 || f.held["often"] != held || f.held["seldom"] != 0 {
		t.Fatalf("alarms %v, held %v", alarms, f.held)
	}
	for range floodWindow * 3 / 4 {
		step()
	}
	before := held
	if step("often"); held != before {
		t.Error("still held when it is rare again")
	}
	for range floodWindow {
		step("often")
	}
	if len(alarms) != 2 || held == before {
		t.Errorf("the second flood: %v", alarms)
	}
	never := newFlood(0, nil)
	for range 2 * floodWindow {
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

func (r *fakeReducer) Close() error { close(r.closed); return nil }

const fakeCase = "txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- T0 --\nBEGIN;\n%s;\nCOMMIT;\n"

// reducing is a campaign that finds one thing in every case and reduces it to one of two.
func reducing(t *testing.T, dir string, cases int, reduce func(ctx context.Context, f *finding.Record) (*Reduced, error)) (cfg Config, r *fakeReducer) {
	t.Helper()
	cfg, _ = fakes(func(_ context.Context, n int) (*CaseResult, error) {
		res := result(n)
		res.Findings = []Found{found("a")}
		return res, nil
	})
	r = &fakeReducer{reduce, make(chan bool)}
	cfg.Cases, cfg.MaxKept, cfg.ReduceTime, cfg.Store = cases, 2, time.Minute, &Store{Dir: dir}
	cfg.NewReducer = func(context.Context) (Reducer, error) { return r, nil }
	return cfg, r
}

func small(sql string) *Reduced {
	f := found("a")
	f.Files = map[string][]byte{caseFile: fmt.Appendf(nil, fakeCase, sql), "reduction.json": []byte("{}")}
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
	if len(dirs) != 4 {
		t.Errorf("kept %v", dirs)
	}
	for _, d := range dirs {
		if rec, err := finding.ReadRecord(filepath.Join(d, ReducedDir)); err != nil || rec.Environment.DBMS != "fake" {
			t.Errorf("%+v, %v", rec, err)
		}
	}
}

// TestReductionsFail checks that findings are placed as they are when they cannot be reduced.
func TestReductionsFail(t *testing.T) {
	calls := 0
	cfg, _ := reducing(t, t.TempDir(), 20, func(context.Context, *finding.Record) (*Reduced, error) { calls++; return nil, errors.New("no room") })
	var notes []string
	cfg.Note = func(text string) { notes = append(notes, text) }
	s, err := Run(t.Context(), cfg)
	if err != nil || s.Total() != 20 || len(s.Bugs) != 1 || calls != maxFaults {
		t.Errorf("%v, %+v, %d calls", err, s.Bugs, calls)
	}
	if len(notes) != maxFaults+1 || !strings.Contains(notes[0], "no room") {
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
	cfg.Cases, cfg.Store = 1, &Store{Dir: dir}
	f := found("a")
	f.Files[caseFile] = fmt.Appendf(nil, fakeCase, "SELECT 1")
	left := &finding.Record{ID: "finding-000007-0", Finding: f.Finding, Environment: finding.Environment{DBMS: "fake", Version: "1.0", Isolation: "serializable"}}
	dead := &Store{Dir: dir}
	if _, err := dead.Save(left, f.Files); err != nil {
		t.Fatal(err)
	}
	if s, err := Run(t.Context(), cfg); err != nil || len(s.Bugs) != 0 {
		t.Fatalf("while the other one lives: %v, %+v", err, s)
	}
	dead.leave()
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
	if _, err := os.Stat(filepath.Join(dir, left.ID, caseFile)); err != nil {
		t.Error(err)
	}
}

func TestKnownAreCounted(t *testing.T) {
	cfg, _ := reducing(t, t.TempDir(), 10, func(context.Context, *finding.Record) (*Reduced, error) { return small("SELECT 1"), nil })
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
	if dirs, _ := filepath.Glob(filepath.Join(cfg.Store.Dir, "finding-*")); len(dirs) > 0 {
		t.Errorf("kept %v", dirs)
	}
}
