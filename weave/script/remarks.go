package script

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Remark is what a person would not expect of a step, and is as the database is documented.
type Remark struct {
	Step int
	Text string
}

// unread is of a SELECT that reads no table for what its condition says, and where a SELECT is the first read it takes
// the snapshot.
const unread = "its condition is true of no row, so that %s, on line %d"

// gaveUp is of a wait that ends sooner than it would for a client of the database's own.
const gaveUp = "the wait is given up after 10 s: so long txweave has %s, which the text does not set"

// ownPatience remarks on waits that ended by the settings that sessions have only here.
func (c *checker) ownPatience() {
	var names []string
	for _, x := range patience(c.profile, c.out.Script) {
		names = append(names, x.Setting)
	}
	const almost = 9500 * time.Millisecond
	for i, e := range c.out.Run.Steps {
		if e != nil && e.Err != nil && e.Blocked && time.Duration(e.End-e.Start) >= almost && len(names) > 0 &&
			c.profile.Errors.Classify(e.Err.Code, e.Err.Message) == dbms.StatementLost {
			c.out.Remarks = append(c.out.Remarks, Remark{i, fmt.Sprintf(gaveUp, strings.Join(names, ", "))})
		}
	}
}

// remark looks for SELECTs that look like a transaction's first read and are none.
func (c *checker) remark() {
	schema := sqltext.SyntaxOf(c.out.Script.Target).Schema(append(texts(c.out.Script.Setup), texts(c.out.Script.Steps)...))
	for _, u := range c.out.Units {
		p, err := dbms.Lookup(c.profile.DBMS, u.Level)
		if err != nil || !u.Explicit || p.SnapshotScope() != dbms.PerTransaction || p.ReadModes.Unread == "" {
			continue
		}
		var unreading []int
		for _, i := range u.Steps {
			text := c.out.Script.Steps[i].SQL
			if p.BeginTakesSnapshot(text) && u.Opened && i == u.Steps[0] {
				break
			}
			stmt, err := p.Tree.Parse(text)
			q, ok := stmt.(*sql.Query)
			e := c.out.Run.Steps[i]
			if err != nil || !ok || len(q.Locks) > 0 || e == nil || e.Err != nil || len(p.Read(text).Tables()) == 0 {
				continue
			}
			if readsNothing(q, schema) {
				unreading = append(unreading, i)
				continue
			}
			for _, n := range unreading {
				text := fmt.Sprintf(unread, p.ReadModes.Unread, c.out.Script.Steps[i].Line)
				c.out.Remarks = append(c.out.Remarks, Remark{n, text})
			}
			break
		}
	}
}

// seenBefore looks for a statement that makes, drops, empties or changes a table while another transaction is open that
// names the table, where older snapshots see that.
func (c *checker) seenBefore() {
	for n, u := range c.out.Units {
		for _, i := range u.Steps {
			e := c.out.Run.Steps[i]
			s := c.profile.Read(c.out.Script.Steps[i].SQL)
			tables := s.Tables()
			switch x := s.Tree.(type) {
			case *sql.Truncate:
				if len(x.Options) > 0 { // CASCADE
					tables = nil
				}
			case *sql.AlterTable:
				tables = []string{s.Target()}
			case *sql.CreateTable, *sql.CreateView, *sql.Drop: // what there is, is read without a snapshot
				if tables = objects(s.Tree); len(tables) == 0 {
					continue
				}
			default:
				continue
			}
			if c.profile.TruncateSeen && e != nil && e.Err == nil && c.namedBeside(n, tables) && c.out.SeenBefore == 0 {
				c.out.SeenBefore = c.out.Script.Steps[i].Line
			}
		}
	}
}

// objects are the tables and views that others see come or go.
func objects(stmt sql.Stmt) (out []string) {
	var names []*sql.Object
	switch n := stmt.(type) {
	case *sql.CreateTable:
		if !n.Temp {
			names = append(names, n.Name)
		}
	case *sql.CreateView:
		if !n.Temp {
			names = append(names, n.Name)
		}
	case *sql.Drop:
		if n.What == "TABLE" || n.What == "VIEW" {
			names = n.Names
		}
	}
	for _, o := range names {
		out = append(out, o.Name.Folded())
	}
	return out
}

// namedBeside says whether a transaction that was open beside a unit may have to do with one of some tables, or with
// any where there are none: it names one, or something else than a table of the script, behind which any may be. With
// triggers every statement may.
func (c *checker) namedBeside(n int, tables []string) bool {
	known := make([]string, len(c.tables))
	for i, name := range c.tables {
		known[i] = strings.ToLower(name)
	}
	all := len(tables) == 0 || slices.ContainsFunc(slices.Concat(c.out.Script.Setup, c.out.Script.Steps),
		func(st testcase.ScriptStmt) bool {
			_, ok := c.profile.Read(st.SQL).Tree.(*sql.CreateTrigger)
			return ok
		})
	for m, u := range c.out.Units {
		if c.out.beside(m, n) && (all || slices.ContainsFunc(u.Steps, func(i int) bool {
			s := c.profile.Read(c.out.Script.Steps[i].SQL)
			return s.Tree == nil || slices.ContainsFunc(s.Tables(), func(name string) bool {
				return slices.Contains(tables, name) || !slices.Contains(known, name)
			})
		})) {
			return true
		}
	}
	return false
}

// readsNothing says whether a query needs no row of its one table.
func readsNothing(q *sql.Query, schema *sqltext.Schema) bool {
	b, ok := q.Body.(*sql.Select)
	if !ok || b.Where == nil {
		return false
	}
	from, ok := b.From.(*sql.Table)
	if !ok || sql.Has(b.Where, func(n sql.Node) bool { _, query := n.(*sql.Query); return query }) {
		return false
	}
	t := schema.Table(from.Name.Folded())
	return classes.Never(b.Where, func(c *sql.Column) bool {
		column := (*sqltext.Column)(nil)
		if t != nil {
			column = t.Column(c.Name.Folded())
		}
		return column != nil && column.NotNull
	})
}
