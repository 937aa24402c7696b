package storm

import (
	"fmt"

	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
)

// recorder keeps what a session's transactions did to registers.
type recorder struct {
	txns  []recorded
	ops   []access1
	first int // of the open transaction
}

type recorded struct {
	id, start, end int64
	first, n       int
	status         register.Status
}

// access1 is one access to a register.
type access1 struct {
	key, version int64
	table        int32
	kind         register.OpKind
}

func (r *recorder) begin() { r.first = len(r.ops) }

// take forgets the last access.
func (r *recorder) take() {
	if len(r.ops) > r.first {
		r.ops = r.ops[:len(r.ops)-1]
	}
}

func (r *recorder) end(id int64, status register.Status, start, end int64) {
	r.txns = append(r.txns, recorded{id, start, end, r.first, len(r.ops) - r.first, status})
}

// note adds an access to the record, if one is kept.
func (t *tx) note(kind register.OpKind, table int, key, version int64) {
	if t.opt.Record {
		t.record.ops = append(t.record.ops, access1{key, version, int32(table), kind})
	}
}

// Recording is a storm as a history of registers, each row being one and versions being values.
type Recording struct {
	workload *workload.Workload
	sessions []*recorder
}

// History builds the history. Every register holds 0 at first.
func (r *Recording) History() *register.History {
	txns, ops := 0, 0
	for _, s := range r.sessions {
		txns += len(s.txns)
		ops += len(s.ops)
	}
	b := register.NewBuilder(txns, ops)
	b.SetRealTime()
	b.SetInitialValue(0)
	for session, s := range r.sessions {
		for _, t := range s.txns {
			b.Begin(int64(session), t.id)
			for _, o := range s.ops[t.first : t.first+t.n] {
				key := b.IntKey(o.key)
				if len(r.workload.Tables) > 1 {
					key = b.Key(fmt.Sprintf("%s:%d", r.workload.Tables[o.table].Name, o.key))
				}
				b.Op(register.Op{Kind: o.kind, Key: key, Value: o.version, Nil: o.version == history.Absent})
			}
			b.End(t.status, t.start, t.end)
		}
	}
	return b.History()
}
