package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"txweave/history"
	"txweave/history/register"
)

func looksTrace(head []byte) bool {
	return bytes.Contains(firstLine(head), []byte(`"trace":"operations"`))
}

// readTrace reads an interval trace as a history of registers.
func readTrace(r io.Reader, b *register.Builder) error {
	sym := history.NewSymbols()
	in, err := history.NewOperationReader(r, sym)
	if err != nil {
		return &Error{Msg: strings.TrimPrefix(err.Error(), "trace: ")}
	}
	t, err := newTracer(&in.Header, sym, b)
	if err != nil {
		return err
	}
	for {
		var op history.Operation
		switch err := in.Next(&op); {
		case errors.Is(err, io.EOF):
			return t.finish()
		case err != nil:
			return &Error{Msg: strings.TrimPrefix(err.Error(), "trace: ")}
		}
		if err := t.add(&op); err != nil {
			return at(in.Line(), "%v", err)
		}
	}
}

// FromOperations returns the history of registers that the operations of an interval trace make: an item is a key, a
// version its value. What a history of registers cannot hold is an error: deletions, and ranges with a condition.
func FromOperations(header *history.TraceHeader, ops []*history.Operation, sym *history.Symbols) (
	*register.History, error) {
	b := register.NewBuilder(0, 0)
	t, err := newTracer(header, sym, b)
	if err != nil {
		return nil, err
	}
	for _, op := range ops {
		if err := t.add(op); err != nil {
			return nil, err
		}
	}
	if err := t.finish(); err != nil {
		return nil, err
	}
	return b.History(), nil
}

// tracer gathers the operations of an interval trace by transaction.
type tracer struct {
	b      *register.Builder
	sym    *history.Symbols
	loaded []history.Access
	txns   map[int64]*tracedTxn
	order  []*tracedTxn             // by first operation
	keys   map[int32]map[int64]bool // by table: all that are named
}

// tracedTxn is one transaction of a trace.
type tracedTxn struct {
	id         int64
	session    int32
	status     history.Outcome
	start, end int64
	ended      bool
	unsure     bool // a statement of unknown outcome
	steps      []step
}

// step is a read or a write of a version, or a range that was read.
type step struct {
	history.Access
	write bool
	rows  *history.Operation // of a range: the statement, whose Reads and Ranges count
}

func newTracer(header *history.TraceHeader, sym *history.Symbols, b *register.Builder) (*tracer, error) {
	if !header.Initial {
		return nil,
			&Error{Msg: `does not hold the rows that were there before ("initial": true): what a first read saw is not known`}
	}
	b.SetRealTime()
	return &tracer{b: b, sym: sym, txns: map[int64]*tracedTxn{}, keys: map[int32]map[int64]bool{}}, nil
}

// add takes one operation. A statement reads before it writes: what it overwrote, where the trace knows that.
func (t *tracer) add(op *history.Operation) error {
	switch op.Kind {
	case history.OpLoad:
		t.loaded = append(t.loaded, op.Writes...)
		for _, a := range op.Writes {
			t.name(a.ItemID)
		}
		return nil
	case history.OpClose:
		return nil
	}
	x := t.txns[op.Txn]
	if x == nil {
		x = &tracedTxn{id: op.Txn, session: op.Session, status: history.Unknown, start: op.Start}
		t.txns[op.Txn], t.order = x, append(t.order, x)
	}
	switch {
	case x.session != op.Session:
		return fmt.Errorf("transaction %d is in session %d and in session %d", op.Txn, x.session, op.Session)
	case x.ended:
		return fmt.Errorf("an operation of transaction %d, which has ended", op.Txn)
	}
	x.ended = op.Kind == history.OpCommit || op.Kind == history.OpAbort
	switch {
	case op.Kind == history.OpAbort, op.Kind == history.OpCommit && op.Outcome == history.OpFailed:
		x.status, x.end = history.Aborted, op.End
	case op.Kind == history.OpCommit && op.Outcome == history.OpOK:
		if x.unsure {
			return fmt.Errorf("T%d commits after a statement of unknown outcome: what it wrote is not known", op.Txn)
		}
		x.status, x.end = history.Committed, op.End
	case op.Outcome == history.OpFailed, op.Kind == history.OpCommit, op.Kind == history.OpBegin:
	default:
		x.unsure = x.unsure || op.Outcome == history.OpUnknown
		return t.statement(x, op)
	}
	return nil
}

// statement takes what a query or DML read and wrote.
func (t *tracer) statement(x *tracedTxn, op *history.Operation) error {
	for _, r := range op.Ranges {
		if r.If != nil {
			return fmt.Errorf(
				"T%d read rows by a condition, which a history of registers cannot hold: check the trace with --oracle mechanism",
				op.Txn)
		}
	}
	for _, a := range op.Reads {
		t.name(a.ItemID)
		x.steps = append(x.steps, step{Access: a})
	}
	if len(op.Ranges) > 0 {
		kept := &history.Operation{Reads: slices.Clone(op.Reads), Ranges: slices.Clone(op.Ranges)}
		x.steps = append(x.steps, step{rows: kept})
	}
	for _, a := range op.Writes {
		if a.Version == history.Absent {
			return fmt.Errorf(
				"T%d deletes %s: a history of registers does not tell deletions apart: check the trace with --oracle mechanism",
				op.Txn, t.sym.ItemName(a.ItemID))
		}
		t.name(a.ItemID)
		x.steps = append(x.steps, step{Access: a, write: true})
	}
	return nil
}

func (t *tracer) name(i history.ItemID) {
	if t.keys[i.Table] == nil {
		t.keys[i.Table] = map[int64]bool{}
	}
	t.keys[i.Table][i.Key] = true
}

// finish builds the history.
func (t *tracer) finish() error {
	if len(t.loaded) > 0 {
		t.b.BeginInitial()
		for _, a := range t.loaded {
			t.b.Write(t.key(a.ItemID), a.Version)
		}
		t.b.End(history.Committed, 0, 0)
	}
	sorted := map[int32][]int64{}
	for table, keys := range t.keys {
		for k := range keys {
			sorted[table] = append(sorted[table], k)
		}
		slices.Sort(sorted[table])
	}
	slices.SortStableFunc(t.order, func(a, b *tracedTxn) int { return cmp.Compare(a.start, b.start) })
	for _, x := range t.order {
		t.b.Begin(int64(x.session), x.id)
		for _, s := range x.steps {
			switch {
			case s.rows != nil:
				t.absent(s.rows, sorted)
			case s.write:
				t.b.Write(t.key(s.ItemID), s.Version)
			case s.Version == history.Absent:
				t.b.ReadNil(t.key(s.ItemID))
			default:
				t.b.Read(t.key(s.ItemID), s.Version)
			}
		}
		t.b.End(x.status, x.start, x.end)
	}
	return nil
}

// absent reads nothing from each key of the ranges of a statement that it did not find: rows that exist some time.
func (t *tracer) absent(op *history.Operation, sorted map[int32][]int64) {
	found := map[history.ItemID]bool{}
	for _, a := range op.Reads {
		found[a.ItemID] = true
	}
	for _, r := range op.Ranges {
		keys := sorted[r.Table]
		i, _ := slices.BinarySearch(keys, r.Lo)
		for ; i < len(keys) && keys[i] <= r.Hi; i++ {
			if item := (history.ItemID{Table: r.Table, Key: keys[i]}); !found[item] {
				found[item] = true
				t.b.ReadNil(t.key(item))
			}
		}
	}
}

func (t *tracer) key(i history.ItemID) int32 { return t.b.Key(t.sym.ItemName(i)) }
