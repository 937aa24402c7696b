package mysql

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/model"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// analysis is an Analysis in the making.
type analysis struct {
	*sqltext.Analysis
	parser *Parser
	stmt   ast.StmtNode
	as     map[string]string // by table that it writes, the first name under which it does
}

// Analyze implements sqltext.Analyzer.
func (p *Parser) Analyze(s *sqltext.Schema, sql string) (*sqltext.Analysis, error) {
	node, err := p.parse(sql)
	if err != nil {
		return nil, fmt.Errorf("cannot parse %q: %s", clipped(sql), clipped(err.Error()))
	}
	if node, err = p.withoutViews(s, node); err != nil {
		return nil, fmt.Errorf("%q: %w", clipped(sql), err)
	}
	a := &analysis{Analysis: &sqltext.Analysis{}, parser: p, stmt: node}
	v := &collector{schema: s, pipes: p.ansi && p.words == nil && strings.Contains(sql, "||"), ctes: map[string]bool{}, alias: map[string][]string{},
		refs: map[string]bool{}, inner: map[string]bool{}}
	node.Accept(v)
	if v.err != nil {
		return nil, fmt.Errorf("%q: %w", clipped(sql), v.err)
	}
	outer := 0 // query blocks that are no subquery
	a.SetOrCTE = v.setOrCTE
	switch n := node.(type) {
	case *ast.SelectStmt:
		a.Kind, outer = sqltext.Select, 1
		a.Locking = n.LockInfo != nil && n.LockInfo.LockType != ast.SelectLockNone
		a.selectItems(v, n)
	case *ast.SetOprStmt: // its operands are more than one block: never judged row by row
		a.Kind = sqltext.Select
	case *ast.UpdateStmt:
		err = a.update(s, v, n)
	case *ast.DeleteStmt:
		err = a.delete(v, n)
	case *ast.InsertStmt:
		if _, query := n.Select.(*ast.SelectStmt); query {
			outer = 1
		}
		err = a.insert(s, v, n)
	default:
		err = fmt.Errorf("not a SELECT, INSERT, UPDATE or DELETE")
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", clipped(sql), err)
	}
	_, _, a.Truncates = sqltext.ReadTruncate(sql)
	if err := errors.Join(a.returns(v, sql), a.apart(v, sql)); err != nil {
		return nil, fmt.Errorf("%q: %w", clipped(sql), err)
	}
	a.Subquery, a.Blocks, a.LockedBlocks = v.blocks > outer, v.selects, v.locked
	if _, scratch := sqltext.ReadScratch(sql); scratch {
		a.TotalOrder = false
		a.Locking = !p.ansi // InnoDB's CREATE TABLE … SELECT reads what INSERT … SELECT does
	}
	if a.Kind == sqltext.Select {
		a.PlanDecides = p.planDecides(node, s)
		a.Locking = a.Locking || v.locked > 0 && v.locked == v.selects
		a.SkipsLocked, a.LocksSome = v.skips, v.some
		if sel, one := node.(*ast.SelectStmt); one && !a.SetOrCTE && !a.LocksSome && !p.ansi {
			a.RowLock = rowLock(sel)
		}
	}
	a.Tables = slices.Sorted(maps.Keys(v.refs))
	a.Inner = slices.Sorted(maps.Keys(v.inner))
	a.Used = v.used(s, a.Tables)
	if a.ChecksUnique = a.checksUnique(s); a.ChecksUnique {
		a.Used[a.Target] = append(a.Used[a.Target], s.Table(a.Target).Unique...)
	}
	return a.Analysis, errors.Join(a.keys(s, v), a.match(s))
}

// clipped is the beginning of a text: as much of a statement as an error shows.
func clipped(s string) string {
	const limit = 300
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// checksUnique says whether rows of the target that the statement does not write can make it fail.
func (a *analysis) checksUnique(s *sqltext.Schema) bool {
	if !slices.Contains(a.Tables, a.Target) || a.Used[a.Target] == nil {
		return false
	}
	if up, ok := a.stmt.(*ast.UpdateStmt); ok {
		return slices.ContainsFunc(up.List, func(as *ast.Assignment) bool {
			return slices.Contains(s.Table(a.Target).Unique, as.Column.Name.L)
		})
	}
	return a.Kind == sqltext.Insert
}

// collector gathers table references and column uses over the whole statement. Scopes are not told apart:
// what it finds is a superset, which can only add edges.
type collector struct {
	schema   *sqltext.Schema
	pipes    bool // the text may hold a || that the parser gives back as CONCAT
	ctes     map[string]bool
	alias    map[string][]string          // alias or name -> base tables it stands for somewhere
	refs     map[string]bool              // base tables referenced
	inner    map[string]bool              // … by what is counted in depth
	depth    int                          // subqueries in expressions and WITH clauses that enclose the node
	skip     map[*ast.ColumnNameExpr]bool // uses that are no uses: item outputs and version bookkeeping
	exprs    []*ast.ColumnNameExpr
	wildcard bool
	blocks   int
	selects  int
	locked   int
	of       map[*ast.TableName]bool // names in FOR UPDATE OF
	skips    bool                    // some block passes over locked rows
	some     bool                    // some block locks a part of its tables
	setOrCTE bool
	err      error
}

func (c *collector) Enter(n ast.Node) (ast.Node, bool) {
	if t, ok := n.(*ast.TableName); ok && t.Schema.O == "" && c.of[t] {
		return n, true // FOR UPDATE OF names what FROM lists, by its alias
	}
	if c.err = errors.Join(c.err, c.refuse(n)); c.err != nil {
		return n, true
	}
	switch x := n.(type) {
	case *ast.SubqueryExpr:
		c.depth++
	case *ast.WithClause:
		c.depth++
		c.setOrCTE = true
		c.blocks++
		for _, cte := range x.CTEs {
			if c.schema.Table(cte.Name.L) != nil {
				c.err = fmt.Errorf("common table expression %s hides a table", cte.Name.O)
			}
			c.ctes[cte.Name.L] = true
		}
	case *ast.SetOprStmt:
		c.setOrCTE = true
		c.blocks += 2
	case *ast.SelectStmt:
		c.blocks++
		if x.From == nil { // it reads nothing itself
			break
		}
		c.selects++
		if x.LockInfo != nil && x.LockInfo.LockType != ast.SelectLockNone {
			c.locked++
			for _, t := range x.LockInfo.Tables {
				if c.of == nil {
					c.of = map[*ast.TableName]bool{}
				}
				c.of[t] = true
			}
			c.skips = c.skips || skipsLocked(x)
			c.some = c.some || len(x.LockInfo.Tables) > 0 && len(x.LockInfo.Tables) < len(baseTables(x.From.TableRefs))
		}
	case *ast.DeleteTableList:
		return n, true // names of what FROM or USING lists
	case *ast.Join:
		for _, col := range x.Using {
			c.exprs = append(c.exprs, &ast.ColumnNameExpr{Name: &ast.ColumnName{Name: col.Name}})
		}
		c.wildcard = c.wildcard || x.NaturalJoin
	case *ast.MatchAgainst:
		for _, col := range x.ColumnNames {
			c.exprs = append(c.exprs, &ast.ColumnNameExpr{Name: col})
		}
	case *ast.TableSource:
		if t, ok := x.Source.(*ast.TableName); ok && !c.ctes[t.Name.L] {
			name := x.AsName.L
			if name == "" {
				name = t.Name.L
			}
			c.alias[name] = append(c.alias[name], t.Name.L)
		}
	case *ast.TableName:
		if !c.ctes[x.Name.L] {
			c.refs[x.Name.L] = true
			if c.depth > 0 {
				c.inner[x.Name.L] = true
			}
		}
	case *ast.ColumnNameExpr:
		c.exprs = append(c.exprs, x)
	case *ast.SelectField:
		if x.WildCard != nil {
			c.wildcard = true
		}
	}
	return n, false
}

func (c *collector) Leave(n ast.Node) (ast.Node, bool) {
	switch n.(type) {
	case *ast.SubqueryExpr, *ast.WithClause:
		c.depth--
	}
	return n, c.err == nil
}

// ignore marks the column expression as no use of the column's value.
func (c *collector) ignore(e ast.ExprNode) {
	if col, ok := e.(*ast.ColumnNameExpr); ok {
		if c.skip == nil {
			c.skip = map[*ast.ColumnNameExpr]bool{}
		}
		c.skip[col] = true
	}
}

// used resolves the collected column uses to base tables.
func (c *collector) used(s *sqltext.Schema, tables []string) map[string][]string {
	out := map[string][]string{}
	if c.wildcard {
		return out // nil columns: all of them
	}
	for _, t := range tables {
		out[t] = []string{}
	}
	add := func(table, col string) {
		if cols, ok := out[table]; ok && s.Table(table).Column(col) != nil && !slices.Contains(cols, col) {
			out[table] = append(cols, col)
		}
	}
	for _, e := range c.exprs {
		if c.skip[e] {
			continue
		}
		owners := c.alias[e.Name.Table.L]
		if e.Name.Table.L == "" {
			owners = tables
		}
		for _, t := range owners {
			add(t, e.Name.Name.L)
		}
	}
	for _, t := range tables {
		slices.Sort(out[t])
	}
	return out
}

// selectItems finds the item outputs of a plain SELECT and whether its order is total.
func (a *analysis) selectItems(v *collector, n *ast.SelectStmt) {
	if n.From == nil || n.GroupBy != nil || n.Having != nil || hasAggregate(n.Fields, true) || v.wildcard {
		return
	}
	aliases := baseTables(n.From.TableRefs)
	for i := range aliases {
		if v.ctes[aliases[i].table] { // its rows are no table's, whatever its columns are called
			aliases[i].table = ""
		}
	}
	pcol := map[string]int{}
	for i, f := range n.Fields.Fields {
		col, ok := f.Expr.(*ast.ColumnNameExpr)
		if !ok {
			continue
		}
		name := col.Name.Table.L
		if name == "" && len(aliases) == 1 {
			name = aliases[0].alias
		}
		switch table := lookupAlias(aliases, name); {
		case table == "":
		case col.Name.Name.L == sqltext.PKey:
			pcol[name] = i + 1
		case col.Name.Name.L == sqltext.VKey && pcol[name] > 0:
			a.Items = append(a.Items, sqltext.ItemOutput{Table: table, PCol: pcol[name] - 1, VCol: i})
			if n.Limit == nil {
				v.ignore(col)
			}
		}
	}
	a.TotalOrder = totalOrder(n, aliases)
}

// totalOrder says whether ORDER BY holds the pkey of every table in FROM, so that no two rows can tie.
func totalOrder(n *ast.SelectStmt, tables []aliasedTable) bool {
	if n.OrderBy == nil {
		return false
	}
	for _, t := range tables {
		found := false
		for _, item := range n.OrderBy.Items {
			col, ok := item.Expr.(*ast.ColumnNameExpr)
			if !ok {
				continue
			}
			alias := col.Name.Table.L
			if alias == "" && slices.ContainsFunc(n.Fields.Fields, func(f *ast.SelectField) bool { return f.AsName.L == sqltext.PKey }) {
				continue // the name of an output comes first
			}
			found = found || col.Name.Name.L == sqltext.PKey && (alias == t.alias || alias == "" && len(tables) == 1)
		}
		if !found || t.table == "" {
			return false
		}
	}
	return true
}

// update reads what an UPDATE sets. Where it gives every row that it writes a version key of its own, and keeps the one
// before it, what it wrote is known from the rows alone; else its tables have to be compared.
func (a *analysis) update(s *sqltext.Schema, v *collector, n *ast.UpdateStmt) error {
	a.Kind = sqltext.Update
	tables := baseTables(n.TableRefs.TableRefs)
	kept, keyed := map[string]bool{}, map[string]bool{}
	for _, as := range n.List {
		table := owner(s, tables, as.Column)
		if table == "" {
			return fmt.Errorf("UPDATE sets %s, which is no column of a table that it names", as.Column.Name.O)
		}
		a.writes(table, cmp.Or(as.Column.Table.L, aliasOf(tables, table)))
		switch as.Column.Name.L {
		case sqltext.VKey:
			key, err := integerOf(as.Expr)
			if keyed[table] = err == nil && kept[table] && (a.VKey == 0 || a.VKey == key); keyed[table] {
				a.VKey = key
			}
		case sqltext.PVKey:
			if col, ok := as.Expr.(*ast.ColumnNameExpr); ok && col.Name.Name.L == sqltext.VKey && owner(s, tables, col.Name) == table {
				kept[table] = true
				v.ignore(as.Expr)
			}
		case sqltext.PKey:
			return fmt.Errorf("%s must never be updated", sqltext.PKey)
		}
	}
	for _, table := range append([]string{a.Target}, a.Also...) {
		a.Unkeyed = a.Unkeyed || !keyed[table]
	}
	if a.Unkeyed { // a row that already is as it would be stays as it is
		a.VKey = 0
		for _, as := range n.List {
			v.exprs = append(v.exprs, &ast.ColumnNameExpr{Name: as.Column})
		}
	}
	a.Diff = a.Unkeyed || len(a.Also) > 0 || a.Spreads
	a.ValueDepends = v.blocks > 0 || len(tables) > 1
	return nil
}

// writes notes a table that the statement writes, and the name under which it does. Under two names it may write a row twice, and count it
// twice.
func (a *analysis) writes(table, name string) {
	if a.as == nil {
		a.as = map[string]string{}
	}
	if a.as[table] == "" {
		a.as[table] = name
	}
	a.Spreads = a.Spreads || a.as[table] != name
	switch {
	case a.Target == "":
		a.Target = table
	case a.Target != table && !slices.Contains(a.Also, table):
		a.Also = append(a.Also, table)
	}
}

func (a *analysis) delete(_ *collector, n *ast.DeleteStmt) error {
	a.Kind, a.Diff = sqltext.Delete, true
	tables := baseTables(n.TableRefs.TableRefs)
	if n.IsMultiTable {
		for _, t := range n.Tables.Tables {
			table := lookupAlias(tables, t.Name.L)
			if table == "" {
				return fmt.Errorf("DELETE from %s, which is no table that it names", t.Name.O)
			}
			a.writes(table, t.Name.L)
		}
		return nil
	}
	if len(tables) != 1 || tables[0].table == "" {
		return fmt.Errorf("a DELETE without a table")
	}
	a.Target = tables[0].table
	return nil
}

func (a *analysis) insert(s *sqltext.Schema, v *collector, n *ast.InsertStmt) error {
	a.Kind = sqltext.Insert
	tables := baseTables(n.Table.TableRefs)
	a.Target = tables[0].table
	t := s.Table(a.Target)
	if t == nil {
		return errors.New("it inserts into what is no table of the case")
	}
	columns := n.Columns
	if columns == nil {
		for _, name := range t.Names() {
			columns = append(columns, &ast.ColumnName{Name: model.NewCIStr(name)})
		}
	}
	a.insertsKeys(n, columns)
	if err := a.keepsVersions(n); err != nil {
		return err
	}
	a.ValueDepends = v.blocks > 0
	a.Plain = !n.IsReplace && len(n.OnDuplicate) == 0
	a.Diff = !a.Plain || a.Unkeyed
	if !n.IgnoreErr {
		a.Spells = len(n.Lists)
	}
	if len(n.OnDuplicate) > 0 && !n.IgnoreErr && !n.IsReplace {
		a.Upserts = len(n.Lists)
	}
	for _, as := range n.OnDuplicate {
		if a.Unkeyed {
			v.exprs = append(v.exprs, &ast.ColumnNameExpr{Name: &ast.ColumnName{Name: as.Column.Name}})
		}
	}
	if self := slices.Contains(v.fromTables(n), a.Target); len(t.Unique) == 0 && !n.IgnoreErr && a.Plain && !self {
		delete(v.refs, a.Target) // what is in the table makes no difference to a plain INSERT
	}
	return nil
}

// fromTables lists the base tables that an INSERT reads, as opposed to its target.
func (c *collector) fromTables(n *ast.InsertStmt) []string {
	sub := &collector{schema: c.schema, ctes: c.ctes, alias: map[string][]string{}, refs: map[string]bool{}, inner: map[string]bool{}}
	if n.Select != nil {
		n.Select.Accept(sub)
	}
	for _, row := range n.Lists {
		for _, e := range row {
			e.Accept(sub)
		}
	}
	for _, as := range n.OnDuplicate {
		as.Expr.Accept(sub)
	}
	var out []string
	for t := range sub.refs {
		out = append(out, t)
	}
	return out
}

// integerOf returns the integer that an expression spells.
func integerOf(e ast.ExprNode) (int64, error) {
	if v, ok := e.(*test_driver.ValueExpr); ok && v.Kind() == test_driver.KindInt64 {
		return v.GetInt64(), nil
	}
	return 0, fmt.Errorf("not an integer literal")
}
