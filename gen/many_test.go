package gen_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/testcase"
)

var firstKeys = regexp.MustCompile(`\((\d+), (\d+), 0,`)

// TestMany: one table has as many rows as are asked for, whose keys ascend and whose versions no statement uses.
func TestMany(t *testing.T) {
	for _, name := range []string{"sqlite", "mariadb", "postgresql"} {
		d, err := registry.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(20) {
			for _, many := range []int{500, 1900, gen.MostRows} {
				o := gen.Options{Many: many, Refs: 2, Weights: map[string]int{"no-version-key": 0, "inherited": 0}}
				c, err := gen.Generate(seed, d.Dialect, o)
				if err != nil {
					t.Fatal(err)
				}
				if n := largest(t, c.Rows); n < many {
					t.Errorf("%s %d: the largest table has %d rows, not %d", name, seed, n, many)
				}
			}
		}
	}
}

// largest returns how many rows the largest table begins with, whose keys must ascend.
func largest(t *testing.T, inserts []testcase.Stmt) (n int) {
	last, rows := map[string]int64{}, map[string]int{}
	for _, s := range inserts {
		table, values, _ := strings.Cut(strings.TrimPrefix(s.SQL, "INSERT INTO "), " ")
		for _, m := range firstKeys.FindAllStringSubmatch(values, -1) {
			pkey, _ := strconv.ParseInt(m[1], 10, 64)
			vkey, _ := strconv.ParseInt(m[2], 10, 64)
			if vkey <= 2_000_000 || pkey <= last[table] {
				t.Errorf("key %d, version %d in %s after key %d", pkey, vkey, table, last[table])
			}
			last[table] = pkey
			rows[table]++
			n = max(n, rows[table])
		}
	}
	return n
}

// TestManyRefused: there is a bound.
func TestManyRefused(t *testing.T) {
	d, err := registry.Lookup("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	for _, many := range []int{-1, gen.MostRows + 1} {
		if _, err := gen.Generate(1, d.Dialect, gen.Options{Many: many}); err == nil {
			t.Errorf("%d rows are accepted", many)
		}
	}
}
