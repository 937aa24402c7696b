package weave_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/gen"
	"txweave/history"
	"txweave/internal/testkit/effort"
	"txweave/weave"
)

var knownCases = effort.Flag("txweave.known", 60, "cases of TestKnown at each level")

// TestKnown generates cases and asks for all that a read is taken to be answered without being sent: the database must
// give the same rows.
func TestKnown(t *testing.T) {
	for _, name := range []string{"mariadb/read-committed", "mariadb/repeatable-read", "mariadb/serializable",
		"postgresql/serializable", "postgresql/read-committed", "sqlite/serializable"} {
		t.Run(name, func(t *testing.T) {
			p := lookup(t, name)
			d, err := registry.Lookup(p.DBMS)
			if err != nil {
				t.Fatal(err)
			}
			at, asked := "", 0
			r, err := exec.NewRunner(t.Context(), target(t, p.DBMS), p,
				exec.Options{Doubt: func(sql string, known, read *history.Rows) {
					if asked++; !slices.Equal(printed(known), printed(read)) {
						t.Errorf("%s: %s: %v is taken for known, and it is %v", at, sql, printed(known), printed(read))
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for i := range knownCases() {
				c, err := gen.Generate(gen.CaseSeed(7, i), d.Dialect, gen.Options{Isolation: p.Isolation})
				if err != nil {
					t.Fatal(err)
				}
				at = fmt.Sprintf("case %d", i)
				var refused *weave.UnjudgeableError
				if _, err := weave.Check(r, c, p, weave.Options{Orders: 1}); err != nil && !errors.As(err, &refused) {
					t.Fatalf("%s: %v", at, err)
				}
			}
			if t.Logf("%d reads were known", asked); asked == 0 {
				t.Error("nothing is known")
			}
		})
	}
}

// printed are rows in whatever order.
func printed(rows *history.Rows) []string {
	var out []string
	for i := range rows.Len() {
		out = append(out, history.RowString(rows.Row(i)))
	}
	slices.Sort(out)
	return out
}
