package timeline

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"txweave/finding"
	"txweave/history"
)

// MaxRows is how many rows of a result are printed.
const MaxRows = 20

// AnswerLines prints an answer for people: the rows as a table, or the affected rows, or the error; then the warnings.
func AnswerLines(a *history.Answer) []string {
	var out []string
	switch {
	case a.Err != nil:
		out = append(out, "ERROR "+strings.TrimPrefix(a.Err.String(), "error "))
	case a.Rows != nil:
		out = append(out, Grid(a.Rows)...)
		if n := Miscounted(a); n != "" {
			out = append(out, n)
		}
	case a.Affected >= 0:
		out = append(out, finding.Count(int(a.Affected), "row")+" affected")
	default:
		out = append(out, "ok")
	}
	for _, w := range a.Warnings {
		out = append(out, fmt.Sprintf("%s %d: %s", w.Level, w.Code, w.Message))
	}
	for i := range out {
		out[i] = oneLine(out[i])
	}
	return out
}

// Miscounted is what a write that returned rows says of their number; "" where it says as many as it returned.
func Miscounted(a *history.Answer) string {
	if a.Rows == nil || a.Affected < 0 || a.Affected == int64(a.Rows.Len()) {
		return ""
	}
	return count(int(a.Affected), "row") + " affected"
}

// AnswerShort says on one line what an answer was.
func AnswerShort(a *history.Answer) string {
	switch {
	case a.Err != nil:
		return "error " + history.ErrorName(a.Err.Code)
	case a.Rows != nil:
		return finding.Count(a.Rows.Len(), "row")
	case a.Affected >= 0:
		return finding.Count(int(a.Affected), "affected row")
	}
	return "success"
}

// oneLine keeps an answer's line breaks from breaking a comment.
func oneLine(s string) string { return strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(s) }

// Grid prints rows as a table, the first MaxRows of them, and their number.
func Grid(r *history.Rows) []string {
	if r.Len() == 0 {
		return []string{"(0 rows)"}
	}
	shown := min(r.Len(), MaxRows)
	lines := [][]string{r.Columns}
	for i := range shown {
		var line []string
		for c, v := range r.Row(i) {
			line = append(line, oneLine(Cell(r, c, v)))
		}
		lines = append(lines, line)
	}
	width := make([]int, len(r.Columns))
	for _, line := range lines {
		for c, cell := range line {
			width[c] = max(width[c], utf8.RuneCountInString(cell))
		}
	}
	var out []string
	for n, line := range lines {
		var b strings.Builder
		for c, cell := range line {
			if c > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(cell + strings.Repeat(" ", width[c]-utf8.RuneCountInString(cell)))
		}
		out = append(out, strings.TrimRight(b.String(), " "))
		if n == 0 {
			dashes := make([]string, len(width))
			for c, w := range width {
				dashes[c] = strings.Repeat("-", w)
			}
			out = append(out, strings.Join(dashes, "-+-"))
		}
	}
	total := "(" + finding.Count(r.Len(), "row")
	if shown < r.Len() {
		total += fmt.Sprintf(", %d shown", shown)
	}
	return append(out, total+")")
}

// bare are the types whose values arrive as text and are printed without quotes.
var bare = []string{"DECIMAL", "DATE", "DATETIME", "TIME", "TIMESTAMP", "YEAR", "BOOL"}

// Cell prints a value of a column: text in quotes, so that NULL and blanks are told apart.
func Cell(r *history.Rows, column int, v history.Value) string {
	if v.Kind == history.Text && column < len(r.Types) && slices.Contains(bare, r.Types[column]) {
		return v.S
	}
	return v.String()
}

// rowTexts prints every row of a result, sorted.
func rowTexts(r *history.Rows) []string {
	out := make([]string, r.Len())
	for i := range out {
		var cells []string
		for c, v := range r.Row(i) {
			cells = append(cells, Cell(r, c, v))
		}
		out[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	slices.Sort(out)
	return out
}

// versus says what one side has in place of the other: the rows where one row differs, else the numbers of rows.
func versus(actual, expected *history.Rows) (x, y string) {
	a, b := rowTexts(actual), rowTexts(expected)
	onlyA, onlyB := minus(a, b), minus(b, a)
	const short = 60
	if len(onlyA) == 1 && len(onlyB) == 1 && len(onlyA[0]) <= short && len(onlyB[0]) <= short {
		return onlyA[0], onlyB[0]
	}
	switch {
	case len(b) == 0 && len(a) == 1 && len(a[0]) <= short:
		return a[0], "no row"
	case len(a) == 0 && len(b) == 1 && len(b[0]) <= short:
		return "no row", b[0]
	case len(a) != len(b):
		return count(len(a), "row"), count(len(b), "row")
	}
	if len(onlyA) == 0 {
		return "its rows in another order", "the one that ORDER BY asks for"
	}
	return finding.Count(len(onlyA), "wrong row"), finding.Count(len(onlyB), "other row")
}

// minus returns the elements of a that b lacks, as multisets.
func minus(a, b []string) []string {
	left := map[string]int{}
	for _, s := range b {
		left[s]++
	}
	var out []string
	for _, s := range a {
		if left[s]--; left[s] < 0 {
			out = append(out, s)
		}
	}
	return out
}
