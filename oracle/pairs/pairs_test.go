package pairs_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	_ "txweave/dbms/registry"
	"txweave/history"
	"txweave/oracle/pairs"
	"txweave/sql/sqltext"
)

// TestGolden runs the commands of testdata: find, with the definitions of tables and then reads, each with its rows
// behind =>, values by blanks and rows by commas.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			syntax := sqltext.SyntaxOf(d.CmdArgs[0].Key)
			var ddl []string
			var reads []pairs.Read
			for line := range strings.Lines(d.Input) {
				text, rows, read := strings.Cut(strings.TrimSpace(line), " =>")
				if !read {
					ddl = append(ddl, text)
					continue
				}
				stmt, err := syntax.Tree.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				reads = append(reads, pairs.Read{Name: fmt.Sprintf("T0.S%d", len(reads)), Tree: stmt, Rows: rowsOf(rows)})
			}
			var b strings.Builder
			for _, f := range pairs.Find(syntax.Schema(ddl), reads) {
				fmt.Fprintf(&b, "%s %s: %s\n", f.Stmt, f.What, f.Detail())
			}
			return b.String()
		})
	})
}

// rowsOf reads rows as a test writes them: numbers, NULL, and anything else as a text.
func rowsOf(text string) *history.Rows {
	out := &history.Rows{}
	for i, line := range strings.Split(text, ",") {
		words := strings.Fields(line)
		if i == 0 && len(words) == 0 {
			continue
		}
		for at, w := range words {
			if i == 0 {
				out.Columns = append(out.Columns, fmt.Sprint("c", at))
			}
			v := history.TextValue(w)
			if n, err := strconv.ParseInt(w, 10, 64); err == nil {
				v = history.IntValue(n)
			} else if w == "NULL" {
				v = history.Value{}
			}
			out.Cells = append(out.Cells, v)
		}
	}
	return out
}
