package house

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// steps are the words with which the steps of findings are said: finding.Say's first argument, and what is handed to
// functions that hand it on.
type steps struct {
	t     *testing.T
	said  []string
	sayer map[saying]bool
	calls []stepCall
}

// saying is a function of a package, or a method, whose name begins with a dot: its argument at a place is the words
// of a step.
type saying struct {
	dir, name string
	at        int
}

// stepCall is a call, with the function that it stands in.
type stepCall struct {
	dir  string
	set  *token.FileSet
	in   *ast.FuncDecl
	call *ast.CallExpr
}

// TestStepsHaveConstantWords: what is particular to a finding stands in the typed places of its steps: their words are
// constants, which have no numbers. So the words of a step are its name, too, in files and for whoever wants to say it
// otherwise, and there is a finite list of them, testdata/steps.txt.
func TestStepsHaveConstantWords(t *testing.T) {
	s := &steps{t: t, sayer: map[saying]bool{}}
	sources(t, func(path string, set *token.FileSet, file *ast.File) {
		if strings.Contains(path, "/testkit/") {
			return // its findings are written by hand
		}
		for _, d := range file.Decls {
			if in, ok := d.(*ast.FuncDecl); ok {
				ast.Inspect(in, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok {
						s.calls = append(s.calls, stepCall{filepath.Dir(path), set, in, call})
					}
					return true
				})
			}
		}
	})
	for known := -1; known != len(s.sayer); {
		known, s.said = len(s.sayer), nil
		for i := range s.calls {
			s.hear(&s.calls[i])
		}
	}
	slices.Sort(s.said)
	s.said = slices.Compact(s.said)
	for _, words := range s.said {
		if strings.ContainsFunc(words, unicode.IsDigit) {
			t.Errorf("%q has a number, which belongs into a place of its own", words)
		}
	}
	const few = 100
	if len(s.said) < few {
		t.Errorf("%d kinds of steps, want some %d: has this test lost sight of them?", len(s.said), few)
	}
	golden, now := filepath.Join("testdata", "steps.txt"), strings.Join(s.said, "\n")+"\n"
	if *rewrite {
		if err := os.WriteFile(golden, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(golden); err != nil || string(text) != now {
		t.Errorf("%s is not up to date: %v (go test ./internal/house -run Steps -rewrite)", golden, err)
	}
}

// hear takes the words of a call that says a step.
func (s *steps) hear(c *stepCall) {
	name, from := "", ""
	switch fn := c.call.Fun.(type) {
	case *ast.SelectorExpr:
		name = "." + fn.Sel.Name
		if x, ok := fn.X.(*ast.Ident); ok {
			from = x.Name
		}
	case *ast.Ident:
		name = fn.Name
	}
	if from == "finding" && name == ".Say" {
		s.words(c, c.call.Args[0])
	}
	for at, arg := range c.call.Args {
		if s.sayer[saying{c.dir, name, at}] {
			s.words(c, arg)
		}
	}
}

// words takes an expression for the words of a step.
func (s *steps) words(c *stepCall, x ast.Expr) {
	if text, ok := constant(x); ok {
		s.said = append(s.said, text)
		return
	}
	name, ok := x.(*ast.Ident)
	found := false
	ast.Inspect(c.in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fn := n.Name.Name
			if n.Recv != nil {
				fn = "." + fn
			}
			found = s.hands(c.dir, fn, n.Type, name) || found
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				to, isName := left.(*ast.Ident)
				if !isName || i >= len(n.Rhs) {
					continue
				}
				if fn, isFunc := n.Rhs[i].(*ast.FuncLit); isFunc {
					found = s.hands(c.dir, to.Name, fn.Type, name) || found
				}
				if text, isText := constant(n.Rhs[i]); ok && to.Name == name.Name && isText {
					found, s.said = true, append(s.said, text)
				}
			}
		}
		return true
	})
	if !found {
		s.t.Errorf("%s: the words of a step are not constant", c.set.Position(x.Pos()))
	}
}

// hands notes a function that hands one of its parameters on as the words of a step.
func (s *steps) hands(dir, fn string, of *ast.FuncType, parameter *ast.Ident) bool {
	at := 0
	for _, field := range of.Params.List {
		for _, name := range field.Names {
			if parameter != nil && name.Name == parameter.Name {
				s.sayer[saying{dir, fn, at}] = true
				return true
			}
			at++
		}
	}
	return false
}

// constant is the text that an expression of literals has.
func constant(x ast.Expr) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, err == nil && x.Kind == token.STRING
	case *ast.BinaryExpr:
		a, aok := constant(x.X)
		b, bok := constant(x.Y)
		return a + b, aok && bok && x.Op == token.ADD
	}
	return "", false
}
