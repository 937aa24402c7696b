package instrument

import (
	"fmt"
	"slices"

	"txweave/dbms"
	"txweave/sql/sqltext"
)

// level returns another level of the plan's DBMS, for a transaction of its own. It is held to what it promises itself,
// whatever is claimed of the case's.
func (p *Plan) level(isolation string) (*dbms.Profile, error) {
	own, err := dbms.Lookup(p.Profile.DBMS, isolation)
	if err != nil {
		return nil, err
	}
	if own.ReadModes.Observer != p.Profile.ReadModes.Observer ||
		own.ReadModes.MixedSubqueries != p.Profile.ReadModes.MixedSubqueries {
		return nil, fmt.Errorf("it runs at %s beside %s: on this database the reads that show what a statement saw are other "+
			"ones at each, and a case has one kind: give all transactions one level", own.Isolation, p.Profile.Isolation)
	}
	return own, nil
}

// Mixed says whether transactions of the case run at different levels.
func (p *Plan) Mixed() bool {
	return slices.ContainsFunc(p.Txns, func(t TxnPlan) bool { return t.Profile != p.Profile })
}

// NoReplay is the reason why the case cannot be replayed; "" if it can. Transactions that only read at a level without
// a replay are left out of it, those that write are not.
func (p *Plan) NoReplay() string {
	for i := range p.Txns {
		t := &p.Txns[i]
		if t.Profile.Guarantees.NoReplay != "" && (t.Profile == p.Profile || slices.ContainsFunc(t.Blocks,
			func(b *Block) bool {
				return b.Info.Kind.Writes() || b.Info.Kind == sqltext.Select && b.Info.Target != ""
			})) {
			return t.Profile.Guarantees.NoReplay
		}
	}
	return ""
}
