package script

import (
	"slices"
	"testing"
)

// TestPermutations: each order once, none that breaks what comes before what, and no more than the limit.
func TestPermutations(t *testing.T) {
	free := func(a, b int) bool { return false }
	if got := permutations([]int{0, 1, 2, 3}, free, 100); len(got) != 24 || !slices.Equal(got[0], []int{0, 1, 2, 3}) ||
		!slices.Equal(got[23], []int{3, 2, 1, 0}) {
		t.Errorf("%d orders: %v", len(got), got)
	}
	if got := permutations([]int{0, 1, 2}, func(a, b int) bool { return a == 2 && b == 0 }, 100); len(got) != 3 ||
		slices.ContainsFunc(got, func(o []int) bool { return slices.Index(o, 2) > slices.Index(o, 0) }) {
		t.Errorf("with 2 before 0: %v", got)
	}
	if got := permutations([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, free, 7); len(got) != 7 {
		t.Errorf("%d orders of at most 7", len(got))
	}
	if got := permutations(nil, free, 5); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestCompared: what says nothing of rows, or goes by variables, is not held against another run.
func TestCompared(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT a FROM t": true, "UPDATE t SET a = 1": true, "BEGIN": true, "CALL p()": true, "CREATE TABLE t (a INT)": true,
		"SELECT @@autocommit": false, "SHOW WARNINGS": false,
		"SET @x = 1": false, "LOCK TABLES t READ": false, "SELECT '@a', email FROM t WHERE email = 'a@b'": true,
	} {
		if got := compared(sql); got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}
