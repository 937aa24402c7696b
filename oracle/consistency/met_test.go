package consistency_test

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestMet: an upsert changes rows that have a key which it spells, and no others; of values that a collation may take
// for one nothing is said.
func TestMet(t *testing.T) {
	sqlite, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	key := func(column, literal string) []instrument.SpelledPart {
		return []instrument.SpelledPart{{Column: column, Literal: literal}}
	}
	item := history.Item{Table: "t", PKey: 7}
	for name, c := range map[string]struct {
		holds  map[string]string
		meets  [][]instrument.SpelledPart
		from   history.State
		change func(*observe.ObservedStmt)
		odd    bool
	}{
		"its primary key": {holds: map[string]string{"pkey": "7", "c": "3"}, meets: [][]instrument.SpelledPart{
			key("pkey", "7"), key("c", "4")}},
		"its other key": {holds: map[string]string{"pkey": "7", "c": "4"}, meets: [][]instrument.SpelledPart{
			key("pkey", "9"), key("c", "4")}},
		"that of another row": {holds: map[string]string{"pkey": "7", "c": "3"}, meets: [][]instrument.SpelledPart{
			key("pkey", "9"), key("c", "4")}, odd: true},
		"half of a key": {holds: map[string]string{"a": "1", "b": "2"}, meets: [][]instrument.SpelledPart{
			{{Column: "a", Literal: "1"}, {Column: "b", Literal: "3"}}}, odd: true},
		"a row without a value": {holds: map[string]string{"c": "NULL"}, meets: [][]instrument.SpelledPart{
			key("c", "4")}, odd: true},
		"another text": {holds: map[string]string{"c": "'k1'"}, meets: [][]instrument.SpelledPart{
			key("c", "'k2'")}, odd: true},
		"alike to a collation": {holds: map[string]string{"c": "'K1'"}, meets: [][]instrument.SpelledPart{
			key("c", "'k1'")}},
		"perhaps alike to one":    {holds: map[string]string{"c": "'ä'"}, meets: [][]instrument.SpelledPart{key("c", "'a'")}},
		"a number in other words": {holds: map[string]string{"c": "7"}, meets: [][]instrument.SpelledPart{key("c", "007")}},
		"no number below zero":    {holds: map[string]string{"c": "0"}, meets: [][]instrument.SpelledPart{key("c", "-0")}},
		"another kind of value":   {holds: map[string]string{"c": "'4'"}, meets: [][]instrument.SpelledPart{key("c", "5")}},
		"a column nobody printed": {holds: map[string]string{"pkey": "7"}, meets: [][]instrument.SpelledPart{key("c", "4")}},
		"a row that it inserted": {holds: map[string]string{"c": "3"}, meets: [][]instrument.SpelledPart{key("c", "4")},
			from: history.Dead},
		"it waited": {holds: map[string]string{"c": "3"}, meets: [][]instrument.SpelledPart{key("c", "4")},
			change: func(s *observe.ObservedStmt) { s.Waited = true }},
		"a value was cut": {holds: map[string]string{"c": "3"}, meets: [][]instrument.SpelledPart{key("c", "4")},
			change: func(s *observe.ObservedStmt) {
				s.Run.Target.Warnings = []history.Warning{{Level: "Warning", Code: 1264}}
			}},
	} {
		from := c.from
		if from == 0 {
			from = 3
		}
		content := map[string]string{}
		for column, value := range c.holds {
			content[column] = value
		}
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert,
			Writes: []history.Write{{Item: item, From: from, To: 5}}}, Target: "t", Meets: c.meets,
			Run: &observe.BlockRun{Target: &history.Event{}}}
		if c.change != nil {
			c.change(s)
		}
		o := &observe.Observation{Promise: sqlite, Txns: make([]observe.ObservedTxn, 1), Stmts: []*observe.ObservedStmt{s},
			Content: func(v history.Version) map[string]string {
				if v != (history.Version{Item: item, VKey: 3}) {
					return nil
				}
				return content
			}}
		r, err := consistency.Oracle{}.Judge(o)
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		for _, d := range r.Differences {
			if d.What == "changed-unmet-row" {
				told += d.Detail()
			}
		}
		if odd := strings.Contains(told, "none of the keys that it spells"); odd != c.odd {
			t.Errorf("%s: it says %q", name, told)
		}
	}
}
