package guide

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/testcase"
)

// TestTrim: a case of the corpus loses the statements and transactions without which it still shows what was new in it, and what lies on
// the disk with it; what stands before and behind a trimming is the campaign of always, and a case that shows it no more never comes in.
func TestTrim(t *testing.T) {
	effort.Full(t)
	dir := t.TempDir()
	store, err := OpenCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	g, src := guideOf(t, "sqlite", "serializable")
	g.store = store
	const telling = ShapeError + " told"
	shows := func(c *testcase.Case) bool {
		for _, x := range c.Txns {
			for _, st := range x.Stmts {
				if strings.HasPrefix(st.SQL, "UPDATE ") {
					return true
				}
			}
		}
		return false
	}
	statements := func(c *testcase.Case) (n int) {
		for _, x := range c.Txns {
			n += len(x.Stmts)
		}
		return n
	}
	first, steps := 0, 0
	for n := range 2000 {
		text := g.Next(n)
		c, err := src.Make(n)
		if text != nil {
			c, err = testcase.Parse("mutant.txw", text)
		}
		if err != nil {
			t.Fatal(err)
		}
		var shapes []string
		if keeps := g.Keeps(n); keeps != nil {
			if steps++; len(keeps) != 1 || keeps[0] != telling || !strings.HasSuffix(c.Option(optionMutated), operatorTrim) {
				t.Fatalf("%q are kept by\n%s", keeps, text)
			}
			judgeable(t, g, src, c)
			if shows(c) {
				shapes = keeps
			}
		} else if len(g.corpus) == 0 && shows(c) && statements(c) > 6 {
			first, shapes = statements(c), []string{telling}
		}
		if err := g.Learn(n, Lesson{Shapes: shapes, Judged: true}); err != nil {
			t.Fatal(err)
		}
	}
	if len(g.corpus) != 1 || !shows(g.corpus[0].c) || statements(g.corpus[0].c) >= first || g.Tally().Trimmed == 0 {
		t.Fatalf("of %d statements the case keeps\n%s", first, g.corpus[0].c.Print())
	}
	if steps == 0 || steps > trimAttempts {
		t.Errorf("%d steps", steps)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txw"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if kept, err := os.ReadFile(files[0]); err != nil || string(kept) != string(g.corpus[0].c.Print()) {
		t.Errorf("%v; on the disk lies\n%s", err, kept)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}
