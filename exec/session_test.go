package exec

import (
	"errors"
	"fmt"
	"testing"
)

// A result that is too large to keep is given up early, without the rest being read, and the runner goes on with
// new sessions.
func TestTooLarge(t *testing.T) {
	for dbms, wide := range map[string]string{"sqlite": "printf('%.*c', 1000000, 'x')", "mariadb": "REPEAT('x', 1000000)"} {
		p := lookup(t, dbms+"/serializable")
		r := newRunner(t, target(t, dbms), p, Options{})
		rows := "SELECT 0"
		for i := range 60 {
			rows += fmt.Sprintf(" UNION ALL SELECT %d", i+1)
		}
		sql := fmt.Sprintf("SELECT s.pkey AS e0, s.vkey AS e1, %s AS e2 FROM s CROSS JOIN (%s) AS a CROSS JOIN (%s) AS b", wide, rows, rows)
		plan := load(t, r, parseCase(t, tables, "T0 BEGIN\nT0 "+sql+"\nT0 COMMIT"))
		if _, err := r.Run(plan, plan.Steps); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v; want that it is too large", dbms, err)
		}
		if err := r.Reopen(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Load(plan); err != nil {
			t.Errorf("%s: the tables cannot be loaded again: %v", dbms, err)
		}
	}
}
