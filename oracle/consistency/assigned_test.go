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
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// TestGiven: a write leaves what its text gives, in the columns and the rows to which it gives it.
func TestGiven(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	number := func(of string) analysis.Given { return analysis.Given{Column: "a", Type: of, Number: true, Value: "5"} }
	text := analysis.Given{Column: "a", Type: "text", Value: strings.Repeat("ab", 30)}
	null := analysis.Given{Column: "a", Type: "int", Null: true}
	copied := analysis.Given{Column: "a", Type: "int", From: "b"}
	for name, c := range map[string]struct {
		given  analysis.Given
		left   history.Value
		change func(*observe.ObservedStmt)
		want   string
	}{
		"a number":              {number("int"), history.IntValue(5), nil, ""},
		"another one":           {number("int"), history.IntValue(6), nil, "it gives a of row 1 of t 5, and leaves 6"},
		"a number told as text": {number("bigint"), history.TextValue("5"), nil, ""},
		"NULL for a number":     {number("int"), history.Value{}, nil, "it gives a of row 1 of t 5, and leaves NULL"},
		"bytes for a number": {number("int"), history.BlobValue("5"), nil,
			"it gives a of row 1 of t 5, and leaves x'35'"},
		"a floating-point number": {number("double"), history.FloatValue(5), nil, ""},
		"a zero with a sign": {analysis.Given{Column: "a", Type: "double", Number: true, Value: "-0.0"},
			history.FloatValue(0), nil, ""},
		"an integer in its place": {number("double"), history.IntValue(5), nil, "it gives a of row 1 of t 5, and leaves 5"},
		"a text":                  {text, history.TextValue(text.Value), nil, ""},
		"a text that is padded":   {text, history.TextValue(text.Value + "  "), nil, ""},
		"its end is another": {text, history.TextValue(text.Value[:58] + "xb"), nil,
			"it gives a of row 1 of t 'ababababab'…'ababababab' (60 bytes), and leaves 'ababababab'…'abababab" +
				"xb' (60 bytes)"},
		"NULL":              {null, history.Value{}, nil, ""},
		"a number for NULL": {null, history.IntValue(0), nil, "it gives a of row 1 of t NULL, and leaves 0"},
		"a copy":            {copied, history.IntValue(7), nil, ""},
		"of another row": {copied, history.IntValue(8), nil,
			"it gives a of row 1 of t the value of b, and leaves 8"},
		"another row's": {analysis.Given{Column: "a", Type: "int", Number: true, Value: "5", PKey: "2"},
			history.IntValue(6), nil, ""},
		"it warned": {number("int"), history.IntValue(6), func(s *observe.ObservedStmt) {
			s.Run.Target.Warnings = []history.Warning{{}}
		}, ""},
		"it may have written more": {number("int"), history.IntValue(6), func(s *observe.ObservedStmt) {
			s.Unsure = []string{"t"}
		}, ""},
		"it has not written it": {number("int"), history.IntValue(6), func(s *observe.ObservedStmt) {
			s.Writes, s.Affected,
				s.Reads = nil, 0, nil
		}, ""},
		"nobody read it": {number("int"), history.IntValue(6), func(s *observe.ObservedStmt) { s.Run.AWR = nil },
			""},
		"it waited": {number("int"), history.IntValue(6), func(s *observe.ObservedStmt) { s.Waited = true },
			"it gives a of row 1 of t 5, and leaves 6"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Update,
				Writes: []history.Write{{Item: history.Item{Table: "t", PKey: 1}, From: 1, To: 2}},
				Reads:  []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 1}}}}, Target: "t", VKey: 2, Affected: 1,
				Given: []analysis.Given{c.given},
				Run: &observe.BlockRun{Block: &instrument.Block{}, Target: &history.Event{},
					AWR: &history.Event{Answer: history.Answer{Rows: given(c.left)}}}}
			if c.change != nil {
				c.change(s)
			}
			r, err := consistency.Oracle{}.Judge(&observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{}},
				Stmts: []*observe.ObservedStmt{s}})
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if c.want != "" {
				want = "T0.S0 UPDATE assigned-versus-stored: " + c.want
			}
			if got := told(r.Differences); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// given is the row 1 of a read, with a value for a.
func given(a history.Value) *history.Rows {
	return &history.Rows{Columns: []string{"pkey", "a", "b"}, Cells: []history.Value{history.IntValue(1), a,
		history.IntValue(7)}}
}
