package dialect

import (
	"slices"

	"txweave/sql"
)

// alter reads ALTER TABLE with all that it changes.
func alter(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("ALTER", "TABLE")
	n := &sql.AlterTable{Table: r.Object()}
	n.Actions = sql.List(r, func() sql.Alteration { return anAlteration(r) })
	if r.Is("PARTITION", "BY") || r.Is("REMOVE", "PARTITIONING") {
		n.Partitions = anAlteration(r)
	}
	return n
}

func anAlteration(r *sql.Reader) sql.Alteration {
	from := r.Here()
	a := alteration(r)
	if a == nil {
		r.Fail("of ALTER TABLE, columns, constraints, indexes, names and options are read")
		return nil
	}
	return sql.Read(r, from, a)
}

// partitionSteps are what is done with partitions that are named.
var partitionSteps = []string{
	"DROP PARTITION", "TRUNCATE PARTITION", "OPTIMIZE PARTITION", "ANALYZE PARTITION", "CHECK PARTITION",
	"REBUILD PARTITION", "REPAIR PARTITION",
	"REORGANIZE PARTITION",
}

// partitionStep reads what is done with partitions; nil where nothing is.
func partitionStep(r *sql.Reader) sql.Alteration {
	n := &sql.AlterPartitions{What: r.Phrase(append([]string{"ADD PARTITION", "COALESCE PARTITION", "REMOVE PARTITIONING"},
		partitionSteps...)...)}
	switch {
	case n.What == "" && r.Is("PARTITION", "BY"):
		n.By = partitioning(r, false)
	case n.What == "":
		return nil
	case n.What == "ADD PARTITION" && r.Accept("PARTITIONS"):
		n.What, n.Count = "ADD PARTITION PARTITIONS", r.Number()
	case n.What == "ADD PARTITION":
		n.Parts = partitions(r, false)
	case n.What == "COALESCE PARTITION":
		n.Count = r.Number()
	case n.What == "REMOVE PARTITIONING":
	case r.Accept("ALL"):
		n.All = true
	case n.What == "REORGANIZE PARTITION" && (r.AtEnd() || r.Is(",")): // into as many as there are
	default:
		n.Names = sql.List(r, r.Name)
		if n.What == "REORGANIZE PARTITION" {
			r.Expect("INTO")
			n.Parts = partitions(r, false)
		}
	}
	return n
}

func alteration(r *sql.Reader) sql.Alteration {
	if a := partitionStep(r); a != nil {
		return a
	}
	switch {
	case r.Accept("ADD"):
		if constraintNext(r) {
			return &sql.AddConstraint{Constraint: tableConstraint(r)}
		}
		if o := r.Option("SYSTEM VERSIONING"); o != nil {
			return &sql.SetOptions{Options: []*sql.Option{o}}
		}
		r.Accept("COLUMN")
		return placed(r, &sql.AddColumn{IfNotExists: r.IfNotExists(), Column: column(r)})
	case r.Accept("MODIFY"):
		r.Accept("COLUMN")
		return placed(r, &sql.AddColumn{Modify: true, Column: column(r)})
	case r.Accept("CHANGE"):
		r.Accept("COLUMN")
		n := &sql.AddColumn{From: r.Name()}
		n.Column = column(r)
		return placed(r, n)
	case r.Accept("DROP"):
		return dropped(r)
	case r.Accept("ALTER"):
		return alterColumn(r)
	case r.Accept("RENAME"):
		return renamed(r)
	}
	n := &sql.SetOptions{}
	for {
		o := option(r, append(slices.Clone(tableOptions), changeOptions...), []string{"FORCE", "DISABLE KEYS", "ENABLE KEYS"})
		if o == nil {
			o = option(r, []string{"CONVERT TO CHARACTER SET"}, nil)
		}
		if o == nil {
			break
		}
		n.Options = append(n.Options, o)
	}
	if len(n.Options) == 0 {
		return nil
	}
	return n
}

// placed reads where a column comes.
func placed(r *sql.Reader, n *sql.AddColumn) sql.Alteration {
	if n.First = r.Accept("FIRST"); !n.First && r.Accept("AFTER") {
		n.After = r.Name()
	}
	return n
}

// dropped reads what stands behind DROP in ALTER TABLE.
func dropped(r *sql.Reader) sql.Alteration {
	if r.Accept("PRIMARY", "KEY") {
		return &sql.DropConstraint{What: "PRIMARY KEY"}
	}
	if what := r.Phrase("FOREIGN KEY", "CONSTRAINT", "CHECK", "INDEX", "KEY"); what != "" {
		if what == "KEY" {
			what = "INDEX"
		}
		return &sql.DropConstraint{What: what, IfExists: r.IfExists(), Name: r.Name()}
	}
	r.Accept("COLUMN")
	n := &sql.DropColumn{IfExists: r.IfExists(), Column: r.Name()}
	r.OneOf("RESTRICT", "CASCADE")
	return n
}

func alterColumn(r *sql.Reader) sql.Alteration {
	r.Accept("COLUMN")
	n := &sql.AlterColumn{Column: r.Name()}
	if !r.Accept("DROP", "DEFAULT") {
		r.Expect("SET", "DEFAULT")
		n.X = defaultValue(r)
	}
	return n
}

// renamed reads what stands behind RENAME in ALTER TABLE.
func renamed(r *sql.Reader) sql.Alteration {
	switch {
	case r.Accept("COLUMN"):
		n := &sql.RenameColumn{From: r.Name()}
		r.Expect("TO")
		n.To = r.Name()
		return n
	case r.Accept("INDEX"), r.Accept("KEY"):
		n := &sql.RenameIndex{From: r.Name()}
		r.Expect("TO")
		n.To = r.Name()
		return n
	}
	r.OneOf("TO", "AS")
	return &sql.RenameTable{To: r.Object()}
}

func drop(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("DROP")
	n := &sql.Drop{Temp: r.Accept("TEMPORARY")}
	switch n.What = r.OneOf("TABLE", "TABLES", "INDEX", "VIEW", "TRIGGER", "DATABASE", "SCHEMA"); n.What {
	case "TABLES":
		n.What = "TABLE"
	case "SCHEMA":
		n.What = "DATABASE"
	case "":
		r.Fail("TABLE, INDEX, VIEW, TRIGGER or DATABASE is expected")
	}
	n.IfExists = r.IfExists()
	n.Names = sql.List(r, r.Object)
	if n.What == "INDEX" {
		r.Expect("ON")
		n.On = r.Object()
		for o := option(r, changeOptions, nil); o != nil; o = option(r, changeOptions, nil) {
			n.Options = append(n.Options, o)
		}
	}
	r.OneOf("RESTRICT", "CASCADE")
	return n
}

func rename(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("RENAME")
	r.ExpectPhrase("TABLE", "TABLES", "TABLE")
	return &sql.Rename{Pairs: sql.List(r, func() *sql.RenamePair {
		from := r.Here()
		n := &sql.RenamePair{From: r.Object()}
		r.Expect("TO")
		n.To = r.Object()
		return sql.Read(r, from, n)
	})}
}

func truncate(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("TRUNCATE")
	r.Accept("TABLE")
	from := r.Here()
	return &sql.Truncate{Tables: []*sql.Table{sql.Read(r, from, r.TableName())}}
}
