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

// TestLiterals: the files of a finding are named in its room; everybody else asks it.
func TestLiterals(t *testing.T) {
	sources(t, func(path string, set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err == nil && slices.Contains(findingFiles, text) && !strings.Contains(path, "../finding/") {
				t.Errorf("%s: %q is a file of a finding: name it as package finding does", set.Position(lit.Pos()), text)
			}
			return true
		})
	})
}
