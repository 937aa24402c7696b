package replay

import (
	"txweave/finding"
	"txweave/finding/known"
	"txweave/finding/signature"
	"txweave/report/timeline"
)

// Known are the bugs of those that txweave comes with that a finding is one of, so that nobody files it again. Where
// its case is not reduced to the end, and none is sure, they are those that it may be.
func Known(find *timeline.Dossier) (of known.List, sure bool, err error) {
	if find.Case == nil || find.Record.Class == "" {
		return nil, false, nil
	}
	list, err := known.Default()
	if err != nil {
		return nil, false, err
	}
	list = list.In(&find.Record.Environment)
	sig := signature.Of(&find.Record.Finding, find.Case)
	sig.Minimal = find.Reduction != nil && find.Reduction.Stop == finding.Fixpoint
	if b := list.Match(&find.Record.Finding, sig); b != nil {
		return known.List{b}, true, nil
	}
	return list.MayBe(&find.Record.Finding, sig), false, nil
}
