package report

import (
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/report/timeline"
	"txweave/sql/sqltext"
)

// Planned writes how the other plan is asked for: what puts it in force, and the statement that answers otherwise then,
// as it is sent. It is silent where the heading of the other answers has said all.
func Planned(d *Doc) {
	s := d.f.Setting()
	if s == nil || d.f.Record.Class != finding.ClassPlan || d.f.Searched() != nil || len(d.f.Record.Differences) == 0 {
		return
	}
	lines := timeline.PuttingInForce(s)
	sent, answer := d.sentUnder()
	w := s.InWords(sent, d.schema())
	switch {
	case sent == "" || w != nil && w.Stmt == sent && len(w.Before) == 0:
		if strings.HasPrefix(d.f.Otherwise(), "after ") {
			return
		}
		d.Text("Planned otherwise: the same statements after this.")
		answer = ""
	case w != nil:
		d.Text("Planned otherwise, in the statement's place:")
		for _, sql := range append(w.Before, w.Stmt) { // what comes after it changes no answer
			lines = append(lines, sql+";")
		}
	case s.Parameters != nil:
		lines = append(lines, d.beside(s, sent)...)
	case s.Prepared && sqltext.KindOf(sent).Writes():
		d.Text("Planned otherwise: the same statements, each prepared and executed over the client's protocol.")
	case s.Prepared:
		d.Text("Planned otherwise: the same statements, each prepared over the client's protocol and executed, a query " +
			"twice.")
	default: // how the tables are kept is changed first
		d.Text("Planned otherwise, in the statement's place:")
		lines = append(lines, s.Query(sent)+";")
	}
	if n := len(lines); answer != "" && n > 0 {
		lines[n-1] += "  -- " + answer
	}
	if len(lines) > 0 {
		d.verbatim(strings.Join(lines, "\n") + "\n")
	}
}

// schema is that of the case as it is shown.
func (d *Doc) schema() *sqltext.Schema {
	if d.f.Plain != nil {
		return d.f.Plain.Case.ReadSchema()
	}
	return d.f.Case.ReadSchema()
}

// beside introduces a statement that is prepared and executed with values beside it, and returns what is sent: where
// the client's protocol has the values, the statement that is prepared and, as a remark, these.
func (d *Doc) beside(s *dbms.PlanSetting, sent string) []string {
	text, values := s.Beside(sent, d.schema())
	twice := !sqltext.KindOf(sent).Writes()
	how := "prepared over the client's protocol, and executed"
	if len(values) > 0 {
		how += " with its values"
	}
	if twice {
		how += ", twice"
	}
	d.Text("Planned otherwise, in the statement's place: %s:", how)
	lines := []string{text + ";"}
	if len(values) > 0 {
		given := make([]string, len(values))
		for i, v := range values {
			given[i] = v.Text
		}
		lines = append(lines, "-- values: "+strings.Join(given, ", "))
	}
	return lines
}

// sentUnder is the statement that answers or writes otherwise under a setting, with what it is answered then; "" where
// it is not known which one that is.
func (d *Doc) sentUnder() (sql, answer string) {
	x := d.f.Written()
	t := d.t
	if d.f.Plain != nil {
		t = d.f.Plain.Timeline
	}
	if x == nil && t != nil {
		i := slices.IndexFunc(t.Steps, func(s *timeline.LaneStep) bool {
			return s.Role == history.Target && len(s.Differences) > 0
		})
		if i >= 0 {
			x = t.Steps[i]
		}
	}
	if x == nil {
		return "", ""
	}
	if x.Expected != nil {
		answer, _ = timeline.Brief(x.Expected)
	}
	return x.SQL, answer
}
