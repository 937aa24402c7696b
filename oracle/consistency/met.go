package consistency

import (
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
)

// met holds the rows that an upsert changes against those that it spells: each has one of their unique keys. No replay
// tells that another row is changed, with and without transactions alike. A key of which any column may be alike is not
// said to be another one.
func (j *judge) met(s *observe.ObservedStmt) {
	if len(s.Meets) == 0 || s.Waited || s.Mixed || s.Bad != nil || len(s.Unsure) > 0 || s.Compared && j.promise(s).Order !=
		dbms.OneWriterAtOnce ||
		j.o.Content == nil || s.Run == nil || s.Run.Target == nil || len(s.Run.Target.Warnings) > 0 {
		return
	}
	for _, w := range s.Writes {
		if w.Table != s.Target || w.From.Absent() {
			continue
		}
		unlike := func(part instrument.SpelledPart) bool {
			was, there := j.held(w.Item, w.From, part.Column)
			return there && part.Unlike(was)
		}
		if !slices.ContainsFunc(s.Meets, func(key []instrument.SpelledPart) bool {
			return !slices.ContainsFunc(key, unlike)
		}) {
			j.odd(s, fault.UnmetRow, "it changes %v, which has none of the keys that it spells: %v",
				history.Item{Table: s.Target, PKey: w.PKey}, j.spelled(s, w))
		}
	}
}

// spelled prints the keys that an upsert spells, and what a row holds in their columns.
func (j *judge) spelled(s *observe.ObservedStmt, w history.Write) string {
	var out []string
	for _, key := range s.Meets {
		var parts []string
		for _, part := range key {
			was, _ := j.held(w.Item, w.From, part.Column)
			parts = append(parts, fmt.Sprintf("%s %s (the row has %s)", part.Column, part.Literal, was))
		}
		out = append(out, strings.Join(parts, ", "))
	}
	return strings.Join(out, "; ")
}
