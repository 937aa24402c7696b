package export

import (
	"fmt"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/report/timeline"
)

// writeAnnotated writes one linear script, as some maintainers use it: a comment names the session of each
// statement, its answer follows as a comment.
func writeAnnotated(s *script) ([]File, error) {
	var b strings.Builder
	b.WriteString(comment("-- ", s.head()...))
	n := 0
	section := func(what string) {
		n++
		fmt.Fprintf(&b, "\n-- Testcase %d: %s\n", n, what)
		for _, sql := range append(s.drops(), s.creation()...) {
			fmt.Fprintf(&b, "/* init */ %s;\n", sql)
		}
	}
	for _, x := range s.serial {
		section(x.what)
		for _, sql := range s.setup {
			fmt.Fprintf(&b, "/* s */ %s;\n", sql)
		}
		for _, st := range x.steps {
			fmt.Fprintf(&b, "/* s */ %s;%s\n", st.SQL, from(st))
			if st.Expected != nil {
				b.WriteString(comment("--   ", timeline.AnswerLines(st.Expected)...))
			}
		}
	}
	section(s.interleaved())
	for _, i := range s.usedLanes() {
		for _, sql := range s.laneSetup(s.Lanes[i]) {
			fmt.Fprintf(&b, "%s %s;\n", tag(s.Lanes[i]), sql)
		}
	}
	for _, m := range s.Marks {
		b.WriteString(s.linear(m))
	}
	for _, t := range s.Tables {
		fmt.Fprintf(&b, "/* s */ %s;\n", s.flat(t.Read))
		b.WriteString(comment("--   ", timeline.Grid(t.Actual)...))
		if len(t.Differences) > 0 && t.Expected != nil {
			b.WriteString(comment("--   ", s.but()))
			b.WriteString(comment("--   ", timeline.Grid(t.Expected)...))
		}
	}
	b.WriteString(s.checked())
	return []File{{"case.sql", b.String()}}, nil
}

// checked are the statements that ask whether the tables are whole, and what the database said.
func (s *script) checked() string {
	checks := Checks(s.finding)
	if len(checks) == 0 {
		return ""
	}
	return "/* s */ " + strings.Join(checks, ";\n/* s */ ") + ";\n" + comment("--   ", s.finding.Said())
}

// interleaved is what the execution is that the others are held against.
func (s *script) interleaved() string {
	if s.finding.Record.Class == finding.ClassPlan {
		return "as planned"
	}
	return "the transactions, interleaved"
}

// linear writes one moment of the interleaving.
func (s *script) linear(m timeline.Mark) string {
	st := m.Step
	head := tag(s.Lanes[st.Lane])
	if m.Kind == timeline.Resumed {
		return head + " -- " + st.Name + " resumed\n" + comment("--   ", timeline.AnswerLines(&st.Answer)...) + s.differs(st)
	}
	out := fmt.Sprintf("%s %s;%s\n", head, st.SQL, from(st))
	if m.Kind == timeline.Blocked {
		return out + comment("--   ", "blocked")
	}
	if !st.Answered || st.Role == history.Begin || st.Role == history.End && st.Answer.Err == nil {
		return out
	}
	return out + comment("--   ", timeline.AnswerLines(&st.Answer)...) + s.differs(st)
}

// but introduces the other answer.
func (s *script) but() string {
	if s.finding.Record.Class == finding.ClassPlan {
		return "but " + s.finding.Otherwise() + ":"
	}
	return "but without transactions:"
}

// differs says what a statement should have answered.
func (s *script) differs(st *timeline.LaneStep) string {
	if len(st.Differences) == 0 || st.Expected == nil {
		return ""
	}
	return comment("--   ", append([]string{s.but()}, timeline.AnswerLines(st.Expected)...)...)
}

// tag is the comment that names a session: t0 for T0.
func tag(l timeline.Lane) string { return "/* " + strings.ToLower(l.Name) + " */" }

// from names a target statement.
func from(st *timeline.LaneStep) string {
	if st.Role == history.Target || st.Probe() {
		return " -- " + st.Name
	}
	return ""
}
