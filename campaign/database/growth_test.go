package database

import (
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/campaign/store"
	"txweave/finding"
	"txweave/internal/testkit/cputime"
)

var grownFindings = flag.Int("database.findings", 600, "of how many findings TestGrowth measures the cost, beside 100")

// each runs do on an empty SQLite database and on those of real servers.
func each(t *testing.T, do func(t *testing.T, d *DB)) {
	t.Run("sqlite", func(t *testing.T) {
		d, err := Open(t.Context(), t.TempDir(), true)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		do(t, d)
	})
	for name, at := range stores(t) {
		t.Run(name, func(t *testing.T) {
			d, err := OpenShared(t.Context(), at, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			empty(t, d)
			do(t, d)
			empty(t, d)
		})
	}
}

// empty takes everything out of a database that other tests use, too.
func empty(t *testing.T, d *DB) {
	t.Helper()
	err := d.tx(t.Context(), func(x *tx) error {
		for _, m := range regexp.MustCompile(`CREATE TABLE IF NOT EXISTS (\w+)`).FindAllStringSubmatch(schema, -1) {
			if err := x.exec("DELETE FROM " + m[1]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = d.create(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// grow puts so many findings of a fiftieth as many bugs into a database, with ten million cases in the counters and a
// week of samples.
func grow(t *testing.T, d *DB, c *Cell, findings int) {
	t.Helper()
	bugs := max(1, findings/50)
	err := d.tx(t.Context(), func(x *tx) error {
		for i := range bugs {
			_, sig := found(i, fmt.Sprint("grown/", i))
			g := &finding.Bug{ID: bugName(int64(i) + 1), Status: finding.StatusOpen, DBMS: "sqlite", Class: "crash",
				Signature: sig, Count: findings / bugs, Kept: []finding.Kept{},
				Versions: []string{"3"}, Isolations: []string{"serializable"}, Planted: []string{}}
			if err := x.insertBug(int64(i)+1, g, signatureKey("sqlite", false, sig), bugs+1); err != nil {
				return err
			}
		}
		const rows = 500 // a statement
		for from := 0; from < findings; from += rows {
			var values []string
			for i := from; i < min(from+rows, findings); i++ {
				values = append(values, fmt.Sprintf("('grown-%d', %d, 0, %d, 'placed', %d, 0, %d, '{}', '')", i, c.id, i,
					i%bugs+1, i))
			}
			if err := x.exec("INSERT INTO findings (name, cell, shard, n, state, bug, kept, at, record, signature) VALUES " +
				strings.Join(values, ", ")); err != nil {
				return err
			}
		}
		for start := range 200 { // a campaign that was begun many times
			if err := x.exec(
				"INSERT INTO counts (cell, shard, start, cases, checked, found, runs, replays, sent, statements, survived, "+
					"aborted, errored, overlapping, overlap_edge) "+
					"VALUES (?, 0, ?, 50000, 50000, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1)",
				c.id, start+1); err != nil {
				return err
			}
		}
		return x.exec("UPDATE progress SET next_case = 10000000 WHERE cell = ?", c.id)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestGrowth: what a case, a finding and a look at the campaign cost with many findings is not much more than with few.
// It prints the time that each takes; what must not grow is held by this process's processor time, which on a server is
// only its share.
func TestGrowth(t *testing.T) {
	each(t, func(t *testing.T, d *DB) {
		costs, used := map[string][]time.Duration{}, map[string][]time.Duration{}
		for _, n := range []int{100, *grownFindings} {
			if d.shared() {
				empty(t, d)
			} else {
				var err error
				if d, err = Open(t.Context(), t.TempDir(), true); err != nil {
					t.Fatal(err)
				}
				defer d.Close()
			}
			cells, err := d.Begin(t.Context(), Shard{0, 1}, "test",
				[]CellPlan{{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz", Seed: 7}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := cells[0]
			grow(t, d, c, n)
			measure := func(what string, do func() error) {
				var all, cpu []time.Duration
				for range 7 {
					begun, used := time.Now(), cputime.Process()
					if err := do(); err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					all, cpu = append(all, time.Since(begun)), append(cpu, cputime.Process()-used)
				}
				// The others tell what else the machine had to do.
				costs[what], used[what] = append(costs[what], slices.Min(all)), append(used[what], slices.Min(cpu))
			}
			measure("a case", func() error {
				k, _ := c.Next()
				_, err := c.Done(&store.CaseDone{Case: k, Outcome: finding.Clean})
				return err
			})
			measure("a finding", func() error {
				k, _ := c.Next()
				rec, sig := found(k, "grown/0")
				p := []store.Placement{{Record: rec, Signature: sig}}
				if _, err := c.Done(&store.CaseDone{Case: k, Outcome: finding.Found, Waiting: p}); err != nil {
					return err
				}
				_, err := c.Place(p, 1)
				return err
			})
			measure("a sample", func() error { return c.TakeSample(t.Context(), 1, 1) })
			measure("a beginning", func() error {
				_, err := c.Enter()
				return err
			})
			measure("the status", func() error {
				_, err := d.Status(t.Context())
				return err
			})
			measure("the list of bugs", func() error {
				_, err := d.Bugs()
				return err
			})
		}
		out := map[string]string{}
		for what, list := range costs {
			out[what] = fmt.Sprintf("%v, %v", list[0].Round(time.Microsecond), list[1].Round(time.Microsecond))
			// What is listed, or summed up by bug, grows; what a campaign does for each case must not.
			if (what == "a case" || what == "a finding" || what == "a beginning") && used[what][1] > 5*used[what][0]+
				5*time.Millisecond {
				t.Errorf("%s costs %v of processor time with 100 findings, and %v with %d", what, used[what][0], used[what][1],
					*grownFindings)
			}
		}
		text, err := json.MarshalIndent(out, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("with 100 findings, and with %d of %d bugs:\n%s", *grownFindings, *grownFindings/50, text)
	})
}

// TestIndexes: what is asked for each case, each finding and each look at a cell is answered by an index of SQLite's,
// whatever the tables hold.
func TestIndexes(t *testing.T) {
	d, _ := open(t, t.TempDir())
	for query, args := range map[string]int{
		"SELECT next_case FROM progress WHERE cell = ? AND shard = ?":                           2,
		"SELECT state, bug FROM findings WHERE name = ?":                                        1,
		"SELECT name FROM findings WHERE cell = ? AND shard = ? AND state = ? ORDER BY n, name": 3,
		"SELECT bug FROM bug_keys WHERE hash = ?":                                               1,
		"SELECT hash FROM bug_keys WHERE bug = ?":                                               1,
		bugsOfCell: 1,
		"SELECT COALESCE(SUM(cases), 0) FROM counts WHERE cell = ? AND shard = ?":              2,
		"SELECT COUNT(*) FROM unchecked WHERE cell = ?":                                        1,
		"UPDATE tallies SET n = n + 1 WHERE cell = ? AND shard = ? AND kind = ? AND name = ?":  4,
		"DELETE FROM artifacts WHERE finding = ?":                                              1,
		"SELECT COUNT(*) FROM changes WHERE bug = ? AND who = 'txweave' AND what = ?":          2,
		"UPDATE findings SET bug = ? WHERE bug = ?":                                            2,
		"SELECT at - at % ?, cell, shard, MAX(at) FROM samples WHERE at >= ? GROUP BY 1, 2, 3": 2,
		"SELECT cell, at FROM samples WHERE shard = ? AND at < ? ORDER BY cell, at":            2,
		"UPDATE starts SET ended = beat WHERE shard = ? AND ended = 0":                         -1, // a row each start
		bugsByCell: -1, // a look at all of it
		"SELECT id FROM events ORDER BY id DESC LIMIT 1 OFFSET 4999":                             0,
		"SELECT SUM(n.cases) FROM counts n LEFT JOIN starts s ON s.id = n.start GROUP BY n.cell": -1,
		"SELECT name, SUM(n) FROM tallies WHERE kind = ? GROUP BY name":                          -1,
	} {
		list := make([]any, max(args, strings.Count(query, "?")))
		for i := range list {
			list[i] = 1
		}
		var plan []string
		err := d.rows(t.Context(), func(scan func(...any) error) error {
			var a, b, c int
			var what string
			err := scan(&a, &b, &c, &what)
			plan = append(plan, what)
			return err
		}, "EXPLAIN QUERY PLAN "+query, list...)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		text := strings.Join(plan, "; ")
		if scans := strings.Contains(text, "SCAN") && !strings.Contains(text, "USING COVERING INDEX"); scans && args >= 0 &&
			!strings.HasPrefix(query, "SELECT id FROM events") {
			t.Errorf("%s: %s", query, text)
		}
	}
}
