package guide

import (
	"regexp"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/sqltext"
	"txweave/weave"
)

// ShapePlan is a query's plan at the server, ShapeStep one line of such a plan.
const (
	ShapePlan = "plan"
	ShapeStep = "step"
)

// explainedShare: of so many cases one is asked for the plans of its queries.
const explainedShare = 6

// Explained says whether the case of a number is asked for the plans of its queries: one in a few is.
func Explained(number int) bool { return number%explainedShare == 0 }

// Plans lists the shapes of the plans of a case's queries: those that no case showed before, and those of keeps. ask sends a
// query to the database, on which the case's tables are; what it refuses shows nothing.
func (s *Shapes) Plans(rep *weave.Report, how dbms.Explain, keeps []string, ask func(sql string) (*history.Rows, error)) []string {
	if how.Before == "" || !rep.Checked {
		return nil
	}
	var out []string
	add := func(kind, text string) {
		shape := kind + " " + text
		if d := digest(shape); !s.seen[d] || slices.Contains(keeps, shape) {
			s.seen[d] = true
			out = append(out, shape)
		}
	}
	for i := range rep.Plan.Txns {
		for _, b := range rep.Plan.Txns[i].Blocks {
			if b.Info == nil || b.Info.Kind != sqltext.Select || b.Control() {
				continue
			}
			rows, err := ask(how.Before + b.SQL)
			if err != nil {
				return out
			}
			lines := compact(rows, how.Columns)
			for _, line := range lines {
				add(ShapeStep, line)
			}
			if len(lines) > 1 {
				add(ShapePlan, strings.Join(lines, " | "))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Names and numbers of a plan: whose table it is and how many rows there are is not what makes it another one.
var (
	namesOfPlans   = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|'[^']*'|\\b[a-z]+_?\\d+\\w*\\b|<[a-z]+\\d+(,\\d+)*>")
	numbersOfPlans = regexp.MustCompile(`\d+(\.\d+)?`)
	blanksOfPlans  = regexp.MustCompile(`\s+`)
)

// longestLine is how much of a line of a plan counts: conditions are spelled out behind it.
const longestLine = 80

// compact prints the lines of a plan without names, numbers and estimates.
func compact(rows *history.Rows, columns []string) []string {
	var at []int
	for i, name := range rows.Columns {
		if slices.Contains(columns, strings.ToLower(name)) {
			at = append(at, i)
		}
	}
	var out []string
	for i := range rows.Len() {
		var cells []string
		for _, k := range at {
			cell := strings.Trim(rows.Row(i)[k].String(), "'")
			cell, _, _ = strings.Cut(cell, ":") // conditions
			cell = namesOfPlans.ReplaceAllString(cell, "x")
			cells = append(cells, numbersOfPlans.ReplaceAllString(cell, ""))
		}
		line := strings.TrimSpace(blanksOfPlans.ReplaceAllString(strings.Join(cells, " "), " "))
		if len(line) > longestLine {
			line = line[:longestLine]
		}
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}
