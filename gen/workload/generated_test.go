package workload

import (
	"slices"
	"strings"
	"testing"

	"txweave/dbms/registry"
	"txweave/sql/sqltext"
)

// On every DBMS the same seed gives the same statements of the generator's, and what each of them does can be learned:
// a DELETE's rows from a read before it, others' from their version, which each execution can replace.
func TestGenerated(t *testing.T) {
	for _, name := range registry.Names() {
		of, err := registry.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		c := Config{Keys: 30, Distribution: Zipf, Dialect: of.Dialect, Seed: 5}
		first, m := play(t, "generated", c, 9, 60)
		if second, _ := play(t, "generated", c, 9, 60); first != second {
			t.Errorf("%s: the same seed gives\n%s\nthen\n%s", name, first, second)
		}
		kinds := map[sqltext.Kind]int{}
		for _, s := range m.sent {
			kinds[s.Info.Kind]++
			switch {
			case s.Info.Kind == sqltext.Delete && (s.Before == "" || len(s.Writes) != 1):
				t.Errorf("%s: which rows it removes is not asked: %s", name, s.SQL)
			case s.Info.Kind == sqltext.Insert || s.Info.Kind == sqltext.Update:
				if !strings.Contains(s.SQL, s.Mark) || s.Mark == "" || len(s.Writes) == 0 {
					t.Errorf("%s: it has no version: %s", name, s.SQL)
				}
			}
		}
		for _, k := range []sqltext.Kind{sqltext.Select, sqltext.Insert, sqltext.Update, sqltext.Delete} {
			if kinds[k] < 5 {
				t.Errorf("%s: %d statements of kind %v among %d", name, kinds[k], k, len(m.sent))
			}
		}
	}
	if _, err := New("generated", Config{Keys: 3, Distribution: Uniform}); err == nil {
		t.Error("without a dialect there is nothing to generate")
	}
}

// TestNothingCarried: no foreign key of a storm's tables changes rows that a statement does not name, those to the
// table itself among them.
func TestNothingCarried(t *testing.T) {
	own := 0
	for _, name := range registry.Names() {
		of, err := registry.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(60) {
			w, err := New("generated", Config{Keys: 10, Distribution: Uniform, Dialect: of.Dialect, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			for _, table := range sqltext.SyntaxOf("sqlite").Schema(w.Made.Schema).Tables {
				if slices.Contains(table.Parents, table.Name) {
					own++
				}
				if len(table.Cascades) > 0 {
					t.Errorf("%s, seed %d: %s carries what is done to %v along", name, seed, table.Name, table.Cascades)
				}
			}
		}
	}
	if own < 10 {
		t.Errorf("%d tables refer to themselves", own)
	}
}

// TestRetired: a query is sent no more after two slow executions in a row, and it is told once.
func TestRetired(t *testing.T) {
	var s Generated
	for i, c := range []struct{ long, retired bool }{{true, false}, {false, false}, {true, false}, {true, true},
		{true, false}, {false, false}} {
		if got := s.Took(c.long); got != c.retired {
			t.Errorf("execution %d: retired %v", i, got)
		}
	}
	if s.TooLong() || !new(Generated).TooLong() {
		t.Error("retired twice, or not")
	}
}
