package storm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
	clients "txweave/history/workload"
)

// recorder keeps what a session's transactions did to registers, and where they searched.
type recorder struct {
	txns     []recorded
	ops      []access1
	searches []RangeSearch
	said     []StatementNotes
	lists    [][]int64 // of reads of lists
	calls    []did
	first    int // of the open transaction
	firstS   int
	firstSt  int
	firstC   int
	locked   int64 // when its first write had been answered
}

// did is what a transaction said that it does to an object.
type did struct {
	object     int64
	statements int
	call       clients.Call
}

type recorded struct {
	id, start, end     int64
	locked, committing int64
	first, n           int
	firstS, nS         int
	firstSt, nSt       int
	stamps             exec.Stamps
	snapshot           history.Snapshot
	status             history.Outcome
}

// access1 is one access to a register; value is the payload that was written.
type access1 struct {
	key, version, value int64
	table               int32
	kind                register.Action
}

// RangeSearch is a statement, or a part of one, that looked for rows with a key from Lo to Hi that match Where.
type RangeSearch struct {
	At     int // it ran before the transaction's operation At
	Table  int
	Lo, Hi int64
	Where  string
	// Current says that it looked at current rows where plain reads look at a snapshot.
	Current bool
	Found   []int64 // keys
	// Statement is which of the transaction's statements of one snapshot it is, from 1 on; 0: none.
	Statement int
}

// StatementNotes is a query that read one snapshot, of its own, which later ones of its transaction do not share.
type StatementNotes struct {
	At, Ops    int   // its accesses: so many from the transaction's operation At on
	Start, End int64 // when it was sent and answered, in ns of the storm's clock
}

func (r *recorder) begin() {
	r.first, r.firstS, r.firstC, r.firstSt, r.locked = len(r.ops), len(r.searches), len(r.calls), len(r.said), 0
}

// accesses is how many the open transaction has.
func (r *recorder) accesses() int { return len(r.ops) - r.first }

// take forgets the last access.
func (r *recorder) take() {
	if len(r.ops) > r.first {
		r.ops = r.ops[:len(r.ops)-1]
	}
}

func (r *recorder) end(x recorded) {
	x.first, x.n, x.firstS, x.nS, x.locked = r.first, len(r.ops)-r.first, r.firstS, len(r.searches)-r.firstS, r.locked
	x.firstSt, x.nSt = r.firstSt, len(r.said)-r.firstSt
	r.txns = append(r.txns, x)
	for i := range r.calls[r.firstC:] {
		c := &r.calls[r.firstC+i].call
		c.Outcome, c.Start, c.End = x.status, x.start, x.end
		if x.status == history.Unknown {
			c.End = register.Forever
		}
		c.Begun, c.Told = register.Place{Index: -1, Time: x.start}, register.Place{Index: int32(x.id), Time: x.end}
	}
}

// note adds an access to the record, if one is kept.
func (t *tx) note(kind register.Action, table int, key, version, value int64) {
	if t.opt.Record && t.opt.Workload.Kind.Registers() {
		t.record.ops = append(t.record.ops, access1{key, version, value, int32(table), kind})
	}
}

// wrote notes a write, and when the database had answered it.
func (t *tx) wrote(table int, key, version, value, at int64) {
	t.note(register.Write, table, key, version, value)
	if t.record.locked == 0 {
		t.record.locked = at
	}
}

// alone says whether the query that was answered last read a snapshot of its own.
func (t *tx) alone(locking bool) bool {
	return t.opt.Statements && !locking && t.op.Kind == history.OpRead && t.op.Lock == history.LockNone
}

// said adds the query that was answered last to the record, if it read a snapshot of its own; its accesses are those
// from at on.
func (t *tx) said(at int, locking bool) {
	if t.alone(locking) {
		t.record.said = append(t.record.said, StatementNotes{At: at, Ops: t.record.accesses() - at, Start: t.op.Start,
			End: t.op.End})
	}
}

// searched adds a search to the record, where rows come and go: elsewhere there is nothing to find. It comes before the
// accesses to what it found.
func (t *tx) searched(table int, lo, hi int64, where string, locking bool, found ...int64) {
	if !t.opt.Record || t.opt.Workload.Kind != workload.Relational {
		return
	}
	p := t.profile
	s := RangeSearch{At: t.record.accesses(), Table: table, Lo: lo, Hi: hi, Where: where,
		Current: locking && p.ReadModes.SelectView != p.DMLView, Found: slices.Clone(found)}
	if t.alone(locking) { // it is about to be added
		s.Statement = len(t.record.said) - t.record.firstSt + 1
	}
	t.record.searches = append(t.record.searches, s)
}

// keysOf are the keys of rows.
func keysOf(rows []workload.Row) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = r.Key
	}
	return out
}

// see asks for the transaction's number and for what it sees: all of it where one snapshot is the transaction's, which
// one statement's is not.
func (t *tx) see() error {
	sql := t.conn.SnapshotQuery()
	a, _, _, err := t.send(t.ctx, plain(sql, true))
	if err != nil {
		return err
	}
	if a.Err != nil {
		return t.unexpected(sql, a)
	}
	own, text := a.Rows.Cell(0, 0), ""
	number, ok := own.Int64()
	if t.profile.SnapshotScope() == dbms.PerTransaction {
		text = a.Rows.Cell(0, 1).S
	}
	if t.snapshot, err = history.ParseSnapshot(uint64(number), text); err != nil || !ok && own.Kind != history.Null {
		return t.wrong(fault.WrongRow, sql, fmt.Sprintf("its number is %s, its snapshot %.200q", own, text))
	}
	return nil
}

// Recording is a storm as a history of registers, each row being one and versions being values. A deletion is a
// version, too, of a negative number.
type Recording struct {
	workload *workload.Workload
	sessions []*recorder
}

// TxnNotes is what is known of a transaction beside its operations, which the history has.
type TxnNotes struct {
	// Locked is when its first write had been answered and Committing when its COMMIT was sent, in ns of the storm's
	// clock; 0: never.
	Locked, Committing int64
	Stamps             exec.Stamps // of the database's clock, where it has one
	Snapshot           history.Snapshot
	Searches           []RangeSearch
	Statements         []StatementNotes
}

// RowVersion is a row as a version of it left it.
type RowVersion struct {
	workload.Row
	Table int
	Gone  bool // it is a deletion
}

// Clients returns what the transactions said that they did, object by object, in the order in which they ended. Reads
// of more than one statement are left out where whole is not set: what they find was never there at once.
func (r *Recording) Clients(whole bool) []*clients.Clients {
	calls := map[int64][]clients.Call{}
	for session, s := range r.sessions {
		for _, d := range s.calls {
			if !whole && d.call.Func == clients.Read && d.statements > 1 {
				continue
			}
			d.call.Process = int64(session)
			calls[d.object] = append(calls[d.object], d.call)
		}
	}
	var out []*clients.Clients
	for _, object := range slices.Sorted(maps.Keys(calls)) {
		ops := calls[object]
		slices.SortStableFunc(ops, func(a, b clients.Call) int { return cmp.Compare(a.End, b.End) })
		out = append(out, clients.New(ops, true, &register.Names{}))
	}
	return out
}

// Key is the name of a row in the history.
func (r *Recording) Key(table int, key int64) string {
	if len(r.workload.Tables) == 1 {
		return fmt.Sprint(key)
	}
	return fmt.Sprintf("%s:%d", r.workload.Tables[table].Name, key)
}

// initial says whether the history begins with a transaction that wrote the rows that are there at first.
func (r *Recording) initial() bool { return r.workload.Kind == workload.Relational }

// History builds the history. The rows that are there at first have version 0: every register holds 0 at first, or,
// where rows come and go, an initial transaction wrote it.
func (r *Recording) History() *register.History {
	txns, ops := 0, 0
	for _, s := range r.sessions {
		txns += len(s.txns)
		ops += len(s.ops)
	}
	b := register.NewBuilder(txns, ops)
	b.SetRealTime()
	key := func(table int, key int64) int32 {
		if len(r.workload.Tables) == 1 {
			return b.IntKey(key)
		}
		return b.Key(r.Key(table, key))
	}
	if r.initial() {
		b.BeginInitial()
		for i, t := range r.workload.Tables {
			for k := range t.Rows {
				b.Write(key(i, int64(k)), 0)
			}
		}
		b.End(history.Committed, 0, 0)
	} else if r.workload.Kind != workload.Lists {
		b.SetInitialValue(0)
	}
	for session, s := range r.sessions {
		for _, t := range s.txns {
			b.Begin(int64(session), t.id)
			for _, o := range s.ops[t.first : t.first+t.n] {
				if o.kind == register.ReadList {
					b.ReadList(key(int(o.table), o.key), s.lists[o.version])
					continue
				}
				b.Op(register.Op{Kind: o.kind, Key: key(int(o.table), o.key), Value: o.version, Nil: o.version == history.Absent})
			}
			b.End(t.status, t.start, t.end)
		}
	}
	return b.History()
}

// Txns returns what is known of each transaction of the history, in its order.
func (r *Recording) Txns() []TxnNotes {
	var out []TxnNotes
	if r.initial() {
		out = append(out, TxnNotes{})
	}
	for _, s := range r.sessions {
		for _, t := range s.txns {
			out = append(out, TxnNotes{Locked: t.locked, Committing: t.committing, Stamps: t.stamps, Snapshot: t.snapshot,
				Searches: s.searches[t.firstS : t.firstS+t.nS], Statements: s.said[t.firstSt : t.firstSt+t.nSt]})
		}
	}
	return out
}

// Rows calls add for every version that was there at first, or was written by a transaction that may have committed.
func (r *Recording) Rows(add func(RowVersion)) {
	for i, t := range r.workload.Tables {
		for k := range t.Rows {
			add(RowVersion{Row: workload.Row{Key: int64(k), Value: t.Initial}, Table: i})
		}
	}
	for _, s := range r.sessions {
		for _, t := range s.txns {
			for _, o := range s.ops[t.first : t.first+t.n] {
				if o.kind == register.Write && t.status != history.Aborted {
					add(RowVersion{workload.Row{Key: o.key, Version: o.version, Value: o.value}, int(o.table), o.version < 0})
				}
			}
		}
	}
}
