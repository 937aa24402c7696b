package dialect_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/dbms/mariadb"
	mysqlserver "txweave/dbms/mysql"
	"txweave/dbms/mysql/dialect/opinion"
	_ "txweave/dbms/registry"
	"txweave/dbms/tidb"
	"txweave/gen"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/trees"
	"txweave/sql"
)

// Longer: go test ./dbms/mysql/dialect -run Generated -generated 10000.
var generated = effort.Flag("generated", 200, "cases of each database whose statements are read and printed")

// second is TiDB's parser, asked what it takes a text for.
type second struct{ *parser.Parser }

// restored is a statement as TiDB's parser prints it, without its parentheses; ok is false where that does not read it.
func (o second) restored(text string) (printed string, ok bool) {
	stmts, _, err := o.Parse(text, "", "")
	if err != nil || len(stmts) != 1 {
		return "", false
	}
	defer func() { // some trees it cannot print
		if recover() != nil {
			ok = false
		}
	}()
	var b strings.Builder
	if err := stmts[0].Restore(format.NewRestoreCtx(format.DefaultRestoreFlags, &b)); err != nil {
		return "", false
	}
	return strings.NewReplacer("(", "", ")", "").Replace(b.String()), true
}

// check holds what is read of a statement against its text, and what is printed anew against TiDB's parser.
func check(t *testing.T, d *sql.Dialect, o second, text string) (compared bool) {
	t.Helper()
	stmt, err := d.Parse(text)
	if err != nil {
		t.Errorf("%s\nis not read: %v", text, err)
		return false
	}
	trees.Read(t, d, stmt, text)
	trees.Placed(t, stmt, text)
	if err := opinion.Doubt(d, text); err != nil {
		t.Errorf("%s\n%v", text, err)
	}
	anew, err := d.Reprint(stmt)
	if err != nil {
		return false // told by trees.Read
	}
	was, ok := o.restored(text)
	if !ok {
		return false
	}
	if is, _ := o.restored(anew); is != was {
		t.Errorf("%s\nis printed anew as\n%s\nwhich TiDB's parser takes for something else:\n%s\n%s", text, anew, was, is)
	}
	return true
}

// TestGeneratedStatementsAreRead: of each statement that the generator writes for the servers of MySQL's family, the
// tree prints the same bytes, and printed anew TiDB's parser reads the same, of those that it reads at all.
func TestGeneratedStatementsAreRead(t *testing.T) {
	for name, written := range map[string]*gen.Dialect{"mariadb": mariadb.Dialect, "mysql": mysqlserver.Dialect,
		"tidb": tidb.Dialect} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, statements, compared := second{parser.New()}, 0, 0
			for i := range generated() {
				c, err := gen.Generate(gen.CaseSeed(50, i), written, gen.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, text := range trees.StatementsOf(c) {
					statements++
					if check(t, dialects[name], o, text) {
						compared++
					}
				}
				if t.Failed() {
					t.Fatalf("case %d", i)
				}
			}
			if compared < statements*9/10 {
				t.Errorf("of %d statements %d were compared", statements, compared)
			}
			t.Logf("%d statements, %d of them compared", statements, compared)
		})
	}
}

// TestCasesOfTheTreeAreRead: so are the statements of all cases of the family's in the tree.
func TestCasesOfTheTreeAreRead(t *testing.T) {
	o := second{parser.New()}
	trees.Cases(t, 30, func(target, stmt string) { check(t, dialects[target], o, stmt) }, "mariadb", "mysql", "tidb")
}

// said is a statement in a report, behind the name of its session.
var said = regexp.MustCompile(`(?m)^(?:[A-Z][0-9]?> )?([^;\n]*(?:\n[ \t]+[^;\n]*)*);`)

// TestFindingsAreRead: whatever TiDB's parser reads of the reports' statements is read; the kinds of statements that
// are run as they stand are left out.
func TestFindingsAreRead(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "findings", "*.md"))
	if err != nil || len(paths) < 80 {
		t.Fatal(paths, err)
	}
	o, read := second{parser.New()}, 0
	for _, path := range paths {
		d := dialects[strings.Split(filepath.Base(path), "-")[0]]
		if d == nil {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "```") {
			if i%2 == 0 {
				continue
			}
			for _, m := range said.FindAllStringSubmatch(block, -1) {
				stmt := strings.TrimSpace(m[1])
				if o.other(stmt) {
					continue
				}
				read++
				check(t, d, o, stmt)
			}
		}
	}
	if read < 500 {
		t.Errorf("only %d statements were read", read)
	}
}

// other says whether a text is no statement of TiDB's parser, or one of a kind that is not read as a tree.
func (o second) other(text string) bool {
	stmts, _, err := o.Parse(text, "", "")
	if err != nil || len(stmts) != 1 {
		return true
	}
	switch stmts[0].(type) {
	case *ast.ShowStmt, *ast.PrepareStmt, *ast.ExecuteStmt, *ast.DeallocateStmt, *ast.AdminStmt, *ast.SplitRegionStmt,
		*ast.CallStmt, *ast.ProcedureInfo, *ast.CreateSequenceStmt,
		*ast.DropSequenceStmt, *ast.ExplainStmt, *ast.CreateUserStmt, *ast.GrantStmt, *ast.FlushStmt:
		return true
	}
	return false
}
