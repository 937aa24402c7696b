package outside

import (
	"strings"

	"txweave/sql"
)

// Answer is what of a statement's answer comes from outside.
type Answer struct {
	// Whole is where all of it does: which rows it finds, or it is not known better.
	Whole Source

	outputs []output
	stars   int
}

// Answer tells of a statement.
func (v *Values) Answer(text string) (a Answer) {
	if a.Whole = v.calls(text); a.Whole != None {
		return a
	}
	stmt, err := v.syntax.Tree.Parse(text)
	if err != nil {
		read := v.syntax.Quoting.Read(text)
		if session, _ := read.Calls(); len(session) > 0 {
			a.Whole = Session
		} else if len(v.sequences) > 0 && read.Kind.IsTarget() {
			a.Whole = Counter
		}
		return a
	}
	r := v.scopeIn("").result(stmt)
	a.Whole, a.outputs, a.stars = r.rows, r.outputs, r.stars
	switch n := stmt.(type) {
	case *sql.Show:
		a.Whole = Session
	case *sql.XA:
		if n.Step == "RECOVER" { // those of all sessions that are prepared, whether or not any order has them so
			a.Whole = Session
		}
	}
	return a
}

// Columns are where what an answer has in its columns comes from, as far as the statement tells them apart.
func (a *Answer) Columns() (out []Source) {
	for _, o := range a.outputs {
		out = append(out, o.source)
	}
	return out
}

// Column is where what an answer has in one of its columns comes from; names are those of all its columns.
func (a *Answer) Column(names []string, at int) Source {
	switch {
	case a.Whole != None:
		return a.Whole
	case len(a.outputs) == len(names):
		return a.Columns()[at]
	case a.stars == 0:
		return None
	}
	var out Source // a * prints what is not told apart: by its name
	for _, o := range a.outputs {
		if o.name == strings.ToLower(names[at]) || o.name == "" {
			out = out.or(o.source)
		}
	}
	return out
}
