package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/report/timeline"
	"txweave/sql/sqltext"
)

// mtrWriter writes an mtr test.
type mtrWriter struct {
	*script
	strings.Builder
	current  string // connection
	waiting  int    // statements that wait at this moment
	unsure   bool   // something has happened since anybody looked whether they all wait
	ended    bool   // and that is the end of a transaction
	serially bool   // what comes is an order without transactions
}

// writeMTR writes a .test for mysqltest. A statement that waits is sent with send and reaped when the run says that
// it woke; before the next one is sent the test makes sure that it does wait. It makes sure again once a transaction
// has ended: that may have let a statement go on, which then takes locks, until it waits for another transaction.
func writeMTR(s *script) ([]File, error) {
	if !s.dbms.mtr() {
		return nil, fmt.Errorf("mtr tests are for %s; this finding is of %s", testedByMTR(),
			s.finding.Record.Environment.DBMS)
	}
	w := &mtrWriter{script: s}
	w.WriteString(comment("# ", s.head()...))
	for _, line := range s.dbms.MTRHead {
		w.WriteString(line + "\n")
	}
	if !w.single() {
		w.WriteString("--source include/count_sessions.inc\n")
	}
	w.WriteString("\n")
	setup := s.setup
	if !s.alone() {
		setup = slices.Concat(setup, s.dbms.Alone) // the tables and the serial order go over the default connection
	}
	if !w.single() {
		fmt.Fprintf(w, "delimiter |;\nlet $setup=\n%s|\ndelimiter ;|\n", strings.Join(s.setup, ";\n"))
	}
	w.session(setup)
	w.section(s.together())
	w.tables(false)
	if w.current = "default"; !w.single() {
		w.connect()
	}
	w.WriteString("--enable_info\n")
	if s.finding.Complains() {
		w.WriteString("# Who meets the damage, and when, may differ.\n--disable_abort_on_error\n")
	}
	for _, m := range s.Marks {
		w.mark(m)
	}
	w.connection("default")
	w.contents()
	if checks := Checks(s.finding); len(checks) > 0 {
		fmt.Fprintf(w, "--echo # %s\n%s", checked, comment("# ", "finding: "+s.finding.Said()))
		for _, sql := range checks {
			w.WriteString(sql + ";\n")
		}
		w.WriteString("--enable_abort_on_error\n")
	}
	for _, x := range s.serial {
		w.serially = true
		w.section(x.what)
		w.tables(true)
		for _, st := range x.steps {
			w.plain(st)
		}
		w.contents()
	}
	w.end()
	return []File{{"case.test", w.String()}}, nil
}

// checked names what the database says of its tables.
const checked = "Are the tables whole?"

// connect opens the connections of the sessions.
func (w *mtrWriter) connect() {
	for _, i := range w.usedLanes() {
		w.WriteString("--connect (" + conn(w.Lanes[i].Name) + ",localhost,root,,)\n")
		w.session(w.laneSetup(w.Lanes[i]))
		w.current = conn(w.Lanes[i].Name)
	}
}

// single says whether the statements go over the connection that is there.
func (w *mtrWriter) single() bool { return len(w.usedLanes()) == 1 }

// together says what the statements in transactions show.
func (s *script) together() string {
	switch names := s.named(); {
	case s.finding.Record.Class == finding.ClassPlan:
		return "As planned"
	case len(names) == 1:
		return "In a transaction"
	default:
		return "The interleaving of " + strings.Join(names, ", ")
	}
}

// named returns the names of the lanes in use.
func (s *script) named() []string {
	var out []string
	for _, i := range s.usedLanes() {
		out = append(out, s.Lanes[i].Name)
	}
	return out
}

func (w *mtrWriter) section(what string) { fmt.Fprintf(w, "\n--echo #\n--echo # %s\n--echo #\n", what) }

// tables creates the tables.
func (w *mtrWriter) tables(again bool) {
	if again {
		w.WriteString("--disable_query_log\n--disable_info\n")
		for _, sql := range w.drops() {
			w.WriteString(sql + ";\n")
		}
	}
	for _, sql := range w.creation() {
		w.WriteString(sql + ";\n")
	}
	if again {
		w.WriteString("--enable_query_log\n--enable_info\n")
	}
}

// session writes what a connection sends first: what more than one sends stands once, in a variable.
func (w *mtrWriter) session(setup []string) {
	w.WriteString("--disable_query_log\n")
	if n := len(w.setup); !w.single() && len(setup) >= n && slices.Equal(setup[:n], w.setup) {
		w.WriteString("eval $setup;\n")
		setup = setup[n:]
	}
	for _, sql := range setup {
		w.WriteString(sql + ";\n")
	}
	w.WriteString("--enable_query_log\n")
}

// connection goes over to another connection.
func (w *mtrWriter) connection(name string) {
	if w.current != name {
		w.WriteString("--connection " + name + "\n")
	}
	w.current = name
}

// conn names a lane's connection: con0 for T0.
func conn(lane string) string { return "con" + strings.TrimPrefix(lane, "T") }

// mark writes what happened at one moment.
func (w *mtrWriter) mark(m timeline.Mark) {
	if m.Kind != timeline.Resumed && m.Step.Role != history.Abort {
		w.await() // not before: what was sent last may have made a victim, and that has woken others
	}
	if !w.single() {
		w.connection(conn(w.Lanes[m.Step.Lane].Name))
	}
	if refusable(m.Step) && m.Kind != timeline.Ran {
		w.refused(m)
		return
	}
	switch m.Kind {
	case timeline.Ran:
		w.say(m.Step, "")
		if slices.ContainsFunc(m.Step.Differences, func(d finding.Difference) bool { return d.What == fault.Hang }) {
			w.hangs(m.Step)
			return
		}
		w.expect(m.Step, errorCodes(m.Step))
		w.WriteString(m.Step.SQL + ";\n")
	case timeline.Blocked:
		w.say(m.Step, " (waits)")
		fmt.Fprintf(w, "send %s;\n", m.Step.SQL)
		w.waiting++
		w.unsure = true
	case timeline.Resumed:
		w.waiting--
		if w.waiting > 0 {
			w.WriteString(
				"# Others wait too: where that is for the same transaction, the server chooses which one goes on first.\n")
		}
		w.say(m.Step, " (resumed)")
		w.expect(m.Step, errorCodes(m.Step))
		w.WriteString("--reap\n")
	}
	if (m.Step.Role == history.End || m.Step.Role == history.Abort) && w.waiting > 0 {
		w.unsure, w.ended = true, true
	}
}

// hangs writes a statement that is not answered: the test has it killed, and goes on.
func (w *mtrWriter) hangs(st *timeline.LaneStep) {
	fmt.Fprintf(w, "--let $id= `SELECT CONNECTION_ID()`\nsend %s;\n--connect (watch,localhost,root,,)\n"+
		"# It should be answered at once. After 10 s it is killed, and the result says \"Timeout in wait_condition.inc\".\n"+
		"let $wait_timeout= 10;\nlet $wait_condition= SELECT COUNT(*) = 0 FROM information_schema.PROCESSLIST "+
		"WHERE ID = $id AND COMMAND = 'Query';\n--source include/wait_condition.inc\n--disable_query_log\n"+
		"eval KILL QUERY $id;\n--enable_query_log\n--disconnect watch\n--connection %s\n", st.SQL, w.current)
	w.WriteString("--sorted_result\n--error 0,ER_QUERY_INTERRUPTED\n--reap\n")
}

// refusable says whether a step does not wait for those who use its tables: what changes or locks them is refused while
// others do (lock_wait_timeout is 0), and is sent again when another transaction has ended.
func refusable(st *timeline.LaneStep) bool {
	return st.Role == history.Target && !sqltext.KindOf(st.SQL).IsTarget()
}

// refused writes such a step at the moment at which it was first sent, or at that at which it went through.
func (w *mtrWriter) refused(m timeline.Mark) {
	if m.Kind == timeline.Blocked {
		fmt.Fprintf(w, "--echo # %s (others use the table)\n--error %s\n", m.Step.Name, w.dbms.ErrorNames[w.dbms.Refused])
	} else {
		w.say(m.Step, " (again)")
		w.expect(m.Step, errorCodes(m.Step))
	}
	w.WriteString(m.Step.SQL + ";\n")
}

// await makes sure that the statements which should wait do.
func (w *mtrWriter) await() {
	if !w.unsure || w.waiting == 0 {
		return
	}
	w.connection("default")
	if w.ended {
		w.WriteString("--sleep 0.1\n") // a statement that was let go on counts as waiting until its thread runs
	}
	w.unsure, w.ended = false, false
	fmt.Fprintf(w, "let $wait_condition= SELECT %s = %d FROM %s;\n--source include/wait_condition.inc\n",
		w.dbms.Waits[0], w.waiting, w.dbms.Waits[1])
}

// say names the statement in the result file, and what it should answer where the finding says that it does not.
func (w *mtrWriter) say(st *timeline.LaneStep, how string) {
	if st.Role != history.Target && !st.Probe() && how == "" {
		return
	}
	fmt.Fprintf(w, "--echo # %s%s\n", st.Name, how)
	if how == " (waits)" {
		return
	}
	for _, d := range st.Differences {
		for _, line := range w.told(&d) {
			w.WriteString(comment("# ", "finding: "+line))
		}
	}
}

// told is what a finding says of a step or a table; nothing of those of a plain form's orders without transactions,
// which are what it is held against.
func (w *mtrWriter) told(d *finding.Difference) []string {
	if w.serially && w.finding.Plain != nil {
		return nil
	}
	return w.describe(d)
}

// expect writes the commands that go before a statement: the errors it may answer, sorting where no order is asked.
func (w *mtrWriter) expect(st *timeline.LaneStep, codes []int) {
	if isQuery(st) && !w.ordered(st.SQL) && slices.Contains(codes, 0) {
		w.WriteString("--sorted_result\n")
	}
	if (len(codes) > 1 || codes[0] != 0) && !w.finding.Complains() {
		var names []string
		for _, c := range codes {
			name := w.dbms.ErrorNames[c]
			if name == "" {
				name = strconv.Itoa(c)
			}
			names = append(names, name)
		}
		w.WriteString("--error " + strings.Join(names, ",") + "\n")
	}
}

// plain writes one statement of a serial order.
func (w *mtrWriter) plain(st *timeline.LaneStep) {
	w.say(st, "")
	w.expect(st, serialCodes(st))
	w.WriteString(st.SQL + ";\n")
}

// contents reads the tables.
func (w *mtrWriter) contents() {
	for i, sql := range w.reads() {
		fmt.Fprintf(w, "--echo # %s at the end\n", remark(w.script.tables[i]))
		for _, t := range w.Tables {
			if t.Name == w.script.tables[i] && len(t.Differences) > 0 {
				for _, line := range w.told(&t.Differences[0]) {
					w.WriteString(comment("# ", "finding: "+line))
				}
			}
		}
		fmt.Fprintf(w, "--sorted_result\n%s;\n", sql)
	}
}

// end drops what the test made.
func (w *mtrWriter) end() {
	w.WriteString("\n--disable_info\n")
	if !w.single() {
		for _, i := range w.usedLanes() {
			fmt.Fprintf(w, "--disconnect %s\n", conn(w.Lanes[i].Name))
		}
		w.WriteString("--connection default\n--source include/wait_until_count_sessions.inc\n")
	}
	for _, sql := range w.drops() {
		w.WriteString(sql + ";\n")
	}
}
