// Package commits makes version certificates of a database's log of commits: transactions stand in it in
// the order in which they committed, with the rows that they wrote before and after. With strict two-phase locking, and
// wherever the first committer or updater wins, that is the order of the versions.
package commits

import (
	"fmt"
	"slices"

	"txweave/checker/certificate"
	"txweave/history"
	"txweave/history/register"
)

// Commit is one committed transaction.
type Commit struct {
	Number  uint64 // the transaction's own; 0 where the log does not say it
	Changes []Change
}

// Change is one row that a transaction wrote. Before is nil of an insert, After of a delete.
type Change struct {
	Database, Table string
	Before, After   []Field
	// Deletion is the version that a delete is, where its statement had a Mark and the log keeps statements.
	Deletion int64
	Marked   bool
}

// Field is a column of a row. Values that are neither integers nor strings are not known.
type Field struct {
	Value history.Value
	Known bool
}

// Layout says how rows of a table are keys of a history.
type Layout struct {
	Database, Table string
	Columns         []certificate.ColumnType
	Key, Version    int // columns, from 0: what names the row, and what was written
	// Name is the key's name in the history.
	Name func(key int64) string
}

// Issuer makes certificates of histories that were recorded on a server from its log. Its commits must be all since the
// tables were made.
type Issuer struct {
	Source string // which log that is
	Log    []Commit
	Tables []Layout
	// Snapshots are, by transaction of the history, its number and what it saw; nil: not known. A deletion that is not Marked
	// is then the one that the transaction of its commit's number made of the row: a negative version.
	Snapshots []history.Snapshot
	// Reborn: see certificate.Certificate.
	Reborn bool
}

// ContradictionError says that a row in the log replaced something else than what the commit before it left there: the
// order of the log is not that of the versions.
type ContradictionError struct {
	Source         string
	Commit         int // its place in the log, from 1
	Key            string
	Before, Latest int64 // versions; 0 may also be no row
}

func (e *ContradictionError) Error() string {
	return fmt.Sprintf("commit %d of the %s replaced version %d of %s, but the latest one was %d", e.Commit, e.Source, e.Before, e.Key, e.Latest)
}

// state is what the log has done up to a commit.
type state struct {
	c    *Issuer
	out  *certificate.Certificate
	keys map[string]int32
	// latest is by key: the row that is there.
	latest map[int32]latest
	listed map[int32]bool
	at     map[int32]int  // by key: its place among the versions of the commit at hand
	of     map[uint64]int // the transaction that has a number
	h      *register.History
}

type latest struct {
	version int64
	there   bool
}

// Certify implements certificate.Issuer: the version order, when each writer committed (by its place in the log), and
// the rows. There are no version sets in a log: searches are the recorder's to add. It gives a *ContradictionError where the
// log contradicts itself.
func (c *Issuer) Certify(h *register.History) (*certificate.Certificate, error) {
	s := &state{c: c, keys: map[string]int32{}, latest: map[int32]latest{}, listed: map[int32]bool{}, at: map[int32]int{}, of: map[uint64]int{}, h: h,
		out: &certificate.Certificate{Source: c.Source, Order: make([][]int64, h.Keys()), Times: make([]certificate.Times, len(h.Txns)), Snapshots: c.Snapshots, Reborn: c.Reborn}}
	for t := range c.Snapshots {
		if n := c.Snapshots[t].Own; n != 0 {
			s.of[n] = t
		}
	}
	for k := range int32(h.Keys()) {
		s.keys[h.KeyName(k)] = k
	}
	for _, l := range c.Tables {
		s.out.Tables = append(s.out.Tables, certificate.Relation{Name: l.Table, Columns: l.Columns, Rows: map[certificate.KeyVersion][]history.Value{}})
	}
	writers := writersOf(h)
	for at := range c.Log {
		order, err := s.commit(&c.Log[at], at+1)
		if err != nil {
			return nil, err
		}
		for _, v := range order {
			if h.HasInitialValue && v.Value == h.InitialValue && s.out.Order[v.Key] == nil {
				continue // how the table was filled
			}
			s.out.Order[v.Key] = append(s.out.Order[v.Key], v.Value)
			if t, ok := writers[v]; ok && t != h.Initial {
				s.out.Times[t].Commit = int64(at + 1)
			}
		}
	}
	return s.out, nil
}

// commit follows one transaction. It returns the versions that it left, in the order in which it first wrote their keys.
func (s *state) commit(commit *Commit, number int) ([]certificate.KeyVersion, error) {
	var order []certificate.KeyVersion
	clear(s.at)
	for i := range commit.Changes {
		change := &commit.Changes[i]
		table := slices.IndexFunc(s.c.Tables, func(l Layout) bool { return l.Table == change.Table && l.Database == change.Database })
		if table < 0 {
			continue
		}
		layout, t := &s.c.Tables[table], &s.out.Tables[table]
		version, err := s.version(layout, change, commit.Number)
		if err != nil {
			return nil, fmt.Errorf("%s: commit %d: %w", s.c.Source, number, err)
		}
		if version.Key < 0 {
			continue
		}
		if err := s.replace(layout, change, version, number); err != nil {
			return nil, err
		}
		if n, again := s.at[version.Key]; again {
			order[n] = version
		} else {
			s.at[version.Key] = len(order)
			order = append(order, version)
		}
		if !s.listed[version.Key] {
			s.listed[version.Key] = true
			t.Keys = append(t.Keys, version.Key)
		}
		if row, known := values(change.After); known {
			t.Rows[version] = row
		}
	}
	return order, nil
}

// replace holds the row before a change against the one that was there.
func (s *state) replace(l *Layout, c *Change, v certificate.KeyVersion, number int) error {
	old := s.latest[v.Key]
	var before latest
	if c.Before != nil {
		before = latest{c.Before[l.Version].Value.N, true}
	}
	if before != old {
		return &ContradictionError{s.c.Source, number, l.Name(l.image(c)[l.Key].Value.N), before.version, old.version}
	}
	s.latest[v.Key] = latest{v.Value, c.After != nil}
	if c.After == nil {
		s.latest[v.Key] = latest{}
	}
	return nil
}

// writersOf says which transaction wrote each version. One that aborted does not count where another one did.
func writersOf(h *register.History) map[certificate.KeyVersion]int {
	out := map[certificate.KeyVersion]int{}
	for t := range h.Txns {
		for _, op := range h.TxnOps(t) {
			v := certificate.KeyVersion{Key: op.Key, Value: op.Value}
			if old, again := out[v]; op.Kind == register.Write && (!again || h.Txns[old].Status == history.Aborted) {
				out[v] = t
			}
		}
	}
	return out
}

// image is the row that a change left, or the one that it deleted.
func (l *Layout) image(c *Change) []Field {
	if c.After == nil {
		return c.Before
	}
	return c.After
}

// version returns the version that a change made; its key is -1 where the history does not have it.
func (s *state) version(l *Layout, c *Change, number uint64) (certificate.KeyVersion, error) {
	for _, row := range [][]Field{c.Before, c.After} {
		switch {
		case row == nil:
		case len(row) != len(l.Columns):
			return certificate.KeyVersion{}, fmt.Errorf("a row of %s has %d columns, not %d (the log must have whole rows)", l.Table, len(row), len(l.Columns))
		case !row[l.Key].Known || row[l.Key].Value.Kind != history.Int || !row[l.Version].Known || row[l.Version].Value.Kind != history.Int:
			return certificate.KeyVersion{}, fmt.Errorf("a row of %s has no integer as key or version", l.Table)
		}
	}
	row := l.image(c)
	k, ok := s.keys[l.Name(row[l.Key].Value.N)]
	if !ok {
		return certificate.KeyVersion{Key: -1}, nil
	}
	if c.After != nil {
		return certificate.KeyVersion{Key: k, Value: row[l.Version].Value.N}, nil
	}
	if c.Marked {
		return certificate.KeyVersion{Key: k, Value: c.Deletion}, nil
	}
	t, known := s.of[number]
	if !known {
		return certificate.KeyVersion{}, fmt.Errorf("a row of %s was deleted by a statement that does not name the version", l.Table)
	}
	for _, op := range slices.Backward(s.h.TxnOps(t)) {
		if op.Kind == register.Write && op.Key == k && op.Value < 0 {
			return certificate.KeyVersion{Key: k, Value: op.Value}, nil
		}
	}
	return certificate.KeyVersion{}, fmt.Errorf("transaction %d deleted %s, but %s did not", number, l.Name(row[l.Key].Value.N), s.h.TxnName(t))
}

// values returns the columns of a row, nil of a deletion, and whether they are known.
func values(row []Field) (out []history.Value, known bool) {
	for _, f := range row {
		if !f.Known {
			return nil, false
		}
		out = append(out, f.Value)
	}
	return out, true
}
