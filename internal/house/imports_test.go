package house

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the tables of testdata/imports.md and docs/findings/README.md anew")

// TestImportTable holds the table of testdata/imports.md to what go list says.
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
				fmt.Fprintf(&table, "| %d | `%s` | `%s` |\n", layer, room, strings.Join(others, "`, `"))
			}
		}
	}
	replaceTable(t, filepath.Join("testdata", "imports.md"), head, table.String(), "ImportTable")
}
