package instrument

import (
	"slices"

	"txweave/sql/control"
)

// chain finds the transactions that AND CHAIN begins: the next one of the session, at the same level, that begins as it
// says. Where there is none the words are left out, since they would leave a transaction open.
func (p *Plan) chain() {
	for i := range p.Txns {
		t := &p.Txns[i]
		if b := t.After; b >= 0 && p.Profile.Read(p.Txns[b].End).Chains() {
			before := &p.Txns[b]
			t.Chained = t.Profile.Transactions.Chained != "" && t.Profile == before.Profile &&
				control.Continues(p.Profile.Read(before.Begin),
					p.Profile.Read(t.Begin))
		}
	}
	for i := range p.Txns {
		if !slices.ContainsFunc(p.Txns, func(t TxnPlan) bool { return t.After == i && t.Chained }) {
			p.Txns[i].End = p.Profile.Read(p.Txns[i].End).Unchained()
		}
	}
}
