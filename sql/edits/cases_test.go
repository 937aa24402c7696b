package edits_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/internal/testkit/trees"
	"txweave/sql/edits"
)

// TestFeaturesOfCases: the cases of the tree have the features that they had, as often; a name that changes is another
// one in everything that is stored of findings.
func TestFeaturesOfCases(t *testing.T) {
	datadriven.RunTest(t, "testdata/of_cases/features", func(t *testing.T, d *datadriven.TestData) string {
		of := d.CmdArgs[0].Key
		r, count := &edits.Rewriter{Dialect: dialects[of]}, map[string]int{}
		trees.Cases(t, 1, func(_, stmt string) {
			names := r.SchemaFeatures(stmt)
			if _, rows := r.Spell(stmt); rows {
				names, _ = r.Features(stmt, true)
			}
			for _, name := range names {
				count[name]++
			}
		}, of)
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(count)) {
			fmt.Fprintf(&b, "%s %d\n", name, count[name])
		}
		return b.String()
	})
}
