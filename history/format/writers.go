package format

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/history/register"
)

// writer is a format that histories can be written in.
type writer struct {
	name  string
	ext   string // of the names of its files
	keeps Keeping
	write func(out io.Writer, h *register.History) error
}

// Keeping is what a format can hold beside committed transactions.
type Keeping struct {
	Times   bool // when each began and ended
	Aborted bool // what aborted transactions wrote
	Unknown bool // transactions of unknown outcome
	Lists   bool // keys that hold lists
	Numbers bool // the numbers of transactions
}

// writers lists them. Their names are those of readers.
func writers() []writer {
	return []writer{
		{"txweave", ".jsonl", Keeping{true, true, true, true, true}, Write},
		{"compact", CompactSuffix, Keeping{true, true, true, true, true}, WriteCompact},
		{"edn", ".edn", Keeping{true, true, true, true, false}, jepsenWriter(ednEvents)},
		{"jepsen-json", ".json", Keeping{true, true, true, true, false}, jepsenWriter(jsonEvents)},
		{"text", ".txt", Keeping{Aborted: true}, writeText},
		{"awdit", ".awdit", Keeping{}, writeAWDIT},
		{"dbcop-json", ".json", Keeping{Aborted: true}, writeDBCopJSON},
	}
}

// WriterNames lists the formats that histories can be written in.
func WriterNames() (names []string) {
	for _, w := range writers() {
		names = append(names, w.name)
	}
	return names
}

func writerNamed(name string) (*writer, error) {
	for _, w := range writers() {
		if w.name == name {
			return &w, nil
		}
	}
	return nil, fmt.Errorf("histories are not written in the format %q: want one of %s", name,
		strings.Join(WriterNames(), ", "))
}

// Extension returns how the names of files of a format end, with the dot.
func Extension(name string) (string, error) {
	w, err := writerNamed(name)
	if err != nil {
		return "", err
	}
	return w.ext, nil
}

// Keeps says what histories can hold that are written in a format.
func Keeps(name string) Keeping {
	w, err := writerNamed(name)
	if err != nil {
		return Keeping{}
	}
	return w.keeps
}

// WriteAs writes a history in a format. It refuses one that the format cannot hold.
func WriteAs(out io.Writer, name string, h *register.History) error {
	w, err := writerNamed(name)
	if err != nil {
		return err
	}
	for i := range h.Txns {
		switch {
		case h.Txns[i].Status == history.Aborted && !w.keeps.Aborted:
			return fmt.Errorf("the format %s cannot hold aborted transactions", name)
		case h.Txns[i].Status == history.Unknown && !w.keeps.Unknown:
			return fmt.Errorf("the format %s cannot hold transactions of unknown outcome", name)
		}
	}
	if err := w.holds(h); err != nil {
		return err
	}
	b := bufio.NewWriter(out)
	if err := w.write(b, h); err != nil {
		return err
	}
	return b.Flush()
}

// holds says what of a history's operations cannot be written: txweave's own formats hold all.
func (w *writer) holds(h *register.History) error {
	if w.name == "txweave" || w.name == "compact" {
		return nil
	}
	for _, op := range h.Ops {
		switch list := op.Kind == register.Append || op.Kind == register.ReadList; {
		case list && !w.keeps.Lists:
			return fmt.Errorf("the format %s cannot hold lists", w.name)
		case op.Kind == register.NotEqual:
			return fmt.Errorf("the format %s is not written for failed compares", w.name)
		case op.Kind == register.Extend:
			return fmt.Errorf("the format %s is not written for texts that grow", w.name)
		case op.Kind == register.ReadList:
			continue
		case h.Named(op.Value):
			return fmt.Errorf("the format %s is written for values that are integers, not %s", w.name, h.Name(op.Value))
		}
	}
	for key := range int32(h.Keys()) {
		if _, err := strconv.ParseInt(h.KeyName(key), 10, 64); err != nil {
			return fmt.Errorf("the format %s is written for keys that are integers, not %s", w.name, h.KeyName(key))
		}
	}
	return nil
}

// jepsenEvent is one line of a Jepsen history.
type jepsenEvent struct {
	kind    string // invoke, ok, fail or info
	process int64
	time    int64 // ns
	txn     int
}

// jepsenEvents lists what the clients of a history did, in order of time: of one instant first what began, as what
// ends and begins in one instant overlaps. A client whose outcome is not known goes on as another process, as Jepsen's
// do. Without real time each transaction ends before the next one begins.
func jepsenEvents(h *register.History) (events []jepsenEvent) {
	clients := int64(h.Sessions()) + 1
	process := make([]int64, h.Sessions())
	for s := range process {
		process[s] = int64(s)
	}
	for t := range h.Txns {
		x := &h.Txns[t]
		p, start, end := clients-1, int64(2*t), int64(2*t+1)
		if t != h.Initial {
			p = process[x.Session]
		}
		if h.RealTime {
			start, end = h.Start(t), h.End(t)
		}
		kind := "ok"
		switch x.Status {
		case history.Aborted:
			kind = "fail"
		case history.Unknown:
			kind, end = "info", start
			process[x.Session] += clients
		}
		events = append(events, jepsenEvent{"invoke", p, start, t}, jepsenEvent{kind, p, end, t})
	}
	slices.SortStableFunc(events, func(a, b jepsenEvent) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.rank(h), b.rank(h)))
	})
	return events
}

// rank orders the events of one instant: the initial transaction, then what begins, then what ends.
func (e *jepsenEvent) rank(h *register.History) int {
	switch {
	case e.txn == h.Initial:
		return 0
	case e.kind == "invoke":
		return 1
	}
	return 2
}

// spelling is how events are written.
type spelling struct {
	before, between, after string // all of them
	event                  string // one: its index, type, process, time and operations
	word                   string // a function's name
	nothing                string
	comma                  string // between the parts of an operation, and the elements of a list
}

var (
	ednEvents = &spelling{after: "\n", between: "\n", word: ":%s", nothing: "nil", comma: " ",
		event: "{:index %d, :type :%s, :process %d, :time %d, :f :txn, :value [%s]}"}
	jsonEvents = &spelling{before: "[", after: "]\n", between: ",\n", word: `"%s"`, nothing: "null", comma: ", ",
		event: `{"index": %d, "type": "%s", "process": %d, "time": %d, "f": "txn", "value": [%s]}`}
)

// jepsenWriter writes transactions as Elle's rw-register takes them, those of lists as its list-append does.
func jepsenWriter(s *spelling) func(io.Writer, *register.History) error {
	return func(out io.Writer, h *register.History) error {
		_, err := io.WriteString(out, s.before)
		for i, e := range jepsenEvents(h) {
			if i > 0 && err == nil {
				_, err = io.WriteString(out, s.between)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, s.event, i, e.kind, e.process, e.time, s.operations(h, e.txn, e.kind == "ok"))
		}
		if err == nil {
			_, err = io.WriteString(out, s.after)
		}
		return err
	}
}

// operations spells those of a transaction; what it read only where that is known.
func (s *spelling) operations(h *register.History, txn int, known bool) string {
	var all []string
	for _, op := range h.TxnOps(txn) {
		f, value := "r", s.nothing
		switch op.Kind {
		case register.Write:
			f, value = "w", h.Name(op.Value)
		case register.Append:
			f, value = "append", h.Name(op.Value)
		case register.ReadList:
			if known {
				value = s.list(h, h.List(op))
			}
		default:
			if known && !op.Nil {
				value = h.Name(op.Value)
			}
		}
		all = append(all, "["+fmt.Sprintf(s.word, f)+s.comma+h.KeyName(op.Key)+s.comma+value+"]")
	}
	return strings.Join(all, s.comma)
}

func (s *spelling) list(h *register.History, elements []int64) string {
	names := make([]string, len(elements))
	for i, e := range elements {
		names[i] = h.Name(e)
	}
	return "[" + strings.Join(names, s.comma) + "]"
}

// sessionsOf lists the transactions of each session in order.
func sessionsOf(h *register.History) [][]int {
	of := make([][]int, h.Sessions())
	for t := range h.Txns {
		if t != h.Initial {
			of[h.Txns[t].Session] = append(of[h.Txns[t].Session], t)
		}
	}
	return of
}

// writeText writes what readText reads: transaction 0 of session 0 is the initial one, aborted writes are transaction
// -1, a read of nothing is one of 0.
func writeText(out io.Writer, h *register.History) error {
	line := func(f string, op register.Op, session, txn int64) error {
		_, err := fmt.Fprintf(out, "%s(%s,%d,%d,%d)\n", f, h.KeyName(op.Key), op.Value, session, txn)
		return err
	}
	for t := range h.Txns {
		x := &h.Txns[t]
		session, txn := int64(0), int64(0)
		if t != h.Initial {
			session, txn = int64(x.Session)+1, x.ID
		}
		if x.Status == history.Aborted {
			txn = abortedTxn
		}
		for _, op := range h.TxnOps(t) {
			f := "r"
			if op.Kind == register.Write {
				f = "w"
			} else if x.Status == history.Aborted {
				continue
			}
			if err := line(f, op, session, txn); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeAWDIT writes what readAWDIT reads. It has no reads of nothing; the initial transaction is a session of its own.
func writeAWDIT(out io.Writer, h *register.History) error {
	sessions := sessionsOf(h)
	if h.Initial >= 0 {
		sessions = slices.Insert(sessions, 0, []int{h.Initial})
	}
	if slices.ContainsFunc(h.Ops, func(op register.Op) bool { return op.Nil }) {
		return fmt.Errorf("the format awdit cannot hold reads of nothing: begin with an initial transaction")
	}
	for i, txns := range sessions {
		var lines []string
		for _, t := range txns {
			lines = append(lines, awditTxn(h, t))
		}
		text := strings.Join(lines, "----\n")
		if i > 0 {
			text = "====\n" + text
		}
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	return nil
}

func awditTxn(h *register.History, t int) string {
	var b strings.Builder
	for _, op := range h.TxnOps(t) {
		f := "r"
		if op.Kind == register.Write {
			f = "w"
		}
		fmt.Fprintf(&b, "%s %s %d\n", f, h.KeyName(op.Key), op.Value)
	}
	return b.String()
}

// writeDBCopJSON writes what readDBCopJSON reads; a read of nothing is one of 0. The initial transaction is a session
// of its own.
func writeDBCopJSON(out io.Writer, h *register.History) error {
	sessions := sessionsOf(h)
	if h.Initial >= 0 {
		sessions = slices.Insert(sessions, 0, []int{h.Initial})
	}
	var lines []string
	for _, txns := range sessions {
		var all []string
		for _, t := range txns {
			all = append(all, dbcopTxn(h, t))
		}
		lines = append(lines, "["+strings.Join(all, ",\n")+"]")
	}
	_, err := fmt.Fprintf(out, "{\"data\": [%s]}\n", strings.Join(lines, ",\n"))
	return err
}

func dbcopTxn(h *register.History, t int) string {
	var events []string
	for _, op := range h.TxnOps(t) {
		kind, version := "Read", strconv.FormatInt(op.Value, 10)
		if op.Kind == register.Write {
			kind = "Write"
		}
		events = append(events, fmt.Sprintf(`{"%s": {"variable": %s, "version": %s}}`, kind, h.KeyName(op.Key), version))
	}
	return fmt.Sprintf(`{"events": [%s], "committed": %t}`, strings.Join(events, ", "),
		h.Txns[t].Status == history.Committed)
}
