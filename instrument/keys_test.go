package instrument

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/testcase"
)

// TestCheckKeys: where no key of a table keeps a second row of one pkey out, that is a case which nobody can judge, and
// no row that the database shows twice.
func TestCheckKeys(t *testing.T) {
	const fromQuery = "INSERT INTO t (pkey, vkey, pvkey, c1) SELECT 2000 + pkey, 2, 0, c1 FROM t"
	for _, c := range []struct {
		name, key, insert, beside string
		blind, refused            bool
	}{
		{"a plain INSERT", "PRIMARY KEY (c1)", "INSERT INTO t (pkey, vkey, pvkey, c1) VALUES (1, 2, 0, 'b')", "",
			false, true},
		{"… beside a write without a version key", "PRIMARY KEY (c1)",
			"INSERT INTO t SET pkey = 1, vkey = 2, pvkey = 0, c1 = 'b'", "UPDATE t SET c1 = 'c'", false, true},
		{"of another row", "PRIMARY KEY (c1)", "INSERT INTO t (pkey, vkey, pvkey, c1) VALUES (2, 2, 0, 'b')", "",
			false, false},
		{"REPLACE without a key", "", "REPLACE INTO t (pkey, vkey, pvkey, c1) VALUES (1, 2, 0, 'b')", "", false, true},
		{"REPLACE by another key", "PRIMARY KEY (c1)", "REPLACE INTO t (pkey, vkey, pvkey, c1) VALUES (1, 2, 0, 'a')", "",
			false, false},
		{"… made blindly", "PRIMARY KEY (c1)", "REPLACE INTO t (pkey, vkey, pvkey, c1) VALUES (1, 2, 0, 'a')",
			"", true, true},
		{"REPLACE by pkey, made blindly", "PRIMARY KEY (pkey)",
			"REPLACE INTO t (pkey, vkey, pvkey, c1) VALUES (1, 2, 0, 'a')", "", true, false},
		{"of a query, and a row of those that it may give", "PRIMARY KEY (c1, pkey)", fromQuery,
			"INSERT INTO t (pkey, vkey, pvkey, c1) VALUES (2001, 3, 0, 'b')", false, true},
		{"… the other way round", "PRIMARY KEY (c1, pkey)", "INSERT INTO t (pkey, vkey, pvkey, c1) VALUES (2001, 3, 0, 'b')",
			fromQuery, false, true},
		{"of two queries alike", "", fromQuery, strings.Replace(fromQuery, " 2, ", " 3, ", 1), false, true},
		{"of a query, and another row", "PRIMARY KEY (c1, pkey)", fromQuery,
			"INSERT INTO t (pkey, vkey, pvkey, c1) VALUES (4001, 3, 0, 'b')", false, false},
		{"of a query where a key keeps it out", "PRIMARY KEY (pkey)", fromQuery,
			"INSERT INTO t (pkey, vkey, pvkey, c1) VALUES (2001, 3, 0, 'b')", false, false},
	} {
		p, err := dbms.Lookup("mariadb", "repeatable-read")
		if err != nil {
			t.Fatal(err)
		}
		text := "txweave case 1\ntarget: mariadb\nisolation: repeatable-read\n\n-- schema --\nCREATE TABLE t (pkey BIGINT " +
			"NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c1 VARCHAR(9)" +
			strings.TrimSuffix(", "+c.key, ", ") + ");\n\n-- T0 --\nBEGIN;\n" + c.insert + ";\nCOMMIT;\n\n-- T1 --\nBEGIN;\n"
		schedule := "T0 T0 T0 T1 T1"
		if c.beside != "" {
			text, schedule = text+c.beside+";\n", schedule+" T1"
		}
		tc, err := testcase.Parse(c.name, []byte(text+"COMMIT;\n\n-- schedule --\n"+schedule+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Instrument(tc, p)
		if err != nil {
			t.Fatal(err)
		}
		err = plan.CheckKeys(func(string) []int64 { return []int64{1} }, c.blind)
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
