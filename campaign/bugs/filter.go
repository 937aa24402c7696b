package bugs

import (
	"regexp"
	"slices"

	"txweave/finding"
	"txweave/internal/former"
	"txweave/internal/outcome"
	"txweave/internal/spelling"
)

// Filter says which bugs are wanted. Empty fields let everything through.
type Filter struct {
	Status, DBMS, Class, Label string
	Match                      string // regular expression for a signature, title or summary
}

// Any says whether anything is filtered.
func (f *Filter) Any() bool { return *f != Filter{} }

// Pick returns the bugs that are wanted.
func (f *Filter) Pick(all []*finding.Bug) ([]*finding.Bug, error) {
	states := []finding.Status{finding.StatusOpen, finding.StatusUnconfirmed, finding.StatusDuplicate,
		finding.StatusInvalid, finding.StatusFixed, finding.StatusUnreduced}
	status := former.Statuses.Now(f.Status)
	if status != "" && !slices.Contains(states, finding.Status(status)) {
		return nil, outcome.Misuse(spelling.NoneOf("--status", f.Status, "open", "unconfirmed", "duplicate", "invalid",
			"fixed", "unreduced"))
	}
	re, err := regexp.Compile(f.Match)
	if err != nil {
		return nil, outcome.Misusef("--match: %w", err)
	}
	out := []*finding.Bug{}
	for _, g := range all {
		if (status == "" || string(g.Shown()) == status) && (f.DBMS == "" || g.DBMS == f.DBMS) &&
			(f.Class == "" || g.Class == f.Class) &&
			(f.Label == "" || slices.Contains(g.Labels, f.Label)) &&
			(re.MatchString(g.Signature.String()) || re.MatchString(g.Summary) || re.MatchString(g.Title)) {
			out = append(out, g)
		}
	}
	return out, nil
}
