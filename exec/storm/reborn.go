package storm

import (
	"slices"

	"txweave/gen/workload"
)

// bornKey is a key that a transaction has inserted.
type bornKey struct {
	table int
	key   int64
}

// reborn notes that the transaction has inserted a key, as a version.
func (t *tx) reborn(table int, key, version int64) {
	if t.born == nil {
		t.born = map[bornKey]int64{}
	}
	t.born[bornKey{table, key}] = version
}

// twice says whether a second row of a key is there because the transaction inserted one where its snapshot shows one
// that others have deleted (dbms.Mechanisms.KeysReborn), and keeps its own of the two: the last that its session wrote.
func (t *tx) twice(rows []workload.Row, r workload.Row) bool {
	if !t.bornSomewhere(r.Key) {
		return false
	}
	at := slices.IndexFunc(rows, func(o workload.Row) bool { return o.Key == r.Key })
	if old := rows[at].Version; t.ownVersion(r.Version) && (!t.ownVersion(old) || r.Version > old) {
		rows[at] = r
	}
	return true
}

func (t *tx) bornSomewhere(key int64) bool {
	for b := range t.born {
		if b.key == key {
			return true
		}
	}
	return false
}

// ownVersion says whether a version is one of the transaction's session.
func (t *tx) ownVersion(version int64) bool {
	sessions := int64(t.opt.Sinks())
	return version > 0 && version%sessions == (int64(t.id)+1)%sessions
}

// current leaves the rows of a table that a query has read as they are but for those of keys which the transaction has
// inserted: of such a key a row that is not its own is the one that others have deleted, alone in sight where the query
// has a condition that its own row does not meet.
func (t *tx) current(table int, rows []workload.Row) []workload.Row {
	return slices.DeleteFunc(rows, func(r workload.Row) bool {
		version, born := t.born[bornKey{table, r.Key}]
		return born && !(t.ownVersion(r.Version) && r.Version >= version)
	})
}
