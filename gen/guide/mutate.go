package guide

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/instrument"
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// How large a mutant may grow.
const (
	maxTxns  = 8
	maxStmts = 24
)

// mutator changes one case.
type mutator struct {
	rng     *rand.Rand
	profile *dbms.Profile
	levels  []string // that a transaction may have for its own, beside others
	parser  *analysis.Texts
	schema  *sqltext.Schema
	c       *testcase.Case
	trees   map[string]sql.Stmt    // by their texts
	held    map[[2]string][]string // what the initial rows hold, by table and column
	// related returns another case over the same tables and rows; nil: there is none.
	related func() *testcase.Case
}

// operator is one way to change a case. It says whether it did.
type operator struct {
	name   string
	weight int // for seed cases
	meets  int // for cases of the generator's: 0 unless it makes transactions meet
	apply  func(*mutator) bool
}

// Template is the operator that replaces a case's transactions by those of a phenomenon.
const Template = "template"

var operators = []operator{
	{"splice", 12, 0, splice},
	{"transplant", 14, 0, transplant},
	{"repeat", 10, 0, repeat},
	{"drop", 6, 0, drop},
	{"exchange", 5, 0, exchange},
	{"literal", 16, 0, changeLiteral},
	{"meet", 16, 22, meet},
	{"conflict", 14, 20, conflict},
	{"commit-beside", 10, 14, commitBeside},
	{"overlap", 5, 6, overlap},
	{"nest", 10, 40, nest},
	{"late", 6, 16, late},
	{"move", 8, 0, move},
	{"interleave", 8, 0, otherInterleaving},
	{Template, 30, 70, template},
	{"ending", 3, 0, ending},
	{"level", 4, 0, level},
	{"index", 4, 2, addIndex},
	{"widen", 5, 4, widen},
	{"plan", 3, 0, plan},
	{"setting", 2, 0, session},
	{"store", 2, 0, store},
}

// change applies up to oftenChanged operators, drawn by weight, and returns their names; nil where what comes out
// cannot be judged, or is what went in.
func (m *mutator) change(weight func(*operator) int) []string {
	m.c.Order = nil
	if len(m.c.Schedule) == 0 {
		m.c.Schedule = m.c.SerialSchedule()
	}
	var names []string
	for range 1 + m.rng.IntN(oftenChanged) {
		if name := m.draw(weight); name != "" {
			names = append(names, name)
			if name == Template && m.pct(whole) { // another change would take it apart
				break
			}
		}
	}
	if m.c.Identify(); len(names) == 0 || m.check() != nil {
		return nil
	}
	return names
}

// draw applies one operator, drawn by weight, and returns its name; "" if it found nothing to do.
func (m *mutator) draw(weight func(*operator) int) string {
	total := 0
	for i := range operators {
		total += weight(&operators[i])
	}
	at := m.rng.IntN(total)
	for i := range operators {
		if at -= weight(&operators[i]); at >= 0 {
			continue
		}
		before := m.c.Clone()
		if operators[i].apply(m) {
			return operators[i].name
		}
		m.c = before // what it has done half-way
		return ""
	}
	return ""
}

// check says why the case as it stands is none that can be judged; nil if it is one.
func (m *mutator) check() error {
	n := 0
	for i := range m.c.Txns {
		n += len(m.c.Txns[i].Stmts)
	}
	if n > maxStmts || len(m.c.Txns) > maxTxns {
		return fmt.Errorf("%d statements in %d transactions: too large", n, len(m.c.Txns))
	}
	if err := m.c.Validate(); err != nil {
		return err
	}
	plan, err := instrument.Instrument(m.c, m.profile)
	if err != nil {
		return err
	}
	return plan.CheckKeys(m.initialKeys, true)
}

// initialKeys lists the keys of a table's initial rows.
func (m *mutator) initialKeys(table string) []int64 {
	var keys []int64
	for _, v := range m.values(table, sqltext.PKey) {
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			keys = append(keys, n)
		}
	}
	return keys
}

// values lists what the initial rows of a table hold in a column, as it is written; the list is not to be changed.
func (m *mutator) values(table, column string) []string {
	at := [2]string{table, column}
	out, known := m.held[at]
	if known {
		return out
	}
	for i := range m.c.Rows {
		out = append(out, m.inserted(m.c.Rows[i].SQL, table, column)...)
	}
	if m.held == nil {
		m.held = map[[2]string][]string{}
	}
	m.held[at] = out
	return m.held[at]
}

// inserted lists what rows that an INSERT spells into a table have in a column, as it is written.
func (m *mutator) inserted(text, table, column string) (out []string) {
	stmt, _ := m.dialect().Parse(text)
	s, ok := analysis.SpelledBy(stmt)
	if !ok || s.Table != table {
		return nil
	}
	for _, row := range s.Rows {
		if x := s.Value(row, column); x != nil {
			if written, err := m.dialect().PrintExpr(x); err == nil {
				out = append(out, written)
			}
		}
	}
	return out
}

// pct is true in p of 100 draws.
func (m *mutator) pct(p int) bool { return m.rng.IntN(100) < p }

// place is a target statement of the case.
type place struct{ txn, stmt int }

// targets lists the target statements of a case that fit.
func (m *mutator) targets(c *testcase.Case, fit func(t *testcase.Txn, s control.Statement) bool) []place {
	var out []place
	for n := range c.Txns {
		for i := range c.Txns[n].Stmts {
			s := m.statement(c.Txns[n].Stmts[i].SQL)
			if s.Kind.IsTarget() && (fit == nil || fit(&c.Txns[n], s)) {
				out = append(out, place{n, i})
			}
		}
	}
	return out
}

// statement understands a text of the case.
func (m *mutator) statement(sql string) control.Statement { return m.profile.Read(sql) }

// one draws an element.
func one[T any](m *mutator, list []T) (x T, ok bool) {
	if len(list) == 0 {
		return x, false
	}
	return list[m.rng.IntN(len(list))], true
}

// sql is the text of a statement.
func (m *mutator) sql(p place) string { return m.c.Txns[p.txn].Stmts[p.stmt].SQL }

// open says whether a transaction takes further statements: it has a frame, and what a prepared one holds before XA END
// only, one that has locked tables those of the tables that it names.
func (m *mutator) open(t *testcase.Txn) bool {
	return !t.Autocommit() && !m.prepared(t) && !m.profile.Read(t.End.SQL).Unlocks()
}

// prepared says whether a transaction is prepared under a name, or may be, which no other one of a case may have.
func (m *mutator) prepared(t *testcase.Txn) bool {
	return m.profile.Read(t.Begin.SQL).Opens() == control.Prepared || m.profile.Read(t.End.SQL).EndsPrepared() != ""
}

// takes says whether a transaction may have a statement of a related case: those that only read have no writes.
func (m *mutator) takes(t *testcase.Txn, k sqltext.Kind) bool {
	return m.open(t) && (!k.Writes() || t.Isolation != "read-uncommitted" && !m.profile.Read(t.Begin.SQL).ReadOnly())
}

// insert puts a statement into a transaction, before its i-th one, at a random place of the schedule between its
// neighbours'.
func (m *mutator) insert(txn, i int, sql string) {
	steps := m.c.StepsOf(txn)
	lo, hi := steps[i]+1, steps[i+1] // behind the statement before it, at the latest in the place of the one behind it
	m.c.Insert(testcase.Ref{Txn: txn, Stmt: i}, sql, lo+m.rng.IntN(hi-lo+1))
}

// drop removes a statement, or a whole transaction.
func drop(m *mutator) bool {
	if len(m.c.Txns) > 2 && m.pct(30) {
		m.c.RemoveTxn(m.rng.IntN(len(m.c.Txns)))
		return true
	}
	p, ok := one(m, m.targets(m.c, func(t *testcase.Txn, _ control.Statement) bool {
		return m.open(t) && len(t.Stmts) > 1
	}))
	if ok {
		m.c.Remove(testcase.Ref{Txn: p.txn, Stmt: p.stmt})
	}
	return ok
}

// repeat puts a copy of a statement elsewhere, with keys of its own.
func repeat(m *mutator) bool {
	p, ok := one(m, m.targets(m.c, nil))
	return ok && m.graft(m.sql(p))
}

// transplant puts a statement of a related case into the case.
func transplant(m *mutator) bool {
	k := m.related()
	if k == nil {
		return false
	}
	p, ok := one(m, m.targets(k, nil))
	return ok && m.graft(k.Txns[p.txn].Stmts[p.stmt].SQL)
}

// graft puts a statement into a transaction that takes it.
func (m *mutator) graft(sql string) bool {
	kind := m.statement(sql).Kind
	var fit []int
	for n := range m.c.Txns {
		if m.takes(&m.c.Txns[n], kind) {
			fit = append(fit, n)
		}
	}
	txn, ok := one(m, fit)
	if !ok {
		return false
	}
	if sql, ok = m.fresh(sql); ok {
		m.insert(txn, m.rng.IntN(len(m.c.Txns[txn].Stmts)+1), sql)
	}
	return ok
}

// exchange puts a statement of a related case in the place of one of the same kind.
func exchange(m *mutator) bool {
	k := m.related()
	if k == nil {
		return false
	}
	at, ok := one(m, m.targets(m.c, nil))
	if !ok {
		return false
	}
	kind := m.statement(m.sql(at)).Kind
	from, ok := one(m, m.targets(k, func(_ *testcase.Txn, s control.Statement) bool { return s.Kind == kind }))
	if !ok {
		return false
	}
	sql, ok := m.fresh(k.Txns[from.txn].Stmts[from.stmt].SQL)
	if ok {
		m.c.Txns[at.txn].Stmts[at.stmt].SQL = sql
	}
	return ok
}

// portable lists the transactions of a case that others may take over: those that change no table, and have no name.
func (m *mutator) portable(c *testcase.Case) []int {
	var out []int
	for n := range c.Txns {
		if t := &c.Txns[n]; !m.prepared(t) && !m.redefines(t) {
			out = append(out, n)
		}
	}
	return out
}

// splice adds a transaction of a related case, in a session of its own, or puts it in the place of one.
func splice(m *mutator) bool {
	k := m.related()
	if k == nil {
		return false
	}
	from, ok := one(m, m.portable(k))
	if !ok {
		return false
	}
	if len(m.c.Txns) >= maxTxns-1 || m.pct(40) {
		m.c.RemoveTxn(m.rng.IntN(len(m.c.Txns)))
	}
	return m.join(k.Clone().Txns[from])
}

// join adds a transaction in a session of its own, whose statements are others than those of the one given, with fresh
// keys, and spreads its steps over the schedule.
func (m *mutator) join(t testcase.Txn) bool {
	joined := testcase.Txn{Isolation: t.Isolation, Begin: testcase.Stmt{SQL: t.Begin.SQL},
		End: testcase.Stmt{SQL: t.End.SQL}}
	for i := range t.Stmts {
		sql, ok := m.fresh(t.Stmts[i].SQL)
		if !ok {
			return false
		}
		joined.Stmts = append(joined.Stmts, testcase.Stmt{SQL: sql})
	}
	txn := m.c.AddTxn(joined)
	m.mix(txn)
	return true
}

// redefines says whether a transaction changes a table.
func (m *mutator) redefines(t *testcase.Txn) bool {
	for i := range t.Steps() {
		if _, yes := m.profile.Read(t.Step(i).SQL).Redefinition(); yes {
			return true
		}
	}
	return false
}

// ending turns COMMIT into ROLLBACK and back.
func ending(m *mutator) bool {
	t := &m.c.Txns[m.rng.IntN(len(m.c.Txns))]
	switch t.End.SQL {
	case "COMMIT":
		t.End.SQL = "ROLLBACK"
	case "ROLLBACK":
		t.End.SQL = "COMMIT"
	default:
		return false
	}
	return true
}

// level gives a transaction a level of its own, or the case's again.
func level(m *mutator) bool {
	t := &m.c.Txns[m.rng.IntN(len(m.c.Txns))]
	if t.Isolation != "" {
		t.Isolation = ""
		return true
	}
	l, ok := one(m, m.levels)
	writes := slices.ContainsFunc(t.Stmts, func(s testcase.Stmt) bool { return sqltext.KindOf(s.SQL).Writes() })
	if !ok || l == m.c.Isolation || l == "read-uncommitted" && writes || t.Begin.SQL != "BEGIN" && t.Begin.SQL !=
		"START TRANSACTION" {
		return false
	}
	t.Isolation = l
	return true
}

// indexable are the declared types whose columns an index takes whole in every DBMS.
var indexable = []string{"INT", "INTEGER", "BIGINT", "DECIMAL", "NUMERIC", "DATE", "DATETIME", "DOUBLE", "REAL"}

// addIndex adds an index over a column.
func addIndex(m *mutator) bool {
	var texts []string
	for i := range m.c.Schema {
		stmt, _ := m.dialect().Parse(m.c.Schema[i].SQL)
		n, ok := stmt.(*sql.CreateTable)
		if !ok {
			continue
		}
		table := n.Name.Name.Folded()
		for _, c := range n.Columns {
			name := c.Name.Folded()
			if sqltext.IsBookkeeping(name) || c.Type == nil {
				continue
			}
			if first, _, _ := strings.Cut(strings.ToUpper(c.Type.Words), " "); !slices.Contains(indexable, first) {
				continue
			}
			texts = append(texts, fmt.Sprintf("CREATE INDEX %s_n_%s ON %s (%s)", table, name, table, name))
		}
	}
	sql, ok := one(m, texts)
	if !ok || slices.Contains(testcase.Texts(m.c.Schema), sql) {
		return false
	}
	// Views and triggers stand at the end; an index may be anywhere behind its table.
	m.c.Schema = append(m.c.Schema, testcase.Stmt{SQL: sql})
	return true
}

// plan gives the case another plan setting, or takes it away.
func plan(m *mutator) bool {
	return m.setting(testcase.OptionPlan, m.settled(m.profile.Alternatives()))
}

// session gives the case another setting to be run under, or none.
func session(m *mutator) bool {
	return m.setting(testcase.OptionSetting, m.settled(m.profile.Settings()))
}

// settled are the names of plan settings to draw from; in the place of one that is rare mostly the one before it.
func (m *mutator) settled(of []dbms.PlanSetting) []string {
	names := make([]string, len(of))
	for i := range of {
		names[i] = dbms.Settled(of, i, m.rng.IntN)
	}
	return names
}

// store gives the case's tables another store, or the usual one.
func store(m *mutator) bool {
	var names []string
	for _, s := range m.profile.BriefStores() {
		names = append(names, s.Name)
	}
	return m.setting(testcase.OptionStore, names)
}

// setting draws one of the values that a header field may have, or none.
func (m *mutator) setting(key string, values []string) bool {
	before := m.c.Option(key)
	m.c.SetOption(key, "")
	if v, ok := one(m, values); ok && m.pct(70) {
		m.c.SetOption(key, v)
	}
	return m.c.Option(key) != before
}
