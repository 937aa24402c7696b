package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"txweave/history"
	"txweave/history/register"
)

// jepsen pairs invocations with completions and makes transactions of them.
//
// The order of the records is the order in which they happened, so a record's position serves as its time: it
// says of two operations what a clock would say. :fail did not happen, :info may have happened.
type jepsen struct {
	b      *register.Builder
	pos    int64
	open   map[int64]invocation // by process
	txns   []jepsenTxn
	values values
	lists  bool // some operation appends, so that reads return lists
	times  bool // every completion had its invocation
	// failedCompare: a compare-and-set that failed says that the register held something else.
	failedCompare bool
}

type invocation struct {
	pos   int64
	f     string
	value datum
}

// jepsenTxn is one transaction before it is known whether the history is one of lists.
type jepsenTxn struct {
	process, start, end int64
	status              history.Outcome
	ops                 []microOp
}

// microOp is one operation of a transaction.
type microOp struct {
	f     byte // 'r', 'w', 'a' append, '!' failed compare, 'c' the compare of a compare-and-set
	key   string
	value datum
}

func newJepsen(b *register.Builder, failedCompare bool) *jepsen {
	return &jepsen{b: b, open: map[int64]invocation{}, values: values{}, times: true, failedCompare: failedCompare}
}

// op takes one record.
func (j *jepsen) op(d *datum) error {
	if d.kind != dict {
		return fmt.Errorf("want an operation such as {:type :ok, :f :txn, :value […], :process 0}, not %s", clip([]byte(d.String())))
	}
	kind, f, value, process := d.get("type"), d.get("f"), d.get("value"), d.get("process")
	if kind.kind != text {
		return errors.New("an operation without :type")
	}
	if process.kind == text { // :nemesis
		return nil
	}
	return j.record(kind.s, f.s, value, process.n)
}

// record takes one record of a client.
func (j *jepsen) record(kind, f string, value datum, process int64) error {
	pos := j.pos
	j.pos++
	in, invoked := j.open[process]
	if kind == "invoke" {
		if invoked {
			return fmt.Errorf("process %d begins an operation while its last one is open", process)
		}
		j.open[process] = invocation{pos, f, value}
		return nil
	}
	delete(j.open, process)
	if !invoked {
		in = invocation{pos: pos, f: f, value: value}
		j.times = false
	}
	if in.f != f && f != "" && in.f != "" {
		return fmt.Errorf("process %d ends %s where it began %s", process, f, in.f)
	}
	t := jepsenTxn{process: process, start: in.pos, end: pos}
	switch kind {
	case "ok":
		t.status = history.Committed
		if value.kind == null && f != "read" {
			value = in.value
		}
	case "fail":
		t.status, value = history.Aborted, in.value
	case "info":
		t.status, value = history.Unknown, in.value
	default:
		return fmt.Errorf("an operation of type %s: want invoke, ok, fail or info", kind)
	}
	return j.txn(t, in.f, value)
}

// txn adds a transaction whose operations the value lists.
func (j *jepsen) txn(t jepsenTxn, f string, value datum) error {
	if f == "acquire" || f == "release" {
		j.b.SetInitialValue(0)
	}
	if f == "cas" && t.status == history.Aborted && j.failedCompare {
		f, t.status = "not", history.Committed
	}
	ops, err := microOps(f, value)
	if err != nil {
		return err
	}
	for _, op := range ops {
		if op.f == 'a' {
			j.lists = true
		}
		if (op.f == 'r' || op.f == '!') && t.status != history.Committed {
			continue // nobody saw what it returned
		}
		if op.f == 'r' && op.value.kind == list {
			j.lists = true
		}
		if op.f == 'c' { // what it read if it happened, whatever its client learned
			op.f = 'r'
		}
		t.ops = append(t.ops, op)
	}
	j.txns = append(j.txns, t)
	return nil
}

// single is the key of a history of one register.
const single = "x"

// microOps lists the operations that one record stands for.
func microOps(f string, value datum) ([]microOp, error) {
	if value.kind == list && len(value.list) > 0 && value.list[0].kind == list {
		return listedOps(value)
	}
	switch f {
	case "txn", "":
		if value.kind == list && len(value.list) == 0 {
			return nil, nil
		}
	case "read", "r":
		return []microOp{{'r', single, value}}, nil
	case "write", "w":
		return []microOp{{'w', single, value}}, nil
	case "cas", "not":
		if value.kind != list || len(value.list) != 2 {
			return nil, fmt.Errorf("cas needs [expected new], not %s", value)
		}
		if f == "not" {
			return []microOp{{'!', single, value.list[0]}}, nil
		}
		return []microOp{{'c', single, value.list[0]}, {'w', single, value.list[1]}}, nil
	case "acquire", "release": // a lock is a register that holds 0 or 1
		from, to := datum{kind: integer}, datum{kind: integer, n: 1}
		if f == "release" {
			from, to = to, from
		}
		return []microOp{{'c', single, from}, {'w', single, to}}, nil
	}
	return nil, fmt.Errorf("operation %q is none of a register or list history: want txn, read, write, cas, acquire or release", f)
}

// listedOps reads [[:r 5 nil] [:w 5 7] [:append 6 8]].
func listedOps(value datum) ([]microOp, error) {
	ops := make([]microOp, 0, len(value.list))
	for _, e := range value.list {
		if e.kind != list || len(e.list) < 2 || len(e.list) > 3 || e.list[0].kind != text {
			return nil, fmt.Errorf("want [:r key value], [:w key value] or [:append key value], not %s", e)
		}
		op := microOp{key: e.list[1].String()}
		if len(e.list) == 3 {
			op.value = e.list[2]
		}
		switch e.list[0].s {
		case "r", "read":
			op.f = 'r'
		case "w", "write":
			op.f = 'w'
		case "append", "a":
			op.f = 'a'
		default:
			return nil, fmt.Errorf("micro-operation %q is unknown: want r, w or append", e.list[0].s)
		}
		ops = append(ops, op)
	}
	return ops, nil
}

// finish gives everything to the builder.
func (j *jepsen) finish() error {
	for _, process := range sortedKeys(j.open) { // never answered
		in := j.open[process]
		if err := j.txn(jepsenTxn{process: process, start: in.pos, status: history.Unknown}, in.f, in.value); err != nil {
			return err
		}
	}
	if j.times {
		j.b.SetRealTime()
	}
	for i, t := range j.txns {
		j.b.Begin(t.process, int64(i))
		for _, op := range t.ops {
			if err := j.add(op); err != nil {
				return err
			}
		}
		j.b.End(t.status, t.start, t.end)
	}
	return nil
}

// add gives one operation to the builder.
func (j *jepsen) add(op microOp) error {
	key := j.b.Key(op.key)
	if op.f == 'r' && j.lists {
		elements := make([]int64, len(op.value.list))
		for i, e := range op.value.list {
			elements[i] = j.values.number(e)
		}
		if op.value.kind != list && op.value.kind != null {
			return &Error{Msg: fmt.Sprintf("a read of %s in a history of lists", op.value)}
		}
		j.b.ReadList(key, elements)
		return nil
	}
	if op.value.kind == list || op.value.kind == dict {
		return &Error{Msg: fmt.Sprintf("a register cannot hold %s", clip([]byte(op.value.String())))}
	}
	if op.value.kind == null && (op.f == 'w' || op.f == 'a') {
		return &Error{Msg: errNothing.Error()}
	}
	n := j.values.number(op.value)
	switch {
	case op.f == 'r' && op.value.kind == null:
		j.b.ReadNil(key)
	case op.f == 'r':
		j.b.Read(key, n)
	case op.f == '!':
		j.b.Op(register.Op{Kind: register.NotEqual, Key: key, Value: n, Nil: op.value.kind == null})
	case op.f == 'w':
		j.b.Write(key, n)
	default:
		j.b.Append(key, n)
	}
	return nil
}

func looksJepsenJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && (head[0] == '[' || head[0] == '{') && bytes.Contains(head, []byte(`"type"`))
}

// readJepsenJSON reads elle-cli's JSON: the operations of Jepsen as objects, in an array or one after the other.
func readJepsenJSON(r io.Reader, b *register.Builder) error {
	j := newJepsen(b, false)
	err := eachJSON(r, func(n int, d *datum) error {
		if err := j.op(d); err != nil {
			return &Error{Msg: fmt.Sprintf("operation %d: %v", n, err)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return j.finish()
}

// jepsenLine is a log line: "INFO  jepsen.util - 4	:invoke	:cas	[1 3]".
var jepsenLine = regexp.MustCompile(`^INFO\s+jepsen\.util\s+-\s+(\S+)\s+:(invoke|ok|fail|info)\s+:(\S+)\s+(.*)$`)

func looksJepsenLog(head []byte) bool { return jepsenLine.Match(firstLine(head)) }

// readJepsenLog reads the log of a register that knows read, write and cas. A cas that fails has compared and
// found something else; :timed-out stands for an answer that never came.
func readJepsenLog(r io.Reader, b *register.Builder) error {
	j := newJepsen(b, true)
	err := eachLine(r, func(n int, line []byte) error {
		m := jepsenLine.FindSubmatch(line)
		if m == nil {
			return nil // other parts of Jepsen log too
		}
		process, used := parseInt(m[1])
		if used != len(m[1]) {
			return nil // the nemesis
		}
		e := &ednReader{r: bufioReader(m[4]), line: n}
		value, err := e.value(0)
		if err != nil {
			return at(n, "cannot read the value %q", clip(m[4]))
		}
		if err := j.record(string(m[2]), string(m[3]), value, process); err != nil {
			return at(n, "%v", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return j.finish()
}
