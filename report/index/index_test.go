package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"txweave/finding"
)

// TestWrite writes the page of three bugs: two that one case shows, one of them with a page, and one that is settled.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	small := filepath.Join(dir, "finding-000001-0", finding.ReducedDir)
	if err := os.MkdirAll(filepath.Dir(small), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(small, os.DirFS("../testdata/findings/write_skew")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(small, finding.PageFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(seed uint64, n int) finding.Origin { return finding.Origin{Seed: seed, Case: n} }
	seen := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	b := &finding.Bugs{Known: map[string]int{"shop-17": 4}, Bugs: []*finding.Bug{
		{ID: "B1", DBMS: "mariadb", Status: finding.StatusOpen, Title: "SELECT returns <b>", Count: 7,
			Versions: []string{"10.11"}, Isolations: []string{"read-committed"},
			First: seen, Last: seen, Kept: []finding.Kept{{Dir: "finding-000001-0", Origin: at(1, 5)},
				{Dir: "..", Origin: at(1, 9)}}},
		{ID: "B2", DBMS: "mariadb", Status: finding.StatusOpen, Summary: "written before titles", Count: 1,
			Kept: []finding.Kept{{Dir: "finding-000001-1", Origin: at(1, 5)}}},
		{ID: "B3", DBMS: "mariadb", Status: finding.StatusFixed, FixedIn: "11.4", Title: "gone",
			Kept: []finding.Kept{{Dir: "finding-000001-2", Origin: at(1, 5)}}},
	}}
	out, err := Write(dir, b)
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for _, want := range []string{`<a href="finding-000001-0/reduced/timeline.html">SELECT returns &lt;b&gt;</a>`,
		"written before titles", "READ COMMITTED", "2026-11-21 03:00",
		"B1, B2 show in the same case (seed 1, case 5)", "shop-17 4", "fixed in 11.4", "4 in 2 transactions"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "B1, B2, B3") || strings.Contains(text, "<b>\n") || strings.Index(text, "Settled") >
		strings.Index(text, "gone") {
		t.Errorf("a settled bug stands among the open ones:\n%s", text)
	}
	if len(Merges(&finding.Bugs{Bugs: b.Bugs[:1]})) > 0 {
		t.Error("a bug is to be merged with itself")
	}
}
