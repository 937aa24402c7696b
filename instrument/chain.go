package instrument

import (
	"slices"

	"txweave/sqltext"
)

// chain finds the transactions that AND CHAIN begins: the next one of the session, at the same level, that begins as it says. Where there is none
// the words are left out, since they would leave a transaction open.
func (p *Plan) chain() {
	for i := range p.Txns {
		t := &p.Txns[i]
		if b := t.After; b >= 0 && sqltext.Chains(p.Txns[b].End) {
			before := &p.Txns[b]
			t.Chained = t.Profile.Chained != "" && t.Profile == before.Profile && sqltext.Continues(before.Begin, t.Begin)
		}
	}
	for i := range p.Txns {
		if !slices.ContainsFunc(p.Txns, func(t TxnPlan) bool { return t.After == i && t.Chained }) {
			p.Txns[i].End = sqltext.Unchained(p.Txns[i].End)
		}
	}
}
