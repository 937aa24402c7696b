package certificate

import (
	"context"

	"txweave/checker"
	"txweave/checker/polygraph"
	"txweave/dbms"
)

// partly judges a history of which the certificate knows the order of a part of the versions: what it knows is held,
// and the order of the rest is searched for (Clark et al., section 7: King Cobra's partial version order). lacks says
// what is missing. Searches and instants are not judged then, as which version is the next one is not known: a
// certificate that has such can still show that a history is invalid. Where rows are born again nothing is judged: a
// version that is not known may be a deletion, on which what comes after it does not depend.
func (k *judge) partly(ctx context.Context, lacks *checker.Verdict) checker.Verdict {
	if k.c.Reborn {
		return *lacks
	}
	order := make([][]int32, len(k.chains))
	for key, chain := range k.chains {
		if order[key] = chain; chain[0] == int32(key) { // that it is the first one is known
			order[key] = chain[1:]
		}
	}
	level := k.level
	if level == dbms.RR { // the same without searches
		level = dbms.SER
	}
	v := polygraph.CheckTraced(ctx, k.r, level, polygraph.Options{Options: k.opt}, order)
	v.Level = k.level
	if v.Outcome == checker.Valid && k.more() {
		return *lacks
	}
	return v
}

// more says whether the certificate has more than an order of versions.
func (k *judge) more() bool {
	return len(k.c.Predicates) > 0 || len(k.c.Times) > 0 || len(k.c.Snapshots) > 0
}
