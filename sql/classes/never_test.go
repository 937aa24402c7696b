package classes_test

import (
	"testing"

	"txweave/sql"
	"txweave/sql/classes"
)

// TestNever: a condition that is true of no row by what it says, and those that may be.
func TestNever(t *testing.T) {
	for condition, want := range map[string]bool{
		"i = NULL": true, "i <> NULL": true, "NULL": true, "FALSE": true, "0": true, "1 = 0": true, "2 < 1 AND i = 3": true,
		"i = NULL OR 1 = 2": true,
		"i IN (NULL)":       true, "i BETWEEN NULL AND 3": true, "pkey IS NULL": true,
		"i = 3": false, "1 = 1": false, "i = NULL OR i = 3": false, "i IS NULL": false, "pkey IS NOT NULL": false,
		"i IN (NULL, 3)":           false,
		"i NOT BETWEEN NULL AND 3": false, "i <=> NULL": false, "NOT i = 3": false,
	} {
		q := read(t, "SELECT i FROM t WHERE "+condition).(*sql.Query)
		notNull := func(c *sql.Column) bool { return c.Name.Folded() == "pkey" }
		if got := classes.Never(q.Body.(*sql.Select).Where, notNull); got != want {
			t.Errorf("%s: %v", condition, got)
		}
	}
}
