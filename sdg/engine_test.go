package sdg

import (
	"fmt"
	"maps"
	"slices"

	"txweave/history"
	"txweave/sql/sqltext"
)

// mode is how the model engine isolates transactions.
type mode int

const (
	snapshotIsolation mode = iota // everything on the snapshot, the first updater wins
	repeatableDelay               // SELECT on the snapshot, DML on current rows; writers wait
	repeatableFail                // the same, but a row conflict aborts the transaction
	committedDelay                // every statement on what is committed; writers wait
	committedFail
	tableLocks // strict two-phase locking of tables
	rowLocks   // strict two-phase locking of matched rows: phantoms are possible
	modes
)

func (m mode) String() string {
	return [...]string{"SI", "RR-delay", "RR-fail", "RC-delay", "RC-fail", "2PL-table", "2PL-row"}[m]
}

// modelTxn is a transaction of a case; statements [save, back) are undone by ROLLBACK TO where save < back.
type modelTxn struct {
	stmts      []modelStmt
	rollback   bool
	save, back int
}

// modelCase is a case of the model: order names, step by step, the transaction to go on with.
type modelCase struct {
	mode   mode
	unique [modelTables]bool
	// contents says that UPDATEs give rows no version key of their own, so that versions are named by their contents.
	contents bool
	initial  db
	txns     []modelTxn
	order    []int
}

// executed is a statement that ran.
type executed struct {
	txn    int
	stmt   *modelStmt
	view   db // what it saw: the outcome of its version-set reads
	result *outcome
	undone bool
}

// session is the state of one transaction.
type session struct {
	txn     int
	pc      int
	waiting int // steps that came up while it was blocked
	blocked bool
	begun   bool
	over    bool
	ok      bool // committed
	snap    db
	buf     map[key]*row
	saved   map[key]*row
	shared  map[key]bool // rows locked for reading
	owned   map[key]bool // rows locked for writing
	tables  map[int]bool // tables locked, true for writing
	keys    map[key]bool // unique values (table, u) that its writes left or overwrote, undone ones included
	ran     []int        // indexes in engine.log
}

// engine runs a case.
type engine struct {
	c         *modelCase
	dropped   map[int]bool // statement ids that were removed
	committed db
	sessions  []*session
	log       []executed
	names     map[key]map[row]int64 // of versions that are contents
	waits     int
	deadlocks int
}

// runCase executes a case without the dropped statements.
func runCase(c *modelCase, dropped map[int]bool) *engine {
	e := &engine{c: c, dropped: dropped, committed: c.initial, names: map[key]map[row]int64{}}
	for i := range c.txns {
		e.sessions = append(e.sessions, &session{
			txn: i, buf: map[key]*row{}, shared: map[key]bool{}, owned: map[key]bool{}, tables: map[int]bool{},
			keys: map[key]bool{},
		})
	}
	for _, x := range c.order {
		s := e.sessions[x]
		if s.blocked {
			s.waiting++
			continue
		}
		e.step(s)
		e.wake()
	}
	for {
		k := slices.IndexFunc(e.sessions, func(s *session) bool { return s.blocked })
		if k < 0 {
			return e
		}
		e.deadlocks++
		e.end(e.sessions[k], false) // a deadlock: one of them goes
		e.wake()
	}
}

// wake lets blocked sessions go on for as long as any of them can.
func (e *engine) wake() {
	for again := true; again; {
		again = false
		for _, s := range e.sessions {
			if !s.blocked {
				continue
			}
			s.blocked = false
			e.step(s)
			for !s.blocked && s.waiting > 0 {
				s.waiting--
				e.step(s)
			}
			again = again || !s.blocked
		}
	}
}

// end commits a transaction or rolls it back.
func (e *engine) end(s *session, commit bool) {
	if commit {
		e.committed = e.committed.overlay(s.buf)
		e.checkKeys()
	}
	s.over, s.ok, s.blocked = true, commit, false
	s.buf, s.shared, s.owned, s.tables, s.keys = nil, nil, nil, nil, nil
}

// checkKeys guards the proof: a model that lets two rows have one unique value is wrong itself.
func (e *engine) checkKeys() {
	for t, rows := range e.committed {
		for i := range rows {
			for k := range i {
				if e.c.unique[t] && rows[i].c[2] == rows[k].c[2] {
					panic(fmt.Sprintf("the model engine committed two rows of %s with u = %d", modelNames[t], rows[i].c[2]))
				}
			}
		}
	}
}

// step runs the next statement of a session, or ends it.
func (e *engine) step(s *session) {
	t := &e.c.txns[s.txn]
	if s.over {
		return
	}
	if s.pc == len(t.stmts) {
		e.end(s, !t.rollback)
		return
	}
	if !s.begun {
		s.begun, s.snap = true, e.committed
	}
	if t.save < t.back && s.pc == t.save {
		s.saved = maps.Clone(s.buf)
	}
	st := &t.stmts[s.pc]
	if !e.dropped[st.id] {
		switch e.execute(s, st) {
		case "wait":
			s.blocked = true
			e.waits++
			return
		case "abort":
			e.end(s, false)
			return
		}
	}
	if s.pc++; t.save < t.back && s.pc == t.back {
		s.buf = s.saved
		for _, i := range s.ran {
			for k := t.save; k < t.back; k++ {
				if e.log[i].stmt == &t.stmts[k] {
					e.log[i].undone = true
				}
			}
		}
	}
}

// view returns what a statement of s sees.
func (e *engine) view(s *session, st *modelStmt) db {
	onSnapshot := e.c.mode == snapshotIsolation ||
		st.kind == sqltext.Select && (e.c.mode == repeatableDelay || e.c.mode == repeatableFail)
	if onSnapshot {
		return s.snap.overlay(s.buf)
	}
	return e.committed.overlay(s.buf)
}

// execute tries a statement; it returns "" if it ran, else "wait" or "abort".
func (e *engine) execute(s *session, st *modelStmt) string {
	if e.c.mode == tableLocks && !e.lockTables(s, st) {
		return "wait"
	}
	view := e.view(s, st)
	o := st.eval(&view, &e.c.unique)
	if e.conflict(s, st, o, &view) {
		switch e.c.mode {
		case snapshotIsolation, repeatableFail, committedFail:
			return "abort"
		}
		return "wait"
	}
	if e.c.mode == snapshotIsolation && e.stale(s, st, o) {
		return "abort"
	}
	for i := range o.writes {
		k := key{st.table, o.writes[i].pkey}
		s.buf[k] = o.writes[i].after
		s.owned[k] = true
		for _, r := range []*row{o.writes[i].before, o.writes[i].after} {
			if r != nil {
				s.keys[key{st.table, r.c[2]}] = true
			}
		}
	}
	if e.c.mode == rowLocks {
		for _, k := range o.locks {
			s.shared[k] = true
		}
	}
	s.ran = append(s.ran, len(e.log))
	e.log = append(e.log, executed{txn: s.txn, stmt: st, view: view, result: o})
	return ""
}

// lockTables takes table locks for a statement, or says that another session has them.
func (e *engine) lockTables(s *session, st *modelStmt) bool {
	want := map[int]bool{}
	for t, used := range st.reads(&e.c.unique) {
		if used != nil {
			want[t] = false
		}
	}
	if st.kind != sqltext.Select {
		want[st.table] = true
	}
	for t, exclusive := range want {
		for _, other := range e.sessions {
			if other == s || other.over {
				continue
			}
			if theirs, ok := other.tables[t]; ok && (theirs || exclusive) {
				return false
			}
		}
	}
	for t, exclusive := range want {
		s.tables[t] = s.tables[t] || exclusive
	}
	return true
}

// conflict says whether a row that the statement needs belongs to another running transaction.
func (e *engine) conflict(s *session, st *modelStmt, o *outcome, view *db) bool {
	for _, other := range e.sessions {
		if other == s || other.over {
			continue
		}
		for _, k := range o.locks {
			if st.kind != sqltext.Select && (other.owned[k] || other.shared[k]) {
				return true
			}
			if e.c.mode == rowLocks && other.owned[k] {
				return true
			}
		}
		if !e.c.unique[st.table] || st.kind == sqltext.Select || st.kind == sqltext.Delete {
			continue
		}
		if o.keyed && e.c.mode != snapshotIsolation {
			// The outcome stands on rows that another transaction may yet change.
			for k := range other.owned {
				if _, ok := view.find(st.table, k.pkey); ok && k.table == st.table {
					return true
				}
			}
		}
		for i := range o.writes {
			if r := o.writes[i].after; r != nil && other.keys[key{st.table, r.c[2]}] {
				return true
			}
		}
	}
	return false
}

// stale says whether a row that the statement writes, or a unique value that it takes, changed since the
// transaction's snapshot: the first updater wins.
func (e *engine) stale(s *session, st *modelStmt, o *outcome) bool {
	version := func(d *db, pkey int64) row {
		if i, ok := d.find(st.table, pkey); ok {
			return d[st.table][i]
		}
		return row{}
	}
	for i := range o.writes {
		if version(&s.snap, o.writes[i].pkey) != version(&e.committed, o.writes[i].pkey) {
			return true
		}
	}
	if !e.c.unique[st.table] || len(o.writes) == 0 {
		return false
	}
	now := e.committed.overlay(s.buf)
	return duplicate(now[st.table], o.writes)
}

// name names a version of a row.
func (e *engine) name(table int, r *row) int64 {
	if !e.c.contents {
		return r.vkey
	}
	k := key{table, r.pkey}
	if e.names[k] == nil {
		e.names[k] = map[row]int64{}
	}
	if _, known := e.names[k][*r]; !known {
		e.names[k][*r] = int64(len(e.names[k]) + 1)
	}
	return e.names[k][*r]
}

// emit returns what an instrumenter would know of a run: committed statements, in the order in which they
// ran, and the executed statements behind them.
func (e *engine) emit() (*Input, []*executed) {
	in := &Input{Initial: map[string]map[int64]int64{}}
	rows := map[history.Version]*row{}
	for t := range modelTables {
		m := map[int64]int64{}
		for i := range e.c.initial[t] {
			r := &e.c.initial[t][i]
			m[r.pkey] = e.name(t, r)
			rows[history.Version{Item: history.Item{Table: modelNames[t], PKey: r.pkey}, VKey: e.name(t, r)}] = r
		}
		in.Initial[modelNames[t]] = m
	}
	var nodes []*executed
	for i := range e.log {
		x := &e.log[i]
		if x.undone || !e.sessions[x.txn].ok {
			continue
		}
		nodes = append(nodes, x)
		in.Stmts = append(in.Stmts, x.node(e))
		for k := range x.result.writes {
			if r := x.result.writes[k].after; r != nil {
				rows[history.Version{Item: history.Item{Table: modelNames[x.stmt.table], PKey: r.pkey},
					VKey: e.name(x.stmt.table, r)}] = r
			}
		}
	}
	contents := map[history.Version]map[string]string{}
	in.Content = func(v history.Version) map[string]string {
		r := rows[v]
		if r == nil {
			return nil
		}
		if contents[v] == nil {
			contents[v] = r.content()
		}
		return contents[v]
	}
	in.Matches = func(i int, v history.Version) (bool, bool) {
		r := rows[v]
		if r == nil {
			return false, false
		}
		if in.Stmts[i].KeyTable != "" {
			return nodes[i].stmt.meets(r), true
		}
		return nodes[i].stmt.where.holds(r), true
	}
	return in, nodes
}

// printed are the versions that the statement printed: those that it saw of the rows that it printed.
func (x *executed) printed(e *engine) []history.Version {
	out := slices.Clone(x.result.out)
	for i, v := range out {
		t := slices.Index(modelNames[:], v.Table)
		if at, ok := x.view.find(t, v.PKey); ok {
			out[i].VKey = e.name(t, &x.view[t][at])
		}
	}
	return out
}

// node describes an executed statement for inference.
func (x *executed) node(e *engine) Node {
	unique := &e.c.unique
	s := Node{Name: name(x.txn, x.stmt), Txn: x.txn, Kind: x.stmt.kind, Out: x.printed(e),
		MatchTable: x.stmt.matchTable(unique), KeyTable: x.stmt.keyTable(unique), ValueDepends: x.stmt.valueDepends()}
	for t, used := range x.stmt.reads(unique) {
		if used == nil {
			continue
		}
		r := TableRead{Table: modelNames[t], Seen: make(map[int64]int64, len(x.view[t])),
			KeyCheck: x.stmt.onlyChecksKeys(t)}
		for i := range x.view[t] {
			r.Seen[x.view[t][i].pkey] = e.name(t, &x.view[t][i])
		}
		if !x.stmt.allCols {
			r.Columns = []string{}
			for c := range modelColumns {
				if used[c] {
					r.Columns = append(r.Columns, modelColumns[c])
				}
			}
		}
		s.Reads = append(s.Reads, r)
	}
	for i := range x.result.writes {
		w := &x.result.writes[i]
		from, to := history.Unborn, history.Dead
		if w.before != nil {
			from = history.State(e.name(x.stmt.table, w.before))
		}
		if w.after != nil {
			to = history.State(e.name(x.stmt.table, w.after))
		}
		s.Writes = append(s.Writes, history.Write{Item: history.Item{Table: modelNames[x.stmt.table], PKey: w.pkey},
			From: from, To: to})
	}
	return s
}

// replay runs the nodes in the given order without transactions; it returns the first node whose outcome
// is another than in the run, len(nodes) where only the final contents differ, -1 if all is equal.
func (e *engine) replay(nodes []*executed, order []int) int {
	d := e.c.initial
	for _, i := range order {
		st := nodes[i].stmt
		o := st.eval(&d, &e.c.unique)
		if !o.same(nodes[i].result) {
			return i
		}
		writes := make(map[key]*row, len(o.writes))
		for k := range o.writes {
			writes[key{st.table, o.writes[k].pkey}] = o.writes[k].after
		}
		d = d.overlay(writes)
	}
	for t := range d {
		if !slices.Equal(d[t], e.committed[t]) {
			return len(nodes)
		}
	}
	return -1
}
