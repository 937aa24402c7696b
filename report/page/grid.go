package page

import (
	"fmt"
	"slices"

	"txweave/history"
	"txweave/report/timeline"
)

// answer is what the database answered to a statement, as the page shows it.
type answer struct {
	Text     string // affected rows, error, number of rows
	Grid     *grid  // nil unless there are rows
	Warnings []string
	Wrong    bool // the text or the warnings differ from the other execution's
}

// grid is a table of rows.
type grid struct {
	Columns []string
	Rows    []gridRow
	More    string // of rows that are left out; "" where all are there
}

// gridRow is a row. Only marks one that the other execution does not have, Absent stands for one that only the other
// has.
type gridRow struct {
	Cells  []gridCell
	Only   bool
	Absent bool
}

// Marked says whether the row is not the same as the other execution's.
func (r *gridRow) Marked() bool {
	return r.Only || r.Absent || slices.ContainsFunc(r.Cells, func(c gridCell) bool { return c.Wrong })
}

// gridCell is a value. Wrong marks one that differs from the other execution's, Null tells NULL from text.
type gridCell struct {
	Text        string
	Wrong, Null bool
}

// show prints an answer by itself.
func show(a *history.Answer) *answer {
	out := &answer{}
	for _, w := range a.Warnings {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s %d: %s", w.Level, w.Code, w.Message))
	}
	switch {
	case a.Err != nil || a.Rows == nil:
		b := *a
		b.Warnings = nil
		out.Text = timeline.AnswerLines(&b)[0]
	case a.Rows.Len() == 0:
		out.Text = "no rows"
	default:
		out.Text = timeline.AnswerShort(a)
		out.Grid = &grid{Columns: a.Rows.Columns}
		for i := range a.Rows.Len() {
			out.Grid.Rows = append(out.Grid.Rows, cells(a.Rows, i))
		}
		out.Grid.cut(fewRows)
	}
	if n := timeline.Miscounted(a); n != "" {
		out.Text = n + ", returned: " + out.Text
	}
	return out
}

func cells(r *history.Rows, i int) (row gridRow) {
	for c, v := range r.Row(i) {
		row.Cells = append(row.Cells, gridCell{Text: timeline.Cell(r, c, v), Null: v.Kind == history.Null})
	}
	return row
}

// fewRows is how many rows are shown of a result in which nothing is marked.
const fewRows = 8

// cut leaves out what is more than so many rows: first those that are the same on both sides.
func (g *grid) cut(rows int) {
	left, total := 0, len(g.Rows)
	for _, marked := range []bool{false, true} {
		for i := len(g.Rows) - 1; i >= 0 && len(g.Rows) > rows; i-- {
			if g.Rows[i].Marked() == marked {
				g.Rows = slices.Delete(g.Rows, i, i+1)
				left++
			}
		}
	}
	if left > 0 {
		g.More = fmt.Sprintf("%d of %d rows are not shown", left, total)
	}
}

// beside prints the answers of two executions with what differs marked, row beside row.
func beside(actual, expected *history.Answer) (a, e *answer) {
	a, e = show(actual), show(expected)
	a.Wrong = a.Text != e.Text || !slices.Equal(a.Warnings, e.Warnings)
	e.Wrong = a.Wrong
	if actual.Err != nil || expected.Err != nil || actual.Rows == nil || expected.Rows == nil || actual.Rows.Len()+
		expected.Rows.Len() == 0 {
		return a, e
	}
	a.Grid, e.Grid = align(actual.Rows, expected.Rows)
	return a, e
}

// align pairs the rows of two results: equal ones first, then those with the same key, then the most similar ones. Both
// grids have the same rows in the same places; what is in only one of them faces an absent row.
func align(actual, expected *history.Rows) (a, e *grid) {
	a, e = &grid{Columns: actual.Columns}, &grid{Columns: expected.Columns}
	var left, right []gridRow
	for i := range actual.Len() {
		left = append(left, cells(actual, i))
	}
	for i := range expected.Len() {
		right = append(right, cells(expected, i))
	}
	both := func(l, r gridRow) { a.Rows, e.Rows = append(a.Rows, l), append(e.Rows, r) }
	partner := pair(left, right, slices.Index(actual.Columns, "pkey"))
	taken := map[int]bool{}
	for i, l := range left {
		j := partner[i]
		if j < 0 {
			l.Only = true
			both(l, e.absent())
			continue
		}
		taken[j] = true
		r := right[j]
		for c := range min(len(l.Cells), len(r.Cells)) {
			if l.Cells[c].Text != r.Cells[c].Text {
				l.Cells[c].Wrong, r.Cells[c].Wrong = true, true
			}
		}
		both(l, r)
	}
	for j, r := range right {
		if !taken[j] {
			r.Only = true
			both(a.absent(), r)
		}
	}
	if !slices.ContainsFunc(a.Rows, func(r gridRow) bool { return r.Marked() }) {
		inOrder(a, e, left, right)
	}
	a.cut(timeline.MaxRows)
	e.cut(timeline.MaxRows)
	return a, e
}

// absent is what faces a row that is in the other grid only.
func (g *grid) absent() gridRow {
	return gridRow{Absent: true, Cells: make([]gridCell, len(g.Columns))}
}

// inOrder puts the rows of two results back in order that differ in their order alone, if in anything, and marks where
// they do.
func inOrder(a, e *grid, left, right []gridRow) {
	for i := range a.Rows {
		if same(left[i], right[i]) {
			continue
		}
		a.Rows[i], e.Rows[i] = left[i], right[i]
		a.Rows[i].Only, e.Rows[i].Only = true, true
	}
	for i := range a.Rows {
		if !a.Rows[i].Only {
			e.Rows[i] = right[i]
		}
	}
}

func same(a, b gridRow) bool {
	return slices.EqualFunc(a.Cells, b.Cells, func(x, y gridCell) bool { return x.Text == y.Text && x.Null == y.Null })
}

// pair returns for every row on the left the row on the right that it belongs to, -1 for none. key is a column that
// tells rows apart, -1 if there is none.
func pair(left, right []gridRow, key int) []int {
	partner := make([]int, len(left))
	for i := range partner {
		partner[i] = -1
	}
	taken := make([]bool, len(right))
	match := func(fits func(l, r gridRow) bool) {
		for i, l := range left {
			for j, r := range right {
				if partner[i] < 0 && !taken[j] && fits(l, r) {
					partner[i], taken[j] = j, true
				}
			}
		}
	}
	match(same)
	if key >= 0 {
		match(func(l, r gridRow) bool { return key < len(r.Cells) && l.Cells[key].Text == r.Cells[key].Text })
		return partner
	}
	width := 0
	if len(left) > 0 {
		width = len(left[0].Cells)
	}
	for least := width - 1; least >= 0; least-- {
		match(func(l, r gridRow) bool { return len(l.Cells) == len(r.Cells) && alike(l, r) >= least })
	}
	return partner
}

// alike counts the cells that two rows have in common.
func alike(a, b gridRow) (n int) {
	for c := range a.Cells {
		if a.Cells[c].Text == b.Cells[c].Text {
			n++
		}
	}
	return n
}
