package storm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
)

// tx sends the statements of the session's open transaction: workload.Tx.
type tx struct {
	*session
	ctx context.Context
	// violations are conditions that what it has read breaks.
	violations []string
	born       map[bornKey]int64 // keys that it has inserted, where its snapshot may show another row of the key
}

func (t *tx) table(n int) string { return t.opt.Workload.Tables[n].Name }

func access(table int, key, version int64) history.Access {
	return history.Access{ItemID: history.ItemID{Table: int32(table), Key: key}, Version: version}
}

// holding is an access to a version whose payload is known.
func holding(table int, key, version, value int64) history.Access {
	a := access(table, key, version)
	a.Payload = history.PayloadOf(value)
	return a
}

// between is the condition of a statement on a range.
func between(lo, hi int64, where workload.Where) string {
	text := fmt.Sprintf("pkey BETWEEN %d AND %d", lo, hi)
	if lo == hi {
		text = fmt.Sprintf("pkey = %d", lo)
	}
	if where.SQL != "" {
		text += " AND (" + where.SQL + ")"
	}
	return text
}

// readLock is the lock that a query takes, and the clause that asks for it.
func (t *tx) readLock(lock bool) (history.LockIntent, string) {
	switch p := t.profile; {
	case lock && p.DMLView == dbms.Current:
		return history.LockExclusive, " FOR UPDATE"
	case p.LockingReads:
		return history.LockShared, ""
	}
	return history.LockNone, ""
}

// rangeLock is the lock that a query of a range takes. One that locks for reading may lock no more than entries of an
// index that holds all that it asks for; who asks for one key gets the row by it.
func (t *tx) rangeLock(table int, lock bool) (history.LockIntent, string) {
	intent, clause := t.readLock(lock)
	if intent == history.LockShared && t.profile.EntryLocks && t.covered[table] {
		intent = history.LockEntries
	}
	return intent, clause
}

// wrong notes an answer that cannot be right and gives the transaction up.
func (t *tx) wrong(what fault.Kind, sql, detail string) error {
	return t.contradicted(WrongAnswer{Class: finding.ClassInconsistent, What: what, Statement: sql, Detail: detail})
}

// contradicted is wrong of any class.
func (t *tx) contradicted(w WrongAnswer) error {
	w.Txn, w.Statement = t.txn, t.shortened(w.Statement)
	t.fault(w)
	t.failedAt = t.now()
	return errAborted
}

// Whole says whether the level gives a transaction's plain reads one snapshot, or has them lock what they see.
func (t *tx) Whole() bool {
	p := t.profile.Promise()
	return p.SnapshotScope() == dbms.PerTransaction || p.LockingReads
}

// Violates keeps what the transaction found wrong until it has committed: one that cannot may have read what never was.
func (t *tx) Violates(what string) { t.violations = append(t.violations, what) }

// tell notes what a committed transaction found wrong: the first of it, which the rest may follow from.
func (t *tx) tell() {
	if len(t.violations) > 0 {
		t.fault(WrongAnswer{Class: finding.ClassInconsistent, What: fault.ConditionBroken, Statement: "COMMIT",
			Detail: t.violations[0], Txn: t.txn})
	}
}

func (t *tx) unexpected(sql string, a history.Answer) error {
	return t.contradicted(WrongAnswer{Class: finding.ClassUnexpected, What: fault.UnexpectedError, Code: a.Err.Code,
		Statement: sql, Detail: a.Err.String()})
}

// read sends a query for rows with a key from lo to hi and notes what it saw.
func (t *tx) read(table int, lo, hi int64, where workload.Where, lock bool) ([]workload.Row, error) {
	intent, clause := t.readLock(lock)
	if lo < hi {
		intent, clause = t.rangeLock(table, lock)
	}
	text := ""
	if t.padded() && lo == hi {
		text = ", pad"
	}
	sql := fmt.Sprintf("SELECT pkey, vkey, v%s FROM %s WHERE %s%s", text, t.table(table), between(lo, hi, where), clause)
	return t.readAs(sql, table, lo, hi, where, intent)
}

// readAs is read with the text of its query.
func (t *tx) readAs(sql string, table int, lo, hi int64, where workload.Where, intent history.LockIntent) (
	[]workload.Row, error) {
	rows, _, start, end, err := t.query(&request{sql: sql, query: true, table: table, lo: lo, hi: hi,
		padded: t.padded() && lo == hi}, lo, hi)
	if err != nil {
		return nil, err
	}
	rows = t.current(table, rows)
	op := history.Operation{Kind: history.OpRead, Lock: intent, Start: start, End: end, Reads: t.op.Reads[:0],
		Ranges: t.op.Ranges[:0]}
	for _, r := range rows {
		op.Reads = append(op.Reads, holding(table, r.Key, r.Version, r.Value))
	}
	switch {
	case lo < hi || where.Means != nil:
		op.Ranges = append(op.Ranges, history.KeyRange{Table: int32(table), Lo: lo, Hi: hi, If: where.Means})
	case lo == hi && len(rows) == 0:
		// where hi < lo, as in tpcc's districts without an order, nothing was asked of any key
		op.Reads = append(op.Reads, access(table, lo, history.Absent))
	}
	return rows, t.emit(op)
}

// query sends a query for pkey, vkey, v, and maybe one more version, and checks what needs no history: each key once,
// between lo and hi. more holds that version of each row.
func (t *tx) query(q *request, lo, hi int64) (rows []workload.Row, more []int64, start, end int64, err error) {
	a, start, end, err := t.send(t.ctx, q)
	if err != nil {
		return nil, nil, 0, 0, err
	}
	if a.Err != nil {
		return nil, nil, 0, 0, t.unexpected(q.sql, a)
	}
	if q.padded {
		if a, err = t.unpadded(a, q.sql); err != nil {
			return nil, nil, 0, 0, err
		}
	}
	rows, more, err = t.rows(a, q.sql, lo, hi)
	return rows, more, start, end, err
}

// rows reads the answer to such a query.
func (t *tx) rows(a history.Answer, sql string, lo, hi int64) (rows []workload.Row, more []int64, err error) {
	rows = make([]workload.Row, 0, a.Rows.Len())
	var seen map[int64]bool
	if a.Rows.Len() > 1 {
		seen = make(map[int64]bool, a.Rows.Len())
	}
	for i := range a.Rows.Len() {
		cells := a.Rows.Row(i)
		var n [4]int64
		ok := len(cells) <= len(n)
		for j := 0; j < len(cells) && ok; j++ {
			n[j], ok = cells[j].Int64()
		}
		key := n[0]
		switch {
		case !ok || key < lo || key > hi:
			return nil, nil, t.wrong(fault.WrongRow, sql, fmt.Sprintf("row %d is %v", i, cells))
		case seen[key] && t.twice(rows, workload.Row{Key: key, Version: n[1], Value: n[2]}):
			continue
		case seen[key]:
			return nil, nil, t.wrong(fault.RowTwice, sql, fmt.Sprintf("key %d is there twice", key))
		}
		if seen != nil {
			seen[key] = true
		}
		rows = append(rows, workload.Row{Key: key, Version: n[1], Value: n[2]})
		if len(cells) == len(n) {
			more = append(more, n[3])
		}
	}
	return rows, more, nil
}

func (t *tx) Get(table int, key int64, lock bool) (workload.Row, bool, error) {
	rows, err := t.read(table, key, key, workload.Where{}, lock)
	if err != nil {
		return workload.Row{}, false, err
	}
	at := t.record.accesses()
	defer func() { t.said(at, lock) }()
	switch {
	case len(rows) > 0:
		t.note(register.Read, table, key, rows[0].Version, 0)
		return rows[0], true, nil
	case t.opt.Workload.Kind == workload.Relational: // of which absence it was no version tells
		t.searched(table, key, key, "", lock)
	default:
		t.note(register.Read, table, key, history.Absent, 0)
	}
	return workload.Row{}, false, nil
}

func (t *tx) Scan(table int, lo, hi int64, where workload.Where, lock bool) ([]workload.Row, error) {
	rows, err := t.read(table, lo, hi, where, lock)
	if err != nil {
		return nil, err
	}
	at := t.record.accesses()
	t.searched(table, lo, hi, where.SQL, lock, keysOf(rows)...)
	if t.opt.Workload.Kind != workload.CompareAndSet { // whose transactions have one operation
		for _, r := range rows {
			t.note(register.Read, table, r.Key, r.Version, 0)
		}
	}
	t.said(at, lock)
	return rows, nil
}

// scanIndex reads a whole table over the index beside its key, which has all columns that are asked for, and then once
// more by rows.
func (t *tx) scanIndex(table int) error {
	intent, _ := t.rangeLock(table, false)
	for _, sql := range []string{"SELECT pkey, vkey, v FROM %s WHERE v >= %d",
		"SELECT pkey, vkey, v, pvkey FROM %s WHERE pvkey >= %d"} {
		if _, err := t.readAs(fmt.Sprintf(sql, t.table(table), math.MinInt64+1), table, 0, maxKey, workload.Where{},
			intent); err != nil {
			return err
		}
	}
	return nil
}

// write sends DML on one row; wrote is the version that it leaves and overwrote the one that it replaced, if it affects
// the row. number is what the history calls the version.
func (t *tx) write(sql string, wrote history.Access, number int64, overwrote, missing []history.Access) (bool, error) {
	table, key := int(wrote.Table), wrote.Key
	a, start, end, err := t.send(t.ctx, &request{sql: sql, act: writes, table: table, lo: key, hi: key})
	if err != nil {
		return false, err
	}
	if a.Err != nil {
		if t.opt.Workload.Made != nil { // rows of another table may refer to this one
			return false, t.failed(true, sql, a, start, end)
		}
		return false, t.unexpected(sql, a)
	}
	op := history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive, Start: start, End: end}
	switch a.Affected {
	case 0:
		op.Reads = missing
		t.searched(table, key, key, "", true)
	case 1:
		op.Reads, op.Writes = overwrote, []history.Access{wrote}
		value, _ := wrote.Payload.Value()
		t.searched(table, key, key, "", true, key)
		t.wrote(table, key, number, value, end)
	default:
		return false, t.wrong(fault.Affected, sql, fmt.Sprintf("%d rows affected", a.Affected))
	}
	return a.Affected == 1, t.emit(op)
}

// next returns a version that no write has left yet.
func (t *tx) next() int64 {
	t.version = t.unique(t.version)
	return t.version
}

func (t *tx) Put(table int, key, value int64) (bool, error) {
	n := t.next()
	sql := fmt.Sprintf("UPDATE %s SET vkey = %d, v = %d%s WHERE pkey = %d", t.table(table), n, value, t.assign(n), key)
	return t.write(sql, holding(table, key, n, value), n, nil, []history.Access{access(table, key, history.Absent)})
}

func (t *tx) Delete(table int, key int64) (bool, error) {
	n := -t.next()
	sql := fmt.Sprintf("DELETE FROM %s WHERE pkey = %d", t.table(table), key)
	if t.opt.Mark != nil {
		sql += t.opt.Mark(n)
	}
	gone := access(table, key, history.Absent)
	return t.write(sql, gone, n, nil, []history.Access{gone})
}

func (t *tx) CompareAndSet(table int, key, version, value int64) (bool, error) {
	n := t.next()
	sql := fmt.Sprintf("UPDATE %s SET vkey = %d, v = %d%s WHERE pkey = %d AND vkey = %d", t.table(table), n, value,
		t.assign(n), key, version)
	t.note(register.Read, table, key, version, 0)
	set, err := t.write(sql, holding(table, key, n, value), n, []history.Access{access(table, key, version)}, nil)
	if err != nil || !set {
		t.record.take()
	}
	if err == nil && !set {
		t.note(register.NotEqual, table, key, version, 0)
	}
	return set, err
}

// Insert takes a duplicate key, the one error that its statement and data can give, for an answer.
func (t *tx) Insert(table int, key, value int64) (bool, error) {
	n := t.next()
	w := t.opt.Workload
	sql := fmt.Sprintf("INSERT INTO %s (pkey, vkey, v%s) VALUES (%d, %d, %d%s)", t.table(table), padNames(w),
		key, n, value,
		padValue(w, n))
	a, start, end, err := t.send(t.ctx, &request{sql: sql, act: writes, table: table, lo: key, hi: key})
	if err != nil {
		return false, err
	}
	op := history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive, Start: start, End: end}
	switch {
	case a.Err != nil && !slices.Contains(t.profile.Errors.Duplicate, a.Err.Code):
		return false, t.unexpected(sql, a)
	case a.Err != nil:
		op.Outcome = history.OpFailed
		t.searched(table, key, key, "", true, key)
		if t.opt.Workload.Kind == workload.CompareAndSet { // a compare with nothing
			t.note(register.NotEqual, table, key, history.Absent, 0)
		}
		return false, t.emit(op)
	case a.Affected != 1:
		return false, t.wrong(fault.Affected, sql, fmt.Sprintf("%d rows affected", a.Affected))
	}
	op.Writes = []history.Access{holding(table, key, n, value)}
	if t.profile.KeysReborn { // that there was no row says the index, not the snapshot
		t.reborn(table, key, n)
	} else {
		op.Reads = []history.Access{access(table, key, history.Absent)}
		t.searched(table, key, key, "", true)
	}
	if t.opt.Workload.Kind == workload.CompareAndSet {
		t.note(register.Read, table, key, history.Absent, 0)
	}
	t.wrote(table, key, n, value, end)
	return true, t.emit(op)
}

// PutRange learns which rows it wrote, and over which versions, from a read after it, by the version that they all got:
// a read of rows that only it can see, and that it has locked.
func (t *tx) PutRange(table int, lo, hi int64, where workload.Where, add int64) (int, error) {
	n := t.next()
	sql := fmt.Sprintf("UPDATE %s SET pvkey = vkey, vkey = %d, v = v + %d%s WHERE %s", t.table(table), n, add, t.assign(n),
		between(lo, hi, where))
	a, start, end, err := t.send(t.ctx, &request{sql: sql, act: writes, table: table, lo: lo, hi: hi})
	if err != nil {
		return 0, err
	}
	if a.Err != nil {
		return 0, t.unexpected(sql, a)
	}
	op := history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive, Start: start, End: end,
		Ranges: []history.KeyRange{{Table: int32(table), Lo: lo, Hi: hi, If: where.Means}}}
	if a.Affected == 0 {
		t.searched(table, lo, hi, where.SQL, true)
		return 0, t.emit(op)
	}
	after := fmt.Sprintf("SELECT pkey, vkey, v, pvkey FROM %s WHERE %s AND vkey = %d", t.table(table),
		between(lo, hi, workload.Where{}), n)
	t.held = true
	rows, replaced, readStart, readEnd, err := t.query(plain(after, true), lo, hi)
	t.held = false
	if err != nil {
		return 0, err
	}
	t.searched(table, lo, hi, where.SQL, true, keysOf(rows)...)
	for i, r := range rows {
		old := access(table, r.Key, replaced[i])
		old.Payload = history.PayloadOf(r.Value - add)
		op.Reads = append(op.Reads, old)
		op.Writes = append(op.Writes, holding(table, r.Key, n, r.Value))
		t.wrote(table, r.Key, n, r.Value, end)
	}
	if err := t.emit(op); err != nil {
		return 0, err
	}
	if int64(len(rows)) != a.Affected {
		return 0, t.wrong(fault.Affected, sql, fmt.Sprintf("%d rows affected, and then %d have its version", a.Affected,
			len(rows)))
	}
	intent, _ := t.readLock(false)
	return len(rows), t.emit(history.Operation{Kind: history.OpRead, Lock: intent, Start: readStart, End: readEnd,
		Reads: op.Writes})
}
