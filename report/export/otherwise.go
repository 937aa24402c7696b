package export

import (
	"fmt"
	"slices"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/report/timeline"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// planned writes down what differs by plan. The execution without transactions is the one under the other plan: what
// puts that in force goes first, and each statement stands there as it is said then. A write that does not do what a
// query right before it found has that query before it.
func (s *script) planned() error {
	f := s.finding
	if f.Record.Class != finding.ClassPlan {
		return nil
	}
	setting := f.Setting()
	if setting == nil || len(s.serial) == 0 {
		return fmt.Errorf("it needs another query plan: %s", missing(setting, f.PlanSetting()))
	}
	one, query := s.serial[0], f.Searched()
	one.what = "The same statements " + f.Otherwise()
	if query != nil {
		one.what += ", and right before the write the query"
	}
	steps, err := s.otherwise(setting, one.steps, query)
	one.steps = steps
	s.serial = []serial{one}
	return err
}

// missing says what a finding that differs by plan lacks.
func missing(setting *dbms.PlanSetting, name string) string {
	switch {
	case name == "":
		return "its case names no plan setting"
	case setting == nil:
		return "its database has no plan setting " + name
	}
	return "it has no replay.jsonl, which holds the answers of the other one"
}

// otherwise are steps under a setting, with what puts it in force and what ends that, and before a write the query that
// a difference holds against it.
func (s *script) otherwise(setting *dbms.PlanSetting, steps []*timeline.LaneStep, query *finding.Difference) (
	[]*timeline.LaneStep, error) {
	out := settings("set", setting.Set)
	for _, st := range steps {
		if query != nil && st.Name == query.Stmt {
			asked, err := s.asked(st, query)
			if err != nil {
				return nil, err
			}
			more, err := s.inWords(setting, asked)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		more, err := s.inWords(setting, st)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return append(out, settings("unset", setting.Unset)...), nil
}

// asked is the query that a difference holds against a write, with its answer where the finding has that.
func (s *script) asked(write *timeline.LaneStep, d *finding.Difference) (*timeline.LaneStep, error) {
	sent, err := s.of.Sent(sqltext.SyntaxOf(s.dbms.DBMS))
	if err == nil {
		err = sent.Admit(d.Asked, testcase.Within)
	}
	if err != nil {
		return nil, fmt.Errorf("it needs another query plan, and the query before %s cannot be part of a case: %w",
			write.Name, err)
	}
	q := &timeline.LaneStep{Name: write.Name + "." + string(history.BWR), Role: history.BWR, SQL: d.Asked,
		Answer: history.Answer{Affected: -1}}
	q.Expected = s.finding.AnswerOfQuery(d)
	return q, nil
}

// inWords are the steps by which one is planned otherwise: itself, said otherwise, with what comes before and after it.
func (s *script) inWords(setting *dbms.PlanSetting, st *timeline.LaneStep) ([]*timeline.LaneStep, error) {
	w := setting.InScript(st.SQL, s.of.ReadSchema())
	if w == nil {
		return nil, fmt.Errorf("it needs another query plan, which no script can ask for (%s): see the report",
			setting.Name)
	}
	x := *st
	x.SQL = s.flat(w.Stmt)
	return slices.Concat(settings(st.Name+".before", w.Before), []*timeline.LaneStep{&x}, settings(st.Name+".after",
		w.After)), nil
}

// settings are steps that no finding is about.
func settings(name string, sqls []string) (out []*timeline.LaneStep) {
	for i, sql := range sqls {
		out = append(out, &timeline.LaneStep{Name: fmt.Sprint(name, i), Role: history.Level, SQL: sql,
			Answer: history.Answer{Affected: -1}})
	}
	return out
}
