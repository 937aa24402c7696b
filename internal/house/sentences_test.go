package house

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// read are the functions that take a text apart, by package.
var read = map[string][]string{
	"strings": {"Cut", "CutPrefix", "CutSuffix", "HasPrefix", "HasSuffix", "Contains", "Index", "Split", "SplitN",
		"SplitSeq", "Fields", "TrimPrefix", "TrimSuffix"},
	"fmt": {"Sscan", "Sscanf", "Sscanln"},
}

// told are the methods and fields of findings that hold sentences for people.
var told = []string{"Detail", "Summary", "Title", "Told", "Explanation"}

// TestNoSentenceIsRead: what a finding says for people is read by nobody: whoever wants to know asks the data. (Texts
// of databases are another matter.)
func TestNoSentenceIsRead(t *testing.T) {
	const searched = "campaign/bugs/filter.go" // for what a person asks for
	sources(t, func(path string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, searched) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !reads(call) {
				return true
			}
			for _, arg := range call.Args {
				if name := sentenceOf(arg); name != "" {
					t.Errorf("%s: it takes %s apart, a sentence for people", set.Position(call.Pos()), name)
				}
			}
			return true
		})
	})
}

// reads says whether a call takes a text apart: one of those functions, or a regular expression's.
func reads(call *ast.CallExpr) bool {
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if pkg, ok := fn.X.(*ast.Ident); ok && slices.Contains(read[pkg.Name], fn.Sel.Name) {
		return true
	}
	return slices.Contains([]string{"MatchString", "FindString", "FindStringSubmatch", "FindAllString",
		"FindAllStringSubmatch"}, fn.Sel.Name)
}

// sentenceOf is the name of the sentence that an expression is, or is made of; "" where it is none.
func sentenceOf(x ast.Expr) (name string) {
	ast.Inspect(x, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(told, s.Sel.Name) {
			name = s.Sel.Name
		}
		return name == ""
	})
	return name
}
