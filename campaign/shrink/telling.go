package shrink

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"txweave/campaign"
	"txweave/fault"
	"txweave/finding"
	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/edits"
	"txweave/sqltext"
	"txweave/testcase"
)

// untelling are signatures of what a transaction shows that was committed before its end, and of much else: a savepoint that is gone, a
// write lock that others are given.
var untelling = []string{
	finding.Signed(finding.ClassInconsistent, "ROLLBACK TO", fault.LostSavepoint), finding.Signed(finding.ClassInconsistent, "RELEASE", fault.LostSavepoint),
	finding.Signed(finding.ClassMechanism, "", fault.WriteLock),
}

// telling returns a case that tells the cause of what is looked for, made of one that does not: as a triager would, it lets the transactions
// roll back, and gives tables without rows one, and looks whether what they wrote stays; of an INSERT that seems to have written nothing, and was
// rolled back, by the transaction's end or to a savepoint, whether it is there once that transaction commits. Where that tells nothing, it returns
// the case given.
func (k *shrinker) telling(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if k.cause == finding.CauseNone {
		committed := ending(c, "ROLLBACK", "COMMIT")
		others := []*testcase.Case{committed, keeping(committed)}
		if bare := unchecked(committed); bare != nil { // its COMMIT may be refused
			others = append(others, bare)
		}
		return k.firstTelling(ctx, c, func(cause finding.Cause) bool { return cause == finding.CauseOwn }, others...)
	}
	if !k.cause.IsZero() && !tellsLittle(k.cause) || !slices.Contains(untelling, k.signature) {
		return c, nil
	}
	undone := ending(c, "COMMIT", "ROLLBACK")
	filled := undone.Clone()
	if len(filled.Rows) == 0 {
		for _, s := range filled.Schema {
			if row := rowOf(c.Target, s.SQL, 1, 999999); row != "" {
				filled.Rows = append(filled.Rows, testcase.Stmt{SQL: row})
			}
		}
	}
	return k.firstTelling(ctx, c, func(cause finding.Cause) bool { return !tellsLittle(cause) },
		append([]*testcase.Case{undone, filled}, writing(c)...)...)
}

// tellsLittle says whether a cause is one of transactions that were committed, or undone, before their end, or went on in another snapshot, where
// nothing else told why.
func tellsLittle(cause finding.Cause) bool {
	return cause == finding.CauseEnded || cause == finding.CauseGone || cause == finding.CauseOldWriter
}

// rowOf is an INSERT of one row into the table that a statement creates; "" where it creates none.
func rowOf(target, create string, pkey, vkey int) string {
	st := control.Read(sqltext.SyntaxOf(target).Tree, create)
	if st.Creates() != "table" {
		return ""
	}
	t := sqltext.SyntaxOf(target).Schema([]string{create}).Table(st.Written())
	if t == nil || t.Column(sqltext.PKey) == nil {
		return ""
	}
	if t.Column(sqltext.VKey) == nil || t.Column(sqltext.PVKey) == nil {
		return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%d)", st.Written(), sqltext.PKey, pkey)
	}
	return fmt.Sprintf("INSERT INTO %s (%s, %s, %s) VALUES (%d, %d, 0)", st.Written(), sqltext.PKey, sqltext.VKey, sqltext.PVKey, pkey, vkey)
}

// writing are cases in which the transactions with savepoints insert a row before all else, and commit, or roll back: what becomes of it tells
// whether they ended before their end.
func writing(c *testcase.Case) (out []*testcase.Case) {
	row := ""
	for _, s := range c.Schema {
		row = cmp.Or(row, rowOf(c.Target, s.SQL, 99991, 999991))
	}
	for i := range c.Txns {
		t := &c.Txns[i]
		if row == "" || t.Autocommit() || !slices.ContainsFunc(t.Stmts, func(s testcase.Stmt) bool { return sqltext.KindOf(s.SQL).IsSavepoint() }) {
			continue
		}
		other := beginningWith(c, i, row)
		out = append(out, ending(other, "ROLLBACK", "COMMIT"), ending(other, "COMMIT", "ROLLBACK"))
	}
	return out
}

// beginningWith is a case of which one transaction, which is no single statement, runs a statement before all else.
func beginningWith(c *testcase.Case, txn int, sql string) *testcase.Case {
	c = c.Clone()
	c.Insert(testcase.Ref{Txn: txn}, sql, c.StepsOf(txn)[0]+1)
	return c
}

// ending is a case whose transactions that end by one word end by another.
func ending(c *testcase.Case, by, instead string) *testcase.Case {
	c = c.Clone()
	for i := range c.Txns {
		if end := &c.Txns[i].End; sqltext.FirstWord(end.SQL) == by {
			end.SQL = instead
		}
	}
	return c
}

// keeping is a case whose transactions go back to no savepoint.
func keeping(c *testcase.Case) *testcase.Case {
	c = c.Clone()
	for i := range c.Txns {
		for j := len(c.Txns[i].Stmts) - 1; j >= 0; j-- {
			if sqltext.KindOf(c.Txns[i].Stmts[j].SQL) == sqltext.RollbackTo {
				c = without(c, i, j)
			}
		}
	}
	return c
}

// eachNotUndone are the cases that lack one write before a ROLLBACK TO of its transaction, which that may be there to undo.
func eachNotUndone(c *testcase.Case) (out []*testcase.Case) {
	for i := range c.Txns {
		goesBack := false
		for j, s := range slices.Backward(c.Txns[i].Stmts) {
			read := c.Read(s.SQL)
			goesBack = goesBack || read.Kind == sqltext.RollbackTo
			if goesBack && read.IsTarget() && read.Target() != "" {
				out = append(out, without(c, i, j))
			}
		}
	}
	return out
}

// without is a case that lacks one statement.
func without(c *testcase.Case, txn, stmt int) *testcase.Case {
	c = c.Clone()
	c.Remove(testcase.Ref{Txn: txn, Stmt: stmt})
	return c
}

// firstTelling returns the first of some cases that shows what is looked for by a cause that is wanted, which is looked for from then on; c where
// none does.
func (k *shrinker) firstTelling(ctx context.Context, c *testcase.Case, wanted func(cause finding.Cause) bool,
	list ...*testcase.Case) (*testcase.Case, error) {
	for _, other := range list {
		signatures, _, err := k.look(ctx, other)
		if errors.Is(err, ErrRefused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, s := range signatures {
			if s.signature == k.signature && !s.cause.IsZero() && wanted(s.cause) {
				k.cause = s.cause
				return other, nil
			}
		}
	}
	return c, nil
}

// unprinted is the signature of a query whose rows differ: by them alone it does not say what it has read.
var unprinted = finding.Signed("replay-difference", "SELECT", "rows")

// misordered is the signature of a query that gives its rows in another order than it asks for: or what it counts for them is wrong, and not what it went by.
var misordered = finding.Signed("inconsistent-read-write", "SELECT", "order-versus-rows")

// miscounted is the signature of a query of a whole table that gives other rows than there are, and does not print which.
var miscounted = finding.Signed("inconsistent-read-write", "SELECT", "count-versus-seen")

// printing is telling for a query whose rows differ without a cause: it lets queries stand in its place that print what it reads, one after the
// other, of one table each. Where such a query is wrong by itself, as a read of its snapshot or as a search, that is what the case shows, whatever
// the query made of it. Of one that counts, and gives its rows in another order than it asks for, it is COUNT that is asked. Where none is wrong, it returns the case given.
func (k *shrinker) printing(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	if !k.cause.IsZero() || !slices.Contains([]string{unprinted, misordered, miscounted}, k.signature) {
		return c, nil
	}
	list, err := k.findings(ctx, c)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(f campaign.Found) bool { return f.Signature == k.signature && len(f.Differences) > 0 })
	if at < 0 || !list[at].Cause.IsZero() {
		return c, nil
	}
	name := list[at].Differences[0].Stmt
	txn, stmt, ok := place(c, name)
	if !ok {
		return c, nil
	}
	if k.signature == misordered {
		return k.counting(ctx, c, txn, stmt)
	}
	var others []*testcase.Case
	for _, sql := range (&edits.Rewriter{Dialect: sqltext.SyntaxOf(c.Target).Tree}).Telling(c.Txns[txn].Stmts[stmt].SQL, c.ReadSchema()) {
		others = append(others, with(c, txn, stmt, sql))
	}
	of := func(f *campaign.Found) bool { return finding.OfReads(f.Cause) && f.Differences[0].Stmt == name }
	if other, err := k.firstShowing(ctx, c, of, others...); err != nil || other != c {
		return other, err
	}
	if other, err := k.searching(ctx, c, txn, stmt); err != nil || other != c {
		return other, err
	}
	return k.counting(ctx, c, txn, stmt)
}

// with is a case with another text of one statement.
func with(c *testcase.Case, txn, stmt int, sql string) *testcase.Case {
	c = c.Clone()
	c.Txns[txn].Stmts[stmt].SQL = sql
	return c
}

// firstShowing is firstTelling for whatever signature: of a finding that is wanted, and tells its cause by itself.
func (k *shrinker) firstShowing(ctx context.Context, c *testcase.Case, wanted func(*campaign.Found) bool, list ...*testcase.Case) (*testcase.Case, error) {
	for _, other := range list {
		if _, err := testcase.Parse(finding.CaseFile, other.Print()); err != nil {
			continue // what it was made of does not stand there
		}
		found, err := k.findings(ctx, other)
		if errors.Is(err, ErrRefused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(found, func(f campaign.Found) bool {
			return !f.Cause.IsZero() && !f.Derived && !finding.OfWarnings(f.Cause) && len(f.Differences) > 0 && wanted(&f)
		})
		if at >= 0 {
			k.told = k.told || found[at].Signature != k.signature
			k.signature, k.cause = found[at].Signature, found[at].Cause
			return other, nil
		}
	}
	return c, nil
}

// failedYetWrote is the signature of an UPDATE that failed and wrote: for a key that only a COMMIT is refused for, it may be, in the midst of its transaction.
var failedYetWrote = finding.Signed("inconsistent-read-write", "UPDATE", "failed-yet-wrote")

// plainer is telling for a small case by which a cause is less plain than it could be. A transaction whose writes others see before its end, or later
// than they should, is rolled back: where they stay, it had been committed before its end; it writes a row more, and sooner, than what is seen too late: where
// that is seen before its end, reads are of its state. What a read missed is written by nobody else. Rows that a read missed which somebody had committed before
// it are there from the start: where they are missed as well, who made them is no matter. An UPDATE that says that it wrote fewer rows, and would have left them
// as they are, writes something else: where they stay as they are, it passed over them. An INSERT that says that it wrote fewer rows than it spells, or more, and
// may have left rows as they were, is asked in an empty database, where there are none. Rows that are missing, which a read showed beside whatever was found, are
// looked for by a query of nothing but them.
func (k *shrinker) plainer(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	other, err := k.reading(ctx, c)
	if err != nil || other != c {
		return other, err
	}
	switch {
	case k.cause == finding.CauseDirty || k.cause == finding.CauseNewer || k.cause == finding.CauseOldWriter:
		other, err := k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseKept || f.Cause == finding.CauseLost },
			append(eachRolledBack(c), writing(c)...)...)
		if err != nil || other != c || k.cause != finding.CauseNewer {
			return other, err
		}
		return k.beside(ctx, c)
	case k.cause == finding.CauseStale || k.cause == finding.CauseOwn:
		other, err := k.lasting(ctx, c)
		if err != nil || other != c || k.cause == finding.CauseOwn {
			return other, err
		}
		return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseMissing }, eachFromTheStart(c)...)
	case k.cause == finding.CauseMiscount:
		other, err := k.kept(ctx, c)
		if err != nil || other != c || k.signature != uncounted {
			return other, err
		}
		return k.changing(ctx, c)
	case k.cause == finding.CauseKeptTo:
		return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseLost }, eachNotUndone(c)...)
	case k.cause.IsZero() && (k.signature == misspelled || k.signature == unlikeAtEnd):
		other, err := k.alone(ctx, c)
		if err != nil || other != c {
			return other, err
		}
		return k.colliding(ctx, c)
	case k.cause.IsZero() && k.signature == failedYetWrote:
		if bare := unchecked(c); bare != nil {
			return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseKept }, eachRolledBack(bare)...)
		}
	case k.cause.IsZero():
		signature := k.signature
		missing := func(f *campaign.Found) bool { return f.Cause == finding.CauseMissing && f.Signature == signature }
		return k.firstShowing(ctx, c, missing, eachFromTheStart(c)...)
	case finding.OfStatements(k.cause):
		return k.ofStatement(ctx, c)
	}
	return c, nil
}

// kept is plainer for a write that counts other rows than the reads around it show, and that is undone: where it is not, later reads and the contents at
// the end tell whether those reads missed rows.
func (k *shrinker) kept(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	stays := keeping(ending(c, "ROLLBACK", "COMMIT"))
	if bytes.Equal(stays.Print(), c.Print()) {
		return c, nil
	}
	own := func(f *campaign.Found) bool { return f.Cause == finding.CauseOwn || f.Cause == finding.CauseMissing }
	other, err := k.firstShowing(ctx, c, own, stays)
	if err != nil || other == c {
		return c, err
	}
	return k.reading(ctx, other)
}

// beside is plainer for a read that is newer than its snapshot, beside other transactions. One of them writes a row before all else: where a read sees that
// before its transaction has committed, the reads before it were of that one's state, too, in which there was nothing to see, and took no snapshot.
func (k *shrinker) beside(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	var others []*testcase.Case
	for i := range c.Txns {
		for _, s := range c.Schema {
			if row := rowOf(c.Target, s.SQL, 99991, 999991); row != "" && !c.Txns[i].Autocommit() && len(c.Txns) > 1 {
				others = append(others, beginningWith(c, i, row))
			}
		}
	}
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Class == finding.ClassSnapshot && f.Cause == finding.CauseDirty }, others...)
}

// lasting is plainer for a read that missed what had been written before it: nobody writes behind it, by the statement that read or in another
// transaction. Where what it missed is not there in the end either, the write was lost, and the read right.
func (k *shrinker) lasting(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	txn, stmt, ok, err := k.guilty(ctx, c)
	if err != nil || !ok {
		return c, err
	}
	others := eachPrinted(c, txn, stmt)
	for i := range c.Txns {
		if i != txn && len(c.Txns) > 1 {
			others = append(others, withoutTxn(c, i))
		}
	}
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return f.Cause == finding.CauseLost }, others...)
}

// eachRolledBack are the cases in which one of the transactions that commit rolls back, or all do.
func eachRolledBack(c *testcase.Case) (out []*testcase.Case) {
	for i := range c.Txns {
		if other := c.Clone(); sqltext.FirstWord(c.Txns[i].End.SQL) == "COMMIT" {
			other.Txns[i].End.SQL = "ROLLBACK"
			out = append(out, other)
		}
	}
	if len(out) > 1 {
		out = append(out, ending(c, "COMMIT", "ROLLBACK"))
	}
	return out
}

// eachFromTheStart are the cases in which the rows that one transaction inserts, which does nothing else, are among the initial ones.
func eachFromTheStart(c *testcase.Case) (out []*testcase.Case) {
	for i := range c.Txns {
		inserts := func(s testcase.Stmt) bool { return sqltext.KindOf(s.SQL) == sqltext.Insert }
		if len(c.Txns) < 2 || slices.ContainsFunc(c.Txns[i].Stmts, func(s testcase.Stmt) bool { return !inserts(s) }) {
			continue
		}
		other := withoutTxn(c, i)
		for _, s := range c.Txns[i].Stmts {
			other.Rows = append(other.Rows, testcase.Stmt{Comments: s.Comments, SQL: s.SQL})
		}
		out = append(out, other)
	}
	return out
}

// withoutTxn is a case that lacks one transaction.
func withoutTxn(c *testcase.Case, txn int) *testcase.Case {
	c = c.Clone()
	c.RemoveTxn(txn)
	return c
}

// uncounted is the signature of an UPDATE that says of fewer rows, or more, that it wrote them.
var uncounted = finding.Signed("replay-difference", "UPDATE", "affected")

// changing lets UPDATEs write other values than the literals that they spell.
func (k *shrinker) changing(ctx context.Context, c *testcase.Case) (*testcase.Case, error) {
	return k.firstShowing(ctx, c, func(f *campaign.Found) bool { return finding.OfStatements(f.Cause) && f.Cause != finding.CauseMiscount }, eachChanging(c)...)
}

// eachChanging are the cases in which one of the UPDATEs does.
func eachChanging(c *testcase.Case) (out []*testcase.Case) {
	for i := range c.Txns {
		for j, s := range c.Txns[i].Stmts {
			if text := assigningOthers(c, s.SQL); text != s.SQL {
				out = append(out, with(c, i, j, text))
			}
		}
	}
	return out
}

// assigningOthers is an UPDATE whose assignments have other literals in place of their own.
func assigningOthers(c *testcase.Case, text string) string {
	dialect := sqltext.SyntaxOf(c.Target).Tree
	stmt, err := dialect.Parse(text)
	update, ok := stmt.(*sql.Update)
	if err != nil || !ok {
		return text
	}
	other := func(n sql.Node) sql.Node {
		l, ok := n.(*sql.Literal)
		switch {
		case !ok:
			return n
		case l.Kind == sql.Text:
			return &sql.Literal{Kind: sql.Text, Text: "'other'"}
		case l.Kind == sql.Number:
			return &sql.Literal{Kind: sql.Number, Text: l.Text + "1"}
		case l.Kind == sql.Null:
			return &sql.Literal{Kind: sql.Number, Text: "1"}
		}
		return n
	}
	now, err := dialect.Print(sql.Edit(update, func(u *sql.Update) {
		u.Set = slices.Clone(u.Set)
		for i, assign := range u.Set {
			u.Set[i] = sql.Edit(assign, func(a *sql.Assign) { a.Value = sql.Rewrite(a.Value, other) })
		}
	}))
	if err != nil {
		return text
	}
	return now
}

// guilty finds the statement that the finding which is looked for names first; ok is false where the case does not show it, or it names none.
func (k *shrinker) guilty(ctx context.Context, c *testcase.Case) (txn, stmt int, ok bool, err error) {
	list, err := k.findings(ctx, c)
	if err != nil {
		return 0, 0, false, err
	}
	at := slices.IndexFunc(list, func(f campaign.Found) bool { return f.Signature == k.signature && len(f.Differences) > 0 })
	if at < 0 {
		return 0, 0, false, nil
	}
	txn, stmt, ok = place(c, list[at].Differences[0].Stmt)
	return txn, stmt, ok, nil
}

// place finds a statement by its name in findings.
func place(c *testcase.Case, name string) (txn, stmt int, ok bool) {
	ref, ok := testcase.ParseRef(name)
	return ref.Txn, ref.Stmt, ok && ref.Txn < len(c.Txns) && ref.Stmt < len(c.Txns[ref.Txn].Stmts)
}
