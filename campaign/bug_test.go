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

	"txweave/finding/triage"
)

func sig(coarse string, minimal bool, features ...string) triage.Signature {
	return triage.Signature{Coarse: coarse, Features: features, Minimal: minimal}
}

func record(dbms, version string) *finding.Record {
	return &finding.Record{Finding: finding.Finding{Class: "c", Summary: "s"}, Environment: finding.Environment{DBMS: dbms, Version: version, Isolation: "rr"}}
}

// TestPlace places findings one after the other and checks to which bug each is counted.
func TestPlace(t *testing.T) {
	b := &Bugs{}
	now := time.Unix(1, 0)
	for i, tc := range []struct {
		dbms string
		sig  triage.Signature
		want string
	}{
		{"x", sig("a", false, "join", "write"), "B1"},          // nothing is known yet
		{"x", sig("a", false, "case", "write"), "B1"},          // not reduced: all of one coarse signature together
		{"x", sig("a", true, "join"), "B2"},                    // reduced: by what it needs
		{"x", sig("a", true, "join"), "B2"},                    // again
		{"x", sig("a", true, "write"), "B3"},                   // another bug: it needs no join
		{"y", sig("a", true, "join"), "B4"},                    // another DBMS
		{"x", sig("b", true, "join"), "B5"},                    // another coarse signature
		{"x", sig("a", true, "join", "write"), "B2"},           // a join that stands in something
		{"x", sig("a", true, "order", "write"), "B6"},          // nothing that tells is common
		{"x", sig("a", false, "case", "order", "write"), "B6"}, // not reduced: the most specific one that it covers
		{"x", sig("a", false, "join"), "B2"},
		{"x", sig("a", false, "case"), "B1"}, // it covers none
		{"x", sig("a", true), "B7"},
		{"x", sig("a", false, "case"), "B7"},
		{"x", sig("a", true, "order"), "B6"},           // it needs less than was thought …
		{"x", sig("a", true, "having", "order"), "B6"}, // … so this is one of them
	} {
		g, fresh := b.Place(record(tc.dbms, "1.0"), tc.sig, now)
		if g.ID != tc.want || fresh != (g.Count == 1) {
			t.Errorf("finding %d: %s, want %s", i, g.ID, tc.want)
		}
	}
}

func TestPlaceSettled(t *testing.T) {
	b := &Bugs{}
	now := time.Unix(1, 0)
	place := func(version string, s triage.Signature) *Bug {
		g, _ := b.Place(record("x", version), s, now)
		return g
	}
	one, two, three := sig("a", true, "join"), sig("a", true, "case"), sig("a", true, "order")
	place("10.2", one)
	place("10.2", two)
	place("10.2", three)
	if _, err := b.Duplicate("B2", "B1"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Duplicate("B3", "B2"); err != nil {
		t.Fatal(err)
	}
	if g := place("10.2", three); g.ID != "B1" {
		t.Errorf("a duplicate's duplicate is counted to %s", g.ID)
	}
	for _, ids := range [][2]string{{"B1", "B2"}, {"B1", "B3"}, {"B1", "B1"}, {"B1", "B9"}, {"B9", "B1"}} {
		if _, err := b.Duplicate(ids[0], ids[1]); err == nil {
			t.Errorf("%v: no error", ids)
		}
	}
	g, _ := b.Find("B1")
	g.Settle(Fixed, "")
	g.FixedIn = "10.11.3"
	if place("10.2.99-MariaDB", one); g.Status != Fixed {
		t.Error("opened again by an older version")
	}
	if place("10.11.3-MariaDB", one); g.Status != Open || !strings.Contains(g.Note, "fixed in 10.11.3") || g.FixedIn != "" {
		t.Errorf("not opened again: %+v", g)
	}
	if !slices.Equal(g.Versions, []string{"10.11.3-MariaDB", "10.2", "10.2.99-MariaDB"}) || g.Count != 4 {
		t.Errorf("%+v", g)
	}
	g.Settle(Invalid, "documented")
	if place("10.2", one); g.Count != 5 || g.Status != Invalid {
		t.Errorf("%+v", g)
	}
	if g := place("10.2", sig("a", false, "case", "join")); g.ID == "B1" {
		t.Error("a finding that is not reduced vanishes in a bug that is none")
	}
}

// TestKeep checks that a variant takes the place of a finding that says nothing new.
func TestKeep(t *testing.T) {
	g := &Bug{}
	for i, tc := range []struct {
		sig  triage.Signature
		gone string
		kept bool
	}{
		{sig("a", true, "x"), "", true}, {sig("a", true, "x"), "", true}, {sig("a", true, "x"), "", false},
		{sig("a", true, "x", "y"), "1", true}, {sig("a", true, "x", "y"), "", false}, {sig("a", true, "x", "z"), "", false},
	} {
		gone, kept := g.keep(Kept{Dir: fmt.Sprint(i), Signature: tc.sig}, 2)
		if gone != tc.gone || kept != tc.kept {
			t.Errorf("%d: %q, %v", i, gone, kept)
		}
	}
	if len(g.Kept) != 2 || g.Kept[0].Dir != "0" || g.Kept[1].Dir != "3" {
		t.Errorf("%+v", g.Kept)
	}
}

func TestMergeSplit(t *testing.T) {
	b := &Bugs{}
	one, two := sig("a", true, "join"), sig("b", true, "case")
	for i, s := range []triage.Signature{one, two, two} {
		g, _ := b.Place(record("x", "1.0"), s, time.Unix(int64(i), 0))
		g.Kept = append(g.Kept, Kept{Dir: fmt.Sprint("finding-", i), Signature: s})
	}
	g, err := b.Merge("B1", []string{"B2"})
	if err != nil || g.Count != 3 || len(g.Kept) != 3 || len(b.Bugs) != 1 || g.Last != time.Unix(2, 0) {
		t.Fatalf("%+v, %v", g, err)
	}
	if again, fresh := b.Place(record("x", "1.0"), two, time.Unix(9, 0)); again != g || fresh {
		t.Error("what was merged comes back as a new bug")
	}
	split, err := b.Split("B1", "finding-1")
	if err != nil || split.ID != "B3" || split.Count != 1 || g.Count != 3 || len(g.Also) != 0 {
		t.Fatalf("%+v, %+v, %v", split, g, err)
	}
	if again, _ := b.Place(record("x", "1.0"), two, time.Unix(9, 0)); again != split {
		t.Errorf("findings of what was split off go to %s", again.ID)
	}
	for _, dir := range []string{"finding-1", "finding-9"} {
		if _, err := b.Split("B1", dir); err == nil {
			t.Errorf("%s split twice", dir)
		}
	}
	if _, err := b.Split("B3", "finding-1"); err == nil {
		t.Error("a bug was split into nothing and itself")
	}
	if _, err := b.Merge("B1", []string{"B9"}); err == nil {
		t.Error("merged with nothing")
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"10.11.19-MariaDB", "10.11.3", 1}, {"10.11", "10.11.0", -1}, {"9.7.4", "11.8", -1}, {"8.0.36-debug", "8.0.36", 0}, {"x", "1", -1}} {
		if got := CompareVersions(tc.a, tc.b); got != tc.want {
			t.Errorf("%s and %s: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

// TestUpdateTogether lets several writers count in one store at once: none may lose another's.
func TestUpdateTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := &Store{Dir: dir} // as another process would
			for range 25 {
				if err := s.Update(func(b *Bugs) error { b.Known["k"]++; return nil }); err != nil {
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
	if err := s.Update(func(b *Bugs) error { b.Known["k"] = 0; return boom }); !errors.Is(err, boom) {
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
	cfg.Known = func(_ *finding.Finding, s triage.Signature) string {
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
