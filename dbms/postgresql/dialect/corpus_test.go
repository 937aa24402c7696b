package dialect_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	server "txweave/dbms/postgresql"
	_ "txweave/dbms/registry"
	"txweave/gen"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/trees"
)

// Longer: go test ./dbms/postgresql/dialect -run Generated -generated 10000.
var generated = effort.Flag("generated", 200, "cases whose statements are read and printed")

// check holds what is read of a statement against its text, and what is printed anew against the server.
func check(t *testing.T, o *opinion, text string) (compared bool) {
	t.Helper()
	stmt, err := dialect.Parse(text)
	if err != nil {
		t.Errorf("%s\nis not read: %v", text, err)
		return false
	}
	trees.Read(t, dialect, stmt, text)
	trees.Placed(t, stmt, text)
	anew, err := dialect.Reprint(stmt)
	if err != nil || o == nil {
		return false // told by trees.Read
	}
	was, ok := o.means(text)
	if !ok {
		if !o.takes(anew) {
			t.Errorf("%s\nis printed anew as\n%s\nwhich the server does not read", text, anew)
		}
		return false
	}
	if is, ok := o.means(anew); !ok || is != was {
		t.Errorf("%s\nis printed anew as\n%s\nwhich the server takes for something else:\n%s\n%s", text, anew, was, is)
	}
	return true
}

// comparedRows is about how many of a case's rows the server is asked: they are alike.
const comparedRows = 3

// TestGeneratedStatementsAreRead: of each statement that the generator writes for PostgreSQL, the tree prints the same
// bytes, and printed anew the server makes the same plan of it, and the same schema.
func TestGeneratedStatementsAreRead(t *testing.T) {
	o := ask(t, "")
	statements, compared := 0, 0
	for i := range generated() {
		c, err := gen.Generate(gen.CaseSeed(50, i), server.Dialect, gen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all := trees.StatementsOf(c)
		for j, text := range all {
			asked := &o
			if j >= len(c.Schema)+comparedRows && j < len(c.Schema)+len(c.Rows) || i%10 != 0 {
				asked = nil
			} else {
				statements++
			}
			if check(t, asked, text) {
				compared++
			}
			if j < len(c.Schema) && asked != nil {
				if _, err := o.run(text); err != nil {
					t.Fatal(text, err)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("case %d", i)
		}
		if i%10 == 0 {
			if _, err := o.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if compared < statements*2/5 { // the others begin, end and lock
		t.Errorf("of %d statements %d were compared", statements, compared)
	}
	t.Logf("of %d statements that the server was asked about, %d were compared", statements, compared)
}

// TestCasesOfTheTreeAreRead: so are the statements of all cases of PostgreSQL's in the tree.
func TestCasesOfTheTreeAreRead(t *testing.T) {
	trees.Cases(t, 20, func(_, stmt string) { check(t, nil, stmt) }, "postgresql")
}

// said is a statement in a report, behind the name of its session.
var said = regexp.MustCompile(`(?m)^(?:[A-Z][0-9]?> )?([^;\n]*(?:\n[ \t]+[^;\n]*)*);`)

// TestFindingsAreRead: so is whatever the server takes for a statement in the reports on PostgreSQL.
func TestFindingsAreRead(t *testing.T) {
	o := ask(t, "")
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "findings", "postgresql-*.md"))
	if err != nil || len(paths) < 2 {
		t.Fatal(paths, err)
	}
	read := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "```") {
			if i%2 == 0 {
				continue
			}
			for _, m := range said.FindAllStringSubmatch(block, -1) {
				if stmt := strings.TrimSpace(m[1]); o.takes(stmt) {
					read++
					check(t, nil, stmt)
				}
			}
		}
	}
	if read < 5 {
		t.Errorf("only %d statements were read", read)
	}
}
