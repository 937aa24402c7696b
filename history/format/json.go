package format

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"txweave/history"
	"txweave/history/register"
)

func looksDBCopJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && head[0] == '{' && bytes.Contains(head, []byte(`"events"`)) &&
		!bytes.Contains(head, []byte(`"tid"`))
}

// readDBCopJSON reads dbcop's JSON: {"data": [[{"events": [{"Write": {"variable": 0, "version": 1}}], "committed":
// true}]]}, sessions of transactions. A variable holds 0 before it is written; a version of null is no version read.
func readDBCopJSON(r io.Reader, b *register.Builder) error {
	j := newJSONReader(r)
	doc, err := j.next()
	if err != nil {
		return unexpectedEnd(err)
	}
	b.SetInitialValue(0)
	id := int64(0)
	sessions := doc.get("data")
	if sessions.kind != list {
		return &Error{Msg: `has no list "data"`}
	}
	for session, txns := range sessions.list {
		for _, t := range txns.list {
			b.Begin(int64(session), id)
			for _, e := range t.get("events").list {
				if err := dbcopEvent(b, &e); err != nil {
					return &Error{Msg: fmt.Sprintf("transaction %d: %v", id, err)}
				}
			}
			id++
			status, ok := dbcopStatus(&t)
			if !ok {
				return &Error{Msg: fmt.Sprintf(`transaction %d does not say whether it is "committed"`, id-1)}
			}
			b.End(status, 0, 0)
		}
	}
	return nil
}

// dbcopStatus is how a transaction ended, "committed" or, in older files, "success"; false where it does not say that.
func dbcopStatus(t *datum) (history.Outcome, bool) {
	committed := t.get("committed")
	if committed.kind == null {
		committed = t.get("success")
	}
	if committed.n != 0 {
		return history.Committed, committed.kind == boolean
	}
	return history.Aborted, committed.kind == boolean
}

// dbcopEvent reads {"Write": {"variable": 0, "version": 1}}.
func dbcopEvent(b *register.Builder, e *datum) error {
	for _, write := range []bool{true, false} {
		name := "Read"
		if write {
			name = "Write"
		}
		v := e.get(name)
		if v.kind != dict {
			continue
		}
		variable, version := v.get("variable"), v.get("version")
		if !isNumber(&variable) || !isNumber(&version) && (write || version.kind != null) {
			return fmt.Errorf("%s needs the integers variable and version, not %s", name, v)
		}
		switch key := b.Key(variable.String()); {
		case write:
			b.Write(key, number(b, &version))
		case version.kind == null:
			b.ReadNil(key)
		default:
			b.Read(key, number(b, &version))
		}
		return nil
	}
	return fmt.Errorf("an event is neither a Write nor a Read: %s", clip([]byte(e.String())))
}

// isNumber says whether a datum is an integer, perhaps one beyond 64 bits.
func isNumber(d *datum) bool {
	if d.kind == integer {
		return true
	}
	_, ok := decimal(d.s)
	return ok && d.kind == text
}

func looksChronos(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && (head[0] == '[' || head[0] == '{') && bytes.Contains(head, []byte(`"tid"`)) &&
		bytes.Contains(head, []byte(`"ops"`))
}

// chronosTxn is a transaction of Chronos, which need not come in session order.
type chronosTxn struct {
	id, session int64
	commit      [2]int64
	ops         []datum
}

// readChronos reads Chronos' JSON: {"tid":1,"sid":0,"sts":{…},"cts":{…},"ops":[{"t":"w","k":7,"v":2}]}, one object a
// transaction. The time stamps are the database's own: they order a session, and are no real time. A key holds 0
// before it is written.
func readChronos(r io.Reader, b *register.Builder) error {
	var txns []chronosTxn
	first := map[int64]int{}
	err := eachJSON(r, func(n, _ int, d *datum) error {
		tid, sid, cts := d.get("tid"), d.get("sid"), d.get("cts")
		if tid.kind != integer || sid.kind != integer {
			return &Error{Msg: fmt.Sprintf(`transaction %d of the file has no integers "tid" and "sid"`, n)}
		}
		if m, twice := first[tid.n]; twice {
			return &Error{Msg: fmt.Sprintf("transactions %d and %d of the file both are tid %d", m, n, tid.n)}
		}
		first[tid.n] = n
		txns = append(txns, chronosTxn{tid.n, sid.n, [2]int64{cts.get("p").n, cts.get("l").n}, d.get("ops").list})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(txns, func(x, y chronosTxn) int {
		return cmp.Or(cmp.Compare(x.session, y.session), slices.Compare(x.commit[:], y.commit[:]))
	})
	b.SetInitialValue(0)
	for _, t := range txns {
		b.Begin(t.session, t.id)
		for _, op := range t.ops {
			if err := chronosOp(b, &op); err != nil {
				return &Error{Msg: fmt.Sprintf("transaction %d: %v", t.id, err)}
			}
		}
		b.End(history.Committed, 0, 0)
	}
	return nil
}

func chronosOp(b *register.Builder, op *datum) error {
	k, v := op.get("k"), op.get("v")
	if k.kind != integer && k.kind != text {
		return fmt.Errorf("an operation without a key: %s", clip([]byte(op.String())))
	}
	key := b.Key(k.String())
	switch t := op.get("t").s; {
	case (t == "w" || t == "a") && v.kind == null:
		return errNothing
	case t == "w":
		b.Write(key, number(b, &v))
	case t == "a":
		b.Append(key, number(b, &v))
	case t == "r" && v.kind == list:
		elements := make([]int64, len(v.list))
		for i, e := range v.list {
			elements[i] = number(b, &e)
		}
		b.ReadList(key, elements)
	case t == "r" && v.kind == null:
		b.ReadNil(key)
	case t == "r":
		b.Read(key, number(b, &v))
	default:
		return fmt.Errorf("an operation must be w, r or a, not %q", t)
	}
	return nil
}
