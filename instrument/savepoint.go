package instrument

import "txweave/sqltext"

// Undone are the statements of a transaction, by position, that a ROLLBACK TO a savepoint undoes where none of its
// statements about savepoints fails.
func (p *Plan) Undone(txn int) map[int]bool {
	set := sqltext.Savepoints{Hide: p.Profile.SavepointsHide}
	undone := map[int]bool{}
	var done []int
	for i, b := range p.Txns[txn].Blocks {
		if !b.Info.Kind.IsSavepoint() {
			done = append(done, i)
			continue
		}
		s := sqltext.Read(b.SQL)
		left := set.Apply(&s, len(done))
		for _, u := range done[left:] {
			undone[u] = true
		}
		done = done[:left]
	}
	return undone
}
