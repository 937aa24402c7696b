package analysis

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// collector gathers table references and column uses over a whole statement. Scopes are not told apart: what it finds
// is a superset, which can only add edges.
type collector struct {
	reader   *Reader
	schema   *sqltext.Schema
	ctes     map[string]bool
	alias    map[string][]string  // alias or name -> base tables it stands for somewhere
	refs     map[string]bool      // base tables referenced
	inner    map[string]bool      // … by what is counted in depth
	depth    int                  // subqueries in expressions and WITH clauses around the node
	skip     map[*sql.Column]bool // uses that are no uses: item outputs and version bookkeeping
	columns  []*sql.Column
	values   *sql.Values // the rows that an INSERT spells
	wildcard bool
	blocks   int  // query blocks and what makes several of them
	selects  int  // blocks that read a table
	locked   int  // those of them with a lock clause
	skips    bool // some block passes over locked rows
	some     bool // some block locks a part of its tables
	decides  bool // errors are up to the plan, whatever the classes of values
	setOrCTE bool
	err      error
}

func newCollector(r *Reader, s *sqltext.Schema) *collector {
	return &collector{
		reader: r, schema: s, ctes: map[string]bool{}, alias: map[string][]string{}, refs: map[string]bool{},
		inner: map[string]bool{},
		skip:  map[*sql.Column]bool{},
	}
}

func (c *collector) collect(n sql.Node) { sql.Walk(n, c.enter) }

// deeper collects what is below a query in an expression.
func (c *collector) deeper(q *sql.Query) {
	c.depth++
	c.collect(q)
	c.depth--
}

// enter notes a node, and says whether what is below it is to be looked at, too.
func (c *collector) enter(n sql.Node) bool {
	if c.err == nil {
		c.err = c.refuse(n)
	}
	if c.err != nil {
		return false
	}
	switch x := n.(type) {
	case *sql.Column:
		c.columns = append(c.columns, x)
	case *sql.Star:
		c.wildcard = true
	case *sql.Call:
		return c.call(x)
	case *sql.Binary:
		c.decides = c.decides || !total[x.Op]
	case *sql.Like:
		_, literal := x.Pattern.(*sql.Literal)
		c.decides = c.decides || !literal && x.Op != sql.OpLike && x.Op != sql.OpILike && x.Op != sql.OpGlob
	case *sql.Exists:
		c.deeper(x.Query)
		return false
	case *sql.Subquery:
		c.deeper(x.Query)
		return false
	case *sql.Query:
		if x.With != nil {
			c.with(x.With)
		}
		c.query(x)
	case *sql.With:
		return false // it was looked at before all else
	case *sql.Compound:
		c.setOrCTE = true
		c.blocks += 2
	case *sql.Select:
		c.blocks++
		if x.From != nil { // else it reads nothing itself
			c.selects++
		}
	case sql.TableRef:
		return c.reference(x)
	default:
		return c.operand(n) && c.write(n)
	}
	return true
}

// total are the operators that have no errors but those of their operands' classes, which package classes knows; of all
// others, such as a database's own, it is up to the plan whether one arises.
var total = map[sql.Op]bool{
	sql.OpOr: true, sql.OpAnd: true, sql.OpXor: true, sql.OpEq: true, sql.OpNe: true, sql.OpLt: true, sql.OpLe: true,
	sql.OpGt: true, sql.OpGe: true,
	sql.OpSame: true, sql.OpDistinct: true, sql.OpBitAnd: true, sql.OpBitOr: true, sql.OpBitXor: true,
	sql.OpShiftLeft: true, sql.OpShiftRight: true,
	sql.OpAdd: true, sql.OpSub: true, sql.OpMul: true, sql.OpDiv: true, sql.OpIntDiv: true, sql.OpMod: true,
	sql.OpConcat: true, sql.OpSounds: true,
}

// operand looks at what has a query beside other operands.
func (c *collector) operand(n sql.Node) bool {
	var q *sql.Query
	switch x := n.(type) {
	case *sql.In:
		if q = x.Query; x.Table != nil { // all that it holds
			c.blocks++
			c.wildcard = true
		}
	case *sql.Quantified:
		q = x.Query
	case *sql.Array:
		q = x.Query
	}
	if q == nil {
		return true
	}
	sql.Walk(n, func(m sql.Node) bool {
		switch m {
		case n:
			return true
		case q:
			c.deeper(q)
			return false
		}
		return c.enter(m)
	})
	return false
}

// write looks at the parts of writes.
func (c *collector) write(n sql.Node) bool {
	switch x := n.(type) {
	case *sql.Insert:
		c.with(x.With)
		if x.Source != nil {
			c.values, _ = unnested(x.Source).Body.(*sql.Values)
		}
	case *sql.Update:
		c.with(x.With)
	case *sql.Delete:
		c.with(x.With)
	case *sql.Merge:
		c.with(x.With)
	case *sql.DeleteJoined:
		c.with(x.With)
		c.collect(x.From)
		if x.Where != nil {
			c.collect(x.Where)
		}
		return false // Targets are names of what FROM lists
	case *sql.Assign:
		c.collect(x.Value)
		return false
	case *sql.OnConflict:
		for _, as := range x.Set {
			c.collect(as)
		}
		if x.Where != nil {
			c.collect(x.Where)
		}
		return false // Target names a key
	}
	return true
}

// call looks at the arguments of a function: the star of COUNT(*) is no column, and VALUES(c) is what an upsert would
// have inserted.
func (c *collector) call(x *sql.Call) bool {
	if x.Name.Folded() == "values" {
		return false
	}
	star := isCountStar(x)
	sql.Walk(x, func(n sql.Node) bool {
		switch {
		case n == x:
			return true
		case star && n == x.Args[0]:
			return false
		}
		return c.enter(n)
	})
	return false
}

func isCountStar(x *sql.Call) bool {
	if len(x.Args) != 1 || x.Name.Folded() != "count" {
		return false
	}
	star, ok := x.Args[0].(*sql.Star)
	return ok && star.Table == nil
}

// with looks at common table expressions; nil for none.
func (c *collector) with(w *sql.With) {
	if w == nil || c.err != nil {
		return
	}
	c.setOrCTE = true
	c.blocks++
	for _, cte := range w.CTEs {
		if c.schema.Table(cte.Name.Folded()) != nil {
			c.err = fmt.Errorf("common table expression %s hides a table", cte.Name.Value)
		}
		c.ctes[cte.Name.Folded()] = true
	}
	for _, cte := range w.CTEs {
		q, ok := cte.Body.(*sql.Query)
		if !ok {
			c.err = errors.New("a write in WITH is not read")
		}
		if c.err != nil {
			return
		}
		c.deeper(q)
	}
}

// query notes what a query locks.
func (c *collector) query(q *sql.Query) {
	sel, ok := q.Body.(*sql.Select)
	if len(q.Locks) == 0 || !ok || sel.From == nil {
		return
	}
	c.locked++
	of := 0
	for _, l := range q.Locks {
		c.skips = c.skips || l.Wait == "SKIP LOCKED"
		of += len(l.Of)
	}
	c.some = c.some || of > 0 && of < len(sourcesOf(sel.From))
}

// reference notes a table, or what joins some.
func (c *collector) reference(ref sql.TableRef) bool {
	switch x := ref.(type) {
	case *sql.Join:
		for _, name := range x.Using {
			c.columns = append(c.columns, &sql.Column{Name: name})
		}
		c.wildcard = c.wildcard || x.Natural
	case *sql.Table:
		table := x.Name.Folded()
		if c.ctes[table] {
			break
		}
		alias := table
		if x.Alias != nil {
			alias = x.Alias.Folded()
		}
		c.alias[alias] = append(c.alias[alias], table)
		c.refs[table] = true
		if c.depth > 0 {
			c.inner[table] = true
		}
		c.wildcard = c.wildcard || len(x.Columns) > 0 // they have other names
	}
	return true
}

// ignore marks a column as no use of its value.
func (c *collector) ignore(col *sql.Column) { c.skip[col] = true }

// used resolves the collected column uses to base tables.
func (c *collector) used(tables []string) map[string][]string {
	out := map[string][]string{}
	if c.wildcard || slices.ContainsFunc(c.columns, c.isRow) {
		return out // nil columns: all of them
	}
	for _, t := range tables {
		out[t] = []string{}
	}
	for _, col := range c.columns {
		if c.skip[col] {
			continue
		}
		owners := tables
		if qualifier := col.Table.Folded(); qualifier != "" { // none is an upsert's excluded.c: nothing is read there
			owners = c.alias[qualifier]
		}
		name := col.Name.Folded()
		for _, t := range owners {
			if cols, ok := out[t]; ok && c.schema.Table(t).Column(name) != nil && !slices.Contains(cols, name) {
				out[t] = append(cols, name)
			}
		}
	}
	for _, t := range tables {
		slices.Sort(out[t])
	}
	return out
}

// isRow says whether what looks like a column is a table's row as a whole.
func (c *collector) isRow(col *sql.Column) bool {
	name := col.Name.Folded()
	return col.Table == nil && len(c.alias[name]) > 0 &&
		!slices.ContainsFunc(c.schema.Tables, func(t *sqltext.Table) bool { return c.refs[t.Name] && t.Column(name) != nil })
}

// refuse returns why a node makes a statement unfit for the oracles; nil if it does not.
func (c *collector) refuse(n sql.Node) error {
	if c.reader.Refuse != nil {
		if err := c.reader.Refuse(n); err != nil {
			return err
		}
	}
	switch x := n.(type) {
	case *sql.Name:
		if c.reader.ExactQuotes && x.Quote != 0 && x.Value != strings.ToLower(x.Value) {
			return fmt.Errorf("%q: quoted names in other than small letters are not read", x.Value)
		}
	case *sql.Table:
		return c.refuseTable(x)
	case *sql.Column:
		if x.Schema != nil {
			return fmt.Errorf("column %s.%s: a case knows the tables of its own schema only", x.Schema.Value, x.Table.Value)
		}
	case *sql.Niladic:
		return fmt.Errorf("function %s: its value does not come from the database's contents", x.Word)
	case *sql.Call:
		return c.refuseCall(x)
	case *sql.Variable:
		if strings.HasPrefix(x.Text, "@@") {
			return fmt.Errorf("system variable %s: its value is not part of the case", x.Text)
		}
		return fmt.Errorf("user variable %s: its value is not part of the case", x.Text)
	case *sql.Param:
		return errors.New("a parameter has no value here")
	case *sql.TableCall:
		return fmt.Errorf("%s: functions that are tables are not read", x.Name.Value)
	case *sql.Whole:
		return errors.New("TABLE and VALUES statements are not supported")
	case *sql.Values:
		if x != c.values {
			return errors.New("TABLE and VALUES statements are not supported")
		}
	case *sql.Select:
		if len(x.On) > 0 {
			return errors.New("DISTINCT ON: which of its rows a query returns is not known")
		}
	case *sql.OnConflict:
		if x.TargetWhere != nil {
			return errors.New("ON CONFLICT is read with the columns of a key")
		}
	default:
		if !plainNodes[reflect.TypeOf(n)] {
			return fmt.Errorf("%s is not read", nodeName(n))
		}
	}
	return nil
}

func (c *collector) refuseTable(x *sql.Table) error {
	switch name := x.Name.Folded(); {
	case x.Schema != nil:
		return fmt.Errorf("table %s.%s: a case knows the tables of its own schema only", x.Schema.Value, x.Name.Value)
	case !c.ctes[name] && c.schema.Table(name) == nil:
		return fmt.Errorf("unknown table %s", x.Name.Value)
	case x.At != nil || x.Sample != nil:
		return fmt.Errorf("table %s: rows of another time, or some of its rows, are not read", x.Name.Value)
	}
	return nil
}

// refuseCall refuses a function whose value depends on more than its arguments.
func (c *collector) refuseCall(x *sql.Call) error {
	if x.Schema != nil {
		return fmt.Errorf("function %s.%s: a case knows those of the database only", x.Schema.Value, x.Name.Value)
	}
	var texts []string
	for _, arg := range x.Args {
		if l, ok := sql.Bare(arg).(*sql.Literal); ok && l.Kind == sql.Text {
			texts = append(texts, l.Characters())
		}
	}
	if functions.Varies(x.Name.Folded(), len(x.Args), texts) {
		return fmt.Errorf("function %s: its value does not come from the database's contents", strings.ToUpper(x.Name.Value))
	}
	return nil
}

// nodeName is the name of a node's type.
func nodeName(n sql.Node) string { return reflect.TypeOf(n).Elem().Name() }

// plainNodes are those that nothing has to be said of beside what enter does.
var plainNodes = func() map[reflect.Type]bool {
	out := map[reflect.Type]bool{}
	for _, n := range []sql.Node{
		(*sql.Literal)(nil), (*sql.TypedLiteral)(nil), (*sql.DefaultValue)(nil), (*sql.Interval)(nil), (*sql.Star)(nil),
		(*sql.Paren)(nil),
		(*sql.Unary)(nil), (*sql.Binary)(nil), (*sql.Quantified)(nil), (*sql.Is)(nil), (*sql.In)(nil), (*sql.Between)(nil),
		(*sql.Like)(nil),
		(*sql.Case)(nil), (*sql.When)(nil), (*sql.Cast)(nil), (*sql.Recode)(nil), (*sql.Type)(nil), (*sql.Collate)(nil),
		(*sql.Exists)(nil),
		(*sql.Subquery)(nil), (*sql.Array)(nil), (*sql.Subscript)(nil), (*sql.Field)(nil), (*sql.Grouping)(nil),
		(*sql.Row)(nil),
		(*sql.Worded)(nil), (*sql.Matching)(nil), (*sql.Window)(nil), (*sql.Frame)(nil), (*sql.Bound)(nil),
		(*sql.NamedWindow)(nil),
		(*sql.Query)(nil), (*sql.Lock)(nil), (*sql.With)(nil), (*sql.CTE)(nil), (*sql.Hints)(nil), (*sql.Hint)(nil),
		(*sql.Option)(nil),
		(*sql.Nested)(nil), (*sql.Item)(nil), (*sql.Compound)(nil), (*sql.Order)(nil), (*sql.Limit)(nil), (*sql.Derived)(nil),
		(*sql.Join)(nil), (*sql.ParenTable)(nil), (*sql.IndexHint)(nil), (*sql.Object)(nil),
		(*sql.Insert)(nil), (*sql.Assign)(nil), (*sql.Update)(nil), (*sql.Delete)(nil), (*sql.DeleteJoined)(nil),
		(*sql.Merge)(nil),
		(*sql.MergeWhen)(nil),
	} {
		out[reflect.TypeOf(n)] = true
	}
	return out
}()
