package sql

func (n *AlterTable) print(p *printer) {
	p.text("ALTER")
	p.when(n.What == "", "TABLE")
	p.text(n.What)
	p.when(n.IfExists, "IF EXISTS")
	p.when(n.Only, "ONLY")
	p.node(n.Table)
	printEach(p, n.Actions)
	printOne(p, n.Partitions)
}

func (n *RenameTable) print(p *printer) { printOne(p, n.To, "RENAME TO") }

func (n *RenameColumn) print(p *printer) {
	printOne(p, n.From, "RENAME COLUMN")
	printOne(p, n.To, "TO")
}

func (n *RenameIndex) print(p *printer) {
	p.text("RENAME")
	p.when(n.Constraint, "CONSTRAINT")
	p.when(!n.Constraint, "INDEX")
	p.node(n.From)
	printOne(p, n.To, "TO")
}

func (n *AddColumn) print(p *printer) {
	switch {
	case n.From != nil:
		printOne(p, n.From, "CHANGE COLUMN")
	case n.Modify:
		p.text("MODIFY COLUMN")
	default:
		p.text("ADD COLUMN")
		p.when(n.IfNotExists, "IF NOT EXISTS")
	}
	p.node(n.Column)
	p.when(n.First, "FIRST")
	printOne(p, n.After, "AFTER")
}

func (n *DropColumn) print(p *printer) {
	p.text("DROP COLUMN")
	p.when(n.IfExists, "IF EXISTS")
	p.node(n.Column)
	p.when(n.Cascade, "CASCADE")
}

func (n *AddConstraint) print(p *printer) {
	printOne(p, n.Constraint, "ADD")
	p.when(n.NotValid, "NOT VALID")
}

func (n *AttachPartition) print(p *printer) {
	printOne(p, n.Table, "ATTACH PARTITION")
	p.node(n.Bound)
}

func (n *DropConstraint) print(p *printer) {
	p.words("DROP", n.What)
	p.when(n.IfExists, "IF EXISTS")
	printOne(p, n.Name)
	p.when(n.Cascade, "CASCADE")
}

func (n *AlterColumn) print(p *printer) {
	printOne(p, n.Column, "ALTER COLUMN")
	switch {
	case n.Type != nil:
		printOne(p, n.Type, "TYPE")
		printOne(p, n.X, "USING")
	case n.What != "":
		p.text(n.What)
		printOne(p, n.X)
	default:
		p.when(n.X == nil, "DROP DEFAULT")
		printOne(p, n.X, "SET DEFAULT")
	}
}

func (n *SetOptions) print(p *printer) {
	for _, o := range n.Options {
		p.node(o)
	}
}

func (n *AlterPartitions) print(p *printer) {
	p.text(n.What)
	p.when(n.All, "ALL")
	printEach(p, n.Names)
	printOne(p, n.Count)
	if len(n.Parts) > 0 {
		p.when(n.What == "REORGANIZE PARTITION", "INTO")
		printList(p, n.Parts)
	}
	printOne(p, n.By)
}

func (n *Drop) print(p *printer) {
	p.text("DROP")
	p.when(n.Temp, "TEMPORARY")
	p.text(n.What)
	p.when(n.IfExists, "IF EXISTS")
	printEach(p, n.Names)
	printOne(p, n.On, "ON")
	for _, o := range n.Options {
		p.node(o)
	}
}

func (n *Rename) print(p *printer) { printClause(p, n.Pairs, "RENAME TABLE") }

func (n *RenamePair) print(p *printer) {
	p.node(n.From)
	printOne(p, n.To, "TO")
}

func (n *Truncate) print(p *printer) {
	printClause(p, n.Tables, "TRUNCATE TABLE")
	for _, o := range n.Options {
		p.node(o)
	}
}
