package snapshot

import (
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestRewrote: where an UPDATE that leaves a row as it is makes a version of it all the same, its transaction's
// snapshot shows that row from then on, though another one committed it after the snapshot was taken; another version
// of it, and a row that it did not meet, are newer.
func TestRewrote(t *testing.T) {
	row := history.Item{Table: "t", PKey: 3}
	tables := map[string]bool{}
	for _, c := range []struct {
		name          string
		met           int64 // the version that the UPDATE met
		keeps, writes bool  // it may leave rows as they are; the database makes versions of these
		waited        bool  // for the transaction that wrote version 10
		want          fault.Kind
	}{
		{"left as it is", 10, true, true, false, ""},
		{"of another version", 9, true, true, false, fault.NewerRead},
		{"of another version, until it had waited", 9, true, true, true, ""},
		{"an UPDATE that changes each row, and had to wait", 9, false, true, true, fault.NewerRead},
		{"an UPDATE that changes each row", 10, false, true, false, fault.NewerRead},
		{"a database that leaves such rows alone", 10, true, false, false, fault.NewerRead},
		{"a database that leaves such rows alone, behind a wait", 9, true, false, true, fault.NewerRead},
		{"a table that keeps what its rows held before", 10, true, false, false, ""},
	} {
		first := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Select}, View: dbms.Snapshot, Sent: 1}
		insert := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Kind: sqltext.Insert,
			Writes: []history.Write{{Item: row, From: history.Unborn, To: 10}}},
			Target: "t", Sent: 3}
		update := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S1", Kind: sqltext.Update,
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{3: c.met}}}},
			Target: "t", View: dbms.Current, Keeps: c.keeps, Waited: c.waited, Sent: 7, Done: 8}
		if c.waited {
			update.Sent = 4
		}
		read := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S2", Kind: sqltext.Select,
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{3: 10}}}},
			View: dbms.Snapshot, Sent: 9}
		tables["t"] = c.want == "" && !c.writes
		o := &observe.Observation{Rewrites: tables, Initial: map[string]map[int64]int64{"t": {}}, Txns: []observe.ObservedTxn{
			{}, {Outcome: history.Committed, Sent: 5, Done: 6}},
			Promise: &dbms.Profile{Writes: dbms.Writes{RewritesSame: c.writes}, Guarantees: dbms.Guarantees{
				Mechanisms: dbms.Mechanisms{ConsistentRead: dbms.PerTransaction}}},
			Stmts: []*observe.ObservedStmt{first, insert, update, read},
			Events: []observe.Moment{{Kind: observe.Ran, Stmt: first, Snapshot: true, Start: 1, End: 2},
				{Kind: observe.Ran, Txn: 1, Stmt: insert, Start: 3, End: 4, Done: 1},
				{Kind: observe.Commit, Txn: 1, Start: 5, End: 6, Done: 2}, {Kind: observe.Ran, Stmt: update, Start: 7,
					End: 8, Done: 3},
				{Kind: observe.Look, Stmt: read, Whole: true, Snapshot: true, Start: 9, End: 10, Done: 4}}}
		var got fault.Kind
		if found := find(o, func(int) dbms.ReadScope { return dbms.PerTransaction }); len(found) > 0 {
			got = found[0].What
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
