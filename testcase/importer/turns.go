package importer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"txweave/testcase"
)

// turnsLine is a line that says in which order sessions speak, which are listed one after the other: "Input schedule: 1-2-2-1".
var turnsLine = lazily(`(?im)^[^\pL\n]*(?:(?:input|submitted|execution|statement|the)\s+)?(?:schedule|interleaving|order|sequence)\b[^\n\d]{0,30}?` +
	`((?:(?:t|tx|s)?\d(?:\.\d+)?\s*(?:[-,>→]|->)+\s*){2,}(?:t|tx|s)?\d(?:\.\d+)?|(?:(?:t|tx|s)\d(?:\.\d+)?\s+){2,}(?:t|tx|s)\d(?:\.\d+)?)\W*$`)

var turnNumber = lazily(`(?i)(?:t|tx|s)?(\d)(?:\.\d+)?`)

// turnsOf takes such a line out of a text that has one; lines stay where they are.
func (s *scanner) turnsOf() {
	all := turnsLine.FindAllStringSubmatchIndex(s.text, 2)
	if len(all) != 1 {
		return
	}
	m := all[0]
	for _, n := range turnNumber.FindAllStringSubmatch(s.text[m[2]:m[3]], -1) {
		i, _ := strconv.Atoi(n[1])
		s.turns = append(s.turns, i)
	}
	s.turnsAt = s.lineOf(m[0])
	s.text = s.text[:m[0]] + strings.Repeat("\n", strings.Count(s.text[m[0]:m[1]], "\n")) + s.text[m[1]:]
}

// byTurns brings the statements of sessions that are listed one after the other into the order that a line of the text gives.
func (s *scanner) byTurns() error {
	if s.turns == nil {
		return nil
	}
	failed := func(format string, args ...any) error {
		return &testcase.ParseError{Name: s.name, Line: s.turnsAt, Msg: fmt.Sprintf(format, args...)}
	}
	lists := map[int][]piece{}
	var rest []piece
	for _, p := range s.out {
		n := 0
		if at := strings.IndexAny(p.tag, "0123456789"); at >= 0 {
			n, _ = strconv.Atoi(p.tag[at:])
		}
		switch {
		case p.ofSession() && n == 0:
			return failed("a schedule of numbers, and a session without one: put the session in front of each statement (T1> …;), in the order in which they are sent")
		case p.ofSession():
			lists[n] = append(lists[n], p)
		default:
			rest = append(rest, p)
		}
	}
	if len(lists) < 2 {
		return failed("a schedule of several sessions, and no mark or heading says which statements are whose: put the session in front of each (T1> …;)")
	}
	for _, n := range s.turns {
		if len(lists[n]) == 0 {
			return failed("the schedule has more statements of session %d than it has", n)
		}
		rest = append(rest, lists[n][0])
		lists[n] = lists[n][1:]
	}
	for _, n := range slices.Sorted(maps.Keys(lists)) {
		left := lists[n]
		if len(left) > 0 && slices.Contains(s.turns, n) {
			return failed("the schedule has fewer statements of session %d than it has: line %d is never reached", n, left[0].line)
		} else if len(left) > 0 {
			return failed("the schedule does not name session %d", n)
		}
	}
	s.out = rest
	return nil
}

// clockOnly is the time of a line that was logged.
var clockOnly = lazily(`(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d:\d\d(?:[.,]\d+)?`)

// byClock brings the statements of sessions that are listed one after the other into the order of the times in front of them.
func (s *scanner) byClock() {
	var steps []int
	last := map[string]string{}
	for i := range s.out {
		p := &s.out[i]
		if !p.ofSession() {
			continue
		}
		if p.clock == "" || len(p.clock) != len(s.out[max(0, i-1)].clock) && len(steps) > 0 || p.clock < last[p.tag] {
			return
		}
		last[p.tag] = p.clock
		steps = append(steps, i)
	}
	order := slices.Clone(steps)
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(s.out[a].clock, s.out[b].clock) })
	if len(last) < 2 || slices.Equal(order, steps) {
		return
	}
	s.putInOrder(steps, order, "the times in front of them")
}

// putInOrder puts the statements of order, places of s.out, at those of steps, and says by what they are ordered.
func (s *scanner) putInOrder(steps, order []int, by string) {
	sorted := make([]piece, len(order))
	for n, i := range order {
		sorted[n] = s.out[i]
	}
	for n, i := range steps {
		s.out[i] = sorted[n]
	}
	s.notes = append(s.notes, Note{sorted[0].line, "the statements are sent in the order of " + by, false})
}
