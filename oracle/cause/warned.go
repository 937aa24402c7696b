package cause

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"txweave/finding"
)

// warned is the cause of a finding whose executions differ in nothing but warnings: which ones, and which of the two has more of them. Whichever kind of
// statement is warned, that is one bug; another warning, or the same one missing, is another. "" where anything else differs.
func warned(f *finding.Finding) string {
	var parts []string
	own := true
	for _, d := range f.Differences {
		if d.What != finding.Warnings || len(d.Warned) == 0 {
			return ""
		}
		for _, w := range d.Warned {
			where := "in transactions"
			if w.More < 0 {
				where = "without transactions"
			}
			shape, ofOwn := messageShape(w.Message)
			own = own && ofOwn
			parts = append(parts, fmt.Sprintf("%s %d %s, %s", strings.ToLower(w.Level), w.Code, shape, where))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if own {
		return finding.CauseWarnedOfOwn + strings.Join(parts, "; ")
	}
	return finding.CauseWarned + strings.Join(parts, "; ")
}

// ownName is a name that begins with an underscore, as those do that a database gives to columns of its own: no column of a generated case is called so.
var ownName = regexp.MustCompile(`'(_[A-Za-z_]+)'`)

// messageShape is a warning's message without names and numbers, but with the database's own names; own says whether it has one.
func messageShape(message string) (shape string, own bool) {
	own = ownName.MatchString(message)
	return finding.NormalizeError(ownName.ReplaceAllString(message, "$1")), own
}
