package edits

import (
	"maps"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/classes"
)

// features is a set of names of what statements have: clauses, joins, subqueries, functions. Findings are told apart by
// them, and the names stand in what is stored and in lists of known bugs.
type features struct {
	seen  map[string]bool
	plain bool              // operators and WHERE clauses count too
	left  map[sql.Node]bool // what does not count
}

// Features returns the names of what a statement that reads or writes rows has. With ordinary it also names operators
// and WHERE, which next to every statement has. What a write returns does not count, nor does of which rows in its way
// an INSERT changes what.
func Features(stmt sql.Stmt, ordinary bool) []string {
	f := &features{seen: map[string]bool{}, plain: ordinary, left: map[sql.Node]bool{}}
	sql.Walk(stmt, func(n sql.Node) bool {
		if f.left[n] {
			return false
		}
		if x, ok := n.(sql.Expr); ok {
			f.expression(x)
		} else {
			f.node(n)
		}
		return true
	})
	return f.sorted()
}

func (f *features) sorted() []string { return slices.Sorted(maps.Keys(f.seen)) }

func (f *features) add(name string) { f.seen[name] = true }

// when adds a name where something is there.
func (f *features) when(there bool, name string) {
	if there {
		f.add(name)
	}
}

func (f *features) ordinary(name string) { f.when(f.plain, name) }

func leave[N sql.Node](f *features, list ...N) {
	for _, n := range list {
		f.left[n] = true
	}
}

// node adds what is no expression.
func (f *features) node(n sql.Node) {
	switch x := n.(type) {
	case *sql.Query:
		f.query(x)
	case *sql.Select:
		f.when(x.Distinct, "distinct")
		f.when(x.Group != nil, "group")
		f.when(x.Having != nil, "having")
		f.when(x.Windows != nil, "window")
		f.when(x.Where != nil && f.plain, "where")
	case *sql.Order:
		f.when(x.Desc, "desc")
		f.when(x.Nulls != "", "NULLS_"+x.Nulls)
	case *sql.With:
		f.add("cte")
		f.add("subquery")
	case *sql.Join:
		f.add("join:" + joinName(x))
	case *sql.Derived:
		f.add("derived")
	case sql.Stmt:
		f.write(x)
	}
}

func (f *features) query(q *sql.Query) {
	f.when(len(q.Locks) > 0, "locking")
	body := q.Body
	for {
		n, ok := body.(*sql.Nested)
		if !ok {
			break
		}
		body = n.Query.Body
	}
	if _, set := body.(*sql.Compound); set {
		f.add("set-operation")
		return
	}
	f.when(q.Order != nil, "order")
	f.when(q.Limit != nil, "limit")
}

// joinName is the kind of a join: a comma, CROSS and INNER are one thing.
func joinName(j *sql.Join) string {
	switch j.Kind {
	case sql.LeftJoin:
		return "left"
	case sql.RightJoin:
		return "right"
	case sql.FullJoin:
		return "full"
	}
	return "inner"
}

// write adds what a write has. That of joined tables is told from one that has a join in a subquery only, and one that
// passes over the rows which it may not write from others.
func (f *features) write(stmt sql.Stmt) {
	joined := func(is bool) {
		f.when(is, "joined-write")
		f.when(is, "join:inner")
	}
	switch x := stmt.(type) {
	case *sql.Insert:
		leave(f, x.Returning...)
		ignores := x.Ignore || x.Or == "IGNORE"
		for _, c := range x.Conflicts {
			ignores = ignores || c.Set == nil
			leave(f, c.Target...)
			leave(f, c.TargetWhere, c.Where)
		}
		f.when(ignores, "insert-ignore")
		if x.Source != nil {
			values, listed := x.Source.Body.(*sql.Values)
			f.when(!listed, "insert-select")
			f.when(listed && len(values.Rows) > 1, "several-rows")
		}
	case *sql.Update:
		leave(f, x.Returning...)
		f.when(len(classes.Leaves(x.Table)) > 1, "joined-write")
		joined(x.From != nil)
		f.when(x.Ignore || x.Or == "IGNORE", "update-ignore")
	case *sql.Delete:
		leave(f, x.Returning...)
		joined(x.Using != nil)
		f.when(x.Ignore, "delete-ignore")
	case *sql.DeleteJoined:
		f.when(len(classes.Leaves(x.From)) > 1, "joined-write")
		f.when(x.Ignore, "delete-ignore")
	case *sql.Merge:
		leave(f, x.Returning...)
		f.merge(x)
	}
}

// merge adds what a MERGE has: one that inserts does so for want of a row that it is joined with.
func (f *features) merge(n *sql.Merge) {
	f.add("merge")
	inserts, conditional := false, false
	for _, w := range n.Whens {
		inserts, conditional = inserts || w.Do == "INSERT", conditional || w.Cond != nil
	}
	if inserts {
		f.add("insert-select")
		f.add("join:left")
	} else {
		f.add("joined-write")
		f.add("join:inner")
	}
	if conditional {
		f.ordinary("logic")
	}
}

// expression adds an operator's class, and what is no ordinary operator by its own name.
func (f *features) expression(e sql.Expr) {
	switch x := e.(type) {
	case *sql.Subquery:
		f.add("subquery")
	case *sql.Exists:
		f.add("exists")
		f.add("subquery")
	case *sql.Quantified:
		f.add("quantified")
		f.when(x.Query != nil, "subquery")
	case *sql.In:
		f.when(x.Query != nil, "subquery")
		f.when(x.Query == nil, "in-list")
		f.ordinary("compare")
	case *sql.Between:
		f.add("between")
		f.ordinary("compare")
	case *sql.Case:
		f.add("case")
	case *sql.Cast:
		f.add("cast")
	case *sql.Recode:
		f.add("CONVERT")
	case *sql.Like:
		f.add("like")
	case *sql.Is:
		f.ordinary("is")
	case *sql.Binary:
		f.operator(x)
	case *sql.Unary:
		_, exists := x.X.(*sql.Exists)
		f.when(x.Op == sql.OpBinary, "cast")
		f.when(x.Op == sql.OpNot && !exists && f.plain, "not")
	case *sql.Call:
		f.call(x)
	case *sql.Niladic:
		f.add(x.Word)
	case *sql.TypedLiteral:
		f.add(x.Type + "LITERAL")
	case *sql.Literal:
		f.when(x.Kind == sql.Null && f.plain, "null")
	}
}

// called are functions that go by another name.
var called = map[string]string{
	"STD": "STDDEV_POP", "STDDEV": "STDDEV_POP", "VARIANCE": "VAR_POP", "CHAR": "CHAR_FUNC", "INSERT": "INSERT_FUNC",
}

// call adds a function by its name; window functions are one thing, MOD is an operator.
func (f *features) call(x *sql.Call) {
	name := strings.ToUpper(x.Name.Value)
	f.when(x.Filter != nil, "FILTER")
	switch {
	case x.Over != nil:
		f.add("window")
	case name == "MOD" && len(x.Args) == 2:
		f.ordinary("arithmetic")
	case name == "VALUES" || name == "DEFAULT": // of a column
	case (name == "MAX" || name == "MIN") && len(x.Args) > 1:
		f.add(map[string]string{"MAX": "GREATEST", "MIN": "LEAST"}[name])
	case called[name] != "":
		f.add(called[name])
	default:
		f.add(name)
	}
}

func (f *features) operator(x *sql.Binary) {
	_, left := sql.Bare(x.Left).(*sql.Interval)
	_, right := sql.Bare(x.Right).(*sql.Interval)
	switch op := x.Op; {
	case (left || right) && op == sql.OpAdd:
		f.add("DATE_ADD")
	case (left || right) && op == sql.OpSub:
		f.add("DATE_SUB")
	case op == sql.OpConcat:
		f.add("CONCAT")
	case op == sql.OpJSON:
		f.add("JSON_EXTRACT")
	case op == sql.OpJSONText:
		f.add("JSON_EXTRACT")
		f.add("JSON_UNQUOTE")
	case op == sql.OpMember:
		f.add("JSON_MEMBEROF")
	case slices.Contains(comparisons, op):
		f.ordinary("compare")
	case op == sql.OpAnd || op == sql.OpOr || op == sql.OpXor:
		f.ordinary("logic")
	default:
		f.ordinary("arithmetic")
	}
}

// comparisons are the operators that compare two values.
var comparisons = []sql.Op{
	sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame, sql.OpDistinct,
}

// SchemaFeatures returns the names of what a statement that defines something has besides columns and the primary key:
// indexes, generated columns, and how the rows are kept.
func SchemaFeatures(stmt sql.Stmt) []string {
	f := &features{seen: map[string]bool{}}
	switch n := stmt.(type) {
	case *sql.CreateIndex:
		f.index(n.Unique)
	case *sql.CreateTable:
		f.table(n)
	}
	return f.sorted()
}

func (f *features) index(unique bool) {
	f.add("index")
	f.when(unique, "unique")
}

func (f *features) table(n *sql.CreateTable) {
	for _, c := range n.Constraints {
		f.constraint(c, true)
	}
	for _, col := range n.Columns {
		for _, c := range col.Constraints {
			f.constraint(c, false)
		}
	}
	f.when(n.Partitions != nil, "partition")
	for _, o := range n.Options {
		f.when(strings.Contains(strings.ToUpper(o.Words), "VERSIONING"), "versioned")
	}
}

// constraint adds what a constraint of a table is, or of a column.
func (f *features) constraint(c sql.Constraint, ofTable bool) {
	switch x := c.(type) {
	case *sql.PrimaryKey:
		for _, o := range x.Options {
			f.when(o.Words == "NONCLUSTERED", "key-apart")
		}
	case *sql.Unique, *sql.Exclude: // where = compares
		f.index(true)
	case *sql.Index:
		if x.Kind == "" {
			f.index(false)
		} else {
			f.add("constraint")
		}
	case *sql.ForeignKey:
		f.add("foreign-key")
		f.when(strings.HasSuffix(x.Deferrable, "DEFERRED"), "deferred-key")
	case *sql.Generated:
		if x.Kept == "STORED" || x.Kept == "PERSISTENT" {
			f.add("stored-column")
		} else { // it is worked out whenever it is read
			f.add("virtual-column")
		}
	default:
		f.when(ofTable, "constraint")
	}
}
