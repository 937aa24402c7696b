package postgresql

import (
	"strings"
	"testing"

	"txweave/exec"
	"txweave/gen"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
	"txweave/testcase"
)

// reshape gives the shared server the store of a name, until the test ends.
func reshape(t *testing.T, db exec.Target, name string) {
	t.Helper()
	p := profile(t, "serializable")
	set := func(options ...testcase.Option) {
		if err := exec.Shape(t.Context(), db, &testcase.Case{Target: "postgresql", Options: options}, p,
			func() {}); err != nil {
			t.Fatal(err)
		}
	}
	set(testcase.Option{Key: testcase.OptionStore, Value: name})
	t.Cleanup(func() {
		if err := db.(exec.Storer).Reshape(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}

// TestStores: transactions reach rows as the store of a case says, after the settings of another plan were taken back,
// too, and the tool's own reads do not. A table is kept as the store says whenever it has been filled.
func TestStores(t *testing.T) {
	c := &testcase.Case{Target: "postgresql",
		Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (pkey BIGINT PRIMARY KEY, v INT)"}, {SQL: "CREATE INDEX t_v ON t (v)"}},
		Rows:   []testcase.Stmt{{SQL: "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)"}}}
	for store, want := range map[string]string{"": "Seq Scan", "indexes": "Index Only Scan", "bitmaps": "Bitmap Heap Scan",
		"frozen": "Index Only Scan"} {
		t.Run(store, func(t *testing.T) {
			db := server(t)
			if store != "" {
				reshape(t, db, store)
			}
			if err := db.Load(t.Context(), c, []string{"t"}); err != nil {
				t.Fatal(err)
			}
			plan := func(s *exec.Session) string {
				rows, err := s.Read(t.Context(), "EXPLAIN (COSTS OFF) SELECT v FROM t WHERE v > 5")
				if err != nil {
					t.Fatal(err)
				}
				return rows.Row(0)[0].S
			}
			allSeen := func() bool {
				rows, err := db.Control().Read(t.Context(), "SELECT relallvisible FROM pg_class WHERE relname = 't'")
				if err != nil {
					t.Fatal(err)
				}
				n, _ := rows.Row(0)[0].Int64()
				return n > 0
			}
			s := sessions(t, db, "serializable", 1)[0]
			if got := plan(s); store != "" && !strings.HasPrefix(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
			if err := s.Must(t.Context(), "SET enable_seqscan = on", "RESET enable_seqscan"); err != nil {
				t.Fatal(err)
			}
			if got := plan(s); store != "" && !strings.HasPrefix(got, want) {
				t.Errorf("%s after RESET, want %s", got, want)
			}
			watcher, err := db.Observe(t.Context(), exec.FirstNode, exec.ReadCommitted)
			if err != nil {
				t.Fatal(err)
			}
			defer watcher.Close()
			rows, err := watcher.Read(t.Context(), "SHOW enable_seqscan")
			if err != nil || rows.Row(0)[0].S != "on" {
				t.Errorf("the observer's settings are the store's: %v", err)
			}
			for _, when := range []string{"a load", "a reset"} {
				if allSeen() != (store == "frozen") {
					t.Errorf("after %s its pages are seen by all: %v", when, allSeen())
				}
				if err := s.Must(t.Context(), "UPDATE t SET v = v + 1"); err != nil {
					t.Fatal(err)
				}
				if err := db.Reset(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestCasesInStores: nothing is found in generated cases that lie in one.
func TestCasesInStores(t *testing.T) {
	db := server(t)
	for _, p := range Levels() {
		for i := range p.Variants.Stores {
			t.Run(p.Isolation+" "+p.Variants.Stores[i].Name, func(t *testing.T) {
				reshape(t, db, p.Variants.Stores[i].Name)
				r := servers.Runner(t, db, p)
				for n := range effort.Cases(4) {
					judge(t, r, p, gen.CaseSeed(11, n), gen.Options{Isolation: p.Isolation,
						Weights: map[string]int{"ddl-analyze": 90}})
				}
			})
		}
	}
}
