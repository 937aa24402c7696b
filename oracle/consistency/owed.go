package consistency

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
)

// owed holds a COMMIT that checks foreign keys against the reads right before it of the rows that refer to none: it is
// refused where there are some, and only there. It says whether the answer of the transaction's end is explained, or
// told of, by that.
func (j *judge) owed(txn int) bool {
	t := &j.o.Txns[txn]
	if !t.Owed.Checked {
		return false
	}
	refused := t.Err != nil && slices.Contains(j.o.Promise.Errors.ForeignKey, t.Err.Code)
	odd := func(what fault.Kind, why finding.Sentence) bool {
		j.out = append(j.out, finding.OfCommit(txn, what, why))
		return true
	}
	switch {
	case !t.Owed.Known:
		return refused
	case refused && t.Owed.Rows == 0:
		return odd(fault.RefusedUnmatched,
			finding.Say("%v; the reads of rows that refer to none, right before it, found none",
				t.Err))
	case t.Err == nil && t.Owed.Rows > 0:
		return odd(fault.CommittedUnmatched,
			finding.Say("it succeeded; a read right before it found %v rows that refer to none: %v", t.Owed.Rows,
				finding.Query(t.Owed.Read)))
	}
	return refused
}
