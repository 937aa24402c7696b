package outside

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/classes"
)

// output is a column that a query prints.
type output struct {
	name   string // in lower case; "" where it has none
	source Source
}

// result is what a query gives.
type result struct {
	outputs []output
	rows    Source // by what it is decided which rows it gives
	stars   int    // how many * are among what it prints
}

// scope is a statement, or a part of one, with its own sources: a name that none of them has is one of the scopes
// around it.
type scope struct {
	v       *Values
	around  *scope
	ctes    map[string]result
	columns map[string]map[string]Source // by the name of the source
	tables  map[string]string            // by the name of the source, where it is a table
	derived map[*sql.Derived]result
	row     string // the table whose row a trigger calls NEW and OLD; "" outside of triggers
	depth   int
}

// scopeIn is where a statement stands: in a trigger, which may name columns of a table's row, or by itself, with "".
func (v *Values) scopeIn(row string) *scope { return (&scope{v: v, row: row}).within() }

func (s *scope) within() *scope {
	return &scope{v: s.v, around: s, ctes: map[string]result{}, columns: map[string]map[string]Source{},
		tables: map[string]string{}, derived: map[*sql.Derived]result{}, row: s.row, depth: s.depth + 1}
}

// enter is the scope of what a node holds: one of its own where the node has sources, or else that around it.
func (s *scope) enter(n sql.Node) *scope {
	switch n := n.(type) {
	case *sql.Query:
		return s.inside(n.With)
	case *sql.Select:
		return s.inside(nil, n.From)
	case *sql.Insert:
		own := s.inside(n.With, n.Table)
		own.add("excluded", own.ofTable(n.Table.Name.Folded()))
		own.add(n.Row.Folded(), renamed(own.ofTable(n.Table.Name.Folded()), n.RowNames))
		return own
	case *sql.Update:
		return s.inside(n.With, n.Table, n.From)
	case *sql.Delete:
		return s.inside(n.With, n.Table, n.Using)
	case *sql.DeleteJoined:
		return s.inside(n.With, n.From)
	case *sql.Merge:
		return s.inside(n.With, n.Table, n.Source)
	}
	return s
}

// inside is a scope within another one: common table expressions, and the sources of FROM clauses.
func (s *scope) inside(with *sql.With, from ...sql.TableRef) *scope {
	own := s.within()
	if with != nil {
		const deepest = 5 // of those that name themselves, each of which is read twice
		for _, cte := range with.CTEs {
			name := cte.Name.Folded()
			r := renamed(own.result(cte.Body), cte.Columns)
			if with.Recursive && own.depth < deepest {
				own.ctes[name] = r
				r = renamed(own.result(cte.Body), cte.Columns)
			}
			own.ctes[name] = r
		}
	}
	for _, f := range from {
		for _, leaf := range classes.Leaves(f) {
			own.source(leaf)
		}
	}
	return own
}

// source takes a source in.
func (s *scope) source(leaf sql.TableRef) {
	switch x := leaf.(type) {
	case *sql.Table:
		if x == nil {
			return
		}
		name := x.Name.Folded()
		s.add(classes.SourceName(x), renamed(s.ofTable(name), x.Columns))
		if _, cte := s.cte(name); !cte {
			s.tables[classes.SourceName(x)] = name
		}
	case *sql.Derived:
		s.derived[x] = renamed(s.query(x.Query), x.Columns)
		s.add(x.Alias.Folded(), s.derived[x])
	case *sql.ParenTable: // with a name: its columns are called by that
		inner := s.inside(nil, x.X)
		for _, columns := range inner.columns {
			for column, source := range columns {
				s.add(x.Alias.Folded(), result{outputs: []output{{column, source}}})
			}
		}
	}
}

// each visits a node and what is in it, with the scope of each.
func (s *scope) each(root sql.Node, visit func(*scope, sql.Node) bool) {
	own := s.enter(root)
	if !visit(own, root) {
		return
	}
	sql.Walk(root, func(n sql.Node) bool {
		switch {
		case n == root:
			return true
		case own.opens(n):
			own.each(n, visit)
			return false
		}
		return visit(own, n)
	})
}

// opens says whether a node has a scope of its own.
func (s *scope) opens(n sql.Node) bool {
	switch n.(type) {
	case *sql.Query, *sql.Select, *sql.Insert, *sql.Update, *sql.Delete, *sql.DeleteJoined, *sql.Merge:
		return true
	}
	return false
}

// cte is a common table expression that may be named here.
func (s *scope) cte(name string) (result, bool) {
	for ; s != nil; s = s.around {
		if r, ok := s.ctes[name]; ok {
			return r, true
		}
	}
	return result{}, false
}

func (s *scope) add(name string, r result) {
	if s.columns[name] == nil {
		s.columns[name] = map[string]Source{}
	}
	for _, o := range r.outputs {
		s.columns[name][o.name] = s.columns[name][o.name].or(o.source)
	}
}

func renamed(r result, names []*sql.Name) result {
	r.outputs = append([]output{}, r.outputs...)
	for i := range min(len(names), len(r.outputs)) {
		r.outputs[i].name = names[i].Folded()
	}
	return r
}

// ofTable are the columns of a table, a view or a common table expression.
func (s *scope) ofTable(name string) (r result) {
	if cte, ok := s.cte(name); ok {
		return cte
	}
	t := s.v.tables[name]
	if t != nil && t.read {
		return r
	}
	r.rows = s.v.rows[name]
	if t == nil { // its definition is not read
		return r
	}
	if t.query != nil {
		t.read = true // a view may name itself
		r = s.v.scopeIn("").query(t.query)
		t.read = false
		for i := range min(len(t.columns), len(r.outputs)) {
			r.outputs[i].name = t.columns[i].Name
		}
		return r
	}
	for _, c := range t.columns {
		r.outputs = append(r.outputs, output{c.Name, s.v.columns[place{name, c.Name}]})
	}
	return r
}

// result is what a statement answers.
func (s *scope) result(stmt sql.Stmt) (r result) {
	own := s.enter(stmt)
	switch n := stmt.(type) {
	case *sql.Query:
		return s.query(n)
	case *sql.Insert:
		r.rows = own.query(n.Source).rows.or(s.v.looseRows(n.Table.Name.Folded()))
		r.outputs, r.stars = own.items(n.Returning, n.Table)
	case *sql.Update:
		r.rows = own.updated(n)
		r.outputs, r.stars = own.items(n.Returning, n.Table, n.From)
	case *sql.Delete:
		r.rows = own.deleted(n).or(own.from(n.Table))
		r.outputs, r.stars = own.items(n.Returning, n.Table, n.Using)
	case *sql.DeleteJoined:
		r.rows = own.of(n.Where).or(own.from(n.From))
	case *sql.Merge:
		r.rows = own.of(n.On).or(own.from(n.Source))
	}
	return r
}

// query is what a query gives.
func (s *scope) query(q *sql.Query) result {
	if q == nil {
		return result{}
	}
	own := s.enter(q)
	r, last := own.body(q.Body)
	r.rows = r.rows.or(skipping(q))
	if q.Limit != nil {
		for _, o := range q.Order {
			r.rows = r.rows.or(r.ordering(o.X))
		}
	}
	r.rows = r.rows.or(last.first(q.Order, q.Limit))
	return r
}

// skipping is Locks for a query that passes over what others have locked.
func skipping(q *sql.Query) Source {
	if slices.ContainsFunc(q.Locks, func(l *sql.Lock) bool { return l.Wait == "SKIP LOCKED" }) {
		return Locks
	}
	return None
}

// first is by what it is decided which rows are among the first ones that a statement takes.
func (s *scope) first(order []*sql.Order, limit *sql.Limit) (out Source) {
	if limit == nil {
		return None
	}
	for _, o := range order {
		out = out.or(s.of(o.X))
	}
	return out.or(s.of(limit))
}

// ordering is where a column has its values from that ORDER BY calls by its name, or its number.
func (r *result) ordering(x sql.Expr) Source {
	name := ""
	switch x := sql.Bare(x).(type) {
	case *sql.Column:
		if x.Table == nil {
			name = x.Name.Folded()
		}
	case *sql.Literal:
		if n, err := strconv.Atoi(x.Text); err == nil && n > 0 && n <= len(r.outputs) {
			return r.outputs[n-1].source
		}
	}
	for _, o := range r.outputs {
		if o.name == name && name != "" {
			return o.source
		}
	}
	return None
}

// body is what a query gives before it is put in order, and the scope of what puts it in order.
func (s *scope) body(b sql.Body) (r result, last *scope) {
	switch b := b.(type) {
	case *sql.Nested:
		return s.query(b.Query), s
	case *sql.Whole:
		return s.ofTable(b.Table.Name.Folded()), s.inside(nil, b.Table)
	case *sql.Values:
		for _, row := range b.Rows {
			var values result
			for _, x := range row.Items {
				values.outputs = append(values.outputs, output{"", s.of(x)})
			}
			r = either(r, values)
		}
	case *sql.Compound:
		left, _ := s.body(b.Left)
		right, _ := s.body(b.Right)
		r = either(left, right)
		if b.Op != "UNION ALL" {
			r.rows = r.rows.or(anyOf(r.outputs))
		}
	case *sql.Select:
		own := s.enter(b)
		return own.block(b), own
	}
	return r, s
}

func anyOf(list []output) (out Source) {
	for _, o := range list {
		out = out.or(o.source)
	}
	return out
}

// either is what two queries of a set operation give.
func either(a, b result) result {
	if len(a.outputs) == 0 {
		return b
	}
	a.outputs = append([]output{}, a.outputs...)
	for i := range min(len(a.outputs), len(b.outputs)) {
		a.outputs[i].source = a.outputs[i].source.or(b.outputs[i].source)
	}
	a.rows, a.stars = a.rows.or(b.rows), a.stars+b.stars
	return a
}

// block is one query block, whose own scope s is.
func (s *scope) block(b *sql.Select) (r result) {
	r.rows = s.from(b.From).or(s.of(b.Where)).or(s.of(b.Having))
	for _, x := range b.Group {
		r.rows = r.rows.or(s.of(x))
	}
	r.outputs, r.stars = s.items(b.Items, b.From)
	if b.Distinct {
		r.rows = r.rows.or(anyOf(r.outputs))
	}
	return r
}

// from is by what it is decided which rows a FROM clause gives.
func (s *scope) from(x sql.TableRef) (out Source) {
	switch x := x.(type) {
	case *sql.Join:
		out = s.from(x.Left).or(s.from(x.Right)).or(s.of(x.On))
		for _, name := range x.Using {
			out = out.or(s.named(nil, name.Folded()))
		}
		return out
	case *sql.ParenTable:
		return s.from(x.X)
	case *sql.Derived:
		return s.derivedFrom(x).rows
	case *sql.Table:
		return s.outer(x).or(s.ofTable(x.Name.Folded()).rows)
	case *sql.TableCall:
		return called(x)
	}
	return None
}

// derivedFrom is what a subquery in FROM gives.
func (s *scope) derivedFrom(x *sql.Derived) result {
	if r, ok := s.derived[x]; ok {
		return r
	}
	return renamed(s.query(x.Query), x.Columns)
}

// outer is the source of a table that tells of the server and none of the script's: one of another schema, or of the
// catalogue; and of a sequence, whose row is its counter.
func (s *scope) outer(x *sql.Table) Source {
	name := x.Name.Folded()
	if _, cte := s.cte(name); cte || s.v.tables[name] != nil {
		return None
	}
	if s.v.isSequence(name) {
		return Counter
	}
	if x.Schema != nil || s.v.syntax.Traits.Catalogue != "" && strings.HasPrefix(name, s.v.syntax.Traits.Catalogue) {
		return Session
	}
	return None
}

// isSequence says whether a name is that of a sequence: one that the script makes, or that a SERIAL or IDENTITY column
// has (postgresql.org/docs, Serial Types: tablename_colname_seq).
func (v *Values) isSequence(name string) bool {
	if v.sequences[name] {
		return true
	}
	for table, t := range v.tables {
		for _, c := range t.columns {
			if c.Counts && name == table+"_"+c.Name+"_seq" {
				return true
			}
		}
	}
	return false
}

// items are the columns that a list prints.
func (s *scope) items(items []*sql.Item, from ...sql.TableRef) (out []output, stars int) {
	for _, i := range items {
		star, ok := i.X.(*sql.Star)
		if !ok {
			name := i.Alias.Folded()
			if c, column := i.X.(*sql.Column); column && name == "" {
				name = c.Name.Folded()
			}
			out = append(out, output{name, s.of(i.X)})
			continue
		}
		stars++
		for _, f := range from {
			out = append(out, s.all(star, f)...)
		}
	}
	return out, stars
}

// all are the columns that a * prints of a FROM clause.
func (s *scope) all(star *sql.Star, from sql.TableRef) (out []output) {
	for _, x := range classes.Leaves(from) {
		if star.Table != nil && classes.SourceName(x) != star.Table.Folded() {
			continue
		}
		switch x := x.(type) {
		case *sql.Table:
			out = append(out, renamed(s.ofTable(x.Name.Folded()), x.Columns).outputs...)
		case *sql.Derived:
			out = append(out, s.derivedFrom(x).outputs...)
		}
	}
	return out
}

// of is where a value, or a part of a statement, has what it depends on.
func (s *scope) of(x sql.Node) (out Source) {
	if isNil(x) {
		return None
	}
	s.each(x, func(s *scope, n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Column:
			out = out.or(s.named(n.Table, n.Name.Folded()))
			return false
		case *sql.Variable:
			if strings.HasPrefix(n.Text, "@@") {
				out = out.or(Session)
			}
			out = out.or(s.v.variables[strings.ToLower(n.Text)])
		case *sql.Table:
			out = out.or(s.outer(n)).or(s.ofTable(n.Name.Folded()).rows)
		case *sql.Query:
			out = out.or(skipping(n))
		case *sql.Binary, *sql.In, *sql.Between:
			return !s.settled(n)
		default:
			out = out.or(ofCall(n))
		}
		return true
	})
	return out
}

func isNil(x sql.Node) bool {
	switch x := x.(type) {
	case nil:
		return true
	case sql.Expr:
		return x == nil
	}
	return false
}

// named is where what a column of a name holds comes from, of whichever source; table is how the statement calls it,
// nil where it does not say.
func (s *scope) named(table *sql.Name, column string) (out Source) {
	for _, p := range s.v.syntax.Traits.Places {
		if p == column {
			return Session
		}
	}
	if s.ofRow(table) {
		return s.v.columns[place{s.row, column}]
	}
	at := s.having(table, column)
	if at == nil {
		return None
	}
	if table != nil {
		return at.columns[table.Folded()][column]
	}
	for _, columns := range at.columns {
		out = max(out, columns[column])
	}
	return out
}

// having is the nearest scope with a source of that name, or where none is said one with such a column; nil for none.
func (s *scope) having(table *sql.Name, column string) *scope {
	for ; s != nil; s = s.around {
		if table != nil && s.columns[table.Folded()] != nil {
			return s
		}
		for _, columns := range s.columns {
			if _, has := columns[column]; has && table == nil {
				return s
			}
		}
	}
	return nil
}

// ofRow says whether a name is that of the row which a trigger looks at.
func (s *scope) ofRow(name *sql.Name) bool {
	return s.row != "" && name != nil && (name.Folded() == "new" || name.Folded() == "old")
}

// settled says whether a comparison is of a column whose numbers the database hands out with numbers that it hands out
// no more, or of one that chance fills with a UUID that is written out: it is true of the same rows whichever values
// the others get.
func (s *scope) settled(n sql.Node) bool {
	var x sql.Expr
	var with []sql.Expr
	exact := true
	switch n := n.(type) {
	case *sql.Binary:
		switch n.Op {
		case sql.OpEq, sql.OpNe:
		case sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe:
			exact = false
		default:
			return false
		}
		if x, with = n.Left, []sql.Expr{n.Right}; !isColumn(x) {
			x, with = n.Right, []sql.Expr{n.Left}
		}
	case *sql.In:
		x, with = n.X, n.List
	case *sql.Between:
		x, with, exact = n.X, []sql.Expr{n.Low, n.High}, false
	}
	c, ok := sql.Bare(x).(*sql.Column)
	if !ok || len(with) == 0 {
		return false
	}
	if exact && !slices.ContainsFunc(with, func(w sql.Expr) bool { return !isUUID(w) }) {
		return s.named(c.Table, c.Name.Folded()) == Chance
	}
	least, ok := s.last(c)
	for _, w := range with {
		l, literal := sql.Bare(w).(*sql.Literal)
		if !literal {
			return false
		}
		number, err := strconv.ParseInt(strings.Trim(l.Text, "'\""), 10, 64)
		ok = ok && err == nil && number <= least
	}
	return ok
}

// isUUID says whether a value is a UUID as a text, which no call gives by chance.
func isUUID(x sql.Expr) bool {
	if cast, ok := sql.Bare(x).(*sql.Cast); ok {
		x = cast.X
	}
	l, ok := sql.Bare(x).(*sql.Literal)
	if !ok || l.Kind != sql.Text {
		return false
	}
	parts := strings.Split(l.Characters(), "-")
	for i, size := range []int{8, 4, 4, 4, 12} {
		if len(parts) != 5 || len(parts[i]) != size || strings.Trim(parts[i], "0123456789abcdefABCDEF") != "" {
			return false
		}
	}
	return true
}

func isColumn(x sql.Expr) bool {
	_, ok := sql.Bare(x).(*sql.Column)
	return ok
}

// last is the highest number that the set-up has given a column whose numbers the database hands out; ok is false where
// the column is of another kind, or that is not known.
func (s *scope) last(c *sql.Column) (n int64, ok bool) {
	at := s.having(c.Table, c.Name.Folded())
	if at == nil {
		return 0, false
	}
	for source, table := range at.tables {
		t := s.v.tables[table]
		if c.Table != nil && c.Table.Folded() != source || t == nil {
			continue
		}
		for _, x := range t.columns {
			if x.Name != c.Name.Folded() {
				continue
			}
			if ok || !x.Counts || t.last < 0 || s.v.columns[place{table, x.Name}] > Counter {
				return 0, false
			}
			n, ok = t.last, true
		}
	}
	return n, ok
}

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
