package report

import (
	"strings"

	"txweave/dbms"
	"txweave/finding"
	"txweave/report/timeline"
	"txweave/sql/sqltext"
)

// Planned writes how the other plan is asked for: what puts it in force, and the statement that answers otherwise then,
// as it is sent.
func Planned(d *Doc) {
	s := d.f.Setting()
	if s == nil || d.f.Record.Class != finding.ClassPlan || d.f.Searched() != nil || len(d.f.Record.Differences) == 0 {
		return
	}
	lines := timeline.PuttingInForce(s)
	sent, answer := d.sentUnder(s, d.f.Record.Differences[0].Stmt)
	w := s.InWords(sent, d.f.Case.ReadSchema())
	switch {
	case sent == "":
		d.Text("Planned otherwise: the same statements after this, without transactions.")
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

// beside introduces a statement that is prepared and executed with values beside it, and returns what is sent: where
// the client's protocol has the values, the statement that is prepared and, as a remark, these.
func (d *Doc) beside(s *dbms.PlanSetting, sent string) []string {
	text, values := s.Beside(sent, d.f.Case.ReadSchema())
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

// sentUnder is a statement as it is sent under a setting, with what it is answered then; "" where the case has no such
// statement.
func (d *Doc) sentUnder(s *dbms.PlanSetting, name string) (sql, answer string) {
	x := d.t.Find(name)
	if name == "" || x == nil {
		return "", ""
	}
	if x.Expected != nil {
		answer, _ = timeline.Brief(x.Expected)
	}
	return x.SQL, answer
}
