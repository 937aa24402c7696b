// Package export writes a finding as the regression test that a database's maintainers would write: an mtr test, SQL
// scripts for the command-line client, an annotated linear script, a spec of PostgreSQL's isolation tester, a Go test.
// The text shows what the finding says: first the interleaving, then the equivalent order without transactions.
package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/spelling"
	"txweave/report/timeline"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// File is one file of an export.
type File struct{ Name, Text string }

// format is one way of writing a finding down.
type format struct {
	name  string
	about string
	write func(*script) ([]File, error)
}

// formats are the formats, in the order of help.
var formats = []format{
	{"mtr", "a .test for mysqltest (MariaDB, MySQL)", writeMTR},
	{"sql", "scripts for the command-line client: setup, one for each session, the serial order", writeSQL},
	{"annotated", "one linear script; comments name the sessions and hold the answers", writeAnnotated},
	{"isolation-spec", "a spec for PostgreSQL's isolation tester", writeSpec},
	{"go", "a self-contained Go test with database/sql", writeGo},
}

// former are names that formats had once; they still mean the same.
var former = map[string]string{"tidb": "annotated"}

// Formats lists the names of the formats.
func Formats() []string {
	var out []string
	for _, f := range formats {
		out = append(out, f.name)
	}
	return out
}

// Help says what the formats are, one line each.
func Help() string {
	var b strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&b, "  %-15s %s\n", f.name, f.about)
	}
	return b.String()
}

// Write writes a finding in a format. Most formats give one file; sql gives one for each session and more.
func Write(to string, f *timeline.Dossier) ([]File, error) {
	name := cmp.Or(former[to], to)
	i := slices.IndexFunc(formats, func(x format) bool { return x.name == name })
	if i < 0 {
		return nil, spelling.Meant(fmt.Errorf("unknown format %q: want %s", to, strings.Join(Formats(), ", ")), to,
			Formats()...)
	}
	s, err := newScript(f)
	if err != nil {
		return nil, err
	}
	return formats[i].write(s)
}

// script is what every format starts from.
type script struct {
	*timeline.Timeline
	finding *timeline.Dossier
	of      *testcase.Case // the plain form of the finding's, where there is one
	dbms    *Spelling
	setup   []string         // sent on every connection
	store   *dbms.StoreShape // nil: the usual one
	tables  []string         // in order of creation
	serial  []serial
}

// serial is one execution without concurrency that the interleaving is held against.
type serial struct {
	what  string
	steps []*timeline.LaneStep
}

func newScript(f *timeline.Dossier) (*script, error) {
	env := &f.Record.Environment
	spelling, err := spellingOf(env.DBMS)
	if err != nil {
		return nil, err
	}
	s := &script{finding: f, of: f.Case, dbms: spelling}
	if f.Plain != nil {
		s.of, s.Timeline = f.Plain.Case, f.Plain.Timeline
	} else if f.Run == nil && f.Broke() {
		s.Timeline = timeline.Planned(f.Case) // what it would have answered nobody knows
	} else if s.Timeline, err = f.Timeline(); err != nil {
		return nil, err
	}
	s.tables = tableNames(s.of)
	if s.store = f.Store(); s.store != nil {
		s.setup = append(s.setup, s.store.Set...)
	}
	s.setup = append(s.setup, s.dbms.Session...)
	if p, err := dbms.Lookup(env.DBMS, env.Isolation); err == nil {
		if !s.alone() { // at what level it runs alone, and how long it waits, does not matter
			s.setup = append(s.setup, p.Sessions.Setup...)
		}
		s.setup = append(s.setup, p.SettingOf(s.of.Option(testcase.OptionSetting))...)
	}
	const equivalent = "the same statements in an equivalent order, without transactions"
	switch {
	case f.Plain != nil:
		for _, o := range f.Plain.Orders {
			what := equivalent
			if len(o.Txns) == 1 {
				what = "alone, without a transaction"
			} else if o.Txns != nil {
				what = "one after the other, without transactions: " + inWords(o.Txns)
			}
			s.serial = append(s.serial, serial{what, o.Timeline.Serial})
		}
	case len(s.Serial) > 0:
		s.serial = append(s.serial, serial{equivalent, s.Serial})
	case f.Record.Class == finding.ClassIsolation:
		s.serialTransactions()
	}
	s.spellOut()
	return s, s.planned()
}

// alone says whether all that the finding needs is one session without transactions.
func (s *script) alone() bool {
	return s.finding.Record.Class == finding.ClassPlan && s.finding.Plain != nil
}

// inWords names transactions in their order.
func inWords(txns []int) string {
	var names []string
	for _, n := range txns {
		names = append(names, fmt.Sprint("T", n))
	}
	return strings.Join(names, " before ")
}

// serialTransactions adds both orders of two committed transactions: neither gives what the interleaving gave.
func (s *script) serialTransactions() {
	var committed []int
	for _, n := range s.Used() {
		if !slices.ContainsFunc(s.Steps, func(x *timeline.LaneStep) bool { return x.Txn == n && x.Role == history.Abort }) {
			committed = append(committed, n)
		}
	}
	if len(committed) != 2 || len(s.serial) > 0 {
		return
	}
	for _, order := range [][2]int{{committed[0], committed[1]}, {committed[1], committed[0]}} {
		x := serial{what: fmt.Sprintf("T%d before T%d", order[0], order[1])}
		for _, n := range order {
			for _, st := range s.Steps {
				if st.Txn == n && !st.Probe() {
					x.steps = append(x.steps, st)
				}
			}
		}
		s.serial = append(s.serial, x)
	}
}

// head are the lines that say what the script is.
func (s *script) head() []string {
	f := s.finding
	env := &f.Record.Environment
	out := []string{f.Title(s.Timeline)}
	if f.Plain != nil {
		out = append(out, strings.Split(f.Why(), ". ")...)
		for i := 1; i < len(out)-1; i++ {
			out[i] += "."
		}
	} else if f.Complains() || f.Record.Class == finding.ClassHang { // the rest stands where it shows
		out = append(out, f.Why())
	} else {
		for _, d := range f.Record.Differences {
			out = append(out, describe(f.Record.Class, &d)...)
		}
	}
	if planted := env.PlantedNote(); planted != "" {
		out = slices.Insert(out, 1, planted)
	}
	server := env.DBMS
	if env.Version != "" {
		server += " " + env.Version
	}
	tool := env.ToolVersion
	if tool == "" {
		tool = "txweave"
	}
	line := fmt.Sprintf("%s, %s; found by %s", server, env.Isolation, tool)
	if f.Case.Seed != 0 {
		line += fmt.Sprintf(", case seed %d", f.Case.Seed)
	}
	if s.store != nil && s.store.Lasting() {
		line += "; the server is made and started with " + strings.Join(s.store.Server, " ")
	}
	return append(out, line)
}

// flat writes a statement on one line: there are clients for which a line's beginning has a meaning of its own. What
// stands in quotes stays.
func (s *script) flat(sql string) string {
	if !strings.ContainsAny(sql, "\n\r") {
		return sql
	}
	var b strings.Builder
	for t := range sqltext.SyntaxOf(s.dbms.DBMS).Quoting.Tokens(sql) {
		if (t.Kind == sqltext.Blank || t.Kind == sqltext.Comment) && strings.ContainsAny(t.Text, "\n\r") {
			t.Text = " "
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// describe says what one difference is.
func describe(class string, d *finding.Difference) []string {
	head := strings.TrimSpace(d.Where() + " " + d.Told())
	if d.Where() == "" {
		head = d.Heading()
	}
	if detail := d.Detail(); detail != "" {
		head += ": " + detail
	}
	out := []string{head}
	if first, second := d.Sides(class); first != "" {
		out = append(out, fmt.Sprintf("  %-16s %s", first+":", d.Transaction))
		if d.Transaction.Waited {
			return out // the other one met nobody
		}
		out = append(out, fmt.Sprintf("  %-16s %s", second+":", d.Replay))
	}
	return out
}

// describe tells what is wrong with a step or a table, in the words of the form that is written.
func (s *script) describe(d *finding.Difference) []string {
	if s.finding.Plain != nil {
		return []string{s.finding.Say(d)}
	}
	return describe(s.finding.Record.Class, d)
}

// comment puts a marker before each line. What a finding says reaches a script through it, or through remark: no text
// of a finding's ends a comment.
func comment(marker string, lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		for part := range strings.SplitSeq(l, "\n") {
			b.WriteString(remark(marker+part) + "\n")
		}
	}
	return b.String()
}

// remark makes a text one that stands in a comment which the line's end ends, by whatever character a language means
// that.
func remark(text string) string { return strings.TrimRight(finding.Line(text), " ") }

// creation are the statements that make and fill the tables.
func (s *script) creation() []string {
	out := s.filling()
	if s.store != nil && s.store.Upkeep != "" {
		out = append(out, s.store.Follows(s.tables))
	}
	return out
}

// filling are the statements of one transaction that make the tables and fill them.
func (s *script) filling() []string {
	out := testcase.Texts(slices.Concat(s.of.Schema, s.of.Rows))
	for i := range out {
		out[i] = s.flat(out[i])
	}
	return out
}

// drops are the statements that drop the views, and the tables.
func (s *script) drops() []string {
	var out []string
	for _, st := range slices.Backward(s.of.Schema) {
		switch read := s.of.Read(st.SQL); {
		case read.Creates() == "view":
			out = append(out, "DROP VIEW IF EXISTS "+read.Written())
		case read.Inherits() != "": // it keeps the table from which it inherits
			out = append(out, "DROP TABLE IF EXISTS "+read.Written())
		}
	}
	for _, t := range slices.Backward(s.tables) {
		out = append(out, "DROP TABLE IF EXISTS "+t)
	}
	return out
}

// reads are the queries for what the tables hold at the end.
func (s *script) reads() []string {
	var out []string
	for _, t := range s.tables {
		read := "SELECT * FROM " + t
		if s.Timeline != nil {
			if at := slices.IndexFunc(s.Tables, func(f timeline.FinalTable) bool {
				return f.Name == t && f.Read != ""
			}); at >= 0 {
				read = s.flat(s.Tables[at].Read)
			}
		}
		out = append(out, read)
	}
	return out
}

// Checks are the statements by which the database says what is wrong with its tables; none where the finding is of
// something else, or the database has none.
func Checks(f *timeline.Dossier) []string {
	spelling, err := spellingOf(f.Record.Environment.DBMS)
	if err != nil || spelling.Check == nil || !f.Complains() {
		return nil
	}
	return spelling.Check(tableNames(f.Case))
}

// laneSetup is what a lane's connection sends first: the case's level, or that of a reader outside transactions.
func (s *script) laneSetup(l timeline.Lane) []string {
	switch {
	case !l.Observer:
		return s.setup
	case l.Name == "latest":
		return append(slices.Clone(s.dbms.Session), "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED")
	}
	return append(slices.Clone(s.dbms.Session), "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
}

// usedLanes returns the indexes of the lanes that have steps.
func (s *script) usedLanes() []int {
	var out []int
	for i := range s.Lanes {
		if slices.ContainsFunc(s.Steps, func(x *timeline.LaneStep) bool { return x.Lane == i }) {
			out = append(out, i)
		}
	}
	return out
}

// tableNames returns the names of a case's tables, as they are written.
func tableNames(c *testcase.Case) []string {
	var out []string
	for _, st := range c.Schema {
		if s := c.Read(st.SQL); s.Creates() == "table" {
			out = append(out, s.Written())
		}
	}
	return out
}

// ordered says whether a query sorts its result at the outermost level.
func (s *script) ordered(text string) bool {
	q, ok := s.of.Read(text).Tree.(*sql.Query)
	return ok && len(q.Order) > 0
}

// isQuery says whether a step returns rows.
func isQuery(st *timeline.LaneStep) bool {
	if st.Answer.Rows != nil || st.Probe() {
		return true
	}
	return sqltext.KindOf(st.SQL) == sqltext.Select
}

// errorCodes returns the codes that a step of the interleaving may answer: as in the run and, where the finding says
// that they differ, as in the replay; success, 0, comes last.
func errorCodes(st *timeline.LaneStep) []int {
	if st.Kind() == "KILL" { // not answered any more, the connection killed, interrupted
		return []int{2013, 1927, 1317}
	}
	out := []int{errorCode(&st.Answer)}
	if st.Expected != nil && errorCode(st.Expected) != out[0] {
		out = append(out, errorCode(st.Expected))
	}
	slices.SortFunc(out, func(a, b int) int { return b - a }) // mysqltest says that an error came if 0 is not the first
	return out
}

// serialCodes returns the code that a step answers without concurrency, or may answer where that is not known.
func serialCodes(st *timeline.LaneStep) []int {
	if st.Expected != nil {
		return []int{errorCode(st.Expected)}
	}
	if code := errorCode(&st.Answer); code != 0 {
		return []int{code, 0}
	}
	return []int{0}
}

func errorCode(a *history.Answer) int {
	if a.Err != nil {
		return a.Err.Code
	}
	return 0
}
