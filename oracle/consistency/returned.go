package consistency

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/fault"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// returned compares the rows that a write returned with those that it wrote, as the read after it saw them: each is
// returned once, with the values that it has then. Of a write that replaces rows an earlier one of its own need not be
// there any more.
func (j *judge) returned(s *observe.ObservedStmt) {
	key := slices.Index(s.Returned, sqltext.PKey)
	if key < 0 || s.Run == nil || s.Run.Target == nil || s.Run.Target.Rows == nil || len(s.Unsure) > 0 {
		return
	}
	answer := s.Run.Target.Rows
	if len(answer.Columns) != len(s.Returned) {
		return
	}
	rows := map[int64][]int{} // pkey -> places in the answer
	for i := range answer.Len() {
		pkey, ok := answer.Row(i)[key].Int64()
		if !ok {
			return
		}
		rows[pkey] = append(rows[pkey], i)
	}
	after := j.after(s)
	for _, w := range s.Writes {
		if w.To.Absent() != (s.Kind == sqltext.Delete) {
			continue // REPLACE deletes, too
		}
		places := rows[w.PKey]
		delete(rows, w.PKey)
		switch left, seen := after[w.PKey]; {
		case len(places) == 0:
			j.odd(s, fault.Returned, "it wrote %v and returned no such row", []history.Write{w})
		case len(places) > 1 || !seen: // one of them is the last
		default:
			if wrong := differences(s.Returned, answer.Row(places[0]), left); len(wrong) > 0 {
				j.odd(s, fault.Returned, "of %v it returned %v right after it", history.Item{Table: s.Target, PKey: w.PKey},
					strings.Join(wrong, ", "))
			}
		}
	}
	if s.Replaces || s.Compared { // one that stays as it is, or is replaced at once, is returned, too
		return
	}
	for _, pkey := range slices.Sorted(maps.Keys(rows)) {
		j.odd(s, fault.Returned, "it returned %v and has not written it", history.Item{Table: s.Target, PKey: pkey})
	}
}

// after are the rows of a write's table, by pkey, as the read after it saw them: their columns by name. nil for a
// DELETE.
func (j *judge) after(s *observe.ObservedStmt) map[int64]map[string]history.Value {
	if s.Kind == sqltext.Delete || s.Run.AWR == nil || s.Run.AWR.Rows == nil {
		return nil
	}
	rows := s.Run.AWR.Rows
	key := slices.Index(rows.Columns, sqltext.PKey)
	if key < 0 {
		return nil
	}
	out := map[int64]map[string]history.Value{}
	for i := range rows.Len() {
		cells := rows.Row(i)
		pkey, _ := cells[key].Int64()
		out[pkey] = map[string]history.Value{}
		for k, name := range rows.Columns {
			out[pkey][strings.ToLower(name)] = cells[k]
		}
	}
	return out
}

// differences says in which columns a row that was returned differs from what it was left as.
func differences(columns []string, cells []history.Value, left map[string]history.Value) []string {
	var out []string
	for i, name := range columns {
		if is, there := left[name]; there && cells[i] != is {
			out = append(out, fmt.Sprintf("%s = %s, which is %s", name, cells[i], is))
		}
	}
	return out
}

// bounds prints how many.
func bounds(least, most int64) string {
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
