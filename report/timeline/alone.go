package timeline

import (
	"slices"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// gone says that what the one statement of a committed transaction did is not there afterwards; "" where something else
// is wrong.
func (p *PlainForm) gone() string {
	if len(p.Case.Txns) != 1 || len(p.Case.Txns[0].Stmts) != 1 || sqltext.KindOf(p.Case.Txns[0].End.SQL) !=
		sqltext.Commit {
		return ""
	}
	i := slices.IndexFunc(p.Timeline.Steps, func(s *LaneStep) bool { return s.Role == history.Target })
	if i < 0 || p.Timeline.Steps[i].Answer.Err != nil {
		return ""
	}
	did := p.Timeline.Steps[i].Answer.Affected
	for _, t := range p.Timeline.Tables {
		if t.Expected == nil || did <= 0 {
			continue
		}
		more := int64(t.Actual.Len() - t.Expected.Len())
		switch kind := p.Timeline.Steps[i].Kind(); {
		case kind == "INSERT" && more == -did:
			return "What INSERT has added is gone after COMMIT"
		case kind == "DELETE" && more == did:
			return "What DELETE has removed is there again after COMMIT"
		case kind == "UPDATE" && more == 0 && p.asBefore(minus(rowTexts(t.Actual), rowTexts(t.Expected)), int(did)):
			return "What UPDATE has changed is undone after COMMIT"
		}
	}
	return ""
}

// asBefore says whether rows, of which there are n, are such as the case fills in.
func (p *PlainForm) asBefore(rows []string, n int) bool {
	var filled strings.Builder
	for _, st := range p.Case.Rows {
		filled.WriteString(strings.ReplaceAll(st.SQL, " ", ""))
	}
	return len(rows) == n && !slices.ContainsFunc(rows, func(row string) bool {
		return !strings.Contains(filled.String(), strings.ReplaceAll(row, " ", ""))
	})
}

// ofRow says whether the finding is of a row that its case's tables are filled with.
func (f *Dossier) ofRow() bool {
	return len(f.Record.Differences) > 0 && f.Record.Differences[0].Kind == finding.InitialRow
}

// whyReplay says why answers must be those of the same statements without transactions.
func (f *Dossier) whyReplay() string {
	switch {
	case f.Plain != nil && f.Plain.gone() != "":
		return "What a transaction has done must be there once its COMMIT has succeeded. Here nothing else runs, and it is " +
			"not."
	case f.Plain != nil && len(f.Plain.Case.Txns) == 1:
		return "Nothing else runs. Without the transaction, each committed by itself, the same statements give another " +
			"answer: one of the two is wrong."
	}
	why := "One by one without transactions, in an order in which each statement works on the same rows as it did in " +
		"the transactions, the same statements give " +
		"another answer. One of the two answers is wrong."
	if f.readMends() {
		why = "One by one without transactions the same statements give another answer, and with reads of the tables between " +
			"them the same as in the transactions. A read changes nothing: the answer without it is wrong."
	}
	if slices.ContainsFunc(f.Case.ReadSchema().Tables, func(t *sqltext.Table) bool { return len(t.Deferred()) > 0 }) {
		why += " There the tables have no foreign keys that are checked at COMMIT."
	}
	return why
}

// Unconditional says whether the statement that a finding names has no condition for its rows.
func (f *Dossier) Unconditional() bool {
	if len(f.Record.Differences) == 0 || f.Case == nil {
		return false
	}
	ref, ok := testcase.ParseRef(f.Record.Differences[0].Stmt)
	return ok && ref.Txn < len(f.Case.Txns) && ref.Stmt < len(f.Case.Txns[ref.Txn].Stmts) &&
		!conditional(f.Case.Read(f.Case.Txns[ref.Txn].Stmts[ref.Stmt].SQL).Tree)
}

// Say says of a step of the plain form what is wrong with it; the finding's own words are about the case that it was
// made of.
func (f *Dossier) Say(d *finding.Difference) string {
	switch {
	case f.Record.Class == finding.ClassPlan:
		return "another answer " + f.Otherwise()
	case f.Record.Class == finding.ClassReplay:
		return "differs from what the same statements give without transactions"
	case (d.What == Wrong || d.What == fault.Final) && len(f.Plain.Case.Txns) > 1:
		return "no order gives this answer"
	}
	return "wrong"
}

// conditional says whether a statement has a condition for its rows, a LIMIT or a join, or is not known to have none.
func conditional(stmt sql.Stmt) bool {
	return stmt == nil || sql.Has(stmt, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Select:
			return n.Where != nil
		case *sql.Update:
			return n.Where != nil
		case *sql.Delete:
			return n.Where != nil
		case *sql.DeleteJoined, *sql.Limit, *sql.Join:
			return true
		}
		return false
	})
}
