package plain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/testcase"
)

// TestEdits applies every edit, one after the other, and prints what each makes of the statements: edits (widening ones
// and those that forget versions are left out with "around").
func TestEdits(t *testing.T) {
	datadriven.RunTest(t, "testdata/edits", func(t *testing.T, d *datadriven.TestData) string {
		c, err := testcase.Parse("case.txw", []byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n"+d.Input))
		if err != nil {
			return err.Error() + "\n"
		}
		var b strings.Builder
		for _, e := range edits {
			if d.HasArg("around") && (e.widens || e.forgets) {
				continue
			}
			next := e.apply(c)
			if next == nil {
				continue
			}
			if err := next.Validate(); err != nil {
				return err.Error() + "\n"
			}
			fmt.Fprintf(&b, "%s\n", e.name)
			c = next
		}
		_, text, _ := strings.Cut(string(c.Print()), "\n\n")
		return b.String() + "\n" + text
	})
}

// TestReads prints the case with what a write is about to find read before it, and around it.
func TestReads(t *testing.T) {
	datadriven.RunTest(t, "testdata/reads", func(t *testing.T, d *datadriven.TestData) string {
		c, err := testcase.Parse("case.txw", []byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n"+d.Input))
		if err != nil {
			return err.Error() + "\n"
		}
		var names string
		d.ScanArgs(t, "named", &names)
		named := refs([]string{names})
		out := readsBefore(c, named)
		if d.Cmd == "around" {
			out = readsAround(c, named[0])
		}
		if out == nil {
			return "none\n"
		}
		if err := out.Validate(); err != nil {
			return err.Error() + "\n"
		}
		_, text, _ := strings.Cut(string(out.Print()), "-- T0")
		return "-- T0" + text
	})
}
