package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"txweave/campaign"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/oracle/unexpected"
	"txweave/sql"
	"txweave/testcase"
)

// refused notes a case that a new database does not take either. The generator makes rows that violate nothing: where
// one of them is refused by itself, for what it holds, that is a finding, and on a server, whose settings may be such
// that it converts nothing, unconfirmed. What does not fit the store of the case is neither.
func (w *Worker) refused(ctx context.Context, res *campaign.CaseResult, c *testcase.Case,
	why error) (*campaign.CaseResult, error) {
	if w.unfit(c, why) {
		w.Release()
		w.trouble = 0
		res.Skipped, res.Detail = skippedRefused, finding.Line(why.Error())
		return res, nil
	}
	if row := w.refusedRow(ctx, c); row != nil {
		w.Release()
		f := finding.Finding{Class: finding.ClassUnexpected, Oracle: unexpected.Oracle{}.Name(), Confirmed: 1, Repeated: 1,
			Summary:     finding.Line("a row of a case, which violates nothing, is refused: " + row.Error()),
			Differences: []finding.Difference{unexpected.Difference(row.Text, row.Err)}}
		f.Differences[0].Kind = finding.InitialRow
		f.Sign()
		found := campaign.Found{Finding: f, Files: map[string][]byte{finding.CaseFile: c.Print()}}
		if w.trouble = 0; w.profile.Embedded {
			res.Findings = append(res.Findings, found)
		} else {
			res.Unconfirmed = append(res.Unconfirmed, found)
		}
		res.Skipped, res.Detail = skippedRefused, finding.Line(why.Error())
		return res, nil
	}
	if w.spoilt() {
		err := fmt.Errorf("case %d (seed %d): %d cases in a row failed: %w", res.Case, c.Seed, w.trouble, why)
		if !w.profile.Embedded && w.target.Log() == "" { // it is the user's to see why
			err = fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
		}
		return res, err
	}
	w.Release()
	res.Skipped, res.Detail = skippedRefused, finding.Line(why.Error())
	return res, nil
}

// unfit says whether the store that a case lies in has no room for its tables or rows, which others take.
func (w *Worker) unfit(c *testcase.Case, why error) bool {
	var answer *exec.AnswerError
	shape := w.profile.Store(c.Option(testcase.OptionStore))
	return shape != nil && errors.As(why, &answer) && slices.Contains(shape.Unfit, answer.Err.Code)
}

// refusedRow fills an empty database with the tables of a case, and then with its rows one by one, and returns the
// error of the first row that is refused for what it holds; nil where none is, or the tables are refused. What a
// trigger writes may well be refused, so there are none.
func (w *Worker) refusedRow(ctx context.Context, c *testcase.Case) *exec.AnswerError {
	if w.target.Empty(ctx) != nil {
		return nil
	}
	defer func() { _ = w.target.Empty(ctx) }() // whatever is wrong with it, the next case will tell
	own := w.target.Control()
	tables := slices.DeleteFunc(testcase.Texts(c.Schema), func(text string) bool {
		_, trigger := c.Read(text).Tree.(*sql.CreateTrigger)
		return trigger
	})
	if own.Must(ctx, tables...) != nil {
		return nil
	}
	var row *exec.AnswerError
	if err := own.Must(ctx, testcase.Texts(c.Rows)...); !errors.As(err, &row) {
		return nil
	}
	code, message := row.Err.Code, row.Err.Message
	if w.profile.Errors.Classify(code, message) != dbms.Deterministic || w.profile.Errors.Malformed.Has(code, message) ||
		w.profile.Errors.Impossible.Has(code, message) {
		return nil
	}
	return row
}
