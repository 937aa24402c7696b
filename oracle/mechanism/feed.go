package mechanism

import (
	"errors"
	"fmt"
	"io"
	"time"

	"txweave/history"
)

// maxBacklog is how many operations of a file may wait to be dispatched, unless the dispatcher itself waits for
// more of them: a session that is silent for long holds all others back.
const maxBacklog = 1 << 15

// CheckTrace checks a trace while it is read. o.Sessions and o.Initial come from its header. An error of the trace
// names its line.
func CheckTrace(o Options, r *history.OperationReader) (*TraceReport, error) {
	if r.Header.Sessions == 0 {
		return checkUnbounded(o, r)
	}
	o.Sessions, o.Initial = r.Header.Sessions, r.Header.Initial
	v := New(o)
	v.recorded = true
	err := v.feed(r)
	for _, s := range v.sessions {
		s.Close()
	}
	rep := v.Wait()
	if err != nil {
		return nil, err
	}
	rep.torn(r)
	return rep, nil
}

// torn notes a last line that was cut off.
func (rep *TraceReport) torn(r *history.OperationReader) {
	if r.Torn() {
		rep.NotChecked = append(rep.NotChecked, fmt.Sprintf("line %d, the last one, is cut off", r.Line()))
	}
}

// feed reads operations into their sessions.
func (v *Verifier) feed(r *history.OperationReader) error {
	var op history.Operation
	initial, err := v.loads(r, &op)
	v.Start(initial)
	for n := int64(0); err == nil; n++ {
		if err = v.append(&op, r.Line()); err != nil {
			return err
		}
		for n&1023 == 0 && n-v.operations.Load() > maxBacklog && !v.starving.Load() {
			time.Sleep(100 * time.Microsecond)
		}
		err = r.Next(&op)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// loads reads the rows with which a trace begins, and into op the first operation behind them.
func (v *Verifier) loads(r *history.OperationReader, op *history.Operation) (initial []history.Access, err error) {
	loaded := map[history.ItemID]bool{}
	for {
		if err := r.Next(op); err != nil || op.Kind != history.OpLoad {
			return initial, err
		}
		for _, a := range op.Writes {
			if loaded[a.ItemID] {
				return initial, fmt.Errorf("trace: line %d: %s is loaded twice", r.Line(), v.opt.Symbols.ItemName(a.ItemID))
			}
			loaded[a.ItemID] = true
		}
		initial = append(initial, op.Writes...)
	}
}

// append files an operation of a line with its session.
func (v *Verifier) append(op *history.Operation, line int) error {
	if op.Kind == history.OpLoad {
		return fmt.Errorf("trace: line %d: a load after the first operation", line)
	}
	s := v.Session(int(op.Session))
	if op.Kind == history.OpClose {
		s.Close()
		return nil
	}
	if err := s.Append(op); err != nil {
		return fmt.Errorf("trace: line %d: %w", line, err)
	}
	return nil
}

// checkUnbounded checks a trace whose header does not say how many sessions there are: only its end tells.
func checkUnbounded(o Options, r *history.OperationReader) (*TraceReport, error) {
	o.Initial = r.Header.Initial
	var ops []*history.Operation
	for {
		op := new(history.Operation)
		if err := r.Next(op); errors.Is(err, io.EOF) {
			rep, err := Check(o, ops)
			if err == nil {
				rep.torn(r)
			}
			return rep, err
		} else if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
}
