package consistency

import (
	"reflect"
	"testing"

	sqlite "txweave/dbms/sqlite/dialect"
	"txweave/history"
)

func TestOrderOf(t *testing.T) {
	for text, want := range map[string][]orderKey{
		"SELECT a AS x, b AS y FROM t":                                               nil,
		"SELECT a AS x, b AS y FROM t ORDER BY 2 DESC, 1":                            {{1, true, ""}, {0, false, ""}},
		"SELECT r0.pkey AS r0_p, COUNT(*) FROM t AS r0 ORDER BY r0.pkey ASC LIMIT 3": {{0, false, ""}},
		"SELECT a AS x, b AS y FROM t ORDER BY 1, ABS(b), 2":                         {{0, false, ""}},
		"SELECT a AS x, b AS y FROM t ORDER BY 1 DESC NULLS FIRST, y nulls last": {{0, true, "FIRST"},
			{1, false, "LAST"}},
		"SELECT a AS x FROM t ORDER BY 3":                                                   nil,
		"SELECT a AS x, b AS y FROM t UNION ALL SELECT c, d FROM t ORDER BY 2, b":           {{1, false, ""}},
		"SELECT DISTINCT SUM(a) OVER (ORDER BY b) AS x, b AS y FROM t ORDER BY y":           {{1, false, ""}},
		"WITH q AS (SELECT a FROM t ORDER BY 1) SELECT a, (SELECT 1 ORDER BY 1) FROM q":     nil,
		"WITH q AS (SELECT a FROM t ORDER BY 1) SELECT a, b FROM q ORDER BY 2 DESC LIMIT 1": {{1, true, ""}},
		"CREATE TEMP TABLE s AS SELECT a FROM t ORDER BY 1":                                 nil,
		// at another place than it is spelled
		"SELECT *, a AS x FROM t ORDER BY x":                        nil,
		"SELECT r0.a, b FROM t AS r0 ORDER BY r0.a, b DESC":         {{0, false, ""}, {1, true, ""}},
		"SELECT a AS x, b AS x FROM t ORDER BY x":                   nil,
		"SELECT a AS b, b AS a FROM t ORDER BY a, b DESC":           {{1, false, ""}, {0, true, ""}},
		"SELECT a AS x, b AS y FROM t ORDER BY x COLLATE NOCASE, y": nil,
	} {
		stmt, err := sqlite.New(3053000).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := orderOf(stmt, 2); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestBroken(t *testing.T) {
	n := history.IntValue
	for _, c := range []struct {
		name string
		a, b []history.Value
		want bool
	}{
		{"in order", []history.Value{n(1), n(5)}, []history.Value{n(2), n(9)}, false},
		{"the first key descends", []history.Value{n(2), n(5)}, []history.Value{n(1), n(5)}, true},
		{"the second key ascends", []history.Value{n(1), n(5)}, []history.Value{n(1), n(9)}, true},
		{"the second key descends", []history.Value{n(1), n(9)}, []history.Value{n(1), n(5)}, false},
		{"alike", []history.Value{n(1), n(5)}, []history.Value{n(1), n(5)}, false},
		{"texts, which nobody orders here", []history.Value{history.TextValue("b"), n(5)},
			[]history.Value{history.TextValue("a"), n(9)}, false},
		{"texts that are alike", []history.Value{history.TextValue("b"), n(5)}, []history.Value{history.TextValue("b"),
			n(9)}, true},
		{"NULL", []history.Value{n(1), n(5)}, []history.Value{{}, n(9)}, false},
	} {
		if got := broken(c.a, c.b, []orderKey{{0, false, ""}, {1, true, ""}}); (got != nil) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestBrokenNulls: where NULLs stand is told where the query says it.
func TestBrokenNulls(t *testing.T) {
	null, n := history.Value{}, history.IntValue(1)
	for _, c := range []struct {
		nulls string
		a, b  history.Value
		want  bool
	}{{"FIRST", null, n, false}, {"FIRST", n, null, true}, {"LAST", null, n, true}, {"LAST", n, null, false},
		{"LAST", null, null, false}, {"", n, null, false}, {"", null, n, false},
		{"LAST", null, history.TextValue("a"), true}} {
		for _, desc := range []bool{false, true} {
			got := broken([]history.Value{c.a}, []history.Value{c.b}, []orderKey{{0, desc, c.nulls}})
			if (got != nil) != c.want {
				t.Errorf("%s, %v: %v before %v: %v", c.nulls, desc, c.a, c.b, got)
			}
		}
	}
}
