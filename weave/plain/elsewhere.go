package plain

import (
	"context"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Elsewhere has the statements of a finding that differs by plan answered by another database, and adds its answers to
// the plain form where they are those of one of the two plans. Only what means the same in every database is asked
// there: integers that cannot overflow, their comparisons and sums, sets of rows; no text, no division, no other type.
// Other plans of the same database are no such evidence: two of them may have the same part that is wrong. The target
// is a new and empty database. Nothing is added, and nil returned, where it does not take the statements.
func Elsewhere(ctx context.Context, out *finding.Plain, target exec.Target, p *dbms.Profile) error {
	c, err := testcase.Parse(finding.PlainFile, []byte(out.Case))
	if err != nil || len(c.Txns) != 1 || len(out.Orders) != 1 || out.Orders[0].Plan == "" {
		return err
	}
	from, to := sqltext.SyntaxOf(c.Target).Tree, sqltext.SyntaxOf(p.DBMS).Tree
	session, err := target.Open(ctx, exec.FirstNode, p)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, s := range slices.Concat(c.Schema, c.Rows) {
		text, ok := elsewhere(s.SQL, from, to)
		if !ok || session.Must(ctx, text) != nil {
			return nil
		}
	}
	there := finding.PlainOrder{On: strings.TrimSpace(p.DBMS + " " + target.Describe().Version)}
	for _, e := range out.Run {
		text, ok := elsewhere(e.Text, from, to)
		if !ok || e.Err != nil {
			return nil
		}
		ask := session.Exec
		if e.Rows != nil {
			ask = session.Query
		}
		a, err := ask(ctx, text)
		if err != nil || a.Err != nil {
			return nil
		}
		if e.Rows != nil { // what a write counts is not the same everywhere
			own := *e
			own.Answer = history.Answer{Rows: a.Rows, Affected: -1}
			there.Events = append(there.Events, &own)
		}
	}
	if sides(out, there.Events) {
		out.Orders = append(out.Orders, there)
	}
	return nil
}

// sides says whether answers are those of one of the two plans wherever these differ.
func sides(out *finding.Plain, there []*history.Event) bool {
	usual, other := 0, 0
	for _, e := range there {
		at := func(x *history.Event) bool { return x.Role == e.Role && x.Stmt == e.Stmt && x.Text == e.Text }
		i, j := slices.IndexFunc(out.Run, at), slices.IndexFunc(out.Orders[0].Events, func(x *history.Event) bool {
			return x.Role == e.Role && x.Stmt == e.Stmt && (x.Stmt >= 0 || x.Text == e.Text)
		})
		if i < 0 || j < 0 {
			return false
		}
		a, b, c := printed(out.Run[i].Rows), printed(out.Orders[0].Events[j].Rows), printed(e.Rows)
		switch {
		case slices.Equal(a, b):
			if !slices.Equal(a, c) {
				return false // it means something else there
			}
		case slices.Equal(a, c):
			usual++
		case slices.Equal(b, c):
			other++
		default:
			return false
		}
	}
	return (usual > 0) != (other > 0)
}

// printed are the rows of an answer as clients print them, sorted.
func printed(r *history.Rows) []string {
	out := make([]string, r.Len())
	for i := range out {
		for _, v := range r.Row(i) {
			out[i] += v.Raw() + "\x00"
		}
	}
	slices.Sort(out)
	return out
}

// elsewhere says a statement in another dialect; false where it need not mean the same there. What is printed must be
// read there as the same tree: || is OR or joins texts, = and < or UNION and INTERSECT bind alike or not.
func elsewhere(text string, from, to *sql.Dialect) (string, bool) {
	stmt, err := from.Parse(text)
	if err != nil || sql.Has(stmt, func(n sql.Node) bool { return !everywhere(n) }) {
		return "", false
	}
	out, err := to.Print(stmt)
	if err != nil {
		return "", false
	}
	there, err := to.Parse(out)
	return out, err == nil && sql.Equal(stmt, there)
}

// everywhere says whether a node means the same in every database, where all below it do.
func everywhere(n sql.Node) bool {
	switch n := n.(type) {
	case *sql.Name, *sql.Column, *sql.Star, *sql.Paren, *sql.In, *sql.Case, *sql.When, *sql.Exists, *sql.Subquery,
		*sql.Query, *sql.With, *sql.CTE, *sql.Item, *sql.Values, *sql.Row, *sql.Compound, *sql.Derived, *sql.ParenTable,
		*sql.Assign, *sql.ColumnDef, *sql.PrimaryKey, *sql.Unique, *sql.Nullable, *sql.CreateIndex, *sql.Object:
		return true
	case *sql.Literal:
		return n.Kind == sql.Null || n.Kind == sql.Number && len(n.Text) <= 9 && !strings.ContainsAny(n.Text, ".eExX")
	case *sql.Type:
		return slices.Contains([]string{"INT", "BIGINT"}, strings.ToUpper(n.Words)) && n.After == ""
	case *sql.Unary:
		return n.Op == sql.OpNot || n.Op == sql.OpSub
	case *sql.Binary:
		return slices.Contains([]sql.Op{sql.OpOr, sql.OpAnd, sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe,
			sql.OpAdd, sql.OpSub}, n.Op)
	case *sql.Is:
		return n.What == "NULL"
	case *sql.Between:
		return !n.Symmetric
	case *sql.Call:
		return slices.Contains([]string{"count", "min", "max"}, n.Name.Folded()) && len(n.Args) == 1 && n.Over == nil
	case *sql.Select:
		return n.Hints == nil && len(n.On) == 0 && len(n.Options) == 0 && !n.Rollup &&
			(n.Having == nil || len(n.Group) > 0) // which filters rows, or makes one group of them
	case *sql.Order:
		return n.Nulls == "" && n.Class == nil
	case *sql.Table:
		return len(n.Hints) == 0 && n.At == nil && n.Sample == nil && len(n.Partitions) == 0
	case *sql.Join:
		return !n.Natural
	case *sql.CreateTable:
		return len(n.Options) == 0 && n.Partitions == nil && n.Bound == nil && n.Like == nil
	case *sql.Insert:
		return !n.Replace && !n.Ignore && n.Or == "" && len(n.Duplicate) == 0 && len(n.Conflicts) == 0
	case *sql.Update:
		return !n.Ignore && n.From == nil && !readsAssigned(n) && !assignsQuery(n)
	case *sql.Delete:
		return !n.Ignore && n.Using == nil
	}
	return false
}

// assignsQuery says whether a value that an UPDATE assigns is a query's: it may see rows that were updated before.
func assignsQuery(u *sql.Update) bool {
	return slices.ContainsFunc(u.Set, func(a *sql.Assign) bool {
		return sql.Has(a, func(n sql.Node) bool { _, ok := n.(*sql.Query); return ok })
	})
}

// readsAssigned says whether an UPDATE assigns to a column that a value of it reads: some databases go from left to
// right, others read the row as it was.
func readsAssigned(u *sql.Update) bool {
	for _, a := range u.Set {
		for _, c := range a.Columns {
			for _, b := range u.Set {
				if b != a && mentions(b, c.Name.Folded()) {
					return true
				}
			}
		}
	}
	return false
}
