package history

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Source is a file by its name.
type Source struct {
	Name string
	Text []byte
}

// leopardOp is one operation of Leopard's own trace format (github.com/DBHammer/Pisco).
type leopardOp struct {
	Thread    string         `json:"threadID"`
	Txn       string         `json:"transactionID"`
	ID        string         `json:"operationID"`
	SQL       string         `json:"sql"`
	Type      string         `json:"operationTraceType"`
	Start     int64          `json:"startTimestamp"`
	Finish    int64          `json:"finishTimestamp"`
	Isolation string         `json:"isolationLevel"`
	Lock      string         `json:"traceLockMode"`
	Exception string         `json:"exception"`
	Savepoint string         `json:"savepoint"`
	Reads     []leopardTuple `json:"readTupleList"`
	Writes    []leopardTuple `json:"writeTupleList"`
}

type leopardTuple struct {
	Table  string            `json:"table"`
	Key    string            `json:"primaryKey"`
	Values map[string]string `json:"valueMap"`
}

// leopardReader converts traces of Leopard. Each column of a row becomes an item of its own, "table.column", so that
// a statement that reads or writes some columns is compared in those, in all of them.
type leopardReader struct {
	sym      *Symbols
	sessions map[string]int32
	txns     map[string]int64
	columns  map[string][]string // of a table: a DELETE lists none
	header   TraceHeader
}

// ReadLeopard reads the JSON files of Leopard's clients (one array for each) and its tables' initial rows (CSV with a
// header, the primary key first, named by the table). Values and keys that are no integers are numbered by sym.
func ReadLeopard(clients, initial []Source, sym *Symbols) (TraceHeader, []*Operation, error) {
	l := &leopardReader{sym: sym, sessions: map[string]int32{}, txns: map[string]int64{}, columns: map[string][]string{}}
	l.header = TraceHeader{Trace: "operations", Version: 1, Initial: len(initial) > 0}
	load := &Operation{Kind: OpLoad}
	for _, f := range initial {
		if err := l.rows(f, load); err != nil {
			return l.header, nil, err
		}
	}
	var raw []leopardOp
	var where []string
	for _, f := range clients {
		n := len(raw)
		var err error
		if raw, where, err = l.client(f, raw, where); err != nil {
			return l.header, nil, err
		}
		for i := range raw[n:] {
			l.learn(raw[n+i].Reads)
			l.learn(raw[n+i].Writes)
		}
	}
	ops := []*Operation{load}
	for i := range raw {
		op, err := l.operation(&raw[i])
		if err != nil {
			return l.header, nil, fmt.Errorf("%s: operation %s: %w", where[i], raw[i].ID, err)
		}
		if op != nil {
			ops = append(ops, op)
		}
	}
	l.header.Sessions = len(l.sessions)
	return l.header, ops, nil
}

// rows loads a table's initial rows.
func (l *leopardReader) rows(f Source, load *Operation) error {
	table := strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name))
	rows, err := csv.NewReader(bytes.NewReader(f.Text)).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err) // it names the line
	}
	if len(rows) == 0 || len(rows[0]) < 2 {
		return fmt.Errorf("%s: line 1: want a header with the primary key and the columns", f.Name)
	}
	l.columns[table] = rows[0][1:]
	for _, r := range rows[1:] {
		for i, column := range rows[0][1:] {
			load.Writes = append(load.Writes, l.access(table, column, r[0], r[i+1]))
		}
	}
	return nil
}

func (l *leopardReader) access(table, column, key, value string) Access {
	return Access{ItemID: ItemID{l.sym.Table(table + "." + column), l.sym.Text(key)}, Version: l.sym.Text(value)}
}

// client reads one client's array. One that is cut off, as a kill leaves it, loses its last operation.
func (l *leopardReader) client(f Source, raw []leopardOp, where []string) ([]leopardOp, []string, error) {
	d := json.NewDecoder(bytes.NewReader(f.Text))
	at := func() string {
		return fmt.Sprintf("%s: line %d", f.Name, 1+bytes.Count(f.Text[:min(int(d.InputOffset()), len(f.Text))],
			[]byte("\n")))
	}
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, nil, fmt.Errorf("%s: want an array of operations", at())
	}
	for d.More() {
		var op leopardOp
		if err := d.Decode(&op); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return raw, where, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", at(), err)
		}
		raw, where = append(raw, op), append(where, at())
	}
	return raw, where, nil
}

// learn notes the columns that a table has.
func (l *leopardReader) learn(tuples []leopardTuple) {
	for _, t := range tuples {
		for _, c := range slices.Sorted(maps.Keys(t.Values)) {
			if !slices.Contains(l.columns[t.Table], c) {
				l.columns[t.Table] = append(l.columns[t.Table], c)
			}
		}
	}
}

// operation converts one operation; nil if it says nothing.
func (l *leopardReader) operation(r *leopardOp) (*Operation, error) {
	op := &Operation{Session: number(l.sessions, r.Thread), Txn: number(l.txns, r.Txn), Start: r.Start, End: r.Finish}
	switch r.Lock {
	case "SHARE_LOCK":
		op.Lock = LockShared
	case "EXCLUSIVE_LOCK":
		op.Lock = LockExclusive
	}
	if r.Exception != "" {
		op.Outcome = OpFailed
	}
	switch r.Type {
	case "START":
		op.Kind, op.Lock = OpBegin, LockNone
		op.Snapshot = strings.Contains(strings.ToLower(r.SQL), "consistent snapshot")
		if r.Isolation != "" {
			l.header.Isolation = strings.ToLower(strings.ReplaceAll(r.Isolation, "_", "-"))
		}
	case "SELECT", "SET_SNAPSHOT":
		op.Kind = OpRead
	case "UPDATE", "INSERT", "DELETE":
		op.Kind, op.Lock = OpWrite, LockExclusive
	case "COMMIT":
		op.Kind, op.Lock = OpCommit, LockNone
		if op.Outcome == OpFailed {
			op.Outcome = OpUnknown // whether the server did it is not said
		}
	case "ROLLBACK":
		op.Kind, op.Lock = OpAbort, LockNone
	case "DDL", "DistributeSchedule", "FAULT":
		return nil, nil
	default:
		return nil, fmt.Errorf("unknown type %q", r.Type)
	}
	if r.Savepoint != "" {
		return nil, errors.New("savepoints are not supported: what ROLLBACK TO undid is not told")
	}
	if op.Outcome == OpOK {
		l.sets(r, op)
	}
	return op, op.check(0)
}

// sets converts the read and write sets.
func (l *leopardReader) sets(r *leopardOp, op *Operation) {
	for _, t := range r.Reads {
		for _, c := range slices.Sorted(maps.Keys(t.Values)) {
			op.Reads = append(op.Reads, l.access(t.Table, c, t.Key, t.Values[c]))
		}
	}
	for _, t := range r.Writes {
		if r.Type != "DELETE" {
			for _, c := range slices.Sorted(maps.Keys(t.Values)) {
				op.Writes = append(op.Writes, l.access(t.Table, c, t.Key, t.Values[c]))
			}
			continue
		}
		for _, c := range l.columns[t.Table] {
			a := l.access(t.Table, c, t.Key, "")
			a.Version = Absent
			op.Writes = append(op.Writes, a)
		}
	}
}

// number numbers names from 0 in order of appearance.
func number[N int32 | int64](names map[string]N, name string) N {
	n, ok := names[name]
	if !ok {
		n = N(len(names))
		names[name] = n
	}
	return n
}
