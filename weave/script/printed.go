package script

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/testcase"
)

// Comparison is what the text says of an answer beside what came now.
type Comparison struct {
	Step     int
	Same     bool
	Was, Now string
	Expected bool // the text says that it should come, not that it came
	Unlike   bool // what it says is of another shape than what came: nothing is compared
}

// Printed compares the answers that the text prints with those of the run.
func (o *Showing) Printed() (out []Comparison) {
	for i, st := range o.Script.Steps {
		e := o.Run.Steps[i]
		if st.Printed == nil || e == nil || e.Done < 0 && !st.Printed.Waited || slices.Contains(o.Run.Killed, i) {
			continue
		}
		if c, ok := comparePrinted(st.Printed, e); ok {
			c.Step = i
			out = append(out, c)
		}
	}
	return out
}

func comparePrinted(p *testcase.Printed, e *history.Event) (c Comparison, ok bool) {
	c.Expected = p.Expected
	switch {
	case p.Rows != nil && e.Err == nil && (e.Rows == nil || p.Cells && len(e.Rows.Columns) != 1):
		c.Unlike = true
	case p.Err != "":
		c.Was, c.Now = "error "+p.Err, "no error"
		if e.Err != nil {
			c.Now = e.Err.String()
		}
		c.Same = e.Err != nil && (history.ErrorName(e.Err.Code) == p.Err || e.Err.State == p.Err)
	case p.Message != "":
		c.Was, c.Now = "error: "+p.Message, "no error"
		if e.Err != nil {
			c.Now = e.Err.String()
		}
		said := strings.ToLower(p.Message)
		c.Same = e.Err != nil && (strings.Contains(strings.ToLower(e.Err.Message), said) || e.Err.Message != "" &&
			strings.HasSuffix(p.Message, e.Err.Message)) // psql may print the code in front of it
		c.Unlike = p.Loose && e.Err != nil && !c.Same
	case e.Err != nil && (p.Rows != nil || p.Count >= 0 || p.Fine):
		c.Was, c.Now = "no error", e.Err.String()
	case p.Fine:
		c.Was, c.Now, c.Same = "no error", "no error", true
	case p.Rows != nil:
		was, now := rowTexts(p.Rows), rowsOf(e.Rows)
		c.Was, c.Now = listed(was), listed(now)
		c.Same = sameRows(p.Rows, e.Rows)
	case p.Count >= 0 && !p.Affected && e.Rows != nil:
		c.Was, c.Now = finding.Count(p.Count, "row"), finding.Count(e.Rows.Len(), "row")
		c.Same = p.Count == e.Rows.Len()
	case p.Count >= 0 && e.Affected >= 0:
		c.Was, c.Now = finding.Count(p.Count, "row")+" affected", finding.Count(int(e.Affected), "row")+" affected"
		c.Same = int64(p.Count) == e.Affected
	case p.Waited:
		c.Was, c.Now = "it waits", "it does not wait"
		if c.Same = e.Blocked; c.Same {
			c.Now = c.Was
		}
	default:
		return c, false
	}
	return c, true
}

func rowTexts(rows [][]string) (out []string) {
	for _, r := range rows {
		out = append(out, "("+strings.Join(r, ", ")+")")
	}
	return out
}

// listed prints rows in a few words.
func listed(rows []string) string {
	const few = 5
	switch {
	case len(rows) == 0:
		return "no rows"
	case len(rows) > few:
		return fmt.Sprintf("%s, … (%d rows)", strings.Join(rows[:few], ", "), len(rows))
	}
	return strings.Join(rows, ", ")
}

func cellsOf(r *history.Rows) (out [][]string) {
	for i := range r.Len() {
		var cells []string
		for _, v := range r.Row(i) {
			cells = append(cells, v.Raw())
		}
		out = append(out, cells)
	}
	return out
}

func rowsOf(r *history.Rows) []string { return rowTexts(cellsOf(r)) }

// sameRows compares rows as multisets; numbers by their value, since clients print them in more than one way.
func sameRows(was [][]string, now *history.Rows) bool {
	left := cellsOf(now)
	if len(left) != len(was) {
		return false
	}
	for _, row := range was {
		i := slices.IndexFunc(left, func(other []string) bool { return slices.EqualFunc(row, other, sameCell) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

func sameCell(a, b string) bool {
	if strings.TrimSpace(a) == strings.TrimSpace(b) || a == "" && b == "NULL" { // as psql prints it
		return true
	}
	x, err1 := strconv.ParseFloat(strings.TrimSpace(a), 64)
	y, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
	return err1 == nil && err2 == nil && (x == y || math.Abs(x-y) <= 1e-5*math.Abs(x))
}
