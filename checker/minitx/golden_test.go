package minitx

import (
	"fmt"
	"strings"
	"testing"

	"txweave/dbms"

	"github.com/cockroachdb/datadriven"

	"txweave/checker"
	"txweave/internal/testkit/notation"
)

// TestGolden runs the histories under testdata, one file for each anomaly or precondition, rejecting ones beside
// accepting twins, at every level that the command names.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h, err := notation.Parse(d.Input)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			var b strings.Builder
			for _, a := range d.CmdArgs {
				if a.Key == "no-session-order" {
					continue
				}
				fmt.Fprintln(&b, Check(h, dbms.Level(a.Key), checker.Options{SessionOrder: !d.HasArg("no-session-order")}))
			}
			return b.String()
		})
	})
}
