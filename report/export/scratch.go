package export

import (
	"slices"

	"txweave/history"
	"txweave/report/timeline"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// spellOut writes queries whose answers went through tables of their own as what was sent: the table is made, read and
// dropped.
func (s *script) spellOut() {
	parts := map[*timeline.LaneStep][]*timeline.LaneStep{}
	of := func(steps []*timeline.LaneStep) []*timeline.LaneStep {
		var out []*timeline.LaneStep
		for _, st := range steps {
			if parts[st] == nil {
				parts[st] = s.scratchSteps(st)
			}
			out = append(out, parts[st]...)
		}
		return out
	}
	t := *s.Timeline
	t.Steps, t.Marks = of(t.Steps), nil
	for _, m := range s.Marks {
		steps := of([]*timeline.LaneStep{m.Step})
		t.Marks = append(t.Marks, timeline.Mark{Kind: m.Kind, Step: steps[0]})
		if m.Kind == timeline.Blocked {
			continue
		}
		for _, st := range steps[1:] {
			t.Marks = append(t.Marks, timeline.Mark{Kind: timeline.Ran, Step: st})
		}
	}
	s.Timeline = &t
	s.serial = slices.Clone(s.serial)
	for i := range s.serial {
		s.serial[i].steps = of(s.serial[i].steps)
	}
}

// scratchSteps are the statements that were sent for one of the case.
func (s *script) scratchSteps(st *timeline.LaneStep) []*timeline.LaneStep {
	if line := s.flat(st.SQL); line != st.SQL {
		one := *st
		one.SQL, st = line, &one
	}
	x, ok := control.Read(sqltext.SyntaxOf(s.dbms.DBMS).Tree, st.SQL).Scratch()
	if !ok || st.Answer.Rows == nil {
		return []*timeline.LaneStep{st}
	}
	done := history.Answer{Affected: -1}
	made, read, dropped := *st, *st, *st
	made.Answer = done
	read.SQL, dropped.SQL = x.Around(sqltext.SyntaxOf(s.dbms.DBMS))
	read.Blocked, dropped.Blocked, dropped.Answer = false, false, done
	if st.Expected != nil {
		made.Expected, dropped.Expected = &done, &done
	}
	made.Differences, dropped.Differences = nil, nil
	return []*timeline.LaneStep{&made, &read, &dropped}
}
