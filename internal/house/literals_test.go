package house

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"txweave/finding"
)

// findingFiles are the names of the files in a finding's directory: finding has their one writer and reader.
var findingFiles = []string{finding.RecordFile, finding.CaseFile, finding.TraceFile, finding.ReplayFile,
	finding.ObservationFile, finding.GraphFile,
	finding.DrawingFile, finding.LogFile, finding.StacksFile, finding.ReductionFile, finding.StormFile, finding.PageFile}

// dbmsNames are those of the DBMSs, each of which has a folder of its own.
var dbmsNames = []string{"sqlite", "mariadb", "mysql", "tidb", "postgresql"}

// otherwise are files that may name a DBMS all the same: what they name so is something else, and what.
var otherwise = map[string]string{
	"campaign/database/database.go": "the driver of the campaign's own store",
	"campaign/database/shared.go":   "URLs of campaigns' stores",
	"report/export/export.go":       "what a format of exports was called",
	"testcase/importer/script.go":   "a database of the server's own",
}

// TestLiterals: the files of a finding, and the DBMSs, are named in their rooms; everybody else asks these.
func TestLiterals(t *testing.T) {
	seen := map[string]bool{}
	sources(t, func(path string, set *token.FileSet, file *ast.File) {
		at := path[strings.LastIndex(path, "../")+1:]
		at = strings.TrimPrefix(at, "./")
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				return true
			}
			if slices.Contains(findingFiles, text) && !strings.HasPrefix(at, "finding/") {
				t.Errorf("%s: %q is a file of a finding: name it as package finding does", set.Position(lit.Pos()), text)
			}
			if slices.Contains(dbmsNames, text) && !strings.HasPrefix(at, "dbms/") && !strings.HasPrefix(at,
				"internal/testkit/") && !strings.HasPrefix(at, "bench/") {
				if _, known := otherwise[at]; !known {
					t.Errorf("%s: %q belongs into the DBMS's folder", set.Position(lit.Pos()), text)
				}
				seen[at] = true
			}
			return true
		})
	})
	for at := range otherwise {
		if !seen[at] {
			t.Errorf("%s names no DBMS any more", at)
		}
	}
}
