package storm

import (
	"slices"
	"time"

	"txweave/dbms"
	"txweave/gen/workload"
)

// Snapshots that are taken while a table is being changed, and read it when that is done: what a change leaves behind
// for those who began before its end, and after its beginning, is seldom met by chance.

const (
	// acrossShare: of transactions that begin while a table is being changed one in so many is across it.
	acrossShare = 3
	// acrossTime is how long such a transaction waits for the end of the change.
	acrossTime = 300 * time.Millisecond
)

// spans says that transactions keep snapshots which may be taken by reading another table, or the same one.
func (st *storm) spans() bool {
	w := st.opt.Workload
	return w.Kind == workload.Relational && !w.Together && len(w.Tables) > 1 && st.profile.SnapshotScope() ==
		dbms.PerTransaction
}

// changing notes that a table is being changed until the function that it returns is called.
func (st *storm) changing(table string) (done func()) {
	at := slices.IndexFunc(st.opt.Workload.Tables, func(t workload.TableSpec) bool { return t.Name == table })
	st.altered.Store(int32(at) + 1)
	return func() { st.altered.Store(0) }
}

// across is a transaction across the change of a table that is going on: its snapshot is taken by a read of another
// one; when the change has ended it reads all of the table. ok is false where nothing is being changed, or chance has
// it otherwise.
func (s *session) across() (program workload.Program, ok bool) {
	altered := s.altered.Load()
	if altered == 0 || !s.spans() || s.rng.IntN(acrossShare) > 0 {
		return nil, false
	}
	table, tables := int(altered)-1, len(s.opt.Workload.Tables)
	other, key := (table+1+s.rng.IntN(tables-1))%tables, int64(1+s.rng.IntN(8))
	return func(t workload.Tx) error {
		if _, _, err := t.Get(other, key, false); err != nil {
			return err
		}
		for until := s.now() + int64(acrossTime); s.altered.Load() == altered && s.now() < until && !s.stop.Load(); {
			time.Sleep(100 * time.Microsecond)
		}
		for range 2 { // what is read once more is the same
			if _, err := t.Scan(table, 0, maxKey, workload.Where{}, false); err != nil {
				return err
			}
		}
		return nil
	}, true
}
