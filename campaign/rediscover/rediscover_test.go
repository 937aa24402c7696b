package rediscover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"txweave/campaign"
	"txweave/finding"
	"txweave/finding/known"
)

// TestBugsToRediscover: the lists that the repository keeps can be read, and each bug is of one DBMS.
func TestBugsToRediscover(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "bench", "rediscover", "*.toml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		bugs, err := known.Read(t.Context(), path)
		if err != nil {
			t.Error(err)
		}
		for _, b := range bugs {
			if b.DBMS == "" || b.Title == "" {
				t.Errorf("%s: %s does not say of what it is a bug", path, b.Name)
			}
		}
	}
}

// TestFirstOf: what a bug's reduced case must have is looked for in cases that are reduced to the end, and there it is
// found.
func TestFirstOf(t *testing.T) {
	bugs, err := known.Read(t.Context(), filepath.Join("..", "..", "bench", "rediscover", "tidb-6.1.1.toml"))
	if err != nil {
		t.Fatal(err)
	}
	const record = `{"format": 1, "id": "x", "class": "replay-difference", "oracle": "replay", "signature": "replay-difference/SELECT:rows",
		"differences": [{"stmt": "T0.S0", "kind": "SELECT", "what": "rows"}], "environment": {"dbms": "tidb", "version": "8.0.11-TiDB-v6.1.1", "case": %d}}`
	const text = "txweave case 1\ntarget: tidb\nisolation: repeatable-read\n\n-- schema --\n" +
		"CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);\n\n" +
		"-- T0 --\nBEGIN;\nSELECT pkey, vkey FROM t0 ORDER BY pkey%s;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"
	dir := t.TempDir()
	for i, f := range []struct{ order, stop string }{{" DESC", "time"}, {"", "fixpoint"}, {" DESC", "fixpoint"},
		{" DESC", ""}} {
		at := filepath.Join(dir, fmt.Sprintf("finding-%06d-0", i))
		files := map[string]string{"finding.json": fmt.Sprintf(record, i), "case.txw": fmt.Sprintf(text, f.order)}
		if f.stop != "" {
			files["reduced/finding.json"], files["reduced/case.txw"] = files["finding.json"], files["case.txw"]
			files["reduced/reduction.json"] = fmt.Sprintf(`{"stop": %q}`, f.stop)
		}
		for name, content := range files {
			path := filepath.Join(at, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err !=
				nil {
				t.Fatal(err)
			}
		}
	}
	l := &looker{Result: &Result{}, bugs: bugs, tries: map[string]int{}, met: map[string]int{}}
	if err := l.through(t.Context(), dir); err != nil || len(l.met) != 1 || l.met["tidb-30361"] != 2 || len(l.Others) !=
		1 || l.Others[0].Count != 2 || l.Alike != 1 {
		t.Errorf("met %v, others %+v, %v; want tidb-30361 in case 2, two others and one alike", l.met, l.Others, err)
	}
	// What may be the bug is reduced, in the order of the cases, until one is; what cannot be, is not.
	fake := &fakeReducer{files: map[string]string{"case.txw": fmt.Sprintf(text, " DESC"),
		"reduction.json": `{"stop": "fixpoint"}`}}
	l = &looker{Result: &Result{}, bugs: bugs, tries: map[string]int{}, met: map[string]int{},
		open: func(context.Context) (campaign.Reducer, error) { return fake, nil }}
	again := filepath.Join(dir, "finding-000003-0")
	for _, none := range []string{filepath.Join(dir, "finding-000000-0"), filepath.Join(dir, "finding-000002-0")} {
		if err := os.RemoveAll(none); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "finding-000004-0"), os.DirFS(again)); err != nil {
		t.Fatal(err)
	}
	if err := l.through(t.Context(), dir); err != nil || l.met["tidb-30361"] != 3 || fake.reduced != 1 ||
		l.Others[0].Count != 1 || l.Alike != 1 {
		t.Errorf("met %v after %d reductions, others %+v, %v; want tidb-30361 in case 3 after one, one other and one alike",
			l.met, fake.reduced, l.Others, err)
	}
	// A reducer that cannot be opened, as where the command is interrupted, is none to be closed.
	interrupted := errors.New("interrupted")
	l = &looker{Result: &Result{}, bugs: bugs, tries: map[string]int{}, met: map[string]int{},
		open: func(context.Context) (campaign.Reducer, error) { return (*fakeReducer)(nil), interrupted }}
	d, err := finding.Open(again)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.reduce(t.Context(), d); !errors.Is(err, interrupted) || l.reducer != nil {
		t.Errorf("with a reducer that cannot be opened: %v, reducer %v", err, l.reducer)
	}
}

// fakeReducer reduces every finding to the same files.
type fakeReducer struct {
	files   map[string]string
	reduced int
}

func (r *fakeReducer) Reduce(_ context.Context, f *finding.Record, _ []byte) (*campaign.Reduced, error) {
	r.reduced++
	small := &campaign.Reduced{Minimal: true}
	small.Finding, small.Files = f.Finding, map[string][]byte{}
	for name, text := range r.files {
		small.Files[name] = []byte(text)
	}
	return small, nil
}

func (r *fakeReducer) Close() error { return nil }
