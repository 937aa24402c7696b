// Package plain writes the case of a finding as a person would: without probes and, where it can be, without the
// bookkeeping that the oracles need. It claims: what it returns has been run as it is written, several times in a row,
// and shows that something is wrong by what the statements answer alone. What is wrong is still the finding's to say;
// here it is only made visible, and a case that does not make it visible has no plain form.
package plain

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/oracle/replay"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
	"txweave/weave"
)

// Bounds of the work: a plain form is worth a second or two, not more.
const (
	maxRuns     = 80 // of candidates
	repetitions = 5  // of the last one
	maxTxns     = 4  // whose serial orders are all tried: 24
)

// Make returns the plain form of a finding's case, nil where there is none. order names the statements ("T1.S0") in the
// order in which the finding's replay ran them; nil for a finding without one. Errors are the environment's.
func Make(r weave.Runner, c *testcase.Case, p *dbms.Profile, f *finding.Finding, order []string) (
	*finding.Plain, error) {
	m := &maker{Runner: r, profile: p, finding: f}
	base := c.Clone()
	base.Comments, base.Tail, base.Options, base.Tool, base.Seed = nil, nil, nil, "", 0
	base.Order = nil
	switch f.Class {
	case finding.ClassCrash, finding.ClassHang, finding.ClassCorruption:
		return nil, nil
	case finding.ClassPlan:
		if base = m.byPlan(base, c.Option(testcase.OptionPlan), order); base == nil {
			return nil, nil
		}
	case finding.ClassUnexpected:
		m.shows = m.errors
	case finding.ClassReplay:
		if base.Order = refs(order); len(base.Order) == 0 {
			return nil, nil
		}
		m.shows = m.differs
	default:
		m.shows = m.noOrder
	}
	if len(f.Differences) > 0 && f.Differences[0].What == fault.Gone {
		m.shows = m.gone
	}
	for _, start := range m.starts(base) {
		m.around, m.first = start.around, start.first
		ok, err := m.try(start.Case)
		if err != nil {
			return nil, err
		}
		if ok {
			return m.make()
		}
	}
	return nil, nil
}

// refs reads names of statements.
func refs(order []string) []testcase.Ref {
	var out []testcase.Ref
	for _, name := range order {
		r, ok := testcase.ParseRef(name)
		if !ok {
			return nil
		}
		out = append(out, r)
	}
	return out
}

// maker makes one case plain, edit by edit.
type maker struct {
	weave.Runner
	profile *dbms.Profile
	finding *finding.Finding
	shows   func(*testcase.Case) (*finding.Plain, error)
	around  bool               // reads stand around the statement that the finding names
	setting *dbms.PlanSetting  // of a finding that differs by plan
	order   []string           // of its statements
	first   finding.Difference // the one that is to be seen then
	best    *testcase.Case
	failing []string // statements of the best one that fail, with their codes
	runs    int
}

// make makes the best case plainer, edit by edit, and shows the result a few times more.
func (m *maker) make() (*finding.Plain, error) {
	for _, edit := range edits {
		if edit.widens && (m.finding.Class == finding.ClassReplay || m.around) {
			continue // an order that the dependencies allow allows those of the statements as they are
		}
		if edit.forgets && m.around {
			continue // an UPDATE that changes nothing affects nothing
		}
		if candidate := edit.apply(m.best); candidate != nil {
			if _, err := m.try(candidate); err != nil {
				return nil, err
			}
		}
	}
	return m.repeat()
}

// repeat shows the best case some times, and says how often it came back; nil where it never did.
func (m *maker) repeat() (*finding.Plain, error) {
	var out *finding.Plain
	shown := 0
	for range repetitions {
		if err := m.Reopen(); err != nil {
			return nil, err
		}
		x, err := m.shows(m.best)
		if err != nil && !refused(err) {
			return nil, err
		}
		if x != nil && err == nil {
			out, shown = x, shown+1
		}
	}
	if out == nil {
		return nil, nil
	}
	// for people: statements by their places
	out.Case, out.Shown, out.Runs = string(m.best.Number().Print()), shown, repetitions
	return out, nil
}

// try makes a candidate the best case if it shows the finding, twice, and the same statements fail.
func (m *maker) try(c *testcase.Case) (bool, error) {
	if c.Identify().Validate() != nil || m.runs >= maxRuns {
		return false, nil
	}
	for range 2 {
		m.runs++
		x, err := m.shows(c)
		if refused(err) {
			return false, m.Reopen() // it may have stopped half-way
		}
		if x == nil || err != nil {
			return false, err
		}
		failing := failures(x)
		if m.best != nil && !slices.Equal(failing, m.failing) {
			return false, nil
		}
		if m.best == nil {
			m.failing = failing
		}
	}
	m.best = c
	return true, nil
}

// refused says whether an error is the candidate's.
func refused(err error) bool {
	var judged *weave.UnjudgeableError
	var answer *errStatement
	return errors.As(err, &judged) || errors.As(err, &answer)
}

// errStatement is an error of a candidate: its tables cannot be made, or its replay is answered with an error of the
// environment.
type errStatement struct{ error }

func (e *errStatement) Unwrap() error { return e.error }

func failures(x *finding.Plain) []string {
	var out []string
	for _, e := range x.Run {
		if e.Err != nil {
			out = append(out, fmt.Sprintf("T%d.S%d %d", e.Txn, e.Stmt, e.Err.Code))
		}
	}
	slices.Sort(out)
	return out
}

// executed is a plain run.
type executed struct {
	plan    *instrument.Plan
	initial map[string]*history.Rows // what the tables held before it
	run     *observe.Run
}

// run runs a case without probes.
func (m *maker) run(c *testcase.Case) (*executed, error) {
	plan, err := instrument.Plain(c, m.profile)
	if err != nil {
		return nil, &weave.UnjudgeableError{Reason: err}
	}
	initial, err := m.Load(plan)
	if err != nil {
		return nil, &errStatement{err}
	}
	run, err := m.Run(plan, plan.Steps)
	if err != nil {
		return nil, err
	}
	return &executed{plan, initial, run}, nil
}

func (x *executed) plain() *finding.Plain {
	return &finding.Plain{Run: x.run.Trace.Events, Orders: []finding.PlainOrder{}}
}

// against replays statements and returns what differs from the run; nil where one of them did not take effect there.
func (m *maker) against(x *executed, refs []testcase.Ref) (*observe.Replayed, []finding.Difference, error) {
	var nodes []*observe.BlockRun
	var blocks []*instrument.Block
	for _, ref := range refs {
		i := slices.IndexFunc(x.run.Blocks, func(b *observe.BlockRun) bool {
			return b.Target != nil && !b.Lost && !m.undone(b.Target.Err) && b.Block.Txn == ref.Txn && b.Block.Stmt == ref.Stmt
		})
		if i < 0 {
			return nil, nil, nil
		}
		nodes, blocks = append(nodes, x.run.Blocks[i]), append(blocks, x.run.Blocks[i].Block)
	}
	rep, err := m.Replay(blocks)
	if err != nil {
		return nil, nil, &errStatement{err}
	}
	return rep, replay.Compare(m.profile, x.plan.Schema.Tables, nodes, x.run, rep), nil
}

// undone says whether an error is not the statement's own but that of whoever was in its way, as of a deadlock: without
// them it does something.
func (m *maker) undone(err *history.DBError) bool {
	return err != nil && m.profile.Errors.Classify(err.Code, err.Message) != dbms.Deterministic
}

// differs shows a replay difference: the order of the finding gives another answer. The first statement that differs is
// the one that the finding names.
func (m *maker) differs(c *testcase.Case) (*finding.Plain, error) {
	x, err := m.run(c)
	if err != nil {
		return nil, err
	}
	rep, found, err := m.against(x, c.Order)
	if err != nil || len(found) == 0 || len(m.finding.Differences) == 0 {
		return nil, err
	}
	if want := m.finding.Differences[0]; found[0].Stmt != want.Stmt || found[0].What != want.What {
		return nil, nil
	}
	out := x.plain()
	out.Orders = []finding.PlainOrder{{Events: rep.Trace().Events}}
	return out, nil
}

// noOrder shows what no execution of the committed transactions one after the other gives. Where there is one
// transaction, the reads around a write show it.
func (m *maker) noOrder(c *testcase.Case) (*finding.Plain, error) {
	x, err := m.run(c)
	if err != nil {
		return nil, err
	}
	if m.around {
		return contradicts(x, c), nil
	}
	var committed []int
	for n, outcome := range x.run.Txns {
		if outcome == history.Committed {
			committed = append(committed, n)
		}
	}
	if len(committed) == 0 || len(committed) > maxTxns {
		return nil, nil
	}
	out := x.plain()
	tells, queries := m.decisive(c)
	orders := permutations(committed)
	if c.Schedule.Serial() {
		orders = [][]int{inTurn(c, committed)}
	}
	for _, perm := range orders {
		if m.late(x.run.Trace, perm, queries, m.profile.Isolation != "read-committed") {
			out.Later = true
			continue
		}
		var refs []testcase.Ref
		for _, n := range perm {
			for i := range c.Txns[n].Stmts {
				refs = append(refs, testcase.Ref{Txn: n, Stmt: i})
			}
		}
		rep, found, err := m.against(x, refs)
		if err != nil || rep == nil || !tells(found) {
			return nil, err
		}
		out.Orders = append(out.Orders, finding.PlainOrder{Txns: perm, Events: rep.Trace().Events})
	}
	if len(out.Orders) == 0 {
		return nil, nil
	}
	return out, nil
}

// late says whether an order has a transaction before a query that was answered before it was committed. No such order
// is one that a snapshot allows: who reads a change before its commit may well be answered as in it. Where transactions
// keep their snapshot it is the moment at which that was surely taken that counts.
func (m *maker) late(t *history.Trace, order []int, queries []string, keeps bool) bool {
	for _, q := range t.Events {
		if q.Role != history.Target || !slices.Contains(queries, fmt.Sprintf("T%d.S%d", q.Txn, q.Stmt)) {
			continue
		}
		seen := q.End
		if keeps {
			seen = min(seen, m.taken(t, q.Txn))
		}
		for _, e := range t.Events {
			if e.Role == history.End && e.Start > seen && slices.Index(order, e.Txn) < slices.Index(order, q.Txn) &&
				slices.Contains(order, e.Txn) {
				return true
			}
		}
	}
	return false
}

// taken is when a transaction had surely taken its snapshot: when it began with one, or when a query was answered that
// cannot be answered without reading its table. One with an impossible condition is, and takes none.
func (m *maker) taken(t *history.Trace, txn int) int64 {
	for _, e := range t.Events {
		if e.Txn != txn || e.Err != nil || e.Role != history.Begin && e.Role != history.Target {
			continue
		}
		stmt, err := m.dialect().Parse(e.Text)
		if err != nil {
			continue
		}
		if begin, ok := stmt.(*sql.Begin); ok && slices.ContainsFunc(begin.Traits, func(o *sql.Option) bool {
			return strings.Contains(o.Words, "CONSISTENT")
		}) {
			return e.End
		}
		sel := blockOf(stmt)
		if sel == nil || tables(stmt) != 1 || sel.Where != nil || sel.Having != nil || sel.Group != nil {
			continue
		}
		if q := stmt.(*sql.Query); q.Limit == nil && !locks(q) && !sql.Has(sel, isCall) {
			return e.End
		}
	}
	return math.MaxInt64
}

func (m *maker) dialect() *sql.Dialect { return sqltext.SyntaxOf(m.profile.DBMS).Tree }

func isCall(n sql.Node) bool {
	_, call := n.(*sql.Call)
	return call
}

// inTurn lists transactions that run one after the other as they run: what each did is there for the next one, at every
// level.
func inTurn(c *testcase.Case, txns []int) (out []int) {
	for _, n := range c.Schedule {
		if slices.Contains(txns, n) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// decisive returns which differences from an order tell that something is wrong. At a serializable level all do, and of
// transactions that do not overlap too. At a weaker level the answers of correct transactions need be those of no
// order: only queries must, which see a committed state each or, where a transaction keeps its snapshot, all together.
// A write before them mixes the state that it found with theirs. The queries are returned, too: the last one of each
// transaction, before which all of them were answered.
func (m *maker) decisive(c *testcase.Case) (tells func([]finding.Difference) bool, last []string) {
	if m.serializable() || c.Schedule.Serial() {
		return func(found []finding.Difference) bool { return len(found) > 0 }, nil
	}
	none := func([]finding.Difference) bool { return false }
	named := refs(m.finding.Named())
	if m.finding.Class == finding.ClassInconsistent && len(named) > 0 && sameRows(c, named[0]) {
		return func(found []finding.Difference) bool {
			return slices.ContainsFunc(found, func(d finding.Difference) bool { return d.Stmt == named[0].String() })
		}, nil
	}
	if m.finding.Class == finding.ClassInconsistent || m.finding.Class == finding.ClassUnexplained ||
		m.profile.Isolation == "read-uncommitted" {
		return none, nil
	}
	var queries []string
	latest := map[int]int{}
	for _, ref := range named {
		if ref.Txn < len(c.Txns) && ref.Stmt < len(c.Txns[ref.Txn].Stmts) && m.pure(c.Txns[ref.Txn].Stmts[:ref.Stmt+1]) {
			queries = append(queries, ref.String())
			latest[ref.Txn] = max(latest[ref.Txn], ref.Stmt)
		}
	}
	if m.profile.Isolation != "read-committed" {
		queries = append(queries, oneSnapshot(c, latest)...)
	}
	if len(queries) == 0 {
		return none, nil
	}
	if m.profile.Isolation == "read-committed" {
		queries = queries[len(queries)-1:] // each has a snapshot of its own
		last = queries
	} else {
		for txn, stmt := range latest {
			last = append(last, testcase.Ref{Txn: txn, Stmt: stmt}.String())
		}
	}
	return func(found []finding.Difference) bool {
		return slices.ContainsFunc(found, func(d finding.Difference) bool { return slices.Contains(queries, d.Stmt) })
	}, last
}

// oneSnapshot lists the queries before the latest ones that transactions are asked about: they see the same snapshot,
// and together they may tell what each by itself does not. The others must not overlap: what they leave is then what
// they leave one after the other.
func oneSnapshot(c *testcase.Case, latest map[int]int) (before []string) {
	for _, txn := range slices.Sorted(maps.Keys(latest)) {
		if !c.Schedule.Without(txn).Serial() {
			continue
		}
		for i := range latest[txn] {
			before = append(before, testcase.Ref{Txn: txn, Stmt: i}.String())
		}
	}
	return before
}

// serializable says whether the level, or the one that it is held to, is.
func (m *maker) serializable() bool {
	return m.profile.Serializable || m.profile.Claimed != nil && m.profile.Claimed.Serializable
}

// pure says whether statements are plain queries, which take no locks.
func (m *maker) pure(stmts []testcase.Stmt) bool {
	for _, s := range stmts {
		stmt, err := m.dialect().Parse(s.SQL)
		if q, ok := stmt.(*sql.Query); err != nil || !ok || locks(q) {
			return false
		}
	}
	return true
}

// errors shows an error that no statement can cause: the same one again.
func (m *maker) errors(c *testcase.Case) (*finding.Plain, error) {
	x, err := m.run(c)
	if err != nil {
		return nil, err
	}
	for _, e := range x.run.Trace.Events {
		if e.Err != nil && len(m.finding.Differences) > 0 && m.finding.Differences[0].Code == e.Err.Code {
			return x.plain(), nil
		}
	}
	return nil, nil
}

// gone shows an answer with which a transaction is gone.
func (m *maker) gone(c *testcase.Case) (*finding.Plain, error) {
	x, err := m.run(c)
	if err == nil && slices.ContainsFunc(x.run.Trace.Events, func(e *history.Event) bool { return e.Gone }) {
		return x.plain(), nil
	}
	return nil, err
}

// permutations lists the orders of a few numbers, the ascending one first.
func permutations(of []int) [][]int {
	if len(of) == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for i, n := range of {
		rest := slices.Delete(slices.Clone(of), i, i+1)
		for _, p := range permutations(rest) {
			out = append(out, append([]int{n}, p...))
		}
	}
	return out
}
