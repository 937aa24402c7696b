package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/testcase"
)

// Redefinitions are the statements of a dialect that change how a table is kept and none of its rows. Each is the
// format of a statement, from the name of what comes or goes, the table and the columns of an index; the words of a
// list are its spellings. One without a spelling is not generated.
type Redefinitions struct {
	AddIndex, DropIndex, AddColumn, DropColumn, Rebuild, Analyze, Rename, AddTable, DropTable, Truncate, Flush []string
	// Rewrite are those that write every row anew, with another column that DropColumn takes away.
	Rewrite []string
	// Partition are those of partitioned tables, Hashed those of such whose partitions are numbers of a function of the
	// rows.
	Partition, Hashed []string
	// Checkpoint are those that write a log into the tables' file.
	Checkpoint []string
}

// redefinition is one kind of such statements: its production, what begins it and what may follow.
type redefinition struct {
	production string
	of         func(*Redefinitions) (first, then []string)
	name       string // of what comes and goes: a letter that is followed by a number
}

var redefinitions = []redefinition{
	{"ddl-index", func(d *Redefinitions) ([]string, []string) { return d.AddIndex, d.DropIndex }, "x"},
	{"ddl-column", func(d *Redefinitions) ([]string, []string) { return d.AddColumn, d.DropColumn }, "y"},
	{"ddl-rebuild", func(d *Redefinitions) ([]string, []string) { return d.Rebuild, d.Rebuild }, ""},
	{"ddl-analyze", func(d *Redefinitions) ([]string, []string) { return d.Analyze, d.Analyze }, ""},
	{"ddl-rename", func(d *Redefinitions) ([]string, []string) { return d.Rename, d.Rename }, "w"},
	{"ddl-table", func(d *Redefinitions) ([]string, []string) { return d.AddTable, d.DropTable }, "n"},
	{"ddl-flush", func(d *Redefinitions) ([]string, []string) { return d.Flush, d.Flush }, ""},
	{"ddl-rewrite", func(d *Redefinitions) ([]string, []string) { return d.Rewrite, d.DropColumn }, "z"},
	{"ddl-truncate", func(d *Redefinitions) ([]string, []string) { return d.Truncate, nil }, ""},
}

// ddlThen: sessions that change a table once more, in percent: what came goes.
const ddlThen = 60

// alone makes a share of the transactions of one statement statements in autocommit.
func (g *generator) alone(txns []testcase.Txn, states []txnState) {
	if !g.wants("autocommit") {
		return
	}
	for i := range txns {
		if len(txns[i].Stmts) == 1 && g.sideRNG.IntN(100) < 70 {
			txns[i].Begin.SQL, txns[i].End.SQL = "", ""
			states[i].alone = true
		}
	}
}

// ddl adds sessions that change how tables are kept while transactions use them: each change is a statement in
// autocommit, that of a table which transactions use most first of all.
func (g *generator) ddl(txns []testcase.Txn, states []txnState) ([]testcase.Txn, []txnState) {
	session := 0
	for i := range txns {
		session = max(session, txns[i].Session)
	}
	named := 0
	for _, r := range redefinitions {
		first, then := r.of(&g.d.DDL)
		if len(first) == 0 || !g.eachLevel(r.production, txns) || !g.wants(r.production) {
			continue
		}
		t := g.tables[g.sideRNG.IntN(min(2, len(g.tables)))]
		if r.production == "ddl-truncate" && g.owed(t) { // it is refused, whoever is owed nothing
			continue
		}
		if t.parted { // many changes are refused of a table with partitions
			continue
		}
		name := ""
		if r.name != "" {
			name, named = fmt.Sprintf("%s%d", r.name, named), named+1
		}
		stmts := []testcase.Stmt{g.redefine(g.sideRNG, first, name, t)}
		if g.sideRNG.IntN(100) < ddlThen && len(then) > 0 {
			stmts = append(stmts, g.redefine(g.sideRNG, then, name, t))
		}
		at := 0
		if len(stmts) > 1 {
			session++
			at = session
		}
		for i := range stmts {
			txns = append(txns, testcase.Txn{Session: at, Stmts: stmts[i : i+1 : i+1]})
			states = append(states, txnState{alone: true})
		}
	}
	return g.repartition(txns, states)
}

// repartition adds sessions that build the partitions of a table anew, or make one more or one less of them.
func (g *generator) repartition(txns []testcase.Txn, states []txnState) ([]testcase.Txn, []txnState) {
	var split []*table
	for _, t := range g.tables {
		if t.partitioned {
			split = append(split, t)
		}
	}
	if len(split) == 0 || len(g.d.DDL.Partition) == 0 || !g.wants("ddl-partition") {
		return txns, states
	}
	rng := g.beside("ddl-partition")
	t := split[rng.IntN(len(split))]
	spellings := g.d.DDL.Partition
	if t.hashed {
		spellings = slices.Concat(spellings, g.d.DDL.Hashed)
	}
	stmt := g.redefine(rng, spellings, "", t)
	return append(txns, testcase.Txn{Stmts: []testcase.Stmt{stmt}}), append(states, txnState{alone: true})
}

// redefine makes a statement that changes how a table is kept, of one of its spellings.
func (g *generator) redefine(rng *rand.Rand, spellings []string, name string, t *table) testcase.Stmt {
	order, most := rng.Perm(len(t.cols)), 1+rng.IntN(2)
	var columns []string
	for _, at := range order {
		c := t.cols[at]
		switch {
		case len(columns) == most || c.special != nil && c.special.Unindexed:
		case c.special != nil:
			columns = append(columns, c.name+c.special.Prefix)
		case c.kind == KindText:
			columns = append(columns, c.name+g.d.TableForms.TextPrefix)
		default:
			columns = append(columns, c.name)
		}
	}
	if len(columns) == 0 {
		columns = []string{"pkey"}
	}
	stmt := g.d.Tree.Words(holes.Replace(spellings[rng.IntN(len(spellings))]))
	parts := func(of *[]*sql.Order) {
		if x, ok := (*of)[0].X.(*sql.Column); ok && x.Name.Value == holeColumns {
			*of = g.keyParts(columns...)
		}
	}
	sql.Walk(stmt, func(n sql.Node) bool { // its nodes are nobody else's
		switch n := n.(type) {
		case *sql.CreateIndex:
			parts(&n.Columns)
		case *sql.Index:
			parts(&n.Columns)
		case *sql.Name:
			switch n.Value {
			case holeName:
				n.Value = name
			case holeTable:
				n.Value = t.name
			}
		}
		return true
	})
	return g.finished(stmt)
}

// What stands for the names in such a spelling while it is read.
const holeName, holeTable, holeColumns = "txw_name", "txw_table", "txw_columns"

var holes = strings.NewReplacer("{name}", holeName, "{table}", holeTable, "{columns}", holeColumns)
