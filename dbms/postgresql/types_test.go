package postgresql

import (
	"testing"

	"txweave/gen"
	"txweave/internal/testkit/effort"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

var typed = effort.Flag("txweave.typed", 60, "generated cases whose statements are planned")

// crowded are weights with which what is seldom otherwise, and has types that differ from the columns', is in most
// statements.
var crowded = map[string]int{"derived": 150, "window-derived": 70, "cte": 40, "set": 40}

// TestWellTyped: PostgreSQL plans every statement of generated cases. One of the wrong types, or with a name that is
// not there, runs on no contents of the tables: it would end its transaction each time (42883 of a text compared with a
// number, and the like).
func TestWellTyped(t *testing.T) {
	db, p := server(t), profile(t, "read-committed")
	planned := 0
	for n := range typed() {
		o := gen.Options{Isolation: "read-committed"}
		if n%2 == 1 {
			o.Weights = crowded
		}
		if err := db.Empty(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, err := gen.Generate(gen.CaseSeed(17, n), Dialect, o)
		if err != nil {
			t.Fatal(err)
		}
		s := sessions(t, db, "read-committed", 1)[0]
		for _, sql := range append(testcase.Texts(c.Schema), testcase.Texts(c.Rows)...) {
			if a, err := s.Exec(t.Context(), sql); err != nil || a.Err != nil && p.Errors.Malformed.Has(a.Err.Code,
				a.Err.Message) {
				t.Fatalf("case %d: %s: %v %v", n, sql, err, a.Err)
			}
		}
		for _, txn := range c.Txns {
			for _, st := range txn.Stmts {
				if !sqltext.KindOf(st.SQL).IsTarget() {
					continue
				}
				planned++
				if a, err := s.Query(t.Context(), "EXPLAIN "+st.SQL); err != nil || a.Err != nil &&
					p.Errors.Malformed.Has(a.Err.Code,
						a.Err.Message) {
					t.Errorf("case %d: %s: %v %v", n, st.SQL, err, a.Err)
				}
			}
		}
		s.Close()
	}
	t.Logf("%d statements", planned)
}
