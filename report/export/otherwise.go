package export

import (
	"fmt"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/report/timeline"
)

// planned writes down what differs by plan. The execution without transactions is the one under the other plan: what
// puts that in force goes first, and each statement stands there as it is said then. A write that does not do what a
// query right before it found has that query before it.
func (s *script) planned() error {
	f := s.finding
	if f.Record.Class != finding.ClassPlan {
		return nil
	}
	var setting *dbms.PlanSetting
	p, err := dbms.Lookup(f.Record.Environment.DBMS, f.Record.Environment.Isolation)
	if err == nil {
		setting = p.PlanSetting(f.PlanSetting())
	}
	if setting == nil || len(s.serial) == 0 {
		return fmt.Errorf("it is to be planned otherwise, and %s", missing(setting, f.PlanSetting()))
	}
	one, query := s.serial[0], f.Searched()
	one.what = "The same statements in the same order, without transactions, planned otherwise (" + f.PlanSetting() + ")"
	if query != nil {
		one.what += ", and right before the write the query"
	}
	one.steps, err = s.otherwise(setting, one.steps, query)
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

// otherwise are steps under a setting, with what puts it in force and what ends that, and before a write the query that a
// difference holds against it.
func (s *script) otherwise(setting *dbms.PlanSetting, steps []*timeline.LaneStep, query *finding.Difference) ([]*timeline.LaneStep, error) {
	out := settings("set", setting.Set)
	for _, st := range steps {
		if query != nil && st.Name == query.Stmt {
			asked := &timeline.LaneStep{Name: st.Name + "." + string(history.BWR), Role: history.BWR, SQL: query.Asked}
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

// inWords are the steps by which one is planned otherwise: itself, said otherwise, the last of them.
func (s *script) inWords(setting *dbms.PlanSetting, st *timeline.LaneStep) ([]*timeline.LaneStep, error) {
	stmts, ok := setting.InWords(st.SQL, s.of.ReadSchema())
	if !ok {
		return nil, fmt.Errorf("no script says how to have it planned otherwise (%s): see the report, and replay the case", setting.Name)
	}
	last := len(stmts) - 1
	out := settings(st.Name+".before", stmts[:last])
	x := *st
	x.SQL = s.flat(stmts[last])
	return append(out, &x), nil
}

// settings are steps that no finding is about.
func settings(name string, sqls []string) (out []*timeline.LaneStep) {
	for i, sql := range sqls {
		out = append(out, &timeline.LaneStep{Name: fmt.Sprint(name, i), Role: history.Level, SQL: sql, Answer: history.Answer{Affected: -1}})
	}
	return out
}
