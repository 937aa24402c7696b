package sql

import "strings"

func (n *Object) print(p *printer) { p.qualified(n.Schema, n.Name) }

// created writes CREATE and what all that is created has in front of its name.
func (p *printer) created(what string, ifNotExists bool, name *Object) {
	p.text(what)
	p.when(ifNotExists, "IF NOT EXISTS")
	printOne(p, name)
}

// create writes CREATE, and whether it replaces what is there or is temporary.
func (p *printer) create(orReplace, temp bool) {
	p.text("CREATE")
	p.when(orReplace, "OR REPLACE")
	p.when(temp, "TEMPORARY")
}

func (n *CreateTable) print(p *printer) {
	p.create(n.OrReplace, n.Temp)
	p.when(n.Unlogged, "UNLOGGED")
	p.created("TABLE", n.IfNotExists, n.Name)
	printOne(p, n.Like, "LIKE")
	printOne(p, n.Of, "PARTITION OF")
	if len(n.Columns)+len(n.Constraints) > 0 {
		p.text("(")
		printEach(p, n.Columns)
		p.when(len(n.Columns) > 0 && len(n.Constraints) > 0, ",")
		printEach(p, n.Constraints)
		p.text(")")
	} else if p.d.Grammar.LateOptions && n.As == nil && n.Of == nil {
		p.words("(", ")")
	}
	printOne(p, n.Bound)
	if len(n.Inherits) > 0 {
		p.text("INHERITS")
		printList(p, n.Inherits)
	}
	if p.d.Grammar.LateOptions {
		printOne(p, n.Partitions)
	}
	p.options(n.Options)
	if !p.d.Grammar.LateOptions {
		printOne(p, n.Partitions)
	}
	if p.d.Grammar.LateOptions {
		printOne(p, n.As, "AS")
		p.text(n.Rows)
		return
	}
	p.text(n.Rows)
	printOne(p, n.As, "AS")
}

func (n *PartitionBound) print(p *printer) {
	p.when(n.How != "DEFAULT", "FOR VALUES")
	p.text(n.How)
	if n.How != "DEFAULT" {
		printList(p, n.From)
	}
	if len(n.To) > 0 {
		p.text("TO")
		printList(p, n.To)
	}
}

// options writes options with commas where a dialect has commas between them.
func (p *printer) options(list []*Option) {
	for i, o := range list {
		p.when(i > 0 && !p.d.Grammar.SpacedOptions, ",")
		p.node(o)
	}
}

func (n *Partitioning) print(p *printer) {
	sub := ""
	if n.Below {
		sub = "SUB"
	}
	p.words(sub+"PARTITION BY", n.How)
	if len(n.X) > 0 || strings.HasSuffix(n.How, "KEY") {
		printList(p, n.X)
	}
	printOne(p, n.Count, sub+"PARTITIONS")
	printOne(p, n.Sub)
	if len(n.Parts) > 0 {
		printList(p, n.Parts)
	}
}

func (n *Partition) print(p *printer) {
	if n.Below {
		p.text("SUBPARTITION")
	} else {
		p.text("PARTITION")
	}
	p.node(n.Name)
	switch n.How {
	case "IN", "LESS THAN":
		p.words("VALUES", n.How)
		printList(p, n.Values)
	default:
		p.text(n.How)
	}
	p.options(n.Options)
	if len(n.Subs) > 0 {
		printList(p, n.Subs)
	}
}

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

// keyed writes the columns of a key or an index, and what stands around them.
func (p *printer) keyed(using string, columns []*Order, options []*Option) {
	p.when(using != "", "USING", using)
	if len(columns) > 0 {
		printList(p, columns)
	}
	for _, o := range options {
		p.node(o)
	}
}

func (n *PrimaryKey) print(p *printer) {
	p.constraint(n.Name, "PRIMARY KEY")
	if n.Autoincrement && len(n.Columns) > 0 {
		p.text("(")
		printEach(p, n.Columns)
		p.words("AUTOINCREMENT", ")")
		p.conflict(n.Conflict)
		return
	}
	p.keyed(n.Using, n.Columns, n.Options)
	p.when(n.Desc, "DESC")
	p.conflict(n.Conflict)
	p.when(n.Autoincrement, "AUTOINCREMENT")
	p.text(n.Deferrable)
}

func (n *Unique) print(p *printer) {
	p.constraint(n.Name, "UNIQUE")
	printOne(p, n.Index)
	p.when(n.Nulls != "", "NULLS", n.Nulls)
	p.keyed(n.Using, n.Columns, n.Options)
	p.conflict(n.Conflict)
	p.text(n.Deferrable)
}

func (n *Exclude) print(p *printer) {
	p.constraint(n.Name, "EXCLUDE")
	p.when(n.Using != "", "USING", n.Using)
	printList(p, n.Elements)
	p.keyed("", nil, n.Options)
	if n.Where != nil {
		p.text("WHERE")
		p.paren(n.Where)
	}
	p.text(n.Deferrable)
}

func (n *Exclusion) print(p *printer) {
	p.node(n.Key)
	p.text("WITH")
	p.operator(n.Op)
}

func (n *Identity) print(p *printer) {
	p.constraint(n.Name, "GENERATED")
	p.when(n.Always, "ALWAYS")
	p.when(!n.Always, "BY DEFAULT")
	p.text("AS IDENTITY")
	if len(n.Options) > 0 {
		p.text("(")
		p.options(n.Options)
		p.text(")")
	}
}

func (n *TableLike) print(p *printer) {
	printOne(p, n.Table, "LIKE")
	p.options(n.Options)
}

func (n *Index) print(p *printer) {
	p.words(n.Kind, "INDEX")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	printOne(p, n.Name)
	p.keyed(n.Using, n.Columns, n.Options)
}

func (n *Attribute) print(p *printer) {
	p.text(n.Words)
	printOne(p, n.Value)
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
	p.text(n.Enforced)
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
		printOne(p, n.Index)
		printList(p, n.Columns)
	}
	p.text("REFERENCES")
	p.node(n.Table)
	if len(n.Keys) > 0 {
		printList(p, n.Keys)
	}
	printOne(p, n.Match, "MATCH")
	p.when(n.OnDelete != "", "ON DELETE", n.OnDelete)
	p.when(n.OnUpdate != "", "ON UPDATE", n.OnUpdate)
	p.text(n.Deferrable)
}

func (n *CreateIndex) print(p *printer) {
	p.create(n.OrReplace, false)
	p.when(n.Unique, "UNIQUE")
	p.when(n.Kind != "CONCURRENTLY", n.Kind)
	what := "INDEX"
	if n.Kind == "CONCURRENTLY" {
		what += " CONCURRENTLY"
	}
	p.created(what, n.IfNotExists, n.Name)
	if !p.d.Grammar.LateOptions {
		p.when(n.Using != "", "USING", n.Using)
	}
	p.text("ON")
	p.when(n.Only, "ONLY")
	p.node(n.Table)
	using := n.Using
	if !p.d.Grammar.LateOptions {
		using = ""
	}
	p.keyed(using, n.Columns, n.Options)
	printOne(p, n.Where, "WHERE")
}

func (n *CreateView) print(p *printer) {
	p.create(n.OrReplace, n.Temp)
	p.when(n.Materialized, "MATERIALIZED")
	p.when(n.Algorithm != "", "ALGORITHM", "=", n.Algorithm)
	printOne(p, n.Definer)
	p.when(n.Security != "", "SQL SECURITY", n.Security)
	p.created("VIEW", n.IfNotExists, n.Name)
	if len(n.Columns) > 0 {
		printList(p, n.Columns)
	}
	p.options(n.Options)
	p.text("AS")
	p.node(n.Query)
	p.text(n.Check)
}

func (n *Definer) print(p *printer) { p.words("DEFINER", "=", n.User) }

func (n *CreateTrigger) print(p *printer) {
	p.create(n.OrReplace, n.Temp)
	p.when(n.Constraint, "CONSTRAINT")
	printOne(p, n.Definer)
	p.created("TRIGGER", n.IfNotExists, n.Name)
	p.words(n.Time, n.Event)
	printClause(p, n.Columns, "OF")
	p.text("ON")
	p.node(n.Table)
	p.text(n.Deferrable)
	p.when(len(n.Referencing) > 0, "REFERENCING")
	p.options(n.Referencing)
	p.when(n.ForEachRow, "FOR EACH ROW")
	printOne(p, n.Other, n.Follows)
	if n.Function != nil {
		if n.When != nil {
			p.text("WHEN")
			p.paren(n.When)
		}
		p.text("EXECUTE FUNCTION")
		p.node(n.Function)
		return
	}
	printOne(p, n.When, "WHEN")
	p.node(n.Body)
}

func (n *CreateFunction) print(p *printer) {
	p.create(n.OrReplace, false)
	p.when(n.Procedure, "PROCEDURE")
	p.when(!n.Procedure, "FUNCTION")
	p.node(n.Name)
	p.joint = tight
	printList(p, n.Args)
	printOne(p, n.Returns, "RETURNS")
	if len(n.Table) > 0 {
		p.text("RETURNS TABLE")
		printList(p, n.Table)
	}
	p.options(n.Options)
}

func (n *Parameter) print(p *printer) {
	p.text(n.Mode)
	printOne(p, n.Name)
	p.node(n.Type)
	printOne(p, n.Default, "DEFAULT")
}

func (n *Sequence) print(p *printer) {
	if n.Alter {
		p.text("ALTER SEQUENCE")
		p.when(n.Exists, "IF EXISTS")
		p.node(n.Name)
	} else {
		p.create(false, n.Temp)
		p.created("SEQUENCE", n.Exists, n.Name)
	}
	p.options(n.Options)
}

func (n *CreateDatabase) print(p *printer) {
	p.create(n.OrReplace, false)
	p.when(n.Schema, "SCHEMA")
	p.when(!n.Schema, "DATABASE")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	p.node(n.Name)
	p.options(n.Options)
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
