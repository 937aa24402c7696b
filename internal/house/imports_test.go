package house

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the table of imports in docs/architecture.md anew")

// TestImportTable holds the table of docs/architecture.md to what go list says.
func TestImportTable(t *testing.T) {
	sees := map[string]map[string]bool{}
	for _, m := range packages(t) {
		pkg, _ := own(m.ImportPath)
		room, _ := place(pkg)
		if room == "" {
			continue // TestImports says so
		}
		if sees[room] == nil {
			sees[room] = map[string]bool{}
		}
		for _, path := range m.Imports {
			if to, ours := own(path); ours {
				if other, _ := place(to); other != room {
					sees[room][other] = true
				}
			}
		}
	}
	const head = "| layer | room | sees |\n| --- | --- | --- |\n"
	var table strings.Builder
	table.WriteString(head)
	for layer, rooms := range layers {
		for _, room := range rooms {
			if others := slices.Sorted(maps.Keys(sees[room])); len(others) > 0 {
				fmt.Fprintf(&table, "| %d | `%s` | %s |\n", layer, room, strings.Join(others, ", "))
			}
		}
	}
	path := filepath.Join("..", "..", "docs", "architecture.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), head)
	if !ok {
		t.Fatal("docs/architecture.md has no table of imports")
	}
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	now := before + table.String() + rest
	if now == string(text) {
		return
	}
	if !*rewrite {
		t.Fatalf("docs/architecture.md does not say who imports what (go test ./internal/house -run ImportTable "+
			"-rewrite):\n%s", table.String())
	}
	if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}
