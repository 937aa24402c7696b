package commits

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"txweave/checker"
	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/history"
	"txweave/history/register"
)

// row is a row of table t: its key, its version and what it holds.
func row(numbers ...int64) []Field {
	var out []Field
	for _, n := range numbers {
		out = append(out, Field{Value: history.IntValue(n), Known: true})
	}
	return out
}

// change is one of table t.
func change(before, after []Field) Change {
	return Change{Table: "t", Before: before, After: after}
}

// filled is the commit that filled the table.
var filled = Commit{Number: 1, Changes: []Change{change(nil, row(1, 0, 5)), change(nil, row(2, 0, 5))}}

// certify takes the log of a history in which T1, of number 7, replaced row 1, deleted, inserted and deleted row 2, and
// T2, of number 8, replaced row 1 again.
func certify(t *testing.T, log ...Commit) (*register.History, *certificate.Certificate, error) {
	t.Helper()
	b := register.NewBuilder(0, 0)
	one, two := b.Key("1"), b.Key("2")
	b.BeginInitial()
	b.Write(one, 0)
	b.Write(two, 0)
	b.End(history.Committed, 0, 0)
	b.Begin(0, 1)
	b.Write(one, 11)
	b.Write(two, -12)
	b.Write(two, 13)
	b.Write(two, -14)
	b.End(history.Committed, 0, 0)
	b.Begin(1, 2)
	b.Write(one, 21)
	b.End(history.Committed, 0, 0)
	h := b.History()
	c := &Issuer{Source: "log", Log: log, Snapshots: []history.Snapshot{{}, {Own: 7, Min: 7, Max: 7},
		{Own: 8, Min: 8, Max: 8}}, Reborn: true,
		Tables: []Layout{{Table: "t", Key: 0, Version: 1, Name: func(key int64) string {
			return fmt.Sprint(key)
		},
			Columns: []certificate.ColumnType{{Name: "pkey", Type: "BIGINT"}, {Name: "vkey", Type: "BIGINT"},
				{Name: "v", Type: "BIGINT"}}}}}
	out, err := c.Certify(h)
	return h, out, err
}

// TestNumbered: a transaction that deletes a row twice names both deletions, and a log is held against whose commits it
// has.
func TestNumbered(t *testing.T) {
	first := []Change{change(row(1, 0, 5), row(1, 11, 6)), change(row(2, 0, 5), nil), change(nil, row(2, 13, 7)),
		change(row(2, 13, 7), nil)}
	second := change(row(1, 11, 6), row(1, 21, 8))
	h, c, err := certify(t, filled, Commit{7, first}, Commit{8, []Change{second}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.Order, c.Times); got != "[[0 11 21] [0 -14]] [{0 0} {0 2} {0 3}]" {
		t.Errorf("order and times %s", got)
	}
	for _, deletion := range []int64{-12, -14} {
		if r, known := c.Tables[0].Rows[certificate.KeyVersion{Key: 1, Value: deletion}]; !known || r != nil {
			t.Errorf("deletion %d: %v, known %v", deletion, r, known)
		}
	}
	if v := certificate.Check(t.Context(), h, c, dbms.SER, checker.Options{}, nil); v.Outcome != checker.Valid {
		t.Error(v)
	}
	for _, x := range []struct {
		want string
		log  []Commit
	}{
		{"replaced version 0 of 1, but the latest one was 11", []Commit{filled, {7, first},
			{8, []Change{change(row(1, 0, 5), row(1, 21, 8))}}}},
		{"replaced version 11 of 1 with v = 9, but it was left with 6", []Commit{filled, {7, first},
			{8, []Change{change(row(1, 11, 9), row(1, 21, 8))}}}},
		{"inserted 1, but version 11 of it was there", []Commit{filled, {7, first},
			{8, []Change{change(nil, row(1, 21, 8))}}}},
		{"replaced version 0 of 2, but no row of it was there", []Commit{filled, {7, append(first[:2:2], first[1])}}},
		{"is transaction 9, but has version 21 of 1, which T2 wrote", []Commit{filled, {7, first}, {9, []Change{second}}}},
		{"is transaction 7, but lacks version -14 of 2, which T1 wrote", []Commit{filled, {7, first[:1]}}},
		{"is transaction 7, which T1 is, and which has committed before", []Commit{filled, {7, first},
			{7, []Change{change(row(1, 11, 6), row(1, 11, 6))}}}},
		{"deleted 1, but no transaction has its number 9", []Commit{filled, {9, []Change{change(row(1, 0, 5), nil)}}}},
		{"is transaction 8, which T2 is, and deleted 1 once more than that did",
			[]Commit{filled, {8, []Change{change(row(1, 0, 5), nil)}}}},
	} {
		_, _, err := certify(t, x.log...)
		var contradiction *ContradictionError
		if !errors.As(err, &contradiction) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want: %s", err, x.want)
		}
	}
}
