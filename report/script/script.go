// Package script writes a finding as a person would show it to another one: a script in windows with its answers as
// comments, and what was answered beside what should have been.
package script

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/report/export"
	"txweave/report/timeline"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Windowed is a finding as it is shown in windows.
type Windowed struct {
	*timeline.Timeline
	Windows int // lanes that are used

	f      *timeline.Dossier
	of     *testcase.Case
	orders []timeline.Order
	later  bool     // see timeline.PlainForm
	names  []string // of the lanes that are used, by lane; "" for the others
}

// Of picks what is shown of a finding: the plain form of its case or, without one, the case as it was run. t is its
// timeline, nil where it has no trace.
func Of(f *timeline.Dossier, t *timeline.Timeline) *Windowed {
	s := &Windowed{Timeline: t, f: f, of: f.Case}
	if p := f.Plain; p != nil {
		s.Timeline, s.of, s.orders, s.later = p.Timeline, p.Case, p.Orders, p.Later
	} else if t != nil && f.Replayed != nil {
		s.orders = []timeline.Order{{Timeline: t}}
	}
	if s.Timeline == nil {
		s.Timeline = timeline.Planned(f.Case)
	}
	s.names = make([]string, len(s.Lanes))
	for _, m := range s.Marks {
		if i := m.Step.Lane; s.names[i] == "" {
			if s.Windows++; s.Lanes[i].Observer {
				s.names[i] = "a reader outside transactions"
			} else {
				s.names[i] = fmt.Sprint("window ", s.Windows)
			}
		}
	}
	return s
}

// Text prints the script: what sets the level, tables and rows, the statements.
func (s *Windowed) Text() string {
	level := strings.Join(s.level(), "; ")
	switch {
	case level != "" && s.Windows > 1:
		level = "-- every window first: " + level + ";\n"
	case level != "":
		level += ";\n"
	}
	return level + s.statements()
}

// level is what sets the level of a connection. The other settings, which the list of settings has, stay out of the
// script.
func (s *Windowed) level() []string {
	env := &s.f.Record.Environment
	p, err := dbms.Lookup(env.DBMS, env.Isolation)
	if err != nil {
		return nil
	}
	var out []string
	if store := s.f.Store(); store != nil {
		out = append(out, store.Set...)
	}
	for _, sql := range p.Sessions.Setup {
		if env.Default(sql) || s.levelled() {
			continue
		}
		if text := strings.ToLower(sql); s.f.Record.Class != finding.ClassPlan &&
			(strings.Contains(text, "isolation") || strings.Contains(text, "txn_mode")) {
			out = append(out, sql)
		}
	}
	return append(out, p.SettingOf(s.f.Case.Option(testcase.OptionSetting))...)
}

// levelled says whether each transaction sets a level of its own.
func (s *Windowed) levelled() bool {
	set := map[int]bool{}
	for _, x := range s.Steps {
		set[x.Txn] = set[x.Txn] || x.Role == history.Level
	}
	return !slices.Contains(slices.Collect(maps.Values(set)), false)
}

// line is a statement with what is remarked beside it, and below it.
type line struct {
	sql, remark string
	below       []string
}

// statements prints set-up, statements and contents at the end.
func (s *Windowed) statements() string {
	var lines []line
	for _, x := range slices.Concat(s.of.Schema, s.of.Rows) {
		lines = append(lines, line{sql: x.SQL + ";"})
	}
	var tables []string
	for _, t := range s.of.ReadSchema().Tables {
		tables = append(tables, t.Name)
	}
	if store := s.f.Store(); store != nil && store.Upkeep != "" {
		lines = append(lines, line{sql: store.Follows(tables) + ";"})
	}
	last := "nobody"
	for _, m := range s.Marks {
		heading := s.heading(m.Step)
		if heading != last && len(lines) > 0 {
			lines = append(lines, line{})
		}
		if heading != last && heading != "" {
			lines = append(lines, line{sql: "-- " + heading})
		}
		last = heading
		lines = append(lines, s.moment(m))
	}
	ends := s.ends()
	for _, sql := range export.Checks(s.f) {
		ends = append(ends, line{sql: sql + ";"})
	}
	if n := len(ends); n > 0 && s.f.Complains() {
		ends[n-1].below = []string{s.f.Said() + "   <-- wrong"}
	}
	if len(ends) > 0 {
		lines = append(append(lines, line{}), ends...)
	}
	return layOut(lines)
}

// heading says where a statement is sent and, where others name it by its transaction, which that is; "" where there is
// nothing to tell apart.
func (s *Windowed) heading(x *timeline.LaneStep) string {
	var out []string
	if s.Windows > 1 {
		out = append(out, s.names[x.Lane])
	}
	if s.f.Plain == nil && len(s.Used()) > 1 && !s.Lanes[x.Lane].Observer {
		out = append(out, history.SessionName(x.Txn))
	}
	return strings.Join(out, ", ")
}

// warned prints the warnings of an answer by their codes, to stand behind it.
func warned(a *history.Answer) (text string) {
	for _, w := range a.Warnings {
		text += fmt.Sprintf(", %s %d", strings.ToLower(w.Level), w.Code)
	}
	return text
}

// longest is how long a step may be that stands beside the statement which it is about.
const longest = 120

// moment prints one moment.
func (s *Windowed) moment(m timeline.Mark) line {
	x := m.Step
	l := line{sql: x.SQL + ";"}
	switch {
	case m.Kind == timeline.Blocked:
		l.remark = "waits"
		return l
	case !x.Answered && s.answered():
		l.remark = "no answer   <-- wrong"
		return l
	case !x.Answered || x.Role == history.Begin || x.Role == history.End && x.Answer.Err == nil:
		return l
	}
	text, ok := timeline.Brief(&x.Answer)
	if !ok {
		l.below = timeline.AnswerLines(&x.Answer)
	}
	l.remark = text
	if m.Kind == timeline.Resumed {
		l.sql, l.remark = "", "goes on: "+text
	}
	l.remark += warned(&x.Answer)
	if x.Gone {
		l.remark += ", and no transaction is open any more"
	}
	if x.Probe() {
		l.remark += what[x.Role]
	}
	if len(x.Differences) > 0 && !x.Probe() {
		mark := s.unlike()
		if told := x.Differences[0].Steps.String(); s.f.Plain == nil && told != "" && len(told) <= longest &&
			s.f.Record.Class != finding.ClassUnexpected {
			mark = told
		}
		if x.Expected != nil && !s.tabled() {
			expected, _ := timeline.Brief(x.Expected)
			mark = s.other() + ": " + expected + warned(x.Expected)
		}
		if d := s.f.Searched(); d != nil {
			mark = "without a transaction " + d.Transaction.Count() + ", where a query finds " + d.Replay.Count()
		}
		if wrong := s.f.InAutocommit(); wrong != "" {
			mark = "right; without a transaction " + wrong
		}
		l.remark += "   <-- " + mark
	}
	return l
}

// what says what a read that was added is for.
var what = map[history.Role]string{
	history.VSR:     "   (which rows it is about to see)",
	history.BWR:     "   (which rows its WHERE clause finds)",
	history.AWR:     "   (the rows as it has written them)",
	history.Again:   "   (which rows its WHERE clause finds now, after the wait)",
	history.Orphans: "   (which rows refer to none)",
}

// answered says whether it is known what anything was answered.
func (s *Windowed) answered() bool {
	return slices.ContainsFunc(s.Steps, func(x *timeline.LaneStep) bool { return x.Answered })
}

// ends reads the tables whose contents at the end are a part of what is wrong.
func (s *Windowed) ends() []line {
	var out []line
	for i := range s.Tables {
		t := &s.Tables[i]
		if len(t.Differences) == 0 || t.Actual == nil {
			continue
		}
		l := line{sql: t.Read + ";"}
		text, ok := timeline.BriefRows(t.Actual, 4, 70)
		if !ok {
			l.below = timeline.Grid(t.Actual)
		}
		mark := s.unlike()
		if t.Expected != nil && !s.tabled() {
			expected, _ := timeline.BriefRows(t.Expected, 4, 70)
			mark = s.other() + ": " + expected
		}
		l.remark = text + "   <-- " + mark
		out = append(out, l)
	}
	return out
}

// unlike marks an answer that is not what it is to be, as far as that is known.
func (s *Windowed) unlike() string {
	if s.f.Wrong() != timeline.TheRun {
		return "differs"
	}
	return "wrong"
}

// tabled says whether the other answers are left to the table, whose headings say how they were had.
func (s *Windowed) tabled() bool { return s.f.Record.Class == finding.ClassPlan }

// other is what the answer beside such a one is called.
func (s *Windowed) other() string {
	switch {
	case s.f.Wrong() == timeline.TheRun:
		return "expected"
	case s.Windows == 1:
		return "without a transaction"
	}
	return "without transactions"
}

// layOut puts the remarks into one column.
func layOut(lines []line) string {
	const widest = 56
	width := 0
	for _, l := range lines {
		if n := utf8.RuneCountInString(l.sql); l.remark != "" && n <= widest && !strings.Contains(l.sql, "\n") {
			width = max(width, n)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.sql)
		if l.remark != "" {
			pad := width - utf8.RuneCountInString(l.sql)
			if pad < 0 {
				pad = 0
			}
			b.WriteString(strings.Repeat(" ", pad) + "  -- " + finding.Line(l.remark))
		}
		b.WriteString("\n")
		for _, x := range l.below {
			b.WriteString("--   " + finding.Line(x) + "\n")
		}
	}
	return b.String()
}

// maxOrders is how many orders stand beside the transactions.
const maxOrders = 2

// Table prints actual and expected side by side; "" where there is nothing to put beside the run. Intro is a sentence
// to go before it, and more how many orders of transactions are not shown.
func (s *Windowed) Table() (intro, text string, more int) {
	rows := s.compared()
	if len(s.orders) == 0 || len(rows) == 0 || s.f.Searched() != nil {
		return "", "", 0
	}
	if s.f.Record.Class != finding.ClassReplay && s.f.Record.Class != finding.ClassPlan {
		intro = s.neither()
	}
	return intro, columns(append([][]string{s.header(s.f.Record.Class)}, rows...)), max(len(s.orders)-maxOrders, 0)
}

// Replayed says whether there is an execution without concurrency beside the run.
func (s *Windowed) Replayed() bool { return len(s.orders) > 0 }

// neither introduces the orders of transactions.
func (s *Windowed) neither() string {
	switch {
	case s.later:
		return "What is committed after an answer comes after it. Every such order, one transaction after the other, gives " +
			"another answer:"
	case len(s.orders) == 1 && s.Windows == 1:
		return "Without transactions the same statements give another answer:"
	case len(s.orders) == 1:
		return "One after the other they give another answer:"
	}
	return "No order of the transactions, one after the other, gives the answers on the left:"
}

func (s *Windowed) header(class string) []string {
	out := []string{"", "actual"}
	if s.f.InAutocommit() != "" {
		return []string{"", "in transactions", "without (wrong)"}
	}
	switch class {
	case finding.ClassReplay:
		out := []string{"", "in the transactions", "without"}
		if s.Windows == 1 {
			out = []string{"", "in a transaction", "without one"}
		}
		if s.f.Wrong() == timeline.TheOther {
			out[2] += " (wrong)"
		}
		return out
	case finding.ClassPlan:
		out[1] = "as planned"
		for i := range s.orders {
			out = append(out, cmp.Or(s.orders[i].On, s.f.Otherwise()))
		}
		if wrong := s.f.Plain.WrongPlan(); wrong != timeline.EitherSide {
			out[wrong] += " (wrong)"
		}
		return out
	}
	for i, o := range s.orders {
		if i == maxOrders {
			break
		}
		var names []string
		for _, n := range o.Txns {
			names = append(names, s.WindowOf(n))
		}
		if len(names) > 1 && s.Windows == 1 {
			out = append(out, "expected (without transactions)")
			continue
		}
		if len(names) == 1 {
			out = append(out, "expected (alone, without a transaction)")
			continue
		}
		out = append(out, strings.Join(names, ", then "))
	}
	return out
}

// Call says what a place of the case is for who sees the script: a transaction's window, or a statement by its kind,
// its number among those of that kind, and its window.
func (s *Windowed) Call(where string) string {
	if txn, ok := testcase.ParseTxn(where); ok {
		return s.WindowOf(txn)
	}
	ref, ok := testcase.ParseRef(where)
	c := s.f.Case
	if !ok || ref.Txn >= len(c.Txns) || ref.Stmt >= len(c.Txns[ref.Txn].Stmts) {
		return where
	}
	stmts := c.Txns[ref.Txn].Stmts
	verb := sqltext.Verb(stmts[ref.Stmt].SQL)
	at, all := 0, 0
	for i := range stmts {
		if sqltext.Verb(stmts[i].SQL) == verb {
			if all++; i <= ref.Stmt {
				at++
			}
		}
	}
	text := "the " + verb
	if all > 1 {
		text = fmt.Sprintf("%s number %d", verb, at)
	}
	if s.Windows > 1 {
		text += " of " + s.WindowOf(ref.Txn)
	}
	return text
}

// WindowOf names the window that runs a transaction.
func (s *Windowed) WindowOf(txn int) string {
	for _, x := range s.Steps {
		if x.Txn == txn {
			return s.window(x)
		}
	}
	return history.SessionName(txn)
}

// window names where a statement is sent as others call it.
func (s *Windowed) window(x *timeline.LaneStep) string {
	switch {
	case s.Windows > 1:
		return s.names[x.Lane]
	case len(s.Used()) > 1:
		return history.SessionName(x.Txn)
	}
	return "the transaction"
}

// compared are the statements and tables of which not all executions give the same: what the transactions gave, then
// what each order gives.
func (s *Windowed) compared() [][]string {
	var out [][]string
	cell := func(text string, ok bool) string { return text }
	for _, x := range s.Steps {
		if x.Role != history.Target || !x.Answered {
			continue
		}
		row := []string{s.label(x), cell(timeline.Brief(&x.Answer))}
		differs := false
		for i, o := range s.orders {
			y := o.Timeline.Find(x.Name)
			text := "-"
			if y != nil && y.Expected != nil {
				text = cell(timeline.Brief(y.Expected))
				differs = differs || !timeline.SameAnswer(&x.Answer, y.Expected)
			}
			if i < maxOrders {
				row = append(row, text)
			}
		}
		if differs {
			out = append(out, row)
		}
	}
	return append(out, s.comparedTables()...)
}

func (s *Windowed) comparedTables() [][]string {
	var out [][]string
	for i := range s.Tables {
		t := &s.Tables[i]
		if t.Actual == nil {
			continue
		}
		text, _ := timeline.BriefRows(t.Actual, 4, 70)
		row := []string{t.Name + " at the end", text}
		differs := false
		for j, o := range s.orders {
			k := slices.IndexFunc(o.Timeline.Tables, func(x timeline.FinalTable) bool { return x.Name == t.Name })
			if k < 0 || o.Timeline.Tables[k].Expected == nil {
				return out
			}
			rows := o.Timeline.Tables[k].Expected
			differs = differs || !timeline.SameRows(t.Actual, rows)
			if text, _ := timeline.BriefRows(rows, 4, 70); j < maxOrders {
				row = append(row, text)
			}
		}
		if differs {
			out = append(out, row)
		}
	}
	return out
}

// label names a statement in the comparison: its window where there are several, and its beginning.
func (s *Windowed) label(x *timeline.LaneStep) string {
	const longest = 44
	text := []rune(strings.Join(strings.Fields(x.SQL), " "))
	if len(text) > longest {
		text = append(text[:longest-1], '…')
	}
	if s.Windows > 1 {
		return s.names[x.Lane] + ": " + string(text)
	}
	return string(text)
}

// columns prints a table without lines.
func columns(rows [][]string) string {
	var width []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			line.WriteString(c + strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
