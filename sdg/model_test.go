package sdg

import (
	"cmp"
	"slices"
	"strconv"

	"txweave/history"
	"txweave/sql/sqltext"
)

// The model engine: a small in-memory multi-version database whose statements are exact, so that every
// difference between a run and a replay is a missing edge. This file holds rows and statements; the
// transactions are in engine_test.go.

const modelTables = 3

// row is a row of a model table. Columns are a, b and u; u is unique in some tables.
type row struct {
	pkey, vkey int64
	c          [3]int64
}

var modelColumns = [3]string{"a", "b", "u"}

var modelNames = [modelTables]string{"t0", "t1", "t2"}

// db is one state of the model's tables; each is sorted by pkey and never changed in place.
type db [modelTables][]row

func (d *db) find(table int, pkey int64) (int, bool) {
	return slices.BinarySearchFunc(d[table], pkey, func(r row, p int64) int { return cmp.Compare(r.pkey, p) })
}

// key names a row.
type key struct {
	table int
	pkey  int64
}

// overlay returns d with the writes of a transaction; nil deletes.
func (d db) overlay(writes map[key]*row) db {
	if len(writes) == 0 {
		return d
	}
	var touched [modelTables]bool
	for k, r := range writes {
		if !touched[k.table] {
			d[k.table] = slices.Clone(d[k.table])
			touched[k.table] = true
		}
		i, ok := d.find(k.table, k.pkey)
		switch {
		case r == nil && ok:
			d[k.table] = slices.Delete(d[k.table], i, i+1)
		case r != nil && ok:
			d[k.table][i] = *r
		case r != nil:
			d[k.table] = slices.Insert(d[k.table], i, *r)
		}
	}
	return d
}

// pred is a comparison of one column with a constant.
type pred struct {
	col int
	op  byte // '=', '<', '>', or 't' for true
	val int64
}

func (p pred) holds(r *row) bool {
	switch p.op {
	case '=':
		return r.c[p.col] == p.val
	case '<':
		return r.c[p.col] < p.val
	case '>':
		return r.c[p.col] > p.val
	}
	return true
}

// subquery is EXISTS (SELECT … FROM table WHERE p), or outer IN (SELECT col FROM table WHERE p), or NOT.
type subquery struct {
	table      int
	p          pred
	in, not    bool
	outer, col int
}

func (q *subquery) holds(d *db, r *row) bool {
	for i := range d[q.table] {
		x := &d[q.table][i]
		if q.p.holds(x) && (!q.in || x.c[q.col] == r.c[q.outer]) {
			return !q.not
		}
	}
	return q.not
}

// expr is a value: a constant, a column of the row plus a constant, or an aggregate over a table.
type expr struct {
	kind  byte // 'k', 'c', or an aggregate: 's' sum, 'm' max, 'n' count
	col   int
	val   int64
	table int
	p     pred
}

func (e *expr) aggregate() bool { return e.kind != 'k' && e.kind != 'c' }

func (e *expr) eval(d *db, r *row) int64 {
	switch e.kind {
	case 'k':
		return e.val
	case 'c':
		return r.c[e.col] + e.val
	}
	return fold(e.kind, d[e.table], e.col, e.p)
}

// fold computes an aggregate.
func fold(kind byte, rows []row, col int, p pred) (v int64) {
	for i := range rows {
		if !p.holds(&rows[i]) {
			continue
		}
		switch kind {
		case 's':
			v += rows[i].c[col]
		case 'm':
			v = max(v, rows[i].c[col])
		default:
			v++
		}
	}
	return v
}

// assign sets a column.
type assign struct {
	col int
	e   expr
}

// modelStmt is a statement of the model.
type modelStmt struct {
	id    int
	kind  sqltext.Kind
	table int // target, or the table of FROM
	where pred
	sub   *subquery
	limit bool // ORDER BY col, pkey LIMIT 1
	by    int  // column of ORDER BY
	// SELECT
	shape byte // 'i' items, 'v' values without keys, 'a' aggregate, 'j' join
	col   int  // printed or aggregated column, or join column
	agg   byte
	join  int // second table of a join
	// UPDATE
	set []assign
	// INSERT: VALUES with one row, or SELECT from a source table
	values  [3]expr
	source  int  // -1 for VALUES
	onDup   byte // 'i' INSERT IGNORE, 'r' REPLACE: for VALUES only
	vkey    int64
	allCols bool // report no columns: every one counts as used
	// blind says that an UPDATE leaves the version key, and so a row as it is that already is as it would make it.
	blind bool
}

// effect is one row that a statement wrote; after is nil for a DELETE, before for an INSERT.
type effect struct {
	pkey          int64
	before, after *row
}

// outcome is everything that a replay must give again.
type outcome struct {
	rows   [][]int64
	out    []history.Version
	failed bool
	writes []effect
	locks  []key // rows that matched
	keyed  bool  // a unique key decided what happened
}

func (s *modelStmt) matches(d *db, r *row) bool {
	return s.where.holds(r) && (s.sub == nil || s.sub.holds(d, r))
}

// matched returns the rows of the statement's table under WHERE, ORDER BY and LIMIT.
func (s *modelStmt) matched(d *db) []*row {
	var ms []*row
	for i := range d[s.table] {
		if r := &d[s.table][i]; s.matches(d, r) {
			ms = append(ms, r)
		}
	}
	if s.limit && len(ms) > 1 {
		best := slices.MinFunc(ms, func(x, y *row) int {
			return cmp.Or(cmp.Compare(x.c[s.by], y.c[s.by]), cmp.Compare(x.pkey, y.pkey))
		})
		ms = []*row{best}
	}
	return ms
}

// eval runs the statement on one state of the database.
func (s *modelStmt) eval(d *db, unique *[modelTables]bool) *outcome {
	o := &outcome{}
	switch s.kind {
	case sqltext.Select:
		s.evalSelect(d, o)
		slices.SortFunc(o.rows, slices.Compare)
	case sqltext.Update:
		for _, r := range s.matched(d) {
			n := *r
			if !s.blind {
				n.vkey = s.vkey
			}
			for i := range s.set {
				n.c[s.set[i].col] = s.set[i].e.eval(d, r)
			}
			if n != *r {
				o.writes = append(o.writes, effect{r.pkey, r, &n})
			}
		}
	case sqltext.Delete:
		for _, r := range s.matched(d) {
			o.writes = append(o.writes, effect{r.pkey, r, nil})
		}
	case sqltext.Insert:
		s.evalInsert(d, o)
	}
	if unique[s.table] && duplicate(d[s.table], o.writes) {
		s.onDuplicate(d, o)
	}
	for i := range o.writes {
		o.locks = append(o.locks, key{s.table, o.writes[i].pkey})
	}
	return o
}

// onDuplicate fails the statement, makes it nothing (IGNORE) or deletes the rows in its way (REPLACE).
func (s *modelStmt) onDuplicate(d *db, o *outcome) {
	o.keyed = true
	switch s.onDup {
	case 'i':
		o.writes = nil
	case 'r':
		for i := range d[s.table] {
			if r := &d[s.table][i]; r.c[2] == o.writes[0].after.c[2] {
				o.writes = append(o.writes, effect{r.pkey, r, nil})
			}
		}
	default:
		o.failed, o.writes = true, nil
	}
}

func (s *modelStmt) evalSelect(d *db, o *outcome) {
	if s.shape == 'a' {
		v := int64(0)
		var rows []row
		for _, r := range s.matched(d) {
			rows = append(rows, *r)
		}
		v = fold(s.agg, rows, s.col, pred{op: 't'})
		o.rows = [][]int64{{v}}
		return
	}
	for _, r := range s.matched(d) {
		switch s.shape {
		case 'v':
			o.rows = append(o.rows, []int64{r.c[s.col]})
		case 'i':
			o.rows = append(o.rows, []int64{r.pkey, r.vkey, r.c[s.col]})
			o.out = append(o.out, history.Version{Item: history.Item{Table: modelNames[s.table], PKey: r.pkey}, VKey: r.vkey})
		case 'j':
			for i := range d[s.join] {
				if q := &d[s.join][i]; q.c[s.col] == r.c[s.col] {
					o.rows = append(o.rows, []int64{r.pkey, r.vkey, q.pkey, q.vkey})
					o.out = append(o.out, history.Version{Item: history.Item{Table: modelNames[s.table], PKey: r.pkey}, VKey: r.vkey},
						history.Version{Item: history.Item{Table: modelNames[s.join], PKey: q.pkey}, VKey: q.vkey})
				}
			}
		}
		o.locks = append(o.locks, key{s.table, r.pkey})
	}
}

func (s *modelStmt) evalInsert(d *db, o *outcome) {
	insert := func(pkey int64, from *row) {
		n := &row{pkey: pkey, vkey: s.vkey}
		for i := range s.values {
			n.c[i] = s.values[i].eval(d, from)
		}
		o.writes = append(o.writes, effect{pkey, nil, n})
	}
	base := int64(s.id+1) * 1_000_000
	if s.source < 0 {
		insert(base, &row{})
		return
	}
	for i := range d[s.source] {
		if r := &d[s.source][i]; s.where.holds(r) {
			insert(base+1+(r.pkey*7919)%999_983, r)
		}
	}
}

// duplicate says whether the writes leave two rows with the same u.
func duplicate(rows []row, writes []effect) bool {
	for i := range writes {
		n := writes[i].after
		if n == nil {
			continue
		}
		for k := range i {
			if writes[k].after != nil && writes[k].after.c[2] == n.c[2] {
				return true
			}
		}
		for k := range rows {
			if rows[k].c[2] == n.c[2] && !slices.ContainsFunc(writes, func(e effect) bool { return e.pkey == rows[k].pkey }) {
				return true
			}
		}
	}
	return false
}

// same says whether two outcomes are equal for the replay oracle: rows as multisets, affected rows with
// what they overwrote and left, and the error.
func (o *outcome) same(p *outcome) bool {
	if o.failed != p.failed || !slices.EqualFunc(o.rows, p.rows, slices.Equal) || len(o.writes) != len(p.writes) {
		return false
	}
	eq := func(x, y *row) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	for i := range o.writes {
		x, y := &o.writes[i], &p.writes[i]
		if x.pkey != y.pkey || !eq(x.before, y.before) || !eq(x.after, y.after) {
			return false
		}
	}
	return true
}

// reads lists the tables that the statement references with the columns that it uses.
func (s *modelStmt) reads(unique *[modelTables]bool) (used [modelTables]map[int]bool) {
	use := func(table int, cols ...int) {
		if used[table] == nil {
			used[table] = map[int]bool{}
		}
		for _, c := range cols {
			used[table][c] = true
		}
	}
	usePred := func(table int, p pred) {
		use(table)
		if p.op != 't' {
			use(table, p.col)
		}
	}
	from := s.table
	if s.kind == sqltext.Insert {
		from = s.source
	}
	if from >= 0 {
		usePred(from, s.where)
		if s.limit {
			use(from, s.by)
		}
	}
	if s.kind == sqltext.Select && !(s.shape == 'a' && s.agg == 'n') {
		use(s.table, s.col)
	}
	if s.kind == sqltext.Select && s.shape == 'j' {
		use(s.join, s.col)
	}
	if s.sub != nil {
		usePred(s.sub.table, s.sub.p)
		if s.sub.in {
			use(s.table, s.sub.outer)
			use(s.sub.table, s.sub.col)
		}
	}
	for _, e := range s.exprs() {
		switch {
		case e.kind == 'c':
			use(from, e.col)
		case e.kind == 'n':
			usePred(e.table, e.p)
		case e.aggregate():
			usePred(e.table, e.p)
			use(e.table, e.col)
		}
	}
	for _, a := range s.set {
		if s.blind {
			use(s.table, a.col)
		}
	}
	if unique[s.table] && (s.kind == sqltext.Insert || s.setsUnique()) {
		use(s.table, 2)
	}
	return used
}

// onlyChecksKeys says whether the statement is an INSERT … VALUES that references table t, its target, for
// nothing but unique keys.
func (s *modelStmt) onlyChecksKeys(t int) bool {
	return s.kind == sqltext.Insert && s.source < 0 && s.onDup == 0 && t == s.table &&
		!slices.ContainsFunc(s.exprs(), func(e *expr) bool { return e.aggregate() && e.table == t })
}

// exprs lists the value expressions of a writing statement.
func (s *modelStmt) exprs() []*expr {
	var es []*expr
	for i := range s.set {
		es = append(es, &s.set[i].e)
	}
	if s.kind == sqltext.Insert {
		for i := range s.values {
			es = append(es, &s.values[i])
		}
	}
	return es
}

func (s *modelStmt) setsUnique() bool {
	return slices.ContainsFunc(s.set, func(a assign) bool { return a.col == 2 })
}

// matchTable is the table whose rows the statement judges one by one, "" if there is none.
func (s *modelStmt) matchTable(unique *[modelTables]bool) string {
	if s.sub != nil || s.limit || s.shape == 'j' || slices.ContainsFunc(s.exprs(), (*expr).aggregate) {
		return ""
	}
	switch {
	case s.kind == sqltext.Insert && (s.source < 0 || s.source == s.table && unique[s.table]):
		return ""
	case s.kind == sqltext.Insert:
		return modelNames[s.source]
	case s.setsUnique() && unique[s.table]:
		return ""
	}
	return modelNames[s.table]
}

// keyTable is the table of which a row makes a difference to the statement only if it matches, or has the unique value
// that the statement writes; "" if there is none, or that value is not the same whatever the tables hold.
func (s *modelStmt) keyTable(unique *[modelTables]bool) string {
	if !unique[s.table] || s.matchTable(unique) != "" || s.sub != nil || s.limit || slices.ContainsFunc(s.exprs(),
		(*expr).aggregate) {
		return ""
	}
	if e := s.uniqueValue(); e == nil || s.kind == sqltext.Update && e.kind != 'k' {
		return ""
	}
	return modelNames[s.table]
}

// uniqueValue is what the statement writes into the unique column, nil if it is no UPDATE or INSERT … VALUES that does.
func (s *modelStmt) uniqueValue() *expr {
	if s.kind == sqltext.Insert && s.source < 0 {
		return &s.values[2]
	}
	if at := slices.IndexFunc(s.set, func(a assign) bool { return a.col == 2 }); at >= 0 && s.kind == sqltext.Update {
		return &s.set[at].e
	}
	return nil
}

// meets says whether a row of its keyTable makes a difference to the statement.
func (s *modelStmt) meets(r *row) bool {
	return s.kind == sqltext.Update && s.where.holds(r) || r.c[2] == s.uniqueValue().eval(nil, &row{})
}

// valueDepends says whether written values depend on rows other than the written one.
func (s *modelStmt) valueDepends() bool {
	return s.kind == sqltext.Insert && s.source >= 0 || slices.ContainsFunc(s.exprs(), (*expr).aggregate)
}

func (r *row) content() map[string]string {
	m := make(map[string]string, 3)
	for i, name := range modelColumns {
		m[name] = strconv.FormatInt(r.c[i], 10)
	}
	return m
}
