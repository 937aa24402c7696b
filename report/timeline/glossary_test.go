package timeline

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"txweave/fault"
)

// TestGlossary: docs/reading.md explains every word by which a finding names what is wrong, in the sentence of its title. The
// table is written by -rewrite.
func TestGlossary(t *testing.T) {
	const path, begin, end = "../../docs/reading.md", "| what is wrong | as a sentence |\n| --- | --- |\n", "\n## "
	var table strings.Builder
	for _, e := range fault.All() {
		told := strings.NewReplacer("{sees}", "a statement sees", "{stmt}", "a statement").Replace(e.Title)
		if e.Called != "" {
			told = e.Called + ": " + told
		}
		fmt.Fprintf(&table, "| `%s` | %s |\n", e.Kind, told)
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
