// Package timeline lays a run out as people read it: lanes (one for each session), the statements on them in the
// order in which they were sent, where they blocked and woke, what each answered and, where the statements were
// replayed without transactions, what it answered there. Reports, exports and drawings start from it.
package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// LaneStep is one statement on its lane, with its answer and the one that was expected.
type LaneStep struct {
	Lane     int    // index into Timeline.Lanes
	Txn      int    // transaction of the case
	Stmt     int    // position among its target statements; -1 for what opens or ends it
	Name     string // "T1.S3", "T1.BEGIN", "T1.COMMIT"; a probe's ends with its role, "T1.S3.bwr"
	Role     history.Role
	SQL      string
	Blocked  bool // it waited for a lock while others ran
	Gone     bool // see history.Event
	Answered bool // false where the trace ends before its answer
	Answer   history.Answer
	Expected *history.Answer // in the replay, without transactions; nil if it was not replayed
	// Differences are the finding's that name this statement.
	Differences []finding.Difference

	op, done   int
	start, end int64
	sent       bool // the statement itself, not only a probe of it
}

// Probe says whether the statement is a read that was added to watch another one.
func (s *LaneStep) Probe() bool { return probe(s.Role) }

func probe(r history.Role) bool {
	switch r {
	case history.Level, history.Begin, history.Target, history.End, history.Abort, history.Initial, history.Final:
		return false
	}
	return true
}

// Kind is the statement's kind: its first word, SELECT for one that begins with WITH.
func (s *LaneStep) Kind() string { return sqltext.Verb(s.SQL) }

// MarkKind says what happened at one moment.
type MarkKind uint8

// The kinds of a mark. A statement that did not block has one mark, Ran; one that did has two.
const (
	Ran     MarkKind = iota // sent and answered
	Blocked                 // sent; it waits
	Resumed                 // answered after a wait
)

// Mark is one moment of the run.
type Mark struct {
	Kind MarkKind
	Step *LaneStep
}

// Lane is one connection.
type Lane struct {
	Name     string // as in the trace: "T0" after the session's first transaction; "committed", "latest" of an observer
	Observer bool   // it only reads what others wrote, outside every transaction
}

// FinalTable is what a table held at the end.
type FinalTable struct {
	Name string
	// the query for them, in whatever order: it names the columns where a statement of the case adds some
	Read        string
	Actual      *history.Rows // after the transactions
	Expected    *history.Rows // after the replay; nil if there was none
	Differences []finding.Difference
}

// Timeline is one run.
type Timeline struct {
	Lanes  []Lane
	Steps  []*LaneStep // in order of sending
	Marks  []Mark      // what happened, moment by moment
	Serial []*LaneStep // target statements in the order of the replay; empty without one
	Tables []FinalTable
	// Dropped are the names of target statements of the case that did not take part in this run: dropped to break
	// a cycle or a wait.
	Dropped []string
}

// Build lays out a run. replayed may be nil. Probes are left out, but for those of the statements that probed
// names ("T1.S3").
func Build(c *testcase.Case, run, replayed *history.Trace, differences []finding.Difference,
	probed []string) *Timeline {
	t := &Timeline{}
	t.lanes(run)
	t.steps(c, run, probed, differences)
	t.order()
	t.expect(replayed)
	t.tables(run, replayed)
	for _, d := range differences {
		t.attach(d)
	}
	t.dropped(c)
	return t
}

// Planned lays out a case that has no trace in the order of its schedule; no statement has an answer.
func Planned(c *testcase.Case) *Timeline {
	t := &Timeline{}
	for i := range c.Txns {
		t.Lanes = append(t.Lanes, Lane{Name: fmt.Sprintf("T%d", i)})
	}
	next := make([]int, len(c.Txns))
	for op, n := range c.Schedule {
		if n < 0 || n >= len(next) || next[n] >= c.Txns[n].Steps() {
			continue // Parse refuses such schedules
		}
		e := &history.Event{Txn: n, Stmt: next[n] - 1, Role: history.Target, Text: c.Txns[n].Step(next[n]).SQL}
		switch {
		case c.Txns[n].Autocommit():
			e.Stmt = 0
		case next[n] == 0:
			e.Stmt, e.Role = -1, history.Begin
		case next[n] == c.Txns[n].Steps()-1:
			e.Stmt, e.Role = -1, history.End
		}
		next[n]++
		s := &LaneStep{Lane: n, Txn: n, Stmt: e.Stmt, Name: stepName(e), Role: e.Role, SQL: e.Text, op: op}
		t.Steps = append(t.Steps, s)
		t.Marks = append(t.Marks, Mark{Ran, s})
	}
	return t
}

// Find returns the step of a target statement, nil if there is none.
func (t *Timeline) Find(name string) *LaneStep {
	for _, s := range t.Steps {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// steps makes steps of the events. The events of a statement and its probes become one step, which blocked if one
// of them did: without the probe the statement itself would have.
func (t *Timeline) steps(c *testcase.Case, run *history.Trace, probed []string, differences []finding.Difference) {
	open := map[string]*LaneStep{}
	setting := settingOf(c)
	for _, e := range run.Events {
		if !shows(e, setting, differences) || chained(c, e) {
			continue
		}
		name := stepName(e)
		isProbe := probe(e.Role)
		kept := isProbe && (slices.Contains(probed, name) || e.Role == history.Orphans)
		switch {
		case kept && open[name].returns(e):
			continue
		case kept:
			name += "." + string(e.Role)
		case isProbe && (observes(e.Session) || e.Role == history.AWR):
			continue
		}
		s := open[name]
		if isProbe && !kept && s != nil && s.sent {
			continue // the statement has answered; the tables are read once more
		}
		if s == nil {
			s = &LaneStep{Lane: t.lane(e), Txn: e.Txn, Stmt: e.Stmt, Name: name, Role: e.Role, SQL: e.Text, op: e.Op,
				start: e.Start}
			if isProbe && !kept {
				s.Role, s.SQL = history.Target, c.Txns[e.Txn].Stmts[e.Stmt].SQL
			}
			open[name] = s
			t.Steps = append(t.Steps, s)
		}
		s.take(e, isProbe)
	}
}

// returned says whether an event is of the rows that a write returned, by the clause that is its text.
func returned(e *history.Event) bool {
	return e.Role == history.AWR && strings.HasPrefix(e.Text, "RETURNING ")
}

// returns has a write return the rows of such an event: it was sent with the clause.
func (s *LaneStep) returns(e *history.Event) bool {
	if s == nil || !returned(e) {
		return false
	}
	if s.Answer.Err == nil {
		s.SQL, s.Answer.Rows = s.SQL+" "+e.Text, e.Rows
	}
	return true
}

// take takes what an event of a step says of how it ended.
func (s *LaneStep) take(e *history.Event, isProbe bool) {
	s.sent = s.sent || !isProbe
	s.Blocked = s.Blocked || e.Blocked
	s.done, s.end = e.Done, e.End
	s.Answered = e.Done >= 0
	s.Answer, s.Gone = answerOf(e), s.Gone || e.Gone
}

// answerOf is what was answered, without a count of no rows where nothing that is counted was asked for.
func answerOf(e *history.Event) history.Answer {
	a, kind := e.Answer, sqltext.KindOf(e.Text)
	if a.Affected == 0 && kind != sqltext.Select && !kind.Writes() && sqltext.Verb(e.Text) != "EXECUTE" {
		a.Affected = -1
	}
	return a
}

// shows says whether an event is shown: not the settings with which every session begins, what is read before and after
// all transactions, nor the check at the end of one of which nothing is wrong.
func shows(e *history.Event, setting []string, differences []finding.Difference) bool {
	switch {
	case e.Role == history.Level && slices.Contains(setting, e.Text):
		return false
	case e.Role == history.Orphans && !slices.ContainsFunc(differences, func(d finding.Difference) bool {
		return d.OfCommit(e.Txn)
	}):
		return false
	}
	return e.Txn >= 0 && e.Role != history.Initial && e.Role != history.Final
}

// chained says whether an event stands for a BEGIN: the transaction was begun by AND CHAIN, at the end of the one
// before.
func chained(c *testcase.Case, e *history.Event) bool {
	p, err := dbms.Lookup(c.Target, c.Isolation)
	return err == nil && e.Role == history.Begin && p.Transactions.Chained != "" && e.Text == p.Transactions.Chained
}

// settingOf are the statements of the setting under which a case is run.
func settingOf(c *testcase.Case) []string {
	p, err := dbms.Lookup(c.Target, c.Isolation)
	if err != nil {
		return nil
	}
	return p.SettingOf(c.Option(testcase.OptionSetting))
}

// stepName names the step that an event belongs to.
func stepName(e *history.Event) string {
	if e.Stmt >= 0 {
		return fmt.Sprintf("T%d.S%d", e.Txn, e.Stmt)
	}
	word := sqltext.FirstWord(e.Text)
	switch e.Role {
	case history.Level:
		word = fmt.Sprintf("SET%d", e.Op)
	case history.Begin:
		word = "BEGIN"
	case history.Abort:
		word = "ABORT"
	case history.Orphans:
		word = fmt.Sprintf("READ%d", e.Op)
	}
	return fmt.Sprintf("T%d.%s", e.Txn, word)
}

// observes says whether a session of a trace belongs to no transaction.
func observes(session string) bool {
	return session == "committed" || session == "latest" || session == "control"
}

// lanes makes the lanes: the transactions' sessions in the order of their numbers, then the observers.
func (t *Timeline) lanes(run *history.Trace) {
	for _, e := range run.Events {
		if e.Txn >= 0 && !slices.ContainsFunc(t.Lanes, func(l Lane) bool { return l.Name == e.Session }) {
			t.Lanes = append(t.Lanes, Lane{Name: e.Session, Observer: observes(e.Session)})
		}
	}
	rank := func(l Lane) (int, int, string) {
		if l.Observer {
			return 1, 0, l.Name
		}
		return 0, len(l.Name), l.Name // T9 before T10
	}
	slices.SortFunc(t.Lanes, func(a, b Lane) int {
		a1, a2, a3 := rank(a)
		b1, b2, b3 := rank(b)
		return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2), strings.Compare(a3, b3))
	})
}

// lane returns the lane of an event's session.
func (t *Timeline) lane(e *history.Event) int {
	return slices.IndexFunc(t.Lanes, func(l Lane) bool { return l.Name == e.Session })
}

// order puts the moments in their order. Sending is numbered, answering too; a statement that did not wait was
// answered before the next one was sent. Where one that waited was answered between two sendings is told by the
// numbers of the answers, and between two that both wait by the clock.
func (t *Timeline) order() {
	slices.SortStableFunc(t.Steps, func(a, b *LaneStep) int { return cmp.Compare(a.op, b.op) })
	var waiting []*LaneStep
	resume := func(ready func(*LaneStep) bool) {
		slices.SortStableFunc(waiting, func(a, b *LaneStep) int { return cmp.Compare(a.done, b.done) })
		waiting = slices.DeleteFunc(waiting, func(w *LaneStep) bool {
			if w.Answered && ready(w) {
				t.Marks = append(t.Marks, Mark{Resumed, w})
				return true
			}
			return false
		})
	}
	for _, s := range t.Steps {
		resume(func(w *LaneStep) bool { return w.Lane == s.Lane || !s.Blocked && w.done < s.done || w.end <= s.start })
		if !s.Blocked {
			t.Marks = append(t.Marks, Mark{Ran, s})
			continue
		}
		t.Marks = append(t.Marks, Mark{Blocked, s})
		waiting = append(waiting, s)
	}
	resume(func(*LaneStep) bool { return true })
}

// expect sets what the replay answered.
func (t *Timeline) expect(replayed *history.Trace) {
	if replayed == nil {
		return
	}
	for _, e := range replayed.Events {
		if e.Role != history.Target {
			continue
		}
		if s := t.Find(stepName(e)); s != nil {
			expected := answerOf(e)
			s.Expected = &expected
			t.Serial = append(t.Serial, s)
		}
	}
}

// tables collects what the tables held at the end.
func (t *Timeline) tables(run, replayed *history.Trace) {
	for _, e := range run.Events {
		if e.Role == history.Final {
			t.Tables = append(t.Tables, FinalTable{Name: tableOf(e.Text), Read: unordered(e.Text), Actual: e.Rows})
		}
	}
	slices.SortFunc(t.Tables, func(a, b FinalTable) int { return strings.Compare(a.Name, b.Name) })
	if replayed == nil {
		return
	}
	for _, e := range replayed.Events {
		if e.Role != history.Final {
			continue
		}
		for i := range t.Tables {
			if t.Tables[i].Name == tableOf(e.Text) {
				t.Tables[i].Expected = e.Rows
			}
		}
	}
}

// tableOf returns the table of a final read, SELECT * FROM t ORDER BY …
func tableOf(sql string) string {
	if tables := sqltext.Read(sql).Named; len(tables) > 0 {
		return tables[0].Text
	}
	return sql
}

// unordered is a final read without its order.
func unordered(sql string) string {
	sql, _, _ = strings.Cut(sql, " ORDER BY ")
	return sql
}

// attach files a difference under the step or the table that it names.
func (t *Timeline) attach(d finding.Difference) {
	if s := t.Find(d.Stmt); s != nil && d.Stmt != "" {
		s.Differences = append(s.Differences, d)
		return
	}
	if d.What != fault.Final {
		return
	}
	for i := range t.Tables {
		if d.Table == t.Tables[i].Name {
			t.Tables[i].Differences = append(t.Tables[i].Differences, d)
		}
	}
}

func (t *Timeline) dropped(c *testcase.Case) {
	for i := range c.Txns {
		for j := range c.Txns[i].Stmts {
			if name := fmt.Sprintf("T%d.S%d", i, j); t.Find(name) == nil {
				t.Dropped = append(t.Dropped, name)
			}
		}
	}
}

// Used returns the numbers of the transactions that take part, ascending.
func (t *Timeline) Used() []int {
	var out []int
	for _, s := range t.Steps {
		if !slices.Contains(out, s.Txn) {
			out = append(out, s.Txn)
		}
	}
	slices.Sort(out)
	return out
}
