// Package commits makes version certificates of a database's log of commits: transactions stand in it in
// the order in which they committed, with the rows that they wrote before and after. With strict two-phase locking, and
// wherever the first committer or updater wins, that is the order of the versions.
package commits

import (
	"context"
	"fmt"
	"net"
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
	Table         string
	Before, After []Field
	// Deletion is the version that a delete is, where its statement had a Mark and the log keeps statements.
	Deletion int64
	Marked   bool
}

// Field is a column of a row. Values that are neither integers nor strings are not known.
type Field struct {
	Value history.Value
	Known bool
}

// ServerLog is a server's log of what committed: how it is kept, and how it is read.
type ServerLog struct {
	// Source is what certificates from it name as theirs.
	Source string
	// Mark is what a DELETE says of the version that the deletion is, as the log does not; nil: it does not have to, since
	// a commit has its transaction's number, and each transaction says whom it sees (Issuer.Snapshots).
	Mark func(version int64) string
	// Keep has the log kept from now on, and returns where that is in it. It gives an *UnreadableError where the server
	// keeps none, or not for whoever asks. The connection may be of no more use.
	Keep func(context.Context, Connection) (from string, err error)
	// Whole has it hold the rows of tables as they were before each change; nil: it does.
	Whole func(ctx context.Context, s certificate.Querier, tables ...string) error
	// Read returns what committed from there on and changed tables that have a layout, in the database that the connection
	// is in. What has been read need not be there a second time, and the connection may be of no more use.
	Read func(ctx context.Context, s Connection, from string, layouts []Layout) ([]Commit, error)
}

// Connection is one in autocommit to the server whose log it is.
type Connection interface {
	certificate.Querier
	// Wire is what the connection's bytes go over, for requests that its driver does not know; nil where they are
	// encrypted or compressed, or there is none.
	Wire() net.Conn
}

// UnreadableError says why a server's log cannot be read.
type UnreadableError struct{ Source, Why string }

func (e *UnreadableError) Error() string { return e.Source + ": " + e.Why }

// Layout says how rows of a table are keys of a history.
type Layout struct {
	Table        string
	Columns      []certificate.ColumnType
	Key, Version int // columns, from 0: what names the row, and what was written
	// Name is the key's name in the history.
	Name func(key int64) string
}

// Issuer makes certificates of histories that were recorded on a server from its log. Its commits must be all since the
// tables were made.
type Issuer struct {
	Source string // which log that is
	Log    []Commit
	Tables []Layout
	// Snapshots are, by transaction of the history, its number and what it saw; nil: not known. A deletion that is not
	// Marked is then the one that the transaction of its commit's number made of the row: a negative version.
	Snapshots []history.Snapshot
	// Reborn: see certificate.Certificate.
	Reborn bool
}

// ContradictionError says what in a log contradicts the commits before it, or what transactions told of themselves: a
// row that replaced something else than what was there, so that the order of the log is not that of the versions, or a
// commit that is not all of what its transaction wrote.
type ContradictionError struct {
	Source string
	Commit int // its place in the log, from 1
	Key    string
	What   string
}

func (e *ContradictionError) Error() string {
	return fmt.Sprintf("commit %d of the %s %s", e.Commit, e.Source, e.What)
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
	gone   map[int32]int  // by key: how often the commit at hand has deleted its row so far
	of     map[uint64]int // the transaction that has a number
	h      *register.History
	// writers says who wrote each version.
	writers map[certificate.KeyVersion]int
	number  int // of the commit at hand, from 1
}

// latest is the row of a key as the log has left it; nil: there is none.
type latest []Field

// Certify implements certificate.Issuer: the version order, when each writer committed (by its place in the log), and
// the rows. There are no version sets in a log: searches are the recorder's to add. It gives a *ContradictionError
// where the log contradicts itself.
func (c *Issuer) Certify(h *register.History) (*certificate.Certificate, error) {
	s := &state{c: c, keys: map[string]int32{}, latest: map[int32]latest{}, listed: map[int32]bool{}, at: map[int32]int{},
		gone: map[int32]int{}, of: map[uint64]int{}, h: h, writers: writersOf(h),
		out: &certificate.Certificate{Source: c.Source, Order: make([][]int64, h.Keys()), Times: make([]certificate.Times,
			len(h.Txns)), Snapshots: c.Snapshots, Reborn: c.Reborn}}
	for t := range c.Snapshots {
		if n := c.Snapshots[t].Own; n != 0 {
			s.of[n] = t
		}
	}
	for k := range int32(h.Keys()) {
		s.keys[h.KeyName(k)] = k
	}
	for _, l := range c.Tables {
		s.out.Tables = append(s.out.Tables, certificate.Relation{Name: l.Table, Columns: l.Columns,
			Rows: map[certificate.KeyVersion][]history.Value{}})
	}
	for at := range c.Log {
		s.number = at + 1
		order, err := s.commit(&c.Log[at])
		if err == nil {
			err = s.whole(&c.Log[at], order)
		}
		if err != nil {
			return nil, err
		}
		for _, v := range order {
			if h.HasInitialValue && v.Value == h.InitialValue && s.out.Order[v.Key] == nil {
				continue // how the table was filled
			}
			s.out.Order[v.Key] = append(s.out.Order[v.Key], v.Value)
			if t, ok := s.writers[v]; ok && t != h.Initial {
				s.out.Times[t].Commit = int64(at + 1)
			}
		}
	}
	return s.out, nil
}

// commit follows one transaction. It returns the versions that it left, in the order in which it first wrote their
// keys.
func (s *state) commit(commit *Commit) (order []certificate.KeyVersion, err error) {
	defer func() {
		for _, v := range order { // to clear the maps would cost as much as they have ever held
			delete(s.at, v.Key)
			delete(s.gone, v.Key)
		}
	}()
	for i := range commit.Changes {
		change := &commit.Changes[i]
		table := slices.IndexFunc(s.c.Tables, func(l Layout) bool {
			return l.Table == change.Table
		})
		if table < 0 {
			continue
		}
		layout, t := &s.c.Tables[table], &s.out.Tables[table]
		version, err := s.version(layout, change, commit.Number)
		if err != nil {
			return order, fmt.Errorf("%s: commit %d: %w", s.c.Source, s.number, err)
		}
		if version.Key < 0 {
			continue
		}
		if err := s.replace(layout, change, version.Key); err != nil {
			return order, err
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

// contradiction is one of the commit at hand.
func (s *state) contradiction(key string, format string, args ...any) error {
	return &ContradictionError{s.c.Source, s.number, key, fmt.Sprintf(format, args...)}
}

// replace holds the row before a change against the one that was there.
func (s *state) replace(l *Layout, c *Change, key int32) error {
	old, name := s.latest[key], l.Name(l.image(c)[l.Key].Value.N)
	switch {
	case c.Before == nil && old == nil:
	case c.Before == nil:
		return s.contradiction(name, "inserted %s, but version %d of it was there", name, old[l.Version].Value.N)
	case old == nil:
		return s.contradiction(name, "replaced version %d of %s, but no row of it was there",
			c.Before[l.Version].Value.N, name)
	case c.Before[l.Version].Value != old[l.Version].Value:
		return s.contradiction(name, "replaced version %d of %s, but the latest one was %d", c.Before[l.Version].Value.N,
			name, old[l.Version].Value.N)
	}
	for i := range old {
		if c.Before[i].Known && old[i].Known && c.Before[i].Value != old[i].Value {
			return s.contradiction(name, "replaced version %d of %s with %s = %s, but it was left with %s",
				old[l.Version].Value.N, name,
				l.Columns[i].Name, c.Before[i].Value, old[i].Value)
		}
	}
	s.latest[key] = c.After
	return nil
}

// whole holds a commit against the transaction whose number it has: it has all that the transaction wrote, and nothing
// else.
func (s *state) whole(commit *Commit, order []certificate.KeyVersion) error {
	if commit.Number == 0 || s.c.Snapshots == nil {
		return nil
	}
	t, known := s.of[commit.Number]
	for _, v := range order {
		switch by, wrote := s.writers[v]; {
		case known && by == t && wrote, !wrote, by == s.h.Initial:
		default:
			name := s.h.KeyName(v.Key)
			return s.contradiction(name, "is transaction %d, but has version %d of %s, which %s wrote", commit.Number, v.Value,
				name, s.h.TxnName(by))
		}
	}
	if !known {
		return nil
	}
	if s.out.Times[t].Commit != 0 {
		return s.contradiction("", "is transaction %d, which %s is, and which has committed before", commit.Number,
			s.h.TxnName(t))
	}
	has := make(map[int32]int64, len(order))
	for _, v := range order {
		has[v.Key] = v.Value
	}
	last := map[int32]int64{}
	for _, op := range s.h.TxnOps(t) {
		if op.Kind == register.Write {
			last[op.Key] = op.Value
		}
	}
	for _, op := range s.h.TxnOps(t) { // in its order, so that the same key is named each time
		if value, there := has[op.Key]; op.Kind == register.Write && (!there || value != last[op.Key]) {
			name := s.h.KeyName(op.Key)
			return s.contradiction(name, "is transaction %d, but lacks version %d of %s, which %s wrote", commit.Number,
				last[op.Key], name, s.h.TxnName(t))
		}
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
			return certificate.KeyVersion{}, fmt.Errorf("a row of %s has %d columns, not %d (the log must have whole rows)",
				l.Table, len(row), len(l.Columns))
		case !row[l.Key].Known || row[l.Key].Value.Kind != history.Int || !row[l.Version].Known ||
			row[l.Version].Value.Kind != history.Int:
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
	value, err := s.deletion(l, k, row[l.Key].Value.N, number)
	return certificate.KeyVersion{Key: k, Value: value}, err
}

// deletion returns the version that a deletion is which its transaction's commit does not name: the n-th of a key is
// the n-th negative version that the transaction wrote of it.
func (s *state) deletion(l *Layout, key int32, pkey int64, number uint64) (int64, error) {
	t, known := s.of[number]
	switch {
	case number == 0 || s.c.Snapshots == nil:
		return 0, fmt.Errorf("a row of %s was deleted by a statement that does not name the version", l.Table)
	case !known:
		return 0, s.contradiction(l.Name(pkey), "deleted %s, but no transaction has its number %d", l.Name(pkey), number)
	}
	n := s.gone[key]
	s.gone[key]++
	for _, op := range s.h.TxnOps(t) {
		if op.Kind != register.Write || op.Key != key || op.Value >= 0 {
			continue
		}
		if n == 0 {
			return op.Value, nil
		}
		n--
	}
	return 0, s.contradiction(l.Name(pkey), "is transaction %d, which %s is, and deleted %s once more than that did",
		number, s.h.TxnName(t), l.Name(pkey))
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
