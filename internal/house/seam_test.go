package house

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// databases finds the names of the databases, and of the engine that two of them share.
	databases = regexp.MustCompile(`(?i)mariadb|mysql|innodb|tidb|postgres|sqlite`)
	// cited finds the address of a page, which is a source.
	cited = regexp.MustCompile(`[\w-]+(\.[\w-]+)*\.(org|com|net)(/[\w./#~%-]*)?`)
	// aside are rooms that may name databases: their own folders, what is measured on them, and what only tests need.
	aside = []string{"dbms/", "bench/", "internal/testkit/"}
)

// named is the first name of a database in a file's identifiers, string literals and comments; "" for none. Pages that
// are cited do not count, nor what is imported.
func named(file *ast.File) string {
	found := ""
	look := func(text string) {
		if found == "" {
			found = databases.FindString(cited.ReplaceAllString(text, ""))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Ident:
			look(n.Name)
		case *ast.BasicLit:
			look(n.Value)
		}
		return true
	})
	for _, c := range file.Comments {
		look(c.Text())
	}
	return found
}

// TestSeam: who names a database knows of it, and what is known of a database stands in its folder. The files that do
// all the same are listed in testdata/seam.txt, below the reason why. The list only gets shorter: -rewrite takes those
// out that no longer do.
func TestSeam(t *testing.T) {
	const golden = "testdata/seam.txt"
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	reason, allowed := false, map[string]bool{}
	for _, line := range lines {
		switch {
		case line == "":
			reason = false
		case strings.HasPrefix(line, "# "):
			reason = true
		case !reason:
			t.Errorf("%s: %s stands below no reason", golden, line)
		default:
			allowed[line] = true
		}
	}
	sources(t, func(at string, _ *token.FileSet, file *ast.File) {
		path := strings.TrimPrefix(filepath.ToSlash(at), "../../")
		if slices.ContainsFunc(aside, func(room string) bool {
			return strings.HasPrefix(path, room)
		}) {
			return
		}
		name := named(file)
		if name != "" && !allowed[path] {
			t.Errorf("%s names a database (%s): say the rule, or have the database's folder say it", path, name)
		}
		if name != "" {
			delete(allowed, path)
		}
	})
	if len(allowed) == 0 {
		return
	}
	if !*rewrite {
		t.Fatalf("%d files of %s name no database any more: go test ./internal/house -run Seam -rewrite", len(allowed),
			golden)
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return allowed[line] })
	if err := os.WriteFile(golden, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Error(err)
	}
}
