package verify

import (
	"fmt"
	"io"
	"strings"

	"txweave/finding"
)

// Print prints the outcome for people.
func Print(w io.Writer, list []*Verified) error {
	for _, v := range list {
		if err := v.print(w); err != nil {
			return err
		}
	}
	there, checked := Count(list)
	_, err := fmt.Fprintf(w, "%d of %s still there, %d not checked\n", there, finding.Count(checked, "bug"),
		len(list)-checked)
	return err
}

// Gone says whether the bug was looked for and not seen.
func (v *Verified) Gone() bool { return v.Skipped == "" && v.Runs > 0 && v.Shown == 0 }

// Count is how many bugs are still there, and how many could be checked.
func Count(list []*Verified) (there, checked int) {
	for _, v := range list {
		if v.Runs > 0 {
			checked++
		}
		if v.Shown > 0 {
			there++
		}
	}
	return there, checked
}

func (v *Verified) print(w io.Writer) (err error) {
	if v.Skipped != "" {
		_, err = fmt.Fprintf(w, "%-4s not checked: %s  %s\n", v.ID, v.Skipped, v.Signature)
		return err
	}
	state := "gone"
	if v.Shown > 0 {
		state = "still there"
	}
	other := ""
	if len(v.Other) > 0 {
		other = "; it shows " + strings.Join(v.Other, ", ")
	}
	_, err = fmt.Fprintf(w, "%-4s %s, %d/%d on %s %s  %s%s\n", v.ID, state, v.Shown, v.Runs, v.DBMS, v.Version,
		v.Signature, other)
	return err
}
