package page

import (
	"slices"

	"txweave/history"
	"txweave/report/timeline"
)

// opening takes the settings with which every session begins, where they are the same in all of several, out of the
// moments: they are said once, above the columns.
func opening(t *timeline.Timeline) (marks []timeline.Mark, settings []string) {
	of := map[int][]string{}
	spoke := map[int]bool{}
	opens := func(m timeline.Mark) bool {
		s := m.Step
		return m.Kind == timeline.Ran && s.Role == history.Level && s.Answer.Err == nil && len(s.Answer.Warnings) == 0 &&
			!t.Lanes[s.Lane].Observer
	}
	for _, m := range t.Marks {
		switch {
		case t.Lanes[m.Step.Lane].Observer:
		case opens(m) && !spoke[m.Step.Lane]:
			of[m.Step.Lane] = append(of[m.Step.Lane], m.Step.SQL)
		default:
			spoke[m.Step.Lane] = true
		}
	}
	for lane := range spoke {
		if settings == nil {
			settings = of[lane]
		}
		if !slices.Equal(of[lane], settings) {
			return t.Marks, nil
		}
	}
	if len(spoke) < 2 || len(settings) == 0 {
		return t.Marks, nil
	}
	left := map[int]int{}
	for _, m := range t.Marks {
		if opens(m) && left[m.Step.Lane] < len(settings) {
			left[m.Step.Lane]++
			continue
		}
		marks = append(marks, m)
	}
	return marks, settings
}

// added says what the reads are for that were added.
var added = map[history.Role]string{
	history.VSR:     "added: the versions that are visible",
	history.BWR:     "added: the rows that the WHERE clause finds",
	history.AWR:     "added: the rows as they are written",
	history.Again:   "added, after the wait: the rows that the WHERE clause finds now",
	history.Orphans: "added: the rows that refer to none",
}
