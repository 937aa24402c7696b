package reduce

import (
	"slices"
	"testing"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// TestWithWholePartitions: a table's partitions go with the clause that partitions it, and the clause with the last of
// them. A clause that spells its partitions itself stays.
func TestWithWholePartitions(t *testing.T) {
	const (
		whole = "CREATE TABLE t0 (pkey INT, c0 INT) PARTITION BY RANGE (c0)"
		plain = "CREATE TABLE t0 (pkey INT, c0 INT)"
		part  = "CREATE TABLE t0_p0 PARTITION OF t0 DEFAULT"
		own   = "CREATE TABLE t1 (pkey INT) PARTITION BY HASH (pkey) PARTITIONS 2"
		index = "CREATE INDEX i ON t0 (c0)"
	)
	for _, x := range []struct{ schema, want []string }{
		{[]string{whole, part, index}, []string{whole, part, index}},
		{[]string{whole, index}, []string{plain, index}},
		{[]string{plain, part, own}, []string{plain, own}},
		{[]string{part}, []string{}},
	} {
		s, c := &Search{syntax: sqltext.SyntaxOf("postgresql")}, &testcase.Case{}
		for _, sql := range x.schema {
			c.Schema = append(c.Schema, testcase.Stmt{SQL: sql})
		}
		if got := testcase.Texts(s.withWholePartitions(c).Schema); !slices.Equal(got, x.want) {
			t.Errorf("%q: %q, want %q", x.schema, got, x.want)
		}
	}
}
