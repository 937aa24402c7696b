package cause

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"txweave/fault"
	"txweave/finding"
)

// warned is the cause of a finding whose executions differ in nothing but warnings: which codes, and which of the two
// has more of them. Whichever kind of statement is warned, that is one bug; another code, or the same one missing, is
// another. "" where anything else differs.
func warned(f *finding.Finding) finding.Cause {
	var parts []string
	own := true
	for _, d := range f.Differences {
		if d.What != fault.Warnings || len(d.Warned) == 0 {
			return finding.Cause{}
		}
		for _, w := range d.Warned {
			where := "in transactions"
			if w.More < 0 {
				where = "without transactions"
			}
			name := ""
			if m := ownName.FindStringSubmatch(w.Message); m != nil {
				name = m[1]
			}
			own = own && name != ""
			if name == "" && w.Code == unknownError {
				name = finding.NormalizeError(w.Message)
			}
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %d %s", strings.ToLower(w.Level), w.Code, name))+", "+where)
		}
	}
	if len(parts) == 0 {
		return finding.Cause{}
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if own {
		return finding.Cause{Kind: fault.WarnedOfOwn, Of: strings.Join(parts, "; ")}
	}
	return finding.Cause{Kind: fault.WarnedOtherwise, Of: strings.Join(parts, "; ")}
}

// ownName finds, in what is said of a field or a column, a name that begins with an underscore, as those do that a
// database gives to columns of its own: no column of a generated case is called so.
var ownName = regexp.MustCompile(`(?i)\b(?:field|column) ('_[A-Za-z0-9_$]+')`)

// unknownError is the code of warnings that have none of their own: what they say tells them
// apart.
const unknownError = 1105
