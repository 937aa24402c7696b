package sql

func (n *Query) print(p *printer) {
	printOne(p, n.With)
	p.node(n.Body)
	printClause(p, n.Order, "ORDER BY")
	printOne(p, n.Limit)
}

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
	p.when(n.Distinct, "DISTINCT")
	p.when(n.All, "ALL")
	printEach(p, n.Items)
	printOne(p, n.From, "FROM")
	printOne(p, n.Where, "WHERE")
	printClause(p, n.Group, "GROUP BY")
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
	p.when(n.Desc, "DESC")
	p.when(n.Nulls != "", "NULLS", n.Nulls)
}

func (n *Limit) print(p *printer) {
	p.text("LIMIT")
	p.node(n.Count)
	printOne(p, n.Offset, "OFFSET")
}

func (n *Table) print(p *printer) {
	p.qualified(n.Schema, n.Name)
	printOne(p, n.Alias, "AS")
	printOne(p, n.Hint)
}

func (n *Indexed) print(p *printer) {
	p.when(n.Index == nil, "NOT INDEXED")
	printOne(p, n.Index, "INDEXED BY")
}

func (n *TableCall) print(p *printer) {
	p.qualified(n.Schema, n.Name)
	p.joint = tight
	printList(p, n.Args)
	printOne(p, n.Alias, "AS")
}

func (n *Derived) print(p *printer) {
	p.paren(n.Query)
	printOne(p, n.Alias, "AS")
}

func (n *Join) print(p *printer) {
	p.node(n.Left)
	p.when(n.Natural, "NATURAL")
	p.text(string(n.Kind))
	if _, joined := n.Right.(*Join); joined {
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
	if n.Replace {
		p.text("REPLACE")
	} else {
		p.text("INSERT")
		p.when(n.Or != "", "OR", n.Or)
	}
	p.text("INTO")
	p.node(n.Table)
	if len(n.Columns) > 0 {
		printList(p, n.Columns)
	}
	p.when(n.Source == nil, "DEFAULT VALUES")
	printOne(p, n.Source)
	for _, c := range n.Conflicts {
		p.node(c)
	}
	printClause(p, n.Returning, "RETURNING")
}

func (n *OnConflict) print(p *printer) {
	p.text("ON CONFLICT")
	if len(n.Target) > 0 {
		printList(p, n.Target)
		printOne(p, n.TargetWhere, "WHERE")
	}
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
	p.when(n.Or != "", "OR", n.Or)
	p.node(n.Table)
	printClause(p, n.Set, "SET")
	printOne(p, n.From, "FROM")
	printOne(p, n.Where, "WHERE")
	printClause(p, n.Returning, "RETURNING")
	printClause(p, n.Order, "ORDER BY")
	printOne(p, n.Limit)
}

func (n *Delete) print(p *printer) {
	printOne(p, n.With)
	p.words("DELETE", "FROM")
	p.node(n.Table)
	printOne(p, n.Where, "WHERE")
	printClause(p, n.Returning, "RETURNING")
	printClause(p, n.Order, "ORDER BY")
	printOne(p, n.Limit)
}
