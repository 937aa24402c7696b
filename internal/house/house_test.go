// Package house holds the tests of the project's own structure: which room may see which, and how large a file and a
// function may grow. docs/architecture.md says what the rooms are.
package house

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers are the rooms from the ground up: a package imports only what stands in a lower layer or in its own room.
// A room is a path without the module's; "dbms/*" are the packages right below dbms, and a room with nothing more
// special in the list holds the packages below it too.
var layers = [][]string{
	{"internal/graph", "fault", "internal/recent", "internal/version", "internal/spelling", "internal/input",
		"internal/output", "internal/trust", "internal/outcome", "internal/memory",
		"internal/former"},
	{"sql", "sql/functions", "internal/asked", "internal/strict"},
	{"sql/sqltext"},
	{"sql/*"},
	{"history", "testcase", "dbms"},
	{"sdg", "instrument", "finding", "gen", "history/*"},
	{"oracle/observe", "checker", "reduce", "gen/*"},
	{"oracle", "exec", "checker/certificate/observed"},
	{"exec/planted", "exec/storm", "weave", "report"},
	{"dbms/driver", "gen/guide"},
	{"dbms/*"},
	{"dbms/registry"},
	{"campaign", "checker/files"},
	{"cmd", "internal/testkit", "bench"},
}

// guarded are packages from outside that only some rooms may see, and why.
var guarded = []struct {
	path  string // as a prefix
	rooms []string
	why   string
}{
	{"database/sql", []string{"exec", "exec/planted", "dbms/*", "campaign/database"}, "who reaches a database"},
	{"github.com/go-sql-driver/mysql", []string{"dbms/mysqlwire", "campaign/database"}, "who reaches a database"},
	{"github.com/jackc/pgx", []string{"dbms/*", "campaign/database"}, "who reaches a database"},
	{"modernc.org/sqlite", []string{"dbms/*", "campaign/database"}, "who reaches a database"},
	{"github.com/pingcap/tidb", []string{"dbms/mysql/dialect/opinion"},
		"it is asked for a second opinion and no first one"},
	{"github.com/spf13", []string{"cmd"}, "flags belong to commands"},
}

// module is a package of the project as go list prints it.
type module struct {
	ImportPath string
	Imports    []string
}

// packages lists the project's packages by their paths without the module's.
func packages(t *testing.T) (list []module) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m module
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	if len(list) < 20 {
		t.Fatalf("go list knows only %d packages", len(list))
	}
	return list
}

// own cuts the module's path off; ok is false for a package of somebody else's.
func own(path string) (rest string, ok bool) {
	return strings.CutPrefix(path, "txweave/")
}

// fits says whether a room of the list holds a package, and how special that is: longer is more.
func fits(room, pkg string) int {
	if parent, star := strings.CutSuffix(room, "/*"); star {
		if strings.HasPrefix(pkg, parent+"/") {
			return len(parent) + 1
		}
		return 0
	}
	if pkg == room || strings.HasPrefix(pkg, room+"/") {
		return len(room) + 1
	}
	return 0
}

// place returns the room of a package and its layer; "" where no room holds it.
func place(pkg string) (room string, layer int) {
	best := 0
	for l, rooms := range layers {
		for _, r := range rooms {
			n := fits(r, pkg)
			if strings.HasSuffix(r, "/*") && n > 0 {
				n++ // the packages below a room are another one than the room itself
			}
			if n > best {
				best, room, layer = n, r, l
			}
		}
	}
	return room, layer
}

// TestImports: imports go down.
func TestImports(t *testing.T) {
	for _, m := range packages(t) {
		pkg, _ := own(m.ImportPath)
		if pkg == "internal/house" {
			continue
		}
		room, layer := place(pkg)
		if room == "" {
			t.Errorf("%s stands in no room: docs/architecture.md and layers must say where it belongs", pkg)
			continue
		}
		for _, path := range m.Imports {
			to, ours := own(path)
			if !ours {
				checkGuarded(t, pkg, path)
				continue
			}
			if other, below := place(to); other != room && below >= layer {
				t.Errorf("%s (layer %d) imports %s (layer %d)", pkg, layer, to, below)
			}
		}
	}
}

func checkGuarded(t *testing.T, pkg, path string) {
	t.Helper()
	room, _ := place(pkg)
	for _, g := range guarded {
		if path != g.path && !strings.HasPrefix(path, g.path+"/") {
			continue
		}
		if !slices.ContainsFunc(g.rooms, func(r string) bool { return r == room || r == pkg }) {
			t.Errorf("%s imports %s: only %s may (%s)", pkg, path, strings.Join(g.rooms, ", "), g.why)
		}
	}
}

// goFiles calls do for every Go file of the project.
func goFiles(t *testing.T, do func(path string) error) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go"):
			files++
			return do(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d files were seen", files)
	}
}

// usual are names of types that several rooms may have, each with a meaning that is the same everywhere: what a
// function may be told and what it answers, and the implementations of an interface.
var usual = []string{"Config", "Kind", "Options", "Result", "Issuer", "Oracle", "Parser", "Reducer", "Runner", "Worker"}

// sources calls do for every Go file of the project that is no test, as it is parsed.
func sources(t *testing.T, do func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	goFiles(t, func(path string) error {
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err == nil {
			do(path, set, file)
		}
		return err
	})
}

// nodes are the packages whose types bear the names that SQL gives to what they are, whatever has such a name
// elsewhere, and those of its dialects, each of which says for which servers it is.
var nodes = regexp.MustCompile(`/sql/|/dialect/`)

// TestNames: a type has a name of its own. What is one thing has one type; what are two things have two names.
func TestNames(t *testing.T) {
	declared := map[string]string{}
	sources(t, func(path string, set *token.FileSet, file *ast.File) {
		if nodes.MatchString(path) {
			return
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				name := s.(*ast.TypeSpec).Name
				at := set.Position(name.Pos()).String()
				if !name.IsExported() || slices.Contains(usual, name.Name) {
					continue
				}
				if other, twice := declared[name.Name]; twice {
					t.Errorf("%s: a type %s is declared at %s too: is it the same thing?", at, name.Name, other)
				}
				declared[name.Name] = at
			}
		}
	})
}
