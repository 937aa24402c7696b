package sql

func (n *Object) print(p *printer) { p.qualified(n.Schema, n.Name) }

// created writes CREATE and what all that is created has in front of its name.
func (p *printer) created(temp bool, what string, ifNotExists bool, name *Object) {
	p.text("CREATE")
	p.when(temp, "TEMP")
	p.text(what)
	p.when(ifNotExists, "IF NOT EXISTS")
	p.node(name)
}

func (n *CreateTable) print(p *printer) {
	p.created(n.Temp, "TABLE", n.IfNotExists, n.Name)
	if n.As != nil {
		p.text("AS")
		p.node(n.As)
		return
	}
	p.text("(")
	printEach(p, n.Columns)
	printClause(p, n.Constraints, ",")
	p.text(")")
	printEach(p, n.Options)
}

func (n *TableOption) print(p *printer) { p.text(n.Words) }

func (n *ColumnDef) print(p *printer) {
	p.node(n.Name)
	printOne(p, n.Type)
	for _, c := range n.Constraints {
		p.node(c)
	}
}

// constraint writes what a constraint begins with.
func (p *printer) constraint(name *Name, words ...string) {
	printOne(p, name, "CONSTRAINT")
	p.words(words...)
}

// conflict writes what is done with a row that a constraint refuses.
func (p *printer) conflict(how string) { p.when(how != "", "ON CONFLICT", how) }

func (n *PrimaryKey) print(p *printer) {
	p.constraint(n.Name, "PRIMARY KEY")
	if len(n.Columns) > 0 {
		p.text("(")
		printEach(p, n.Columns)
		p.when(n.Autoincrement, "AUTOINCREMENT")
		p.text(")")
	}
	p.when(n.Desc, "DESC")
	p.conflict(n.Conflict)
	p.when(n.Autoincrement && len(n.Columns) == 0, "AUTOINCREMENT")
}

func (n *Unique) print(p *printer) {
	p.constraint(n.Name, "UNIQUE")
	if len(n.Columns) > 0 {
		printList(p, n.Columns)
	}
	p.conflict(n.Conflict)
}

func (n *Nullable) print(p *printer) {
	p.constraint(n.Name)
	p.when(n.Not, "NOT")
	p.text("NULL")
	p.conflict(n.Conflict)
}

func (n *Check) print(p *printer) {
	p.constraint(n.Name, "CHECK")
	p.paren(n.X)
	p.conflict(n.Conflict)
}

func (n *Default) print(p *printer) {
	p.constraint(n.Name, "DEFAULT")
	p.node(n.X)
}

func (n *Collation) print(p *printer) {
	p.constraint(n.Name, "COLLATE")
	p.node(n.Collation)
}

func (n *Generated) print(p *printer) {
	p.constraint(n.Name, "GENERATED ALWAYS AS")
	p.paren(n.X)
	p.text(n.Kept)
}

func (n *ForeignKey) print(p *printer) {
	p.constraint(n.Name)
	if len(n.Columns) > 0 {
		p.text("FOREIGN KEY")
		printList(p, n.Columns)
	}
	p.text("REFERENCES")
	p.node(n.Table)
	if len(n.Keys) > 0 {
		printList(p, n.Keys)
	}
	p.when(n.OnDelete != "", "ON DELETE", n.OnDelete)
	p.when(n.OnUpdate != "", "ON UPDATE", n.OnUpdate)
	printOne(p, n.Match, "MATCH")
	p.text(n.Deferrable)
}

func (n *CreateIndex) print(p *printer) {
	what := "INDEX"
	if n.Unique {
		what = "UNIQUE INDEX"
	}
	p.created(false, what, n.IfNotExists, n.Name)
	p.text("ON")
	p.node(n.Table)
	printList(p, n.Columns)
	printOne(p, n.Where, "WHERE")
}

func (n *CreateView) print(p *printer) {
	p.created(n.Temp, "VIEW", n.IfNotExists, n.Name)
	if len(n.Columns) > 0 {
		printList(p, n.Columns)
	}
	p.text("AS")
	p.node(n.Query)
}

func (n *CreateTrigger) print(p *printer) {
	p.created(n.Temp, "TRIGGER", n.IfNotExists, n.Name)
	p.words(n.Time, n.Event)
	printClause(p, n.Columns, "OF")
	p.text("ON")
	p.node(n.Table)
	p.when(n.ForEachRow, "FOR EACH ROW")
	printOne(p, n.When, "WHEN")
	p.node(n.Body)
}

func (n *Block) print(p *printer) {
	p.text("BEGIN")
	for _, s := range n.Stmts {
		p.node(s)
		p.text(";")
	}
	p.text("END")
}

func (n *AlterTable) print(p *printer) {
	p.text("ALTER TABLE")
	p.node(n.Table)
	p.node(n.Action)
}

func (n *RenameTable) print(p *printer) { printOne(p, n.To, "RENAME TO") }

func (n *RenameColumn) print(p *printer) {
	printOne(p, n.From, "RENAME COLUMN")
	printOne(p, n.To, "TO")
}

func (n *AddColumn) print(p *printer) { printOne(p, n.Column, "ADD COLUMN") }

func (n *DropColumn) print(p *printer) { printOne(p, n.Column, "DROP COLUMN") }

func (n *Drop) print(p *printer) {
	p.words("DROP", n.What)
	p.when(n.IfExists, "IF EXISTS")
	p.node(n.Name)
}

func (n *Begin) print(p *printer) { p.words("BEGIN", n.Mode) }

func (n *Commit) print(p *printer) { p.text("COMMIT") }

func (n *Rollback) print(p *printer) {
	p.text("ROLLBACK")
	printOne(p, n.To, "TO")
}

func (n *Savepoint) print(p *printer) { printOne(p, n.Name, "SAVEPOINT") }

func (n *Release) print(p *printer) { printOne(p, n.Name, "RELEASE") }

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
	p.node(n.Stmt)
}

func (n *Opaque) print(p *printer) { p.text(n.Text) }
