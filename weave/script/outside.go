package script

import (
	"fmt"
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/sql/outside"
)

// Apart is something that is not compared with serial orders, since it comes from elsewhere than the tables: no order
// gives it again.
type Apart struct {
	Table, Column string // what a table holds; no column: which rows it has
	Step          int    // or what a statement answers
	Source        outside.Source
}

// apart collects what is not compared of tables and of statements' answers.
func (c *checker) apart() {
	for _, e := range c.out.Run.Final {
		table := c.nameOf(e)
		if s := c.out.values.Rows(table); s != outside.None {
			c.out.Apart = append(c.out.Apart, Apart{Table: table, Source: s})
			continue
		}
		for _, column := range e.Rows.Columns {
			if s := c.out.values.Column(table, column); s != outside.None {
				c.out.Apart = append(c.out.Apart, Apart{Table: table, Column: column, Source: s})
			}
		}
	}
	for i, e := range c.out.Run.Steps {
		if e == nil || e.Err != nil || !compared(c.out.Script.Steps[i].SQL) {
			continue
		}
		if s := c.out.answers(i).Whole; s != outside.None {
			c.out.Apart = append(c.out.Apart, Apart{Step: i, Source: s})
		}
	}
}

// answers is what of a step's answer comes from outside.
func (o *Showing) answers(step int) *outside.Answer {
	if o.told[step] == nil {
		a := o.values.Answer(o.Script.Steps[step].SQL)
		o.told[step] = &a
	}
	return o.told[step]
}

// inside is an answer without what comes from outside: that is the same in all of them.
func (o *Showing) inside(step int, e *history.Event) *history.Event {
	a := o.answers(step)
	own := *e
	if a.Whole != outside.None {
		own.Rows, own.Warnings = nil, nil
		if own.Affected > 0 {
			own.Affected = 0
		}
		return &own
	}
	if e.Rows != nil {
		own.Rows = without(e.Rows, func(at int) bool { return a.Column(e.Rows.Columns, at) != outside.None })
	}
	return &own
}

// without are rows with nothing in some of their columns.
func without(rows *history.Rows, column func(at int) bool) *history.Rows {
	var out []int
	for at := range rows.Columns {
		if column(at) {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		return rows
	}
	own := *rows
	own.Cells = slices.Clone(rows.Cells)
	for i := range own.Len() {
		for _, at := range out {
			own.Cells[i*len(own.Columns)+at] = history.Value{}
		}
	}
	return &own
}

// contents are what the tables held at the end of a run, by name, without what comes from outside.
func (c *checker) contents(run []*history.Event) map[string]*history.Rows {
	out := map[string]*history.Rows{}
	for _, e := range run {
		table := c.nameOf(e)
		if c.out.values.Rows(table) != outside.None {
			continue
		}
		out[tableOf(e)] = without(e.Rows, func(at int) bool {
			return c.out.values.Column(table, e.Rows.Columns[at]) != outside.None
		})
	}
	return out
}

// ApartText says what is not compared.
func (o *Showing) ApartText(a Apart) string {
	switch {
	case a.Table == "":
		st := o.Script.Steps[a.Step]
		return fmt.Sprintf("line %d: what it finds depends on %s: not compared", st.Line, a.Source)
	case a.Column == "":
		return fmt.Sprintf("which rows %s has depends on %s: not compared", finding.Line(a.Table), a.Source)
	}
	return fmt.Sprintf("%s of %s holds %s: not compared", finding.Line(a.Column), finding.Line(a.Table), a.Source)
}
