package mysql

import "txweave/sql"

func partitioning(r *sql.Reader, below bool) *sql.Partitioning {
	from := r.Here()
	n := &sql.Partitioning{Below: below}
	r.OneOf("PARTITION", "SUBPARTITION")
	r.Expect("BY")
	linear := r.Accept("LINEAR")
	n.How = expectOne(r, "HASH, KEY, RANGE or LIST", "HASH", "KEY", "RANGE COLUMNS", "RANGE", "LIST COLUMNS", "LIST", "SYSTEM_TIME")
	if linear {
		n.How = "LINEAR " + n.How
	}
	if r.Is("(") && n.How != "SYSTEM_TIME" {
		r.Expect("(")
		if !r.Is(")") {
			n.X = sql.List(r, r.Expr)
		}
		r.Expect(")")
	}
	if below {
		if r.Accept("SUBPARTITIONS") {
			n.Count = r.Number()
		}
		return sql.Read(r, from, n)
	}
	if r.Accept("PARTITIONS") {
		n.Count = r.Number()
	}
	if r.Is("SUBPARTITION", "BY") {
		n.Sub = partitioning(r, true)
	}
	if r.Is("(", "PARTITION") {
		n.Parts = partitions(r, false)
	}
	return sql.Read(r, from, n)
}

func partitions(r *sql.Reader, below bool) []*sql.Partition {
	return sql.ParenList(r, func() *sql.Partition { return partition(r, below) })
}

func limit(r *sql.Reader) sql.Expr {
	from := r.Here()
	if r.Accept("MAXVALUE") {
		return sql.Read(r, from, sql.Expr(&sql.Niladic{Word: "MAXVALUE"}))
	}
	return r.Expr()
}

func partition(r *sql.Reader, below bool) *sql.Partition {
	from := r.Here()
	n := &sql.Partition{Below: below}
	if below {
		r.Expect("SUBPARTITION")
	} else {
		r.Expect("PARTITION")
	}
	n.Name = r.Name()
	switch {
	case r.Accept("VALUES", "LESS", "THAN"):
		n.How = "LESS THAN"
		if r.Is("MAXVALUE") {
			n.Values = []sql.Expr{limit(r)}
		} else {
			n.Values = sql.ParenList(r, func() sql.Expr { return limit(r) })
		}
	case r.Accept("VALUES", "IN"):
		n.How, n.Values = "IN", sql.ParenList(r, r.Expr)
	default:
		n.How = r.OneOf("HISTORY", "CURRENT")
	}
	for o := option(r, partitionOptions, nil); o != nil; o = option(r, partitionOptions, nil) {
		n.Options = append(n.Options, o)
	}
	if r.Is("(", "SUBPARTITION") {
		n.Subs = partitions(r, true)
	}
	return sql.Read(r, from, n)
}

// alter reads ALTER TABLE with all that it changes.
// partitionSteps are what is done with partitions that are named.
// partitionStep reads what is done with partitions; nil where nothing is.
// placed reads where a column comes.
// dropped reads what stands behind DROP in ALTER TABLE.
// renamed reads what stands behind RENAME in ALTER TABLE.
