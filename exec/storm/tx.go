package storm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"txweave/exec"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
	"txweave/profile"
)

// tx sends the statements of the session's open transaction: workload.Tx.
type tx struct {
	*session
	ctx context.Context
}

func (t *tx) table(n int) string { return t.opt.Workload.Tables[n].Name }

func access(table int, key, version int64) history.Access {
	return history.Access{Item: history.Item{Table: int32(table), Key: key}, Version: version}
}

// readLock is the lock that a query takes, and the clause that asks for it.
func (t *tx) readLock(lock bool) (history.LockIntent, string) {
	switch p := t.profile; {
	case lock && p.DMLView == profile.Current:
		return history.LockExclusive, " FOR UPDATE"
	case p.Serializable && p.SelectView == profile.Current:
		return history.LockShared, ""
	}
	return history.LockNone, ""
}

// wrong notes an answer that cannot be right and gives the transaction up.
func (t *tx) wrong(what, sql, detail string) error {
	t.fault(Fault{What: what, Statement: sql, Detail: detail, Txn: t.txn})
	t.failedAt = t.now()
	return errAborted
}

func (t *tx) unexpected(sql string, a exec.Answer) error {
	return t.wrong(fmt.Sprintf("unexpected-error/%d", a.Err.Code), sql, a.Err.String())
}

// read sends a query for rows with a key from lo to hi and notes what it saw.
func (t *tx) read(table int, lo, hi int64, where string, lock bool) ([]workload.Row, error) {
	var b strings.Builder
	if lo == hi {
		fmt.Fprintf(&b, "SELECT pkey, vkey, v FROM %s WHERE pkey = %d", t.table(table), lo)
	} else {
		fmt.Fprintf(&b, "SELECT pkey, vkey, v FROM %s WHERE pkey BETWEEN %d AND %d", t.table(table), lo, hi)
	}
	if where != "" {
		b.WriteString(" AND (" + where + ")")
	}
	intent, clause := t.readLock(lock)
	sql := b.String() + clause
	rows, start, end, err := t.query(sql, lo, hi)
	if err != nil {
		return nil, err
	}
	op := history.Operation{Kind: history.OpRead, Lock: intent, Start: start, End: end, Reads: t.op.Reads[:0], Ranges: t.op.Ranges[:0]}
	for _, r := range rows {
		op.Reads = append(op.Reads, access(table, r.Key, r.Version))
	}
	switch {
	case where != "": // the others were there, or not
	case lo == hi && len(rows) == 0:
		op.Reads = append(op.Reads, access(table, lo, history.Absent))
	case lo < hi:
		op.Ranges = append(op.Ranges, history.Range{Table: int32(table), Lo: lo, Hi: hi})
	}
	return rows, t.emit(op)
}

// query sends a query for pkey, vkey, v and checks what needs no history: each key once, between lo and hi.
func (t *tx) query(sql string, lo, hi int64) ([]workload.Row, int64, int64, error) {
	a, start, end, err := t.send(t.ctx, sql, true)
	if err != nil {
		return nil, 0, 0, err
	}
	if a.Err != nil {
		return nil, 0, 0, t.unexpected(sql, a)
	}
	rows := make([]workload.Row, 0, a.Rows.Len())
	var seen map[int64]bool
	if a.Rows.Len() > 1 {
		seen = make(map[int64]bool, a.Rows.Len())
	}
	for i := range a.Rows.Len() {
		cells := a.Rows.Row(i)
		key, ok1 := cells[0].Int64()
		version, ok2 := cells[1].Int64()
		v, ok3 := cells[2].Int64()
		switch {
		case !ok1 || !ok2 || !ok3 || key < lo || key > hi:
			return nil, 0, 0, t.wrong("wrong-row", sql, fmt.Sprintf("row %d is (%s, %s, %s)", i, cells[0], cells[1], cells[2]))
		case seen[key]:
			return nil, 0, 0, t.wrong("duplicate-row", sql, fmt.Sprintf("key %d is there twice", key))
		}
		if seen != nil {
			seen[key] = true
		}
		rows = append(rows, workload.Row{Key: key, Version: version, Value: v})
	}
	return rows, start, end, nil
}

func (t *tx) Get(table int, key int64, lock bool) (workload.Row, bool, error) {
	rows, err := t.read(table, key, key, "", lock)
	switch {
	case err != nil:
		return workload.Row{}, false, err
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

func (t *tx) Scan(table int, lo, hi int64, where string, lock bool) ([]workload.Row, error) {
	rows, err := t.read(table, lo, hi, where, lock)
	if err == nil {
		t.searched(table, lo, hi, where, lock, keysOf(rows)...)
	}
	if t.opt.Workload.Kind != workload.CompareAndSet { // whose transactions have one operation
		for _, r := range rows {
			t.note(register.Read, table, r.Key, r.Version, 0)
		}
	}
	return rows, err
}

// write sends DML on one row; wrote is the version that it leaves and overwrote the one that it replaced, if it affects
// the row. number is what the history calls the version, value what it holds.
func (t *tx) write(sql string, table int, key, wrote, number, value int64, overwrote []history.Access, missing []history.Access) (bool, error) {
	a, start, end, err := t.send(t.ctx, sql, false)
	if err != nil {
		return false, err
	}
	if a.Err != nil {
		return false, t.unexpected(sql, a)
	}
	op := history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive, Start: start, End: end}
	switch a.Affected {
	case 0:
		op.Reads = missing
		t.searched(table, key, key, "", true)
	case 1:
		op.Reads, op.Writes = overwrote, []history.Access{access(table, key, wrote)}
		t.searched(table, key, key, "", true, key)
		t.wrote(table, key, number, value, end)
	default:
		return false, t.wrong("affected-rows", sql, fmt.Sprintf("%d rows affected", a.Affected))
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
	sql := fmt.Sprintf("UPDATE %s SET vkey = %d, v = %d WHERE pkey = %d", t.table(table), n, value, key)
	return t.write(sql, table, key, n, n, value, nil, []history.Access{access(table, key, history.Absent)})
}

func (t *tx) Delete(table int, key int64) (bool, error) {
	n := -t.next()
	sql := fmt.Sprintf("DELETE FROM %s WHERE pkey = %d", t.table(table), key)
	if t.opt.Mark != nil {
		sql += t.opt.Mark(n)
	}
	return t.write(sql, table, key, history.Absent, n, 0, nil, []history.Access{access(table, key, history.Absent)})
}

func (t *tx) CompareAndSet(table int, key, version, value int64) (bool, error) {
	n := t.next()
	sql := fmt.Sprintf("UPDATE %s SET vkey = %d, v = %d WHERE pkey = %d AND vkey = %d", t.table(table), n, value, key, version)
	t.note(register.Read, table, key, version, 0)
	set, err := t.write(sql, table, key, n, n, value, []history.Access{access(table, key, version)}, nil)
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
	sql := fmt.Sprintf("INSERT INTO %s (pkey, vkey, v) VALUES (%d, %d, %d)", t.table(table), key, n, value)
	a, start, end, err := t.send(t.ctx, sql, false)
	if err != nil {
		return false, err
	}
	op := history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive, Start: start, End: end}
	switch {
	case a.Err != nil && !slices.Contains(t.profile.Duplicate, a.Err.Code):
		return false, t.unexpected(sql, a)
	case a.Err != nil:
		op.Outcome = history.OpFailed
		t.searched(table, key, key, "", true, key)
		return false, t.emit(op)
	case a.Affected != 1:
		return false, t.wrong("affected-rows", sql, fmt.Sprintf("%d rows affected", a.Affected))
	}
	op.Reads, op.Writes = []history.Access{access(table, key, history.Absent)}, []history.Access{access(table, key, n)}
	t.searched(table, key, key, "", true)
	t.wrote(table, key, n, value, end)
	return true, t.emit(op)
}

// PutRange learns which rows it wrote from a read after it, by the version that they all got: a read of rows that only
// it can see, and that it has locked.
func (t *tx) PutRange(table int, lo, hi int64, where string, add int64) (int, error) {
	n := t.next()
	sql := fmt.Sprintf("UPDATE %s SET vkey = %d, v = v + %d WHERE pkey BETWEEN %d AND %d", t.table(table), n, add, lo, hi)
	if where != "" {
		sql += " AND (" + where + ")"
	}
	a, start, end, err := t.send(t.ctx, sql, false)
	if err != nil {
		return 0, err
	}
	if a.Err != nil {
		return 0, t.unexpected(sql, a)
	}
	op := history.Operation{Kind: history.OpWrite, Lock: history.LockExclusive, Start: start, End: end}
	if a.Affected == 0 {
		t.searched(table, lo, hi, where, true)
		return 0, t.emit(op)
	}
	after := fmt.Sprintf("SELECT pkey, vkey, v FROM %s WHERE pkey BETWEEN %d AND %d AND vkey = %d", t.table(table), lo, hi, n)
	t.held = true
	rows, readStart, readEnd, err := t.query(after, lo, hi)
	t.held = false
	if err != nil {
		return 0, err
	}
	t.searched(table, lo, hi, where, true, keysOf(rows)...)
	for _, r := range rows {
		op.Writes = append(op.Writes, access(table, r.Key, n))
		t.wrote(table, r.Key, n, r.Value, end)
	}
	if err := t.emit(op); err != nil {
		return 0, err
	}
	if int64(len(rows)) != a.Affected {
		return 0, t.wrong("affected-rows", sql, fmt.Sprintf("%d rows affected, and then %d have its version", a.Affected, len(rows)))
	}
	intent, _ := t.readLock(false)
	return len(rows), t.emit(history.Operation{Kind: history.OpRead, Lock: intent, Start: readStart, End: readEnd, Reads: op.Writes})
}
