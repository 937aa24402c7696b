package importer

import (
	"strings"
	"testing"

	"txweave/testcase"
)

// TestHandedOut: what the database would hand out is written out, in the order of the schedule, and nothing else is.
func TestHandedOut(t *testing.T) {
	for _, c := range []struct{ name, target, text, want string }{
		{"counted", "mariadb",
			"create table j (id int auto_increment primary key, n int);\ninsert into j (n) values (5);\nA> begin;\nB> begin;\n" +
				"B> insert into j (n) values (6), (7);\nA> insert into j values (NULL, 8);\nA> commit;\nB> commit;\n",
			"insert into j (n, id) values (5, 1)|insert into j values (4, 8)|insert into j (n, id) values (6, 2), (7, 3)"},
		{"given", "mariadb",
			"create table j (id int auto_increment primary key, n int);\nA> insert into j values (3, 8);\nA> insert into j " +
				"(n) values (9);\n",
			"insert into j values (3, 8)|insert into j (n, id) values (9, 4)"},
		{"timed", "postgresql",
			"create table j (n int, at timestamptz default now(), u uuid default gen_random_uuid());\nA> insert into j (n) " +
				"values (8);\n",
			"insert into j (n, at) values (8, '2001-02-03 04:05:06')"},
		{"neither", "sqlite", "create table j (n int, d text default 'x');\nA> insert into j (n) values (8);\n",
			"insert into j (n) values (8)"},
	} {
		parts, err := ReadScripts("text", []byte(c.text), Options{Target: c.target}, true)
		if err != nil {
			t.Fatal(err)
		}
		s := parts[0].Script
		s.Isolation = "serializable"
		made, _, err := s.Case(s.Levels())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		handed := HandedOut(made)
		for _, list := range append([][]testcase.Stmt{handed.Rows}, handed.Txns[0].Stmts) {
			got = append(got, testcase.Texts(list)...)
		}
		for _, txn := range handed.Txns[1:] {
			got = append(got, testcase.Texts(txn.Stmts)...)
		}
		if low := strings.ToLower(strings.Join(got, "|")); low != c.want {
			t.Errorf("%s: %s, want %s", c.name, low, c.want)
		}
		if (handed == made) != (c.name == "neither") {
			t.Errorf("%s: it is another case: %v", c.name, handed != made)
		}
	}
}
