package timeline

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/oracle/isolation"
)

// TestGlossary: docs/reading.md explains every word by which a finding names what is wrong, in the sentence of its title. The
// table is written by -rewrite.
func TestGlossary(t *testing.T) {
	const path, begin, end = "../../docs/reading.md", "| what is wrong | as a sentence |\n| --- | --- |\n", "\n## "
	var table strings.Builder
	for _, told := range []map[string]wording{phenomena, faults} {
		for _, name := range slices.Sorted(maps.Keys(told)) {
			w := told[name]
			said := strings.NewReplacer("{sees}", "a statement sees", "{stmt}", "a statement").Replace(w.title)
			if w.name != "" {
				said = w.name + ": " + said
			}
			fmt.Fprintf(&table, "| `%s` | %s |\n", name, said)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	if !ok {
		t.Fatalf("%s has no table that begins with\n%s", path, begin)
	}
	_, after, _ := strings.Cut(rest, end)
	if now := before + begin + table.String() + end + after; now != string(text) {
		if flag.Lookup("rewrite").Value.String() != "true" {
			t.Fatalf("%s does not explain what findings say (go test ./report/timeline -run Glossary -rewrite):\n%s", path, table.String())
		}
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestToldAll: whatever the oracles name has a sentence.
func TestToldAll(t *testing.T) {
	named := regexp.MustCompile(`(?:What:\s*|\bodd\(s, |\bwhat :?= |string\(\w+\) ?\+ ?|^\s*[A-Z]\w+ +(?:[A-Z]\w+ )?= )":?([a-z][a-z]+-[a-z -]+)"`)
	n := 0
	err := filepath.WalkDir("../../oracle", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			m := named.FindStringSubmatch(line)
			if m == nil || slices.Contains([]string{"consistent-read", "mutual-exclusion", "first-updater-wins", "serialization-certifier"}, m[1]) {
				continue // the mechanism, in front of what did not hold
			}
			n++
			if _, ok := tell(m[1]); !ok {
				t.Errorf("%s: no sentence for %s", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const least = 25
	if n < least {
		t.Errorf("%d names found in the oracles, expected at least %d", n, least)
	}
	if _, ok := tell(string(fault.G2Item) + isolation.ThroughSearch); !ok {
		t.Error("no sentence for a phenomenon through a search")
	}
}
