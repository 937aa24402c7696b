package exec

import "testing"

// A write with RETURNING affects as many rows as it returns, also where MariaDB answers without rows, because the WHERE
// clause can never be true.
func TestReturningNothing(t *testing.T) {
	db := mariadb(t)
	r := newRunner(t, db, lookup(t, "mariadb/repeatable-read"), Options{})
	load(t, r, parseCase(t, tables, "T0 BEGIN\nT0 SELECT pkey, vkey FROM t\nT0 COMMIT"))
	for sql, want := range map[string]int64{
		"DELETE FROM t WHERE 0 RETURNING pkey":        0,
		"DELETE FROM t WHERE pkey = 7 RETURNING pkey": 0,
		"DELETE FROM t WHERE pkey = 1 RETURNING pkey": 1,
	} {
		a, err := db.Control().Returning(t.Context(), sql)
		if err != nil || a.Err != nil || a.Affected != want {
			t.Errorf("%s: %d rows affected, want %d; %v %v", sql, a.Affected, want, a.Err, err)
		}
	}
}
