package consistency

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/analysis"
)

// given compares the rows that a write leaves, as the read after it saw them, with what its text gives them: a literal,
// another column of the row. No replay tells a value that is wrong with and without transactions alike. One that warns
// may have cut a value, and says so.
func (j *judge) given(s *observe.ObservedStmt) {
	if len(s.Given) == 0 || len(s.Unsure) > 0 || s.Run == nil || s.Run.Target == nil || len(s.Run.Target.Warnings) > 0 {
		return
	}
	after := j.after(s)
	for _, w := range s.Writes {
		row := after[w.PKey]
		if w.Table != s.Target || w.To.Absent() || row == nil {
			continue
		}
		for i := range s.Given {
			g := &s.Given[i]
			if g.PKey != "" && g.PKey != strconv.FormatInt(w.PKey, 10) {
				continue
			}
			if left, there := row[g.Column]; there && !is(left, g, row) {
				d := j.odd(s, fault.Assigned, "it gives %v of %v %v, and leaves %v", g.Column, history.Item{Table: s.Target,
					PKey: w.PKey}, printGiven(g), printCut(left))
				d.Transaction, d.Replay = finding.Side{Text: printCut(left)}, finding.Side{Text: printGiven(g)}
			}
		}
	}
}

// is says whether a value is what a column was given. Texts may be padded with blanks, and a number may be told as
// text.
func is(left history.Value, g *analysis.Given, row map[string]history.Value) bool {
	switch {
	case g.From != "":
		from, there := row[g.From]
		return !there || left == from || left.Kind == history.Text && from.Kind == history.Text && trimmed(left.S) ==
			trimmed(from.S)
	case g.Null || left.Kind == history.Null:
		return g.Null == (left.Kind == history.Null)
	case g.Number:
		n, err := strconv.ParseFloat(g.Value, 64)
		if err != nil {
			return true
		}
		switch left.Kind {
		case history.Int:
			return float64(left.N) == n && !g.IsFloat() // such a column has numbers of its own kind
		case history.Float:
			return math.Float64frombits(uint64(left.N)) == n
		case history.Text:
			is, err := strconv.ParseFloat(left.S, 64)
			return err == nil && is == n
		}
		return false
	}
	return (left.Kind == history.Text || left.Kind == history.Blob) && trimmed(left.S) == trimmed(g.Value)
}

// trimmed is a text without the blanks at its end, with which a CHAR is padded.
func trimmed(s string) string { return strings.TrimRight(s, " ") }

// printGiven prints what a column was given.
func printGiven(g *analysis.Given) string {
	switch {
	case g.From != "":
		return "the value of " + g.From
	case g.Null:
		return "NULL"
	case g.Number:
		return g.Value
	}
	return printCut(history.TextValue(g.Value))
}

// printCut prints a value; of a long text its ends, and how long it is.
func printCut(v history.Value) string {
	const shown = 40
	if len(v.S) <= shown {
		return v.String()
	}
	return fmt.Sprintf("%s…%s (%d bytes)", history.TextValue(v.S[:shown/4]),
		history.TextValue(v.S[len(v.S)-shown/4:]), len(v.S))
}
