package storm

import (
	"slices"

	"txweave/gen/workload"
)

// reborn notes that the transaction has inserted a key.
func (t *tx) reborn(key int64) {
	if t.born == nil {
		t.born = map[int64]bool{}
	}
	t.born[key] = true
}

// twice says whether a second row of a key is there because the transaction inserted one where its snapshot shows one that
// others have deleted (dbms.Mechanisms.KeysReborn), and keeps its own of the two: the last that its session wrote.
func (t *tx) twice(rows []workload.Row, r workload.Row) bool {
	if !t.born[r.Key] {
		return false
	}
	sessions := int64(t.opt.Sinks())
	own := func(version int64) bool { return version > 0 && version%sessions == (int64(t.id)+1)%sessions }
	at := slices.IndexFunc(rows, func(o workload.Row) bool { return o.Key == r.Key })
	if old := rows[at].Version; own(r.Version) && (!own(old) || r.Version > old) {
		rows[at] = r
	}
	return true
}
