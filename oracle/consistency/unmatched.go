package consistency

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
)

// unmatched holds a COMMIT that checks foreign keys against the reads right before it of the rows that refer to none:
// it is refused where there are some, and only there. It says whether the answer of the transaction's end is explained,
// or told of, by that.
func (j *judge) unmatched(txn int) bool {
	t := &j.o.Txns[txn]
	if !t.Unmatched.Checked {
		return false
	}
	refused := t.Err != nil && slices.Contains(j.o.Promise.Errors.ForeignKey, t.Err.Code)
	wrong := func(what fault.Kind, why finding.Sentence) bool {
		j.out = append(j.out, finding.OfCommit(txn, what, why))
		return true
	}
	switch {
	case !t.Unmatched.Known:
		return refused
	case refused && t.Unmatched.Rows == 0:
		return wrong(fault.RefusedUnmatched,
			finding.Say("%v; the reads of rows that refer to none, right before it, found none",
				t.Err))
	case t.Err == nil && t.Unmatched.Rows > 0:
		return wrong(fault.CommittedUnmatched,
			finding.Say("it succeeded; a read right before it found %v rows that refer to none: %v", t.Unmatched.Rows,
				finding.Query(t.Unmatched.Read)))
	}
	return refused
}
