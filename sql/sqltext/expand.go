package sqltext

// MaxExpands is how many references of common table expressions and views a statement may stand for once each has its
// query in its place: of forty that name the one before twice that is 2^40, which neither a parser nor a database lives
// through.
const MaxExpands = 10_000

// Expands returns for how many references of its common table expressions, and of views, the statement stands once each
// of them has its query in its place; views says how many those of each view are, that to the view itself among them.
// What is said twice, as a column and a table, counts twice.
func (s Statement) Expands(views map[string]float64) float64 {
	e := expansion{views: views, of: map[string]float64{}, total: []float64{0}}
	depth := 0
	for i, t := range s.Tokens {
		depth += t.Nesting()
		e.close(depth)
		if last := len(e.open) - 1; last >= 0 && depth == e.open[last].depth && t.Is("as") {
			e.open[last].query = true
		}
		name, ok := t.Ident()
		if !ok || i+1 < len(s.Tokens) && s.Tokens[i+1].Text == "." {
			continue
		}
		if i > 0 && (s.Tokens[i-1].Is("with", "recursive") || s.Tokens[i-1].Text == ",") && defines(s.Tokens[i+1:]) {
			e.open = append(e.open, expression{name: name, depth: depth})
			e.total = append(e.total, 0)
			continue
		}
		e.total[len(e.total)-1] += e.weight(name)
	}
	e.close(-1 << 30)
	return e.total[0]
}

// expansion follows the definitions of common table expressions that a statement is in.
type expansion struct {
	views, of map[string]float64 // references that a name stands for
	open      []expression
	total     []float64 // of the statement, and of each expression that is open
}

// expression is a common table expression whose end has not come: it stands in parentheses at a depth.
type expression struct {
	name  string
	depth int
	query bool // its list of columns is behind, if it has one
	begun bool // its query has begun
}

func (e *expansion) weight(name string) float64 {
	if n, ok := e.of[name]; ok {
		return n
	}
	return e.views[name]
}

// close ends the expressions whose queries are closed at a depth.
func (e *expansion) close(depth int) {
	for last := len(e.open) - 1; last >= 0; last = len(e.open) - 1 {
		x := &e.open[last]
		if depth > x.depth {
			x.begun = x.query
			return
		}
		if depth == x.depth && !x.begun {
			return
		}
		e.of[x.name] = 1 + e.total[last+1]
		e.open, e.total = e.open[:last], e.total[:last+1]
	}
}

// defines says whether a common table expression goes on so behind its name: columns or none, AS and a query in
// parentheses.
func defines(rest []Token) bool {
	if len(rest) > 0 && rest[0].Text == "(" {
		if rest = afterParentheses(rest); len(rest) == 0 {
			return false
		}
	}
	return len(rest) > 1 && rest[0].Is("as") && (rest[1].Text == "(" || rest[1].Is("materialized", "not"))
}
