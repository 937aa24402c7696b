package planted

import (
	"testing"

	sqltree "txweave/sql"
)

// TestKinds: what a statement is told to be does not hang on how it is spelled; of what is no statement nothing is
// told.
func TestKinds(t *testing.T) {
	c := rareConn(t, "lost-row", Rarity{})
	for name, x := range map[string]struct {
		holds   func(sqltree.Stmt) bool
		yes, no []string
	}{
		"joins": {joins, []string{"SELECT 1 FROM a JOIN b ON a.x = b.x", "select 1 from a\ncross join b"},
			[]string{"SELECT 1 FROM a, b", "SELECT ' JOIN '"}},
		"joinsOuter": {joinsOuter, []string{"SELECT 1 FROM a left outer JOIN b ON a.x = b.x"},
			[]string{"SELECT 1 FROM a JOIN b ON a.x = b.x"}},
		"sortsDown": {sortsDown, []string{"SELECT x FROM a ORDER BY x DESC"},
			[]string{"SELECT x AS `x DESC` FROM a ORDER BY x ASC"}},
		"inQuery": {inQuery, []string{"SELECT 1 FROM a WHERE x NOT IN(SELECT x FROM b)"},
			[]string{"SELECT 1 FROM a WHERE x IN (1, 2)"}},
		"unites": {unites, []string{"SELECT 1 UNION (SELECT 2)", "SELECT 1 UNION DISTINCT SELECT 2"},
			[]string{"SELECT 1 UNION ALL SELECT 2", "SELECT 1 EXCEPT SELECT 2"}},
		"groups": {groups, []string{"SELECT x FROM a group by x"}, []string{"SELECT ' GROUP BY '"}},
		"filters": {filters, []string{"SELECT x FROM a WHERE(x = 1)"}, []string{"DELETE FROM a WHERE x = 1",
			"SELECT x FROM a HAVING x = 1"}},
		"ofRows": {ofRows, []string{"INSERT INTO a VALUES (1),(2)"}, []string{"INSERT INTO a VALUES ((1), (2))"}},
		"distinct": {distinct, []string{"SELECT DISTINCT x FROM a"}, []string{"SELECT COUNT(DISTINCT x) FROM a",
			"DELETE FROM a"}},
		"ofKind": {ofKind[*sqltree.Delete](hasAny[*sqltree.In]), []string{"DELETE FROM a WHERE x IN (1)"},
			[]string{"UPDATE a SET x = 1 WHERE x IN (1)", "DELETE FROM a WHERE x = 1", "DELETE of nothing"}},
	} {
		for _, sql := range x.yes {
			if !x.holds(c.tree(sql)) {
				t.Errorf("%s does not hold of %s", name, sql)
			}
		}
		for _, sql := range x.no {
			if x.holds(c.tree(sql)) {
				t.Errorf("%s holds of %s", name, sql)
			}
		}
	}
}
