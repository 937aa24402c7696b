package mechanism

import (
	"slices"

	"txweave/dbms"
)

// certified says whether the certifier lets a transaction commit.
func (m *model) certified(t *modelTxn) bool {
	ok := true
	switch m.promise.Certifier {
	case dbms.OCC:
		if len(t.order) > 0 {
			for k, at := range t.reads {
				ok = ok && m.latest(k).at == at
			}
			for _, p := range t.passed {
				for _, v := range m.chain[p.key] {
					ok = ok && (v.at <= p.at || !meets(p.cond, v.value))
				}
			}
		}
	case dbms.OCCWrites, dbms.Percolator:
		for _, k := range t.order {
			ok = ok && m.latest(k).at <= t.snapshot
		}
	case dbms.SSI:
		ok = !m.dangerous(t)
	}
	if !ok && m.bug == noCertifier && m.hit() {
		m.shown++
		return true
	}
	return ok
}

// dangerous says whether committing t would leave a dangerous structure among the committed.
func (m *model) dangerous(t *modelTxn) bool {
	t.commitAt = m.commits + 1
	all := append(slices.Clone(m.finished), t)
	anti := func(a, b *modelTxn) bool { // a read what b overwrote
		for k, at := range a.reads {
			if _, wrote := b.writes[k]; wrote && a != b && b.commitAt > at && a.snapshot < b.commitAt &&
				b.snapshot < a.commitAt {
				return true
			}
		}
		for _, p := range a.passed {
			if value, wrote := b.writes[p.key]; wrote && a != b && b.commitAt > p.at && a.snapshot < b.commitAt &&
				b.snapshot < a.commitAt &&
				meets(p.cond, value) != meets(p.cond, m.visible(p.key, b.commitAt-1).value) {
				return true
			}
		}
		return false
	}
	for _, a := range all {
		for _, b := range all {
			if !anti(a, b) {
				continue
			}
			for _, c := range all {
				if (a == t || b == t || c == t) && anti(b, c) && c != a && c.commitAt <= a.commitAt && c.commitAt <= b.commitAt {
					return true
				}
			}
			if a == t && anti(b, t) || b == t && anti(t, a) {
				return true
			}
		}
	}
	return false
}
