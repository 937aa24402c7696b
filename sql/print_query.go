package sql

import (
	"slices"
	"strings"
)

func (n *Query) print(p *printer) {
	printOne(p, n.With)
	p.node(n.Body)
	printClause(p, n.Order, "ORDER BY")
	printOne(p, n.Limit)
	for _, l := range n.Locks {
		p.node(l)
	}
}

func (n *Lock) print(p *printer) {
	if n.Strength == "SHARE MODE" {
		p.text("LOCK IN SHARE MODE")
	} else {
		p.words("FOR", n.Strength)
	}
	printClause(p, n.Of, "OF")
	p.text(n.Wait)
	printOne(p, n.Seconds)
}

func (n *Hints) print(p *printer) {
	p.text("/*+")
	for _, h := range n.List {
		p.node(h)
	}
	p.text("*/")
}

func (n *Hint) print(p *printer) {
	p.text(n.Name)
	if n.Called {
		p.right("(" + n.Args + ")")
		p.joint = spaced
	}
}

func (n *Option) print(p *printer) {
	p.text(n.Words)
	if n.Value != nil {
		p.when(!p.d.Grammar.LateOptions && !slices.Contains(unequal, n.Words), "=")
		p.node(n.Value)
	}
}

// unequal are the options whose value stands behind no sign of equality.
var unequal = []string{"COMMENT", "WITH PARSER", "TABLESPACE", "COLLATE", "DEFAULT COLLATE",
	"READ ONLY AS OF TIMESTAMP", "CONVERT TO CHARACTER SET", "WAIT"}

func (n *Whole) print(p *printer) { printOne(p, n.Table, "TABLE") }

func (n *Nested) print(p *printer) { p.paren(n.Query) }

func (n *With) print(p *printer) {
	p.text("WITH")
	p.when(n.Recursive, "RECURSIVE")
	printEach(p, n.CTEs)
}

func (n *CTE) print(p *printer) {
	p.node(n.Name)
	if len(n.Columns) > 0 {
		printList(p, n.Columns)
	}
	p.words("AS", n.Materialized)
	p.paren(n.Body)
}

func (n *Select) print(p *printer) {
	p.text("SELECT")
	printOne(p, n.Hints)
	p.when(n.Distinct, "DISTINCT")
	if len(n.On) > 0 {
		p.text("ON")
		printList(p, n.On)
	}
	p.when(n.All, "ALL")
	for _, o := range n.Options {
		p.node(o)
	}
	printEach(p, n.Items)
	printOne(p, n.From, "FROM")
	printOne(p, n.Where, "WHERE")
	printClause(p, n.Group, "GROUP BY")
	p.when(n.Rollup, "WITH ROLLUP")
	printOne(p, n.Having, "HAVING")
	printClause(p, n.Windows, "WINDOW")
}

func (n *Item) print(p *printer) {
	p.node(n.X)
	printOne(p, n.Alias, "AS")
}

func (n *NamedWindow) print(p *printer) {
	p.node(n.Name)
	p.text("AS")
	p.node(n.Window)
}

func (n *Values) print(p *printer) { printClause(p, n.Rows, "VALUES") }

func (n *Compound) print(p *printer) {
	p.node(n.Left)
	p.text(n.Op)
	p.node(n.Right)
}

func (n *Order) print(p *printer) {
	p.node(n.X)
	printOne(p, n.Class)
	p.when(n.Desc, "DESC")
	p.when(n.Nulls != "", "NULLS", n.Nulls)
}

func (n *Limit) print(p *printer) {
	if n.Fetch == "" {
		printOne(p, n.Count, "LIMIT")
		printOne(p, n.Offset, "OFFSET")
		return
	}
	value := func(x Expr) {
		if x != nil && p.level(x) < tightest {
			p.paren(x)
		} else {
			printOne(p, x)
		}
	}
	if n.Offset != nil {
		p.text("OFFSET")
		value(n.Offset)
		p.text("ROWS")
	}
	p.text("FETCH FIRST")
	value(n.Count)
	p.words("ROWS", n.Fetch)
}

func (n *Table) print(p *printer) {
	p.when(n.Only, "ONLY")
	p.qualified(n.Schema, n.Name)
	if n.All {
		p.right(".")
		p.text("*")
	}
	if len(n.Partitions) > 0 {
		p.text("PARTITION")
		printList(p, n.Partitions)
	}
	printOne(p, n.At)
	p.alias(n.Alias, n.Columns)
	printOne(p, n.Sample)
	for _, h := range n.Hints {
		p.node(h)
	}
}

func (n *Period) print(p *printer) {
	p.text(n.How)
	printOne(p, n.From)
	switch {
	case strings.HasSuffix(n.How, "BETWEEN"):
		printOne(p, n.To, "AND")
	default:
		printOne(p, n.To, "TO")
	}
}

func (n *IndexHint) print(p *printer) {
	p.text(n.How)
	p.when(n.For != "", "FOR", n.For)
	switch {
	case n.How == "INDEXED BY":
		printEach(p, n.Indexes)
	case n.How != "NOT INDEXED":
		printList(p, n.Indexes)
	}
}

func (n *TableCall) print(p *printer) {
	p.when(n.Lateral, "LATERAL")
	p.qualified(n.Schema, n.Name)
	p.joint = tight
	printList(p, n.Args)
	p.when(n.Ordinality, "WITH ORDINALITY")
	p.alias(n.Alias, n.Columns)
}

// alias writes what a table is called, and its columns.
func (p *printer) alias(name *Name, columns []*Name) {
	printOne(p, name, "AS")
	if len(columns) > 0 {
		printList(p, columns)
	}
}

func (n *Sample) print(p *printer) {
	printOne(p, n.Method, "TABLESAMPLE")
	printList(p, n.Args)
	if n.Seed != nil {
		p.text("REPEATABLE")
		p.paren(n.Seed)
	}
}

func (n *Derived) print(p *printer) {
	p.when(n.Lateral, "LATERAL")
	p.paren(n.Query)
	p.alias(n.Alias, n.Columns)
}

func (n *Join) print(p *printer) {
	p.node(n.Left)
	p.when(n.Natural, "NATURAL")
	p.text(string(n.Kind))
	if _, joined := n.Right.(*Join); joined && !p.d.Grammar.LooseCommas {
		p.paren(n.Right)
	} else {
		p.node(n.Right)
	}
	printOne(p, n.On, "ON")
	if len(n.Using) > 0 {
		p.text("USING")
		printList(p, n.Using)
	}
}

func (n *ParenTable) print(p *printer) {
	p.paren(n.X)
	printOne(p, n.Alias, "AS")
}

func (n *Insert) print(p *printer) {
	printOne(p, n.With)
	p.when(n.Replace, "REPLACE")
	p.when(!n.Replace, "INSERT")
	printOne(p, n.Hints)
	p.text(n.Priority)
	p.when(n.Or != "", "OR", n.Or)
	p.when(n.Ignore, "IGNORE")
	p.text("INTO")
	p.node(n.Table)
	if len(n.Columns) > 0 {
		printList(p, n.Columns)
	}
	p.when(n.Overriding != "", "OVERRIDING", n.Overriding, "VALUE")
	p.when(n.Source == nil && len(n.Set) == 0, "DEFAULT VALUES")
	printOne(p, n.Source)
	printClause(p, n.Set, "SET")
	printOne(p, n.Row, "AS")
	if len(n.RowNames) > 0 {
		printList(p, n.RowNames)
	}
	for _, c := range n.Conflicts {
		p.node(c)
	}
	printClause(p, n.Duplicate, "ON DUPLICATE KEY UPDATE")
	printClause(p, n.Returning, "RETURNING")
}

func (n *OnConflict) print(p *printer) {
	p.text("ON CONFLICT")
	if len(n.Target) > 0 {
		printList(p, n.Target)
		printOne(p, n.TargetWhere, "WHERE")
	}
	printOne(p, n.Constraint, "ON CONSTRAINT")
	p.when(len(n.Set) == 0, "DO NOTHING")
	printClause(p, n.Set, "DO UPDATE SET")
	printOne(p, n.Where, "WHERE")
}

func (n *Assign) print(p *printer) {
	if n.Row {
		printList(p, n.Columns)
	} else {
		printEach(p, n.Columns)
	}
	p.text("=")
	p.node(n.Value)
}

func (n *Update) print(p *printer) {
	printOne(p, n.With)
	p.text("UPDATE")
	printOne(p, n.Hints)
	p.text(n.Priority)
	p.when(n.Or != "", "OR", n.Or)
	p.when(n.Ignore, "IGNORE")
	p.node(n.Table)
	printClause(p, n.Set, "SET")
	printOne(p, n.From, "FROM")
	printOne(p, n.Where, "WHERE")
	printClause(p, n.Returning, "RETURNING")
	printClause(p, n.Order, "ORDER BY")
	printOne(p, n.Limit)
}

// deleted writes what a DELETE begins with.
func (p *printer) deleted(with *With, hints *Hints, priority string, quick, ignore bool) {
	printOne(p, with)
	p.text("DELETE")
	printOne(p, hints)
	p.text(priority)
	p.when(quick, "QUICK")
	p.when(ignore, "IGNORE")
}

func (n *Delete) print(p *printer) {
	p.deleted(n.With, n.Hints, n.Priority, n.Quick, n.Ignore)
	p.text("FROM")
	p.node(n.Table)
	printOne(p, n.Using, "USING")
	printOne(p, n.Where, "WHERE")
	if !p.d.Grammar.LateReturning {
		printClause(p, n.Returning, "RETURNING")
	}
	printClause(p, n.Order, "ORDER BY")
	printOne(p, n.Limit)
	if p.d.Grammar.LateReturning {
		printClause(p, n.Returning, "RETURNING")
	}
}

func (n *DeleteJoined) print(p *printer) {
	p.deleted(n.With, n.Hints, n.Priority, n.Quick, n.Ignore)
	p.when(n.Using, "FROM")
	printEach(p, n.Targets)
	p.when(n.Using, "USING")
	p.when(!n.Using, "FROM")
	p.node(n.From)
	printOne(p, n.Where, "WHERE")
}

func (n *Merge) print(p *printer) {
	printOne(p, n.With)
	printOne(p, n.Table, "MERGE INTO")
	printOne(p, n.Source, "USING")
	printOne(p, n.On, "ON")
	for _, w := range n.Whens {
		p.node(w)
	}
	printClause(p, n.Returning, "RETURNING")
}

func (n *MergeWhen) print(p *printer) {
	p.words("WHEN", n.Match)
	printOne(p, n.Cond, "AND")
	p.words("THEN", n.Do)
	printClause(p, n.Set, "SET")
	if n.Do != "INSERT" {
		return
	}
	if len(n.Columns) > 0 {
		printList(p, n.Columns)
	}
	p.when(n.Overriding != "", "OVERRIDING", n.Overriding, "VALUE")
	p.when(n.Row == nil, "DEFAULT VALUES")
	printOne(p, n.Row, "VALUES")
}
