package consistency_test

import (
	"fmt"
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestCarried: rows that refer to one which goes, or gets another key, are left as the action of their foreign key
// says; where that is not certain, nothing is said.
func TestCarried(t *testing.T) {
	sqlite, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	mariadb, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	row := func(table string, pkey int64, from, to history.State) history.Write {
		return history.Write{Item: history.Item{Table: table, PKey: pkey}, From: from, To: to}
	}
	content := map[history.Version]map[string]string{}
	hold := func(table string, pkey, vkey int64, column, value string) {
		content[history.Version{Item: history.Item{Table: table, PKey: pkey}, VKey: vkey}] = map[string]string{column: value}
	}
	hold("p", 1, 1, "k", "10")
	hold("p", 1, 2, "k", "20")
	hold("p", 1, 3, "k", "10")
	hold("p", 2, 1, "k", "20")
	hold("p", 2, 2, "k", "30")
	hold("c", 5, 1, "f", "10")
	hold("c", 5, 2, "f", "20")
	hold("c", 5, 3, "f", "NULL")
	hold("c", 5, 4, "f", "NULL")
	const absent = history.Dead
	reference := func(onDelete, onUpdate string) sqltext.Reference {
		return sqltext.Reference{Column: "f", Parent: "p", Key: "k", Acts: true, OnDelete: onDelete, OnUpdate: onUpdate}
	}
	refused := &history.DBError{Code: 787, Message: "FOREIGN KEY constraint failed"}
	for name, c := range map[string]struct {
		kind      sqltext.Kind
		reference sqltext.Reference
		writes    []history.Write
		err       *history.DBError
		change    func(*observe.ObservedStmt)
		promise   *dbms.Profile
		want      string
	}{
		"it goes with it": {kind: sqltext.Delete, reference: reference("cascade", ""),
			writes: []history.Write{row("p", 1, 1, absent), row("c", 5, 1, absent)}},
		"it refers to none": {kind: sqltext.Delete, reference: reference("set null", ""),
			writes: []history.Write{row("p", 1, 1, absent), row("c", 5, 1, 3)}},
		"it gets the new key": {kind: sqltext.Update, reference: reference("", "cascade"),
			writes: []history.Write{row("p", 1, 1, 2), row("c", 5, 1, 2)}},
		"it refers to none then": {kind: sqltext.Update, reference: reference("cascade", "set null"),
			writes: []history.Write{row("p", 1, 1, 2), row("c", 5, 1, 3)}},
		"the key is as it was": {kind: sqltext.Update, reference: reference("", "cascade"),
			writes: []history.Write{row("p", 1, 1, 3), row("c", 5, 1, 3)}},
		"it referred to none": {kind: sqltext.Update, reference: reference("", "cascade"),
			writes: []history.Write{row("p", 1, 1, 2), row("c", 5, 3, 4)}},
		"another row has got that key": {kind: sqltext.Update, reference: reference("", "cascade"),
			writes: []history.Write{row("p", 1, 1, 2), row("p", 2, 1, 2), row("c", 5, 1, 3)}},
		"an action that is not known": {kind: sqltext.Delete, reference: reference("", ""),
			writes: []history.Write{row("p", 1, 1, absent), row("c", 5, 1, 3)}},
		"a row that nobody printed": {kind: sqltext.Delete, reference: reference("set null", ""),
			writes: []history.Write{row("p", 1, 7, absent), row("c", 5, 1, absent)}},
		"it waited": {kind: sqltext.Delete, reference: reference("set null", ""),
			writes: []history.Write{row("p", 1, 1, absent), row("c", 5, 1, absent)},
			change: func(s *observe.ObservedStmt) { s.Waited = true }},
		"it may have written more": {kind: sqltext.Delete, reference: reference("set null", ""),
			writes: []history.Write{row("p", 1, 1, absent), row("c", 5, 1, absent)},
			change: func(s *observe.ObservedStmt) { s.Unsure = []string{"c"} }},
		"another type": {kind: sqltext.Update, reference: reference("", "cascade"), writes: []history.Write{row("p", 1, 1, 2),
			row("c", 5, 1, 3)},
			change: func(s *observe.ObservedStmt) { s.Carrying[0].Alike = false }},
		"several writers at once": {kind: sqltext.Delete, reference: reference("set null", ""),
			writes: []history.Write{row("p", 1, 1, absent), row("c", 5, 1, absent)}, promise: mariadb},
		"it is refused, as it may be": {kind: sqltext.Delete, reference: reference("", "cascade"), err: refused},
		"somebody else may refuse it": {kind: sqltext.Delete, reference: reference("cascade", ""), err: refused,
			change: func(s *observe.ObservedStmt) { s.Carrying[0].Beyond = true }},
		"a key of another type is refused": {kind: sqltext.Update, reference: reference("", "cascade"), err: refused,
			change: func(s *observe.ObservedStmt) { s.Carrying[0].Alike = false }},
		"it is refused for something else": {kind: sqltext.Delete, reference: reference("cascade", ""),
			err: &history.DBError{Code: 2067}},
		"it goes in place of referring to none": {kind: sqltext.Delete, reference: reference("set null", ""),
			writes: []history.Write{row("p", 1, 1, absent), row("c", 5, 1, absent)},
			want: "row 5 of c referred to 10, which is no row now, and the foreign key's action leaves no row; it should " +
				"leave NULL"},
		"it refers to none in place of going": {kind: sqltext.Delete, reference: reference("cascade", ""),
			writes: []history.Write{row("p", 1, 1, absent), row("c", 5, 1, 3)},
			want: "row 5 of c referred to 10, which is no row now, and the foreign key's action leaves NULL; it should leave " +
				"no row"},
		"it loses the key that it should get": {kind: sqltext.Update, reference: reference("", "cascade"),
			writes: []history.Write{row("p", 1, 1, 2), row("c", 5, 1, 3)},
			want:   "row 5 of c referred to 10, which is 20 now, and the foreign key's action leaves NULL; it should leave 20"},
		"it is refused, though nobody stays": {kind: sqltext.Update, reference: reference("", "cascade"), err: refused,
			want: "it is refused with " + refused.String() +
				", and each foreign key to p has an action that takes its rows along"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: c.kind, Writes: c.writes}, Target: "p", Err: c.err,
				Carries: true, Loose: true,
				Carrying: []observe.Carrying{{Table: "c", Reference: c.reference, Alike: true}}}
			seen := map[string]map[int64]int64{}
			for _, w := range c.writes {
				if seen[w.Table] == nil {
					seen[w.Table] = map[int64]int64{}
					s.Reads = append(s.Reads, sdg.TableRead{Table: w.Table, Seen: seen[w.Table]})
				}
				seen[w.Table][w.PKey] = int64(w.From)
			}
			if c.change != nil {
				c.change(s)
			}
			promise := sqlite
			if c.promise != nil {
				promise = c.promise
			}
			r, err := consistency.Oracle{}.Judge(&observe.Observation{Promise: promise, Txns: []observe.ObservedTxn{{}},
				Stmts:   []*observe.ObservedStmt{s},
				Content: func(v history.Version) map[string]string { return content[v] }})
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if c.want != "" {
				what := fault.Carried
				if c.err != nil {
					what = fault.RefusedCarried
				}
				want = fmt.Sprintf("T0.S0 %s %s: %s", map[sqltext.Kind]string{sqltext.Update: "UPDATE",
					sqltext.Delete: "DELETE"}[c.kind], what, c.want)
			}
			if got := told(r.Differences); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
