package replay

import (
	"txweave/finding"
	"txweave/finding/known"
	"txweave/finding/signature"
	"txweave/report/timeline"
)

// Known is the bug of those that txweave comes with that a finding is, so that nobody files it again; nil if it is
// none.
func Known(find *timeline.Dossier) (*known.Entry, error) {
	if find.Case == nil || find.Record.Class == "" {
		return nil, nil
	}
	list, err := known.Default()
	if err != nil {
		return nil, err
	}
	sig := signature.Of(&find.Record.Finding, find.Case)
	sig.Minimal = find.Reduction != nil && find.Reduction.Stop == finding.Fixpoint
	return list.In(&find.Record.Environment).Match(&find.Record.Finding, sig), nil
}
