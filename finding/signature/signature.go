// Package signature tells when two findings are the same bug.
//
// Its claim: two findings of one DBMS with equal signatures need the same things to happen, as far as their reduced
// cases tell: the same oracle saw the same thing go wrong first in the same kind of statement, with the same error
// codes or the same innermost functions, and the cases consist of the same kinds of statements with the same features
// of SQL. Names, literals, and how often or in which order something occurs play no part.
package signature

import (
	"fmt"
	"slices"

	"txweave/finding"
	"txweave/history"
	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Of returns the signature of a finding that a case shows. What is blamed is the statement that
// differs first; every statement where only the final contents differ or are damaged; none where transactions as a
// whole misbehave. The features are
//
//   - of statements that may be blamed the kind, and the nodes of the syntax tree: clauses, joins, subqueries,
//     functions, classes of operators;
//   - of other statements whether they read or write, as any write will do to make a read wrong;
//   - several transactions, how they begin and end, and their savepoints;
//   - indexes beyond the primary key.
func Of(f *finding.Finding, c *testcase.Case) finding.Signature {
	set := &features{seen: map[string]bool{}, parser: &edits.Rewriter{Dialect: sqltext.SyntaxOf(c.Target).Tree}}
	whole := &features{seen: map[string]bool{}, parser: set.parser}
	named := ""
	if len(f.Differences) > 0 {
		named = f.Differences[0].Stmt
	}
	for i := range c.Txns {
		t := &c.Txns[i]
		set.frame(c, t)
		for j, s := range t.Stmts {
			if read := c.Read(s.SQL); !read.IsTarget() {
				set.control(s.SQL, read.Kind, j == 0)
				continue
			}
			here := fmt.Sprintf("T%d.S%d", i, j)
			mayBe := named == here || named == "" && slices.Contains(anyStatement, f.Class)
			verb := sqltext.Verb(s.SQL)
			set.kind(verb, mayBe)
			if mayBe {
				set.statement(s.SQL, named != "")
			}
			whole.kind(verb, true)
			whole.kind(verb, false)
			whole.statement(s.SQL, true)
		}
	}
	if len(c.Txns) > 1 {
		set.add("transactions")
	}
	if f.Cause == finding.CauseStale {
		set.order(c)
	}
	for _, s := range c.Schema {
		set.add(set.parser.SchemaFeatures(s.SQL)...)
	}
	whole.add(set.sorted()...)
	out := finding.Signature{Coarse: f.Signature, Cause: f.Cause, Features: set.sorted(), Blamed: blamed(f, c, set.parser),
		Whole: whole.sorted()}
	out.Named, out.Said = ofNamed(f, c, set.parser)
	return out
}

// frame adds the features of how a transaction begins and ends.
func (f *features) frame(c *testcase.Case, t *testcase.Txn) {
	if level := ownLevel(c, t); level != "" {
		f.add(level)
	}
	if t.Autocommit() {
		f.add("autocommit")
	} else {
		f.begin(t.Begin.SQL)
	}
	if c.Read(t.End.SQL).RollsBack() {
		f.add("ROLLBACK")
	}
}

// order adds what goes before what in one session or transaction.
func (f *features) order(c *testcase.Case) {
	sessions := map[int]bool{}
	for i := range c.Txns {
		t := &c.Txns[i]
		if t.Session != 0 && sessions[t.Session] {
			f.add(finding.OneSession)
		}
		sessions[t.Session] = true
		var seen []string
		for _, s := range t.Stmts {
			tables := c.Read(s.SQL).Tables()
			switch again := slices.ContainsFunc(tables, func(x string) bool { return slices.Contains(seen, x) }); {
			case again:
				f.add(finding.ReadsAgain)
			case len(seen) > 0 && len(tables) > 0:
				f.add(finding.ReadsOn)
			}
			seen = append(seen, tables...)
		}
	}
}

// anyStatement are the classes of findings that any statement of the case may have caused, where they name none.
var anyStatement = []string{finding.ClassReplay, finding.ClassPlan, finding.ClassCorruption}

// Features that a statement has among those which a finding names, beside those of its SQL.
const (
	LocksOutside = "locks-outside-subqueries" // it has a lock clause, and no subquery of it has one
	// the rows that the finding names, or a table of the one statement that differs first, are in partitions
	Partitioned  = "partitioned"
	MinOfVirtual = "MIN-of-virtual"   // it asks for the least value of a virtual column
	ReadsOwn     = "reads-own-writes" // it names a table that its transaction has changed before
	ByPlan       = "plan:"            // with the plan setting under which it is answered otherwise
	Descending   = "descending-index" // a table that it names has such an index
	OfExpression = "expression-index" // or one of what is computed
	HasYear      = "YEAR"             // or a column of that type
	// a foreign key to a table that it names changes, or deletes, the rows that refer there
	CarriedAlong  = "carried-along"
	RefersToSelf  = "self-reference" // a table that it names has a foreign key to itself
	ReadsAssigned = "reads-assigned" // an UPDATE, one of whose assignments reads a column that another one sets
)

// ownLevel is the feature of a transaction that runs at another level than its case; "" of others.
func ownLevel(c *testcase.Case, t *testcase.Txn) string {
	if t.Isolation == "" || t.Isolation == c.Isolation {
		return ""
	}
	return "level:" + t.Isolation
}

// place finds a statement by its name, and its transaction; nil where the case has none of that name.
func place(c *testcase.Case, name string) (*testcase.Stmt, *testcase.Txn) {
	ref, ok := testcase.ParseRef(name)
	if !ok || ref.Txn >= len(c.Txns) || ref.Stmt >= len(c.Txns[ref.Txn].Stmts) {
		return nil, nil
	}
	return &c.Txns[ref.Txn].Stmts[ref.Stmt], &c.Txns[ref.Txn]
}

// ofNamed lists the features of each statement that a finding's first difference names, and their texts.
func ofNamed(f *finding.Finding, c *testcase.Case, parser *edits.Rewriter) (out [][]string, texts []string) {
	if len(f.Differences) == 0 {
		return nil, nil
	}
	d := &f.Differences[0]
	schema := c.ReadSchema()
	partitioned := slices.ContainsFunc(d.Rows(), func(row history.Item) bool {
		t := schema.Table(row.Table)
		return t != nil && t.Partitioned
	})
	names := d.Stmts()
	atEnd := d.Stmt == "" && (f.Class == finding.ClassCorruption || f.Class == finding.ClassPlan)
	if atEnd && len(c.Txns) == 1 && len(c.Txns[0].Stmts) == 1 {
		names = []string{testcase.Ref{}.String()} // nothing else can have done it
	}
	for _, name := range names {
		s, t := place(c, name)
		if s == nil {
			continue
		}
		features, _ := parser.Features(s.SQL, true)
		features = append(slices.Clone(features), sqltext.Verb(s.SQL))
		features = append(features, byTree(s.SQL, c)...)
		if partitioned {
			features = append(features, Partitioned)
		}
		if readsOwn(c, s, t) {
			features = append(features, ReadsOwn)
		}
		if level := ownLevel(c, t); level != "" {
			features = append(features, level)
		}
		features = append(features, definitions(s.SQL, c)...)
		if plan := c.Option(testcase.OptionPlan); plan != "" && f.Class == finding.ClassPlan {
			features = append(features, ByPlan+plan)
		}
		slices.Sort(features)
		out, texts = append(out, slices.Compact(features)), append(texts, s.SQL)
	}
	return out, texts
}

// readsOwn says whether a statement of a transaction names a table that an earlier one of it writes.
func readsOwn(c *testcase.Case, s *testcase.Stmt, t *testcase.Txn) bool {
	read := c.Read(s.SQL).Tables()
	for i := range t.Stmts {
		if &t.Stmts[i] == s {
			return false
		}
		before := c.Read(t.Stmts[i].SQL)
		if before.Kind.Writes() && slices.Contains(read, before.Target()) {
			return true
		}
	}
	return false
}

// byTree are the features that a statement has by its tree alone.
func byTree(text string, c *testcase.Case) (out []string) {
	stmt, _ := sqltext.SyntaxOf(c.Target).Tree.Parse(text)
	if locksOutside(stmt) {
		out = append(out, LocksOutside)
	}
	if readsAssigned(stmt) {
		out = append(out, ReadsAssigned)
	}
	return out
}

// readsAssigned says whether an assignment of an UPDATE reads a column that another assignment of it sets.
func readsAssigned(stmt sql.Stmt) bool {
	u, ok := stmt.(*sql.Update)
	if !ok {
		return false
	}
	for i, set := range u.Set {
		for j, read := range u.Set {
			if i != j && sql.Has(read.Value, func(n sql.Node) bool {
				c, ok := n.(*sql.Column)
				return ok && slices.ContainsFunc(set.Columns, func(x *sql.Column) bool {
					return x.Name.Folded() == c.Name.Folded()
				})
			}) {
				return true
			}
		}
	}
	return false
}

// locksOutside says whether a query has a lock clause, and none in parentheses.
func locksOutside(stmt sql.Stmt) bool {
	var q *sql.Query
	switch n := stmt.(type) {
	case *sql.Query:
		q = n
	case *sql.Insert:
		q = n.Source
	case *sql.CreateTable:
		q = n.As
	}
	return q != nil && len(q.Locks) > 0 && !sql.Has(stmt, func(n sql.Node) bool {
		inner, ok := n.(*sql.Query)
		return ok && inner != q && len(inner.Locks) > 0
	})
}

// WentBackEarly is the feature of a transaction that has gone back to a savepoint which it had set before it did
// anything else, and had done something in between.
const WentBackEarly = "went-back-early"

// Inside goes before a feature of SQL that the one statement has which a finding names.
const Inside = "in:"

// blamed lists the features of the transactions that a finding names, and those of the statement that differs first,
// where it is one.
func blamed(f *finding.Finding, c *testcase.Case, parser *edits.Rewriter) (out []string) {
	if len(f.Differences) > 0 {
		if s, _ := place(c, f.Differences[0].Stmt); s != nil {
			features, _ := parser.Features(s.SQL, true)
			for _, name := range slices.Concat(features, ofTables(s.SQL, c)) {
				out = append(out, Inside+name)
			}
		}
	}
	for _, n := range f.Transactions() {
		if n < len(c.Txns) && wentBackEarly(c, n) {
			out = append(out, WentBackEarly)
			break
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func wentBackEarly(c *testcase.Case, txn int) bool {
	var set control.Savepoints
	done := 0
	for _, stmt := range c.Txns[txn].Stmts {
		s := c.Read(stmt.SQL)
		if !s.Kind.IsSavepoint() {
			done++
			continue
		}
		left := set.Apply(s, done)
		if s.Kind == sqltext.RollbackTo && left == 0 && done > 0 {
			return true
		}
		done = left
	}
	return false
}

// OfText returns the signature of a finding with the text of its case; what can be told without it where it has none,
// or one that cannot be read.
func OfText(f *finding.Finding, text []byte) finding.Signature {
	c, err := testcase.Parse(finding.CaseFile, text)
	if err != nil {
		return finding.Signature{Coarse: f.Signature, Cause: f.Cause, Features: []string{}}
	}
	return Of(f, c)
}
