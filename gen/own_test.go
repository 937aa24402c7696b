package gen

import (
	"regexp"
	"strings"
	"testing"
)

// TestLookBack: transactions that have written go on to read, and mostly what they wrote (of 500 cases 710 SELECTs
// behind a write where they are not drawn for that).
func TestLookBack(t *testing.T) {
	wrote := regexp.MustCompile(`^(?:INSERT INTO|UPDATE|DELETE FROM) (t\d)`)
	selects, own := 0, 0
	for i := range 500 {
		c := must(t, testDialect(t, "tidb"), CaseSeed(8, i), Options{Isolation: "read-committed"})
		for _, txn := range c.Txns {
			written := map[string]bool{}
			for _, s := range txn.Stmts {
				if m := wrote.FindStringSubmatch(s.SQL); m != nil {
					written[m[1]] = true
				}
				if len(written) == 0 || !strings.HasPrefix(s.SQL, "SELECT") {
					continue
				}
				selects++
				for table := range written {
					if strings.Contains(s.SQL, " "+table+" AS ") {
						own++
						break
					}
				}
			}
		}
	}
	if selects < 850 || own*100 < selects*80 {
		t.Errorf("%d SELECTs behind writes, of which %d read what was written", selects, own)
	}
}

// TestSlices: operands of some set operations print the same columns of one table, the primary key among them, and some
// of these have no row.
func TestSlices(t *testing.T) {
	slice := regexp.MustCompile(
		`SELECT r\d+\.(\w+) AS (\w+)( FROM t\d) AS r\d+( WHERE (?:1 = 0|0 <> 0|NULL IS NOT NULL|1 > NULL))? UNION (?:ALL )?SELECT r\d+\.(\w+) AS (\w+)( FROM t\d) AS r\d+`)
	same, empty, keys := 0, 0, 0
	for i := range 1000 {
		c := must(t, testDialect(t, "mysql"), CaseSeed(9, i), Options{Isolation: "repeatable-read",
			Weights: map[string]int{"set": 60}})
		for _, txn := range c.Txns {
			for _, s := range txn.Stmts {
				m := slice.FindStringSubmatch(s.SQL)
				if m == nil || m[1] != m[5] || m[2] != m[6] || m[3] != m[7] {
					continue
				}
				same++
				if m[4] != "" {
					empty++
				}
				for _, create := range c.Schema {
					if strings.HasPrefix(create.SQL, "CREATE TABLE"+strings.TrimPrefix(m[3], " FROM")+" ") &&
						strings.Contains(create.SQL, "PRIMARY KEY ("+m[1]) {
						keys++
					}
				}
			}
		}
	}
	if same < 40 || empty < 8 || keys < same/4 {
		t.Errorf("%d slices of one table, of %d of which the first has no row, %d of primary keys", same, empty, keys)
	}
}
