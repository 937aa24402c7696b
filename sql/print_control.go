package sql

func (n *Begin) print(p *printer) {
	if n.Start {
		p.text("START TRANSACTION")
	} else {
		p.text("BEGIN")
	}
	p.text(n.Mode)
	printEach(p, n.Traits)
}

func (n *Commit) print(p *printer) { p.words("COMMIT", n.Chain, n.Release) }

func (n *Rollback) print(p *printer) {
	p.words("ROLLBACK", n.Chain, n.Release)
	printOne(p, n.To, "TO")
}

func (n *SetTransaction) print(p *printer) {
	p.words("SET", n.Scope, "TRANSACTION")
	printEach(p, n.Traits)
}

func (n *Set) print(p *printer) { printClause(p, n.Settings, "SET") }

func (n *Setting) print(p *printer) {
	p.text(n.Scope)
	printOne(p, n.Target)
	p.when(n.Target != nil, "=")
	p.node(n.Value)
	for _, x := range n.More {
		printOne(p, x, ",")
	}
}

// all writes a word, and a setting or ALL.
func (p *printer) all(word string, target Expr) {
	p.text(word)
	p.when(target == nil, "ALL")
	printOne(p, target)
}

func (n *Reset) print(p *printer) { p.all("RESET", n.Target) }

func (n *Show) print(p *printer) { p.all("SHOW", n.Target) }

func (n *SetConstraints) print(p *printer) {
	p.text("SET CONSTRAINTS")
	p.when(len(n.Names) == 0, "ALL")
	printEach(p, n.Names)
	p.text(n.When)
}

func (n *LockTables) print(p *printer) {
	p.when(len(n.Tables) == 0, "UNLOCK TABLES")
	words := "LOCK TABLE"
	if len(n.Tables) > 0 && n.Tables[0].How != "" {
		words = "LOCK TABLES"
	}
	printClause(p, n.Tables, words)
	p.when(n.Mode != "", "IN", n.Mode, "MODE")
	p.when(n.NoWait, "NOWAIT")
}

func (n *TableLock) print(p *printer) {
	p.node(n.Table)
	p.text(n.How)
}

func (n *XA) print(p *printer) {
	p.words("XA", n.Step)
	printEach(p, n.ID)
	p.text(n.More)
}

func (n *TwoPhase) print(p *printer) { printOne(p, n.ID, n.Step) }

func (n *Maintain) print(p *printer) {
	p.text(n.What)
	p.when(n.Local, "NO_WRITE_TO_BINLOG")
	p.text(n.How)
	printEach(p, n.Tables)
	p.text(n.More)
}

func (n *Kill) print(p *printer) {
	p.words("KILL", n.What)
	p.node(n.X)
}

func (n *UseDatabase) print(p *printer) { printOne(p, n.Name, "USE") }

func (n *Do) print(p *printer) { printClause(p, n.Exprs, "DO") }

func (n *Savepoint) print(p *printer) { printOne(p, n.Name, "SAVEPOINT") }

func (n *Release) print(p *printer) { printOne(p, n.Name, "RELEASE SAVEPOINT") }

func (n *Pragma) print(p *printer) {
	p.text("PRAGMA")
	p.node(n.Name)
	switch {
	case n.Call:
		p.right("(")
		p.node(n.Value)
		p.text(")")
	case n.Value != nil:
		p.text("=")
		p.node(n.Value)
	}
}

func (n *Analyze) print(p *printer) {
	p.text("ANALYZE")
	printOne(p, n.Target)
}

func (n *Reindex) print(p *printer) {
	p.text("REINDEX")
	printOne(p, n.Target)
}

func (n *Vacuum) print(p *printer) {
	p.text("VACUUM")
	printOne(p, n.Schema)
	printOne(p, n.Into, "INTO")
}

func (n *Explain) print(p *printer) {
	p.text("EXPLAIN")
	p.when(n.Plan, "QUERY PLAN")
	p.text(n.How)
	p.node(n.Stmt)
}

func (n *Opaque) print(p *printer) { p.text(n.Text) }
