package storm

import (
	"fmt"
	"strconv"
	"strings"

	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
	clients "txweave/history/workload"
)

// listRoom is how long the text of a list may be.
const listRoom = 4000

// Append adds to a list the number of the version that the row is given.
func (t *tx) Append(table int, key int64) (bool, error) {
	n := t.next()
	sql := fmt.Sprintf("UPDATE %s SET vkey = %d, list = CONCAT(list, ',%d') WHERE pkey = %d", t.table(table), n, n, key)
	found, err := t.write(sql, holding(table, key, n, 0), n, nil, []history.Access{access(table, key, history.Absent)})
	if err == nil && found && t.opt.Record {
		t.record.ops = append(t.record.ops, access1{key, n, 0, int32(table), register.Append})
	}
	return found, err
}

// List reads a list, whose last element must be the row's version unless it is empty.
func (t *tx) List(table int, key int64) ([]int64, error) {
	intent, clause := t.readLock(false)
	sql := fmt.Sprintf("SELECT vkey, list FROM %s WHERE pkey = %d%s", t.table(table), key, clause)
	a, start, end, err := t.send(t.ctx, &request{sql: sql, query: true, table: table, lo: key, hi: key})
	if err != nil {
		return nil, err
	}
	if a.Err != nil {
		return nil, t.unexpected(sql, a)
	}
	op := history.Operation{Kind: history.OpRead, Lock: intent, Start: start, End: end, Reads: t.op.Reads[:0]}
	var list []int64
	switch a.Rows.Len() {
	case 0:
		op.Reads = append(op.Reads, access(table, key, history.Absent))
	case 1:
		row := a.Rows.Row(0)
		version, ok := row[0].Int64()
		if list, err = parseList(row[1].S); err != nil || !ok {
			return nil, t.wrong(fault.WrongRow, sql, fmt.Sprintf("the row is %v", row))
		}
		if len(list) > 0 && list[len(list)-1] != version {
			return nil, t.wrong(fault.TornRow, sql, fmt.Sprintf("version %d has a list that ends in %d", version,
				list[len(list)-1]))
		}
		op.Reads = append(op.Reads, holding(table, key, version, 0))
	default:
		return nil, t.wrong(fault.RowTwice, sql, fmt.Sprintf("key %d is there %d times", key, a.Rows.Len()))
	}
	if t.opt.Record {
		t.record.lists = append(t.record.lists, list)
		t.record.ops = append(t.record.ops, access1{key, int64(len(t.record.lists) - 1), 0, int32(table), register.ReadList})
	}
	return list, t.emit(op)
}

// parseList reads the text of a list: each element comes after a comma.
func parseList(text string) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	elements := strings.Split(text, ",")
	if elements[0] != "" {
		return nil, fmt.Errorf("%q does not begin with a comma", text)
	}
	out := make([]int64, len(elements)-1)
	for i, e := range elements[1:] {
		n, err := strconv.ParseInt(e, 10, 64)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// Did keeps what the transaction says that it does.
func (t *tx) Did(object int64, call clients.Call, statements int) {
	if t.opt.Record {
		t.record.calls = append(t.record.calls, did{object, statements, call})
	}
}
