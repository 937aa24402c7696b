package plain

import (
	"fmt"
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/oracle/replay"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// oneByOne is a case with the statements of an order in one transaction: those of a finding that differs by plan, which
// are executed without any. nil where sessions are set to something, and more than one of them is.
func oneByOne(c *testcase.Case, order []testcase.Ref) *testcase.Case {
	if len(order) == 0 || len(c.Sessions) > 0 || len(c.Txns) == 0 {
		return nil
	}
	d := c.Clone()
	one := testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"}}
	for _, ref := range order {
		if ref.Txn >= len(c.Txns) || ref.Stmt >= len(c.Txns[ref.Txn].Stmts) {
			return nil
		}
		one.Stmts = append(one.Stmts, testcase.Stmt{SQL: c.Txns[ref.Txn].Stmts[ref.Stmt].SQL})
	}
	d.Txns, d.Order = []testcase.Txn{one}, nil
	d.Schedule = make(testcase.Schedule, one.Steps())
	return d
}

// byPlan prepares for a finding that differs by plan: order is that of its statements. nil where it has no plain form:
// without a setting that the database has, or where a write is held against a query right before it.
func (m *maker) byPlan(c *testcase.Case, plan string, order []string) *testcase.Case {
	m.setting, m.order = m.profile.PlanSetting(plan), order
	if m.setting == nil || !m.setting.Replans() || len(m.finding.Differences) == 0 || m.finding.Differences[0].BySearch() {
		return nil
	}
	m.shows = m.plansDiffer
	return oneByOne(c, refs(order))
}

// planStarts are the cases to begin with for a finding that differs by plan, whose statements are in an order.
func (m *maker) planStarts(c *testcase.Case) (out []start) {
	if less := m.unread(c); less != nil {
		out = append(out, start{Case: less, first: finding.Difference{What: fault.Final}})
	}
	first := finding.Difference{What: m.finding.Differences[0].What}
	if at := slices.Index(m.order, m.finding.Differences[0].Stmt); at >= 0 {
		first.Stmt = testcase.Ref{Stmt: at}.String()
	}
	return append(out, start{Case: c, first: first})
}

// unread is a case without its queries, where a table differs at the end: they only tell it earlier. nil where it has
// none, or no table does.
func (m *maker) unread(c *testcase.Case) *testcase.Case {
	if len(c.Txns) != 1 || !slices.ContainsFunc(m.finding.Differences, func(d finding.Difference) bool {
		return d.What == fault.Final
	}) {
		return nil
	}
	d := c.Clone()
	d.Txns[0].Stmts = without(d.Txns[0].Stmts, func(s testcase.Stmt) bool {
		return sqltext.KindOf(s.SQL) == sqltext.Select
	})
	if n := len(d.Txns[0].Stmts); n == 0 || n == len(c.Txns[0].Stmts) {
		return nil
	}
	d.Schedule = make(testcase.Schedule, d.Txns[0].Steps())
	return d
}

// executions are those of a case's statements by the usual plan and by others.
type executions struct {
	plan   *instrument.Plan
	blocks []*instrument.Block
	as     *observe.Replayed
}

// asPlanned executes the statements of a case without transactions.
func (m *maker) asPlanned(c *testcase.Case) (*executions, error) {
	plan, err := instrument.Plain(c, m.profile)
	if err != nil {
		return nil, &errStatement{err}
	}
	if _, err := m.Load(plan); err != nil {
		return nil, &errStatement{err}
	}
	x := &executions{plan: plan, blocks: plan.Txns[0].Blocks}
	if x.as, err = m.Replay(x.blocks); err != nil {
		return nil, &errStatement{err}
	}
	return x, nil
}

// differences are those between two executions.
func (x *executions) differences(a, b *observe.Replayed) []finding.Difference {
	return replay.ComparePlans(x.plan.Schema.Tables, x.blocks, a, b)
}

// plansDiffer shows a difference between two plans: the first one is of the statement that the finding names.
func (m *maker) plansDiffer(c *testcase.Case) (*finding.Plain, error) {
	x, err := m.asPlanned(c)
	if err != nil {
		return nil, err
	}
	other, err := m.ReplayUnder(x.blocks, m.setting)
	if err != nil {
		return nil, &errStatement{err}
	}
	found := x.differences(x.as, other)
	if len(found) == 0 || found[0].What != m.first.What || found[0].Stmt != m.first.Stmt {
		return nil, nil
	}
	out := &finding.Plain{Orders: []finding.PlainOrder{{Plan: m.setting.Name, Events: other.Trace().Events}}}
	for _, e := range x.as.Trace().Events {
		if e.Txn >= 0 { // the only session's
			own := *e
			own.Session = fmt.Sprint("T", e.Txn)
			e = &own
		}
		out.Run = append(out.Run, e)
	}
	return out, nil
}
