package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"txweave/history"
	"txweave/history/register"
	"txweave/history/workload"
)

// jepsen pairs invocations with completions and makes transactions of them.
//
// The order of the records is the order in which they happened, so a record's position serves as its time: it
// says of two operations what a clock would say. :fail did not happen, :info may have happened.
type jepsen struct {
	b     *sink
	pos   int64
	index int32         // the last one that a record has; -1: none has
	open  map[int64]int // by process: its invocation
	slots []invocation
	free  []int // slots that are not in use
	fresh []int // slots that still share memory with the chunk they came from
	txns  int64
	lists bool // some operation appends, so that reads return lists
	times bool // every completion had its invocation
	elems []int64
	// failedCompare: a compare-and-set that failed says that the register held something else.
	failedCompare bool

	reads    []answer // what comes before it is known what the reads are of
	decided  bool
	work     *workloads // of a history that is none of registers or lists
	longFork bool       // the workload may be long-fork
	keyed    bool       // some operation is on one of many registers
	keyless  bool       // some is on the only one

	// The first operation that a history of registers, or one of lists, cannot hold.
	badRegister, badList error
}

// invocation is an operation that has not ended.
type invocation struct {
	begun register.Place
	pos   int64
	fresh bool // it shares memory with a chunk
	f     string
	txn   bool
	mops  []mop
	value *datum
	key   *datum
}

// answer is an operation with its outcome.
type answer struct {
	process, start, end int64
	begun, told         register.Place
	outcome             history.Outcome
	saw                 bool // of one whose outcome is not known: what it read is told
	f                   string
	txn                 bool
	mops                []mop
	value               *datum
	key                 *datum
}

func newJepsen(b *sink, failedCompare bool) *jepsen {
	return &jepsen{b: b, index: -1, open: map[int64]int{}, times: true, failedCompare: failedCompare, longFork: true}
}

// record takes one record. It may share memory with others until keep is called.
func (j *jepsen) record(r *record) error {
	if r.err != nil {
		return r.err
	}
	if i := r.place.Index; i >= 0 {
		if i < j.index {
			return fmt.Errorf("it has :index %d and stands behind :index %d: sort the operations by :index, as their order is "+
				"that in which they happened", i, j.index)
		}
		j.index = i
	}
	process, client := j.process(r)
	if !client {
		return nil
	}
	pos := j.pos
	j.pos++
	slot, invoked := j.open[process]
	if r.outcome == "invoke" {
		if invoked {
			return fmt.Errorf("process %s begins an operation while its last one is open", j.b.Name(process))
		}
		j.begin(process, pos, r)
		return nil
	}
	var in invocation
	if invoked {
		in = j.slots[slot]
		j.slots[slot] = invocation{}
		j.free = append(j.free, slot)
		delete(j.open, process)
	} else {
		in = invocation{pos: pos, begun: r.place, f: r.f, txn: r.txn, mops: r.mops, value: r.value,
			key: r.key}
		j.times = false
	}
	if in.f != r.f && r.f != "" && in.f != "" {
		return fmt.Errorf("process %s ends %s where it began %s", j.b.Name(process), r.f, in.f)
	}
	a := answer{process: process, start: in.pos, end: pos, begun: in.begun, told: r.place, f: in.f, txn: in.txn,
		mops: in.mops, value: in.value, key: in.key}
	switch r.outcome {
	case "ok":
		a.outcome = history.Committed
		switch {
		case r.txn || r.value != nil || r.f == "read" || r.f == "get":
			a.txn, a.mops, a.value = r.txn, r.mops, r.value
		case in.txn: // it says no more than that it did what was asked: what reads returned is not known
			a.mops = slices.DeleteFunc(slices.Clone(in.mops), func(m mop) bool { return m.f == 'r' })
		}
	case "fail":
		a.outcome = history.Aborted
	case "info":
		a.outcome = history.Unknown
		if a.saw = r.txn && in.txn && slices.EqualFunc(in.mops, r.mops, sameAsked); a.saw {
			a.mops = r.mops
		}
	default:
		return fmt.Errorf("an operation of type %s: want invoke, ok, fail or info", r.outcome)
	}
	return j.answer(&a)
}

// sameAsked says whether two operations ask for the same, whatever they were answered.
func sameAsked(x, y mop) bool {
	if x.f != y.f || x.key != y.key || x.keyText != y.keyText {
		return false
	}
	same := x.kind == y.kind && x.n == y.n && slices.Equal(x.elems, y.elems) && (x.other == nil) == (y.other == nil)
	return x.f == 'r' || same && (x.other == nil || x.other.String() == y.other.String())
}

// process returns the number of a record's process; client is false of those that are none, such as the nemesis.
func (j *jepsen) process(r *record) (process int64, client bool) {
	switch {
	case r.client == "":
		return r.process, true
	case r.client == "nemesis":
		return 0, false
	}
	process = j.b.Number(r.client)
	if _, invoked := j.open[process]; r.outcome == "info" && !invoked {
		return 0, false // what is told by somebody who began nothing
	}
	return process, true
}

func (j *jepsen) begin(process, pos int64, r *record) {
	slot := len(j.slots)
	if n := len(j.free); n > 0 {
		slot = j.free[n-1]
		j.free = j.free[:n-1]
	} else {
		j.slots = append(j.slots, invocation{})
	}
	j.slots[slot] = invocation{begun: r.place, pos: pos, fresh: true, f: r.f, txn: r.txn, mops: r.mops, value: r.value,
		key: r.key}
	j.fresh = append(j.fresh, slot)
	j.open[process] = slot
}

// keep copies what open operations share with the records that were given.
func (j *jepsen) keep() {
	for _, slot := range j.fresh {
		in := &j.slots[slot]
		if !in.fresh {
			continue
		}
		in.fresh = false
		in.mops = slices.Clone(in.mops)
		for i := range in.mops {
			in.mops[i].elems = slices.Clone(in.mops[i].elems)
		}
	}
	j.fresh = j.fresh[:0]
}

// answer takes an operation with its outcome. What the history is of shows in the first one that is no read: reads are
// kept until then.
func (j *jepsen) answer(a *answer) error {
	if a.f == "cas" && a.outcome == history.Aborted && j.failedCompare {
		a.f, a.outcome = "not", history.Committed
	}
	if !j.decided {
		switch {
		case !a.txn && (a.f == "add" || a.f == "transfer") || a.f == "read" && a.value != nil && a.value.kind == dict:
			j.work = &workloads{names: j.b.Names()}
		case !a.txn && (a.f == "read" || a.f == "r"):
			j.reads = append(j.reads, *a)
			return nil
		}
		if err := j.decide(); err != nil {
			return err
		}
	}
	if j.work != nil {
		return j.work.add(a)
	}
	return j.transaction(a)
}

// decide gives the reads that were kept to what the history turned out to be.
func (j *jepsen) decide() error {
	j.decided = true
	for i := range j.reads {
		a := &j.reads[i]
		var err error
		if j.work != nil {
			err = j.work.add(a)
		} else {
			err = j.transaction(a)
		}
		if err != nil {
			return at(int(max(a.told.Line, a.begun.Line)), "%v", err)
		}
	}
	j.reads = nil
	return nil
}

// single is the key of a history of one register.
const single = "x"

// independent takes apart the value of an operation on one of many registers, as jepsen.independent writes it: [key
// value], of a compare-and-set [key [expected new]].
func independent(f string, value *datum) (key, of *datum, ok bool) {
	if value.kind != list || len(value.list) != 2 {
		return nil, nil, false
	}
	key, of = &value.list[0], &value.list[1]
	if key.kind == list || key.kind == dict || key.kind == null {
		return nil, nil, false
	}
	switch f {
	case "read", "r", "write", "w", "acquire", "release":
		return key, of, of.kind != list && of.kind != dict
	case "cas", "not":
		return key, of, of.kind == list && len(of.list) == 2
	}
	return nil, nil, false
}

// microOps lists the operations that one record stands for.
func (j *jepsen) microOps(a *answer) ([]mop, error) {
	if a.txn {
		return a.mops, nil
	}
	value := &nothing
	if a.value != nil {
		value = a.value
	}
	key := datum{kind: text, s: single}
	if a.key != nil {
		return textOps(a.f, a.key, value)
	}
	if k, of, ok := independent(a.f, value); ok {
		j.keyed, key, value = true, *k, of
	} else if value.kind != null && value.kind != list || a.f == "cas" || a.f == "not" {
		j.keyless = true
	}
	if value.kind == list && len(value.list) > 0 && value.list[0].kind == list {
		return listedOps(*value)
	}
	if a.f == "txn" || a.f == "" {
		return emptyTxn(a, value)
	}
	return registerOps(a.f, &key, value)
}

// emptyTxn is a transaction in whose value stand no operations.
func emptyTxn(a *answer, value *datum) ([]mop, error) {
	switch {
	case value.kind == list && len(value.list) == 0, a.f == "txn" && value.kind == null && a.outcome != history.Unknown:
		return nil, nil
	case a.f == "txn" && value.kind == null:
		return nil,
			errors.New("a transaction without a :value, whose outcome is not known: nobody can say what it may have written")
	}
	return nil, unknownOperation(a.f)
}

// textOps are the operation on a register that holds a text, of the key-value histories of Porcupine's tests.
func textOps(f string, key, value *datum) ([]mop, error) {
	kinds := map[string]byte{"get": 'r', "put": 'w', "append": '+'}
	if kinds[f] == 0 {
		return nil, fmt.Errorf("operation %q on a :key: want get, put or append", f)
	}
	return []mop{oneOp(kinds[f], key, value)}, nil
}

// oneOp is a micro-operation.
func oneOp(f byte, key, value *datum) mop {
	m := mop{f: f}
	if key.kind == integer {
		m.key = key.n
	} else {
		m.keyText = cmp.Or(key.String(), `""`)
	}
	m.set(value)
	return m
}

// registerOps are the operations of an operation on a register, f, or on a lock.
func registerOps(f string, key, value *datum) ([]mop, error) {
	one := func(f byte, value *datum) mop { return oneOp(f, key, value) }
	switch f {
	case "read", "r":
		return []mop{one('r', value)}, nil
	case "write", "w":
		return []mop{one('w', value)}, nil
	case "cas", "not":
		if value.kind != list || len(value.list) != 2 {
			return nil, fmt.Errorf("cas needs [expected new], not %s", value)
		}
		if f == "not" {
			return []mop{one('!', &value.list[0])}, nil
		}
		return []mop{one('c', &value.list[0]), one('w', &value.list[1])}, nil
	case "acquire", "release": // a lock is a register that holds 0 or 1
		from, to := datum{kind: integer}, datum{kind: integer, n: 1}
		if f == "release" {
			from, to = to, from
		}
		return []mop{one('c', &from), one('w', &to)}, nil
	}
	return nil, unknownOperation(f)
}

// unknownOperation says of an operation that it is not read.
func unknownOperation(f string) error {
	if f == "get" || f == "put" {
		return fmt.Errorf("operation %q without a :key", f)
	}
	return fmt.Errorf(
		"operation %q is not one of a register or list history: want txn, read, write, cas, acquire or release; or read "+
			"with add or transfer, of a set, a counter or a bank", f)
}

// transaction gives the builder the transaction that an operation is.
func (j *jepsen) transaction(a *answer) error {
	switch {
	case a.f == "acquire" || a.f == "release":
		j.b.SetInitialValue(0)
	case a.key != nil:
		j.b.SetInitialValue(j.b.Number(""))
	}
	mops, err := j.microOps(a)
	if err != nil {
		return err
	}
	j.longFork = j.longFork && a.txn && isLongFork(a)
	j.b.Begin(a.process, j.txns)
	j.txns++
	for i := range mops {
		m := &mops[i]
		f := m.f
		switch f {
		case 'a':
			j.lists = true
		case 'r', '!':
			if a.outcome != history.Committed && (!a.saw || m.kind == null) {
				continue // nobody saw what it returned
			}
			j.lists = j.lists || f == 'r' && m.kind == list
		case 'c': // what it read if it happened, whatever its client learned
			f = 'r'
		}
		j.add(f, m, max(a.told.Line, a.begun.Line))
	}
	j.b.End(a.outcome, a.start, a.end)
	j.b.Place(a.begun, a.told)
	return nil
}

// add gives one operation to the builder.
func (j *jepsen) add(f byte, m *mop, line int32) {
	var key int32
	if m.keyText == "" {
		key = j.b.IntKey(m.key)
	} else {
		key = j.b.Key(m.keyText)
	}
	if m.kind != null && m.kind != list && f == 'r' && j.badList == nil {
		j.badList = at(int(line), "a read of %s in a history of lists", m.datum())
	}
	switch {
	case f == 'r' && m.kind == list:
		elements := j.elems[:0]
		for _, n := range m.elems {
			elements = append(elements, j.b.Integer(n))
		}
		if m.other != nil {
			for _, e := range m.other.list {
				elements = append(elements, number(j.b.Builder, &e))
			}
		}
		j.b.ReadList(key, elements)
		j.elems = elements
	case m.kind == list || m.kind == dict:
		j.bad(f, line, fmt.Sprintf("a register cannot hold %s", clip([]byte(m.datum().String()))))
	case m.kind == null && (f == 'w' || f == 'a' || f == '+'):
		j.bad(f, line, errNothing.Error())
	case f == 'r' && m.kind == null:
		j.b.ReadNil(key)
	case f == '!' && m.kind == null:
		j.b.Op(register.Op{Kind: register.NotEqual, Key: key, Nil: true})
	case m.other != nil:
		j.op(f, key, number(j.b.Builder, m.other))
	default:
		j.op(f, key, j.b.Integer(m.n))
	}
}

func (j *jepsen) op(f byte, key int32, value int64) {
	kind := register.Read
	switch f {
	case 'w':
		kind = register.Write
	case 'a':
		kind = register.Append
	case '!':
		kind = register.NotEqual
	case '+':
		kind = register.Extend
	}
	j.b.Op(register.Op{Kind: kind, Key: key, Value: value})
}

// bad keeps the first operation that cannot be.
func (j *jepsen) bad(f byte, line int32, text string) {
	if j.badRegister == nil {
		j.badRegister = at(int(line), "%s", text)
	}
	if j.badList == nil {
		j.badList = at(int(line), "%s", text)
	}
}

// finish ends the history.
func (j *jepsen) finish() error {
	for _, process := range slices.Sorted(maps.Keys(j.open)) { // never answered
		in := &j.slots[j.open[process]]
		a := answer{process: process, start: in.pos, begun: in.begun, outcome: history.Unknown, f: in.f, txn: in.txn,
			mops: in.mops, value: in.value, key: in.key}
		if err := j.answer(&a); err != nil {
			return at(int(in.begun.Line), "%v", err)
		}
	}
	if !j.decided {
		if err := j.decide(); err != nil {
			return err
		}
	}
	if j.times {
		j.b.SetRealTime()
	}
	if j.keyed && j.keyless {
		return errors.New("some operations are of one of many registers, [key value], and others name no key")
	}
	if j.work != nil {
		if err := j.work.finish(); err != nil {
			return err
		}
		j.b.workload = workload.New(j.work.ops, j.times, j.work.names)
		j.b.workload.Keyed = j.work.keyed > 0
		return nil
	}
	j.b.longFork = j.longFork
	if j.lists {
		j.b.EmptyLists()
		j.b.lists = true
		return j.badList
	}
	return j.badRegister
}

func looksJepsenJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	return len(head) > 0 && (head[0] == '[' || head[0] == '{') && bytes.Contains(head, []byte(`"type"`))
}

// jepsenLine is a line of Jepsen's log: "INFO  jepsen.util - 4	:invoke	:cas	[1 3]".
type jepsenLine struct{ process, outcome, f, value []byte }

// parseJepsenLine reads a line; ok is false where another part of Jepsen wrote it.
func parseJepsenLine(line []byte) (l jepsenLine, ok bool) {
	const blank = " \t\n\f\r"
	var words [6][]byte
	for i := range words {
		end := bytes.IndexAny(line, blank)
		if end <= 0 {
			return l, false
		}
		words[i], line = line[:end], bytes.TrimLeft(line[end:], blank)
	}
	outcome, f := words[4], words[5]
	if string(words[0]) != "INFO" || string(words[1]) != "jepsen.util" || string(words[2]) != "-" ||
		!slices.Contains([]string{":invoke", ":ok", ":fail", ":info"}, string(outcome)) || len(f) < 2 || f[0] != ':' {
		return l, false
	}
	return jepsenLine{process: words[3], outcome: outcome[1:], f: f[1:], value: line}, true
}

func looksJepsenLog(head []byte) bool {
	for line := range bytes.Lines(head) { // other parts of Jepsen log too, and before
		if _, ok := parseJepsenLine(bytes.TrimSpace(line)); ok {
			return true
		}
	}
	return false
}

// readJepsenLog reads the log of a register that knows read, write and cas. A cas that fails has compared and
// found something else; :timed-out stands for an answer that never came.
func readJepsenLog(r io.Reader, b *sink) error {
	j := newJepsen(b, true)
	err := eachLine(r, func(n int, line []byte) error {
		l, ok := parseJepsenLine(line)
		if !ok {
			return nil // other parts of Jepsen log too
		}
		process, used := parseInt(l.process)
		if used != len(l.process) {
			return nil // the nemesis
		}
		e := &ednReader{text: l.value, line: n}
		value, err := e.value(0)
		if err != nil {
			return at(n, "cannot read the value %q", clip(l.value))
		}
		record := record{place: noPlace, outcome: string(l.outcome), f: string(l.f), process: process}
		record.place.Line = int32(n)
		record.setValue(&value)
		if err := j.record(&record); err != nil {
			return at(n, "%v", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return j.finish()
}
