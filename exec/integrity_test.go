package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/history"
)

// TestComplaintsSQLite: of sound tables nothing is said; an index that lacks a row's entry is told, row by row.
func TestComplaintsSQLite(t *testing.T) {
	db := target(t, "sqlite")
	r := newRunner(t, db, lookup(t, "sqlite/serializable"), Options{})
	load(t, r, parseCase(t, tables+"; CREATE INDEX i0 ON t (v)", updateOne))
	if said, err := r.Complaints(); err != nil || len(said) > 0 {
		t.Fatalf("of sound tables: %q, %v", said, err)
	}
	// The index is out of the schema while a row is written.
	if err := db.Control().Must(t.Context(), "PRAGMA writable_schema=ON",
		"CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'i0'",
		"DELETE FROM sqlite_schema WHERE name = 'i0'", "PRAGMA writable_schema=RESET",
		"INSERT INTO t (pkey, vkey, v, w) VALUES (9, 9, 90, 0)",
		"PRAGMA writable_schema=ON", "INSERT INTO sqlite_schema SELECT * FROM kept", "PRAGMA writable_schema=RESET",
		"DROP TABLE kept"); err != nil {
		t.Fatal(err)
	}
	said, err := r.Complaints()
	if want := []string{"wrong # of entries in index i0", "row 4 missing from index i0"}; err != nil ||
		!slices.Equal(said, want) {
		t.Errorf("of a stale index: %q, %v; want %q", said, err, want)
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestComplaintsPartial: an index of a part of the rows is told of where it has entries beside those, which
// integrity_check passes over; one that is not there any more is not.
func TestComplaintsPartial(t *testing.T) {
	db := target(t, "sqlite")
	r := newRunner(t, db, lookup(t, "sqlite/serializable"), Options{})
	load(t, r, parseCase(t, tables+"; CREATE INDEX i0 ON t (v) WHERE pkey < 3; CREATE INDEX i1 ON t (w) WHERE v IS NOT "+
		"NULL", updateOne))
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"UPDATE t SET pkey = 7 WHERE pkey = 1", nil},
		{"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX i0 ON t (v) WHERE pkey < 9' WHERE name = " +
			"'i0'; PRAGMA writable_schema=RESET; REINDEX i0; " +
			"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX i0 ON t (v) WHERE pkey < 3' WHERE name = " +
			"'i0'; PRAGMA writable_schema=RESET",
			[]string{"index i0 has 3 entries, and its WHERE clause is true for 1 rows"}},
		{"DROP INDEX i0", nil},
	} {
		if err := db.Control().Must(t.Context(), c.sql); err != nil {
			t.Fatal(err)
		}
		if said, err := r.Complaints(); err != nil || !slices.Equal(said, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.sql, said, err, c.want)
		}
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestComplaintsComputed: a stored generated column is told of where it does not hold what its expression gives.
func TestComplaintsComputed(t *testing.T) {
	db := target(t, "sqlite")
	r := newRunner(t, db, lookup(t, "sqlite/serializable"), Options{})
	load(t, r, parseCase(t, "CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey INTEGER, pvkey INTEGER, v INT, w INT, g "+
		"TEXT AS (v + 2) STORED, h INT AS (v || '') STORED)", updateOne))
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"INSERT INTO t (pkey, v) VALUES (7, 12), (8, NULL), (9, 'a'), (10, '5'), (11, 2.5)", nil},
		{"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, 'v + 2', 'v + 3') WHERE name = 't'; " +
			"PRAGMA writable_schema=RESET; " +
			"INSERT INTO t (pkey, v) VALUES (12, 1), (13, NULL); " +
			"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, 'v + 3', 'v + 2') WHERE name = 't'; " +
			"PRAGMA writable_schema=RESET",
			[]string{"generated column g of table t is not what its expression gives in 1 rows"}},
	} {
		if err := db.Control().Must(t.Context(), c.sql); err != nil {
			t.Fatal(err)
		}
		if said, err := r.Complaints(); err != nil || !slices.Equal(said, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.sql, said, err, c.want)
		}
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestComplaintsReference: a row that refers to none is told of, one that refers to a row or to nothing is not.
func TestComplaintsReference(t *testing.T) {
	db := target(t, "sqlite")
	r := newRunner(t, db, lookup(t, "sqlite/serializable"), Options{})
	load(t, r, parseCase(t, tables+"; INSERT INTO t2 VALUES (1, 55)"+
		"; CREATE TABLE t1 (pkey INT PRIMARY KEY, c0 INT, FOREIGN KEY (c0) REFERENCES t (pkey)); CREATE TABLE t2 (pkey INT "+
		"PRIMARY KEY, c0 INT, FOREIGN KEY (c0) REFERENCES t (pkey))", updateOne))
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"INSERT INTO t1 VALUES (1, 1), (2, NULL)", nil},
		{"DELETE FROM t1", nil},
		{"PRAGMA foreign_keys = OFF; INSERT INTO t1 VALUES (3, 77); PRAGMA foreign_keys = ON",
			[]string{"a foreign key of t1 names a row that t does not have"}},
	} {
		if err := db.Control().Must(t.Context(), c.sql); err != nil {
			t.Fatal(err)
		}
		if said, err := r.Complaints(); err != nil || !slices.Equal(said, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.sql, said, err, c.want)
		}
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestComplaintsReferenceMariaDB: a server is asked with a query of ours; what the rows of the beginning lack is not
// told.
func TestComplaintsReferenceMariaDB(t *testing.T) {
	db := mariadb(t)
	r := newRunner(t, db, lookup(t, "mariadb/repeatable-read"), Options{})
	load(t, r, parseCase(t, tables+"; CREATE TABLE t1 (pkey INT PRIMARY KEY, c0 BIGINT, FOREIGN KEY (c0) REFERENCES t "+
		"(pkey) ON DELETE CASCADE)", updateOne))
	const lost = "a foreign key of t1 names a row that t does not have"
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"INSERT INTO t1 VALUES (1, 1), (2, NULL)", nil},
		{"SET foreign_key_checks = OFF; INSERT INTO t1 VALUES (3, 77), (4, 77)", []string{lost, lost}},
	} {
		if err := db.Control().Must(t.Context(), c.sql); err != nil {
			t.Fatal(err)
		}
		if said, err := r.Complaints(); err != nil || !slices.Equal(said, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.sql, said, err, c.want)
		}
	}
	load(t, r, parseCase(t, tables+"; CREATE UNIQUE INDEX u ON t (pkey, v); CREATE TABLE t1 (pkey INT PRIMARY KEY, c0 "+
		"BIGINT, c1 INT, FOREIGN KEY (c0, c1) REFERENCES t (pkey, v))", updateOne))
	if err := db.Control().Must(t.Context(),
		"INSERT INTO t1 VALUES (1, 1, 10), (2, NULL, 10), (3, 1, NULL), (4, 99, NULL); SET foreign_key_checks = OFF; "+
			"INSERT INTO t1 VALUES (5, 1, 11)"); err != nil {
		t.Fatal(err)
	}
	if said, err := r.Complaints(); err != nil || !slices.Equal(said, []string{lost}) {
		t.Errorf("of a foreign key of two columns: %q, %v", said, err)
	}
	load(t, r, parseCase(t, tables+"; CREATE TABLE t1 (pkey INT PRIMARY KEY, c0 BIGINT, FOREIGN KEY (c0) REFERENCES t "+
		"(pkey)); SET foreign_key_checks = OFF; INSERT INTO t1 VALUES (1, 55)", updateOne))
	if said, err := r.Complaints(); err != nil || len(said) > 0 {
		t.Errorf("of rows of the beginning: %q, %v", said, err)
	}
}

// TestComplaintsMariaDB: of sound tables nothing is said, rows that are not purged yet included; errors and what is not
// OK are complaints.
func TestComplaintsMariaDB(t *testing.T) {
	r := newRunner(t, mariadb(t), lookup(t, "mariadb/repeatable-read"), Options{})
	plan := load(t, r, parseCase(t, tables+"; CREATE INDEX i0 ON t (v)", updateOne))
	if _, err := r.Run(plan, plan.Steps); err != nil {
		t.Fatal(err)
	}
	if said, err := r.Complaints(); err != nil || len(said) > 0 {
		t.Fatalf("of sound tables: %q, %v", said, err)
	}
	answer := &history.Rows{Columns: []string{"Table", "Op", "Msg_type", "Msg_text"}}
	for _, row := range [][2]string{{"Warning", "Unpurged clustered index record in table"}, {"error", "Corrupt"},
		{"status", "OK"}, {"status", "Operation failed"}} {
		for _, s := range []string{"db.t", "check", row[0], row[1]} {
			answer.Cells = append(answer.Cells, history.TextValue(s))
		}
	}
	if got, want := TestServers["mariadb"].Protocol.Integrity.Read(answer), []string{"db.t: Corrupt",
		"db.t: Operation failed"}; !slices.Equal(got, want) {
		t.Errorf("complaints %q, want %q", got, want)
	}
}

// TestMatchingFails: a clause that cannot be evaluated on a version leaves it open which versions it matches; nobody is
// told that none does, and the session goes on.
func TestMatchingFails(t *testing.T) {
	r := newRunner(t, target(t, "sqlite"), lookup(t, "sqlite/serializable"), Options{})
	load(t, r, parseCase(t, tables, updateOne))
	for where, want := range map[string]int{"abs(-9223372036854775808) = 1": 0, "x.v > 10": 3} {
		for range 2 {
			got, err := r.Matching(MatchQuery{Table: "t", Alias: "x", Where: where})
			if err != nil || len(got) != want {
				t.Errorf("%s: %v, %v", where, got, err)
			}
		}
	}
	// A version that the table cannot be given is left out, the others are told.
	refused := &history.Rows{Columns: []string{"pkey", "nosuch"}, Cells: []history.Value{history.IntValue(9),
		history.IntValue(9)}}
	got, err := r.Matching(MatchQuery{Table: "t", Alias: "x", Where: "x.v > 10", Written: []*history.Rows{refused}})
	if err != nil || len(got) != 3 {
		t.Errorf("with a row that is refused: %v, %v", got, err)
	}
}

// TestMatchingShared: queries of the same versions are answered from one table, which a run does not meet; others get a
// table of their own.
func TestMatchingShared(t *testing.T) {
	r := newRunner(t, target(t, "sqlite"), lookup(t, "sqlite/serializable"), Options{})
	plan := load(t, r,
		parseCase(t, "CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, pvkey INT, v INT); INSERT INTO t VALUES (1, 1, 0, 10)",
			updateOne))
	written := func(vkey int64) []*history.Rows {
		return []*history.Rows{{Columns: []string{"pkey", "vkey", "pvkey", "v"}, Cells: []history.Value{history.IntValue(1),
			history.IntValue(vkey), history.IntValue(1), history.IntValue(20)}}}
	}
	matching := func(of any, vkey int64, where string) map[history.Version]bool {
		got, err := r.Matching(MatchQuery{Of: of, Table: "t", Alias: "x", Where: where, Written: written(vkey)})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	version := func(vkey int64) history.Version {
		return history.Version{Item: history.Item{Table: "t", PKey: 1}, VKey: vkey}
	}
	one, other := new(int), new(int)
	for range 2 {
		if got := matching(one, 2, "x.v > 15"); len(got) != 2 || got[version(1)] || !got[version(2)] {
			t.Errorf("the first versions: %v", got)
		}
	}
	if got := matching(one, 3, "x.v < 15"); len(got) != 2 || !got[version(1)] || got[version(2)] {
		t.Errorf("the same versions, another clause: %v", got)
	}
	if got := matching(other, 3, "x.v > 15"); len(got) != 2 || !got[version(3)] {
		t.Errorf("other versions: %v", got)
	}
	if _, err := r.Run(plan, plan.Steps); err != nil {
		t.Fatal(err)
	}
	if a, err := r.replayer.Query(t.Context(), "SELECT * FROM "+scratchPrefix+"t"); err != nil || a.Err == nil {
		t.Errorf("a run left the table: %v, %v", a, err)
	}
	if got := matching(other, 3, "x.v > 15"); len(got) != 2 || !got[version(3)] {
		t.Errorf("after a run: %v", got)
	}
}

// TestBatches: versions go in as many statements as it takes to keep each short, in their order, and none is left out.
func TestBatches(t *testing.T) {
	for in, want := range map[string]string{"": "[]", "a": "[[a]]", "aaaaa": "[[aaaaa]]",
		"a b c d e": "[[a b c] [d e]]", "aaaa b cc dd": "[[aaaa] [b cc] [dd]]", "a bbb ccc": "[[a] [bbb] [ccc]]",
		"a bb c": "[[a bb] [c]]"} {
		if got := fmt.Sprint(batches(strings.Fields(in), 3)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// TestMatchingBytes: a version that holds bytes is asked about as bytes, which SQLite tells from the text of the same
// bytes.
func TestMatchingBytes(t *testing.T) {
	r := newRunner(t, target(t, "sqlite"), lookup(t, "sqlite/serializable"), Options{})
	load(t, r, parseCase(t, "CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, pvkey INT, v); INSERT INTO t VALUES (1, 1, "+
		"0, x'6100')", updateOne))
	rows, err := r.replayer.Read(t.Context(), "SELECT pkey, vkey, pvkey, v FROM t")
	if err != nil {
		t.Fatal(err)
	}
	rows.Cells[1] = history.IntValue(2) // another version with the same bytes
	for where, want := range map[string]bool{"x.v = x'6100'": true, "typeof(x.v) = 'text'": false} {
		got, err := r.Matching(MatchQuery{Table: "t", Alias: "x", Where: where, Written: []*history.Rows{rows}})
		if match, known := got[history.Version{Item: history.Item{Table: "t", PKey: 1}, VKey: 2}]; err != nil || !known ||
			match != want {
			t.Errorf("%s: %v, known %v, %v", where, match, known, err)
		}
	}
}

// TestMatchingCollations: a version is asked about as its table compares it: SQLite's CREATE TABLE AS keeps no
// collation.
func TestMatchingCollations(t *testing.T) {
	for name, tables := range map[string]string{
		"sqlite/serializable": "CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, pvkey INT, V TEXT COLLATE NOCASE NOT " +
			"NULL, w TEXT)",
		"mariadb/repeatable-read": "CREATE TABLE t (pkey INT PRIMARY KEY, vkey INT, pvkey INT, v VARCHAR(9) COLLATE " +
			"utf8mb4_general_ci, w VARCHAR(9) COLLATE utf8mb4_bin)",
	} {
		dbms, _, _ := strings.Cut(name, "/")
		r := newRunner(t, target(t, dbms), lookup(t, name), Options{})
		load(t, r, parseCase(t, tables+"; INSERT INTO t VALUES (1, 1, 0, 'Bx', 'Bx')", updateOne))
		for where, want := range map[string]bool{"x.v >= 'ba'": true, "x.w >= 'ba'": false} {
			got, err := r.Matching(MatchQuery{Table: "t", Alias: "x", Where: where})
			if match, known := got[history.Version{Item: history.Item{Table: "t", PKey: 1}, VKey: 1}]; err != nil || !known ||
				match != want {
				t.Errorf("%s: %s: %v, known %v, %v", name, where, match, known, err)
			}
		}
	}
}

// TestComplaintsBesideLocks: a table that somebody holds locked is not said to be damaged, and is looked at as soon as
// it can be.
func TestComplaintsBesideLocks(t *testing.T) {
	db, p := target(t, "mariadb"), lookup(t, "mariadb/repeatable-read")
	if err := db.Control().Must(t.Context(), "CREATE TABLE held (pkey INT PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	holder, err := db.Open(t.Context(), FirstNode, p)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	asks, err := db.Open(t.Context(), FirstNode, p)
	if err != nil {
		t.Fatal(err)
	}
	defer asks.Close()
	if err := asks.Must(t.Context(), "SET SESSION lock_wait_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	if err := holder.Must(t.Context(), "LOCK TABLES held WRITE"); err != nil {
		t.Fatal(err)
	}
	usual := busyTime
	busyTime = 100 * time.Millisecond
	_, err = asks.Complaints(t.Context(), p, []string{"held"})
	if busyTime = usual; !errors.Is(err, ErrKept) || !IsRefused(err) {
		t.Errorf("a table that stays locked: %v", err)
	}
	released, began := make(chan error, 1), time.Now()
	time.AfterFunc(2500*time.Millisecond, func() { released <- holder.Must(t.Context(), "UNLOCK TABLES") })
	said, err := asks.Complaints(t.Context(), p, []string{"held"})
	if err != nil || len(said) > 0 {
		t.Errorf("%q, %v", said, err)
	}
	if time.Since(began) < 2*time.Second {
		t.Error("it was answered while the table was locked")
	}
	if err := <-released; err != nil {
		t.Error(err)
	}
	if err := db.Control().Must(t.Context(), "DROP TABLE held"); err != nil {
		t.Error(err)
	}
}
