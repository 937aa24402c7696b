package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/report/timeline"
	"txweave/testcase"
)

// Description says in a few sentences what the finding is.
func Description(d *Doc) {
	r := &d.f.Record
	switch r.Class {
	case finding.ClassReplay:
		d.Text("%s, at %s. The same statements in an equivalent order without transactions give another answer; "+
			"each of them must give the same there, so one of the two is wrong.", upper(d.f.Claim(d.t)), d.f.Level())
	case finding.ClassIsolation:
		d.Text("%s, at %s. No order in which the transactions run one after the other gives these answers.", upper(d.f.Claim(d.t)), d.f.Level())
	case finding.ClassInconsistent:
		d.Text("%s, at %s. The write and the reads right around it, with nothing between them, do not agree.", upper(d.f.Claim(d.t)), d.f.Level())
	case finding.ClassUnexpected, finding.ClassCorruption:
		d.Text("%s, at %s. Whatever statements say and tables hold, such an error is not theirs.", upper(d.f.Claim(d.t)), d.f.Level())
	case finding.ClassHang:
		d.Text("%s, at %s. It waited for no lock.", upper(d.f.Claim(d.t)), d.f.Level())
	case finding.ClassSnapshot:
		d.Text("%s, at %s. In this run one statement ran at a time, so what was committed at each moment is certain.", upper(d.f.Claim(d.t)), d.f.Level())
	case finding.ClassMechanism:
		d.Text("%s, at %s. It follows from when each statement was sent and answered, and from the rows that were printed and overwritten.", upper(d.f.Claim(d.t)), d.f.Level())
	case finding.ClassUnexplained:
		d.Text("%s, at %s. No committed statement accounts for what was read.", upper(d.f.Claim(d.t)), d.f.Level())
	case finding.ClassCrash:
		d.Text("%s, at %s: %s", upper(d.f.Claim(d.t)), d.f.Level(), r.Summary)
	default:
		d.Text("%s, at %s.", upper(r.Summary), d.f.Level())
	}
	for i := range r.Differences {
		x := &r.Differences[i]
		line := strings.TrimSpace(strings.Join([]string{x.Stmt, x.Kind, x.What}, " "))
		if x.Detail != "" {
			line += ": " + x.Detail
		}
		d.item("%s", line)
	}
	if len(r.Differences) > 0 {
		d.WriteString("\n")
	}
	d.bookkeeping()
	if r.Class == finding.ClassCrash {
		d.log()
	}
}

// bookkeeping explains the columns that the case needs for its own purposes.
func (d *Doc) bookkeeping() {
	for _, s := range d.f.Case.Schema {
		if strings.Contains(s.SQL, "vkey") {
			d.Text("T1.S0 is the first statement of transaction T1 after BEGIN. The column vkey names the version of a row: every write gives it a number of " +
				"its own; pvkey keeps the one that an UPDATE overwrote. (t0, 4, 17) is the version 17 of the row with pkey 4 in t0.")
			return
		}
	}
	d.Text("T1.S0 is the first statement of transaction T1 after BEGIN.")
}

// log shows where it crashed: the tail of the server's log.
func (d *Doc) log() {
	log := d.f.Log
	if log == "" {
		log = d.f.Record.Log
	}
	if log == "" {
		d.Text("The server's log is not there.")
		return
	}
	const lines = 120
	all := strings.Split(strings.TrimRight(log, "\n"), "\n")
	if len(all) > lines {
		d.Text("The last %d of %d lines of the server's log that were kept:", lines, len(all))
		all = all[len(all)-lines:]
	} else {
		d.Text("The end of the server's log:")
	}
	d.verbatim(strings.Join(all, "\n"))
}

// Transcript writes what happened, moment by moment.
func Transcript(d *Doc) {
	if d.t == nil {
		d.Text("The server ended while the case ran; what it answered before was not kept.")
		return
	}
	d.verbatim(interleaving(d.t))
	if len(d.t.Dropped) > 0 {
		d.Text("Statements of the case that are not in this run: %s.", strings.Join(d.t.Dropped, ", "))
	}
	d.contents(func(t *timeline.FinalTable) *history.Rows { return t.Actual })
}

// interleaving prints the moments of a run; waits and wakes are marked.
func interleaving(t *timeline.Timeline) string {
	var b strings.Builder
	for _, m := range t.Marks {
		s := m.Step
		lane := t.Lanes[s.Lane]
		switch m.Kind {
		case timeline.Resumed:
			fmt.Fprintf(&b, "%s> -- %s goes on\n", lane.Name, s.Name)
		default:
			fmt.Fprintf(&b, "%s> %s;%s\n", lane.Name, indent(s.SQL, len(lane.Name)+2), remark(s, lane))
		}
		switch {
		case m.Kind == timeline.Blocked:
			b.WriteString("    (blocked)\n")
			continue
		case !s.Answered:
			b.WriteString("    (no answer)\n")
		case s.Role == history.Target || s.Probe() || s.Answer.Err != nil:
			lines(&b, "    ", timeline.AnswerLines(&s.Answer))
		}
		if len(s.Differences) > 0 && s.Expected != nil {
			b.WriteString("    ^^^ without transactions:\n")
			lines(&b, "        ", timeline.AnswerLines(s.Expected))
		}
	}
	return b.String()
}

// remark names a statement, and says what a read that was added is for.
func remark(s *timeline.LaneStep, lane timeline.Lane) string {
	switch s.Role {
	case history.Target:
		return "  -- " + s.Name
	case history.VSR:
		return "  -- " + s.Name + ": added, the versions that are visible"
	case history.BWR:
		return "  -- " + s.Name + ": added, the rows that the WHERE clause finds"
	case history.AWR:
		return "  -- " + s.Name + ": added, the rows as they are written"
	case history.Again:
		return "  -- " + s.Name + ": added, the rows that the WHERE clause finds afterwards"
	case history.Abort:
		return "  -- the server has rolled back already"
	}
	if own := fmt.Sprintf("T%d", s.Txn); own != lane.Name {
		return "  -- " + own + ", over the same connection"
	}
	return ""
}

func lines(b *strings.Builder, margin string, all []string) {
	for _, l := range all {
		b.WriteString(margin + l + "\n")
	}
}

func indent(text string, n int) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", n))
}

// contents writes what the tables hold at the end: those that differ, or all of them where that is what tells.
func (d *Doc) contents(of func(*timeline.FinalTable) *history.Rows) {
	for i := range d.t.Tables {
		t := &d.t.Tables[i]
		rows := of(t)
		if rows == nil || len(t.Differences) == 0 && d.f.Record.Class == finding.ClassReplay {
			continue
		}
		d.Text("%s at the end:", t.Name)
		d.verbatim(strings.Join(timeline.Grid(rows), "\n"))
	}
}

// Expected writes the equivalent order with its answers, or what is expected where there is none.
func Expected(d *Doc) {
	switch {
	case d.f.Record.Class == finding.ClassCrash || d.f.Record.Class == finding.ClassHang:
		d.Text("An answer to every statement, or an error.")
	case d.f.Record.Class == finding.ClassUnexpected || d.f.Record.Class == finding.ClassCorruption:
		d.Text("An answer, or an error that the statement causes.")
	case d.t != nil && len(d.t.Serial) > 0:
		d.Text("%s", d.serial())
		var b strings.Builder
		for _, s := range d.t.Serial {
			fmt.Fprintf(&b, "%s;  -- %s\n", s.SQL, s.Name)
			lines(&b, "    ", timeline.AnswerLines(s.Expected))
		}
		d.verbatim(b.String())
		d.contents(func(t *timeline.FinalTable) *history.Rows { return t.Expected })
	case d.f.Record.Class == finding.ClassIsolation:
		d.Text("Answers that the level allows: %s is forbidden at %s.", d.phenomenon(), d.forbidden())
	case d.f.Record.Class == finding.ClassInconsistent:
		d.Text("Rows that agree with the reads right before and after the statement.")
	case d.f.Record.Class == finding.ClassUnexplained:
		d.Text("Rows that a committed statement wrote, or that were there from the start.")
	case d.f.Record.Class == finding.ClassSnapshot:
		d.Text("What had been committed when the snapshot was taken, and the transaction's own writes.")
	case d.f.Record.Class == finding.ClassMechanism:
		d.Text("That locks exclude each other, that of two concurrent writers the first wins, and that current reads are current, as the level promises.")
	case d.f.Record.Class == finding.ClassReplay:
		d.Text("unknown: the finding has no replay.jsonl.")
	default:
		d.Text("That it does not happen: %s is what the level rules out.", d.phenomenon())
	}
}

// serial introduces the equivalent order: what it gives is what the transactions have to give, unless it is wrong itself.
func (d *Doc) serial() string {
	const order = "The same statements in an equivalent order, in autocommit over one connection, on the same tables"
	if d.f.Record.Class == finding.ClassReplay {
		return order + ", must give what they give in the transactions. They give:"
	}
	return order + ":"
}

// phenomenon names what the isolation oracle saw.
func (d *Doc) phenomenon() string {
	var out []string
	for _, x := range d.f.Record.Differences {
		name := x.What
		if known := timeline.Phenomenon(x.What); known != "" {
			name += " (" + known + ")"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// forbidden is the level that forbids it.
func (d *Doc) forbidden() string {
	if claim := d.f.Record.Environment.Claim; claim != "" {
		return claim
	}
	return d.f.Record.Environment.Isolation
}

func (d *Doc) Severity() string {
	if d.f.Record.Class == finding.ClassCrash {
		return "S1 (Critical): the server ends"
	}
	return "S2 (Serious): wrong results"
}

// Version says on what build it was found.
func Version(d *Doc) {
	env := &d.f.Record.Environment
	v := env.Version
	if v == "" {
		v = "unknown"
	}
	d.Text("%s %s (the only version that was tried)", env.DBMS, v)
	if full := env.Settings[env.DBMS+"_version"]; full != "" { // TiDB: SELECT tidb_version()
		d.verbatim(full)
	}
}

// Platform says where.
func Platform(d *Doc) {
	os := d.f.Record.Environment.OS
	if os == "" {
		os = "unknown"
	}
	d.Text("%s (where txweave ran)", os)
}

// Settings lists the server's and the session's variables.
func Settings(d *Doc) {
	env := &d.f.Record.Environment
	d.Text("Isolation level: %s. The variables that matter, as the server and the sessions had them:", d.f.Level())
	if len(env.Settings) == 0 {
		d.Text("unknown: finding.json names none.")
		return
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env.Settings)) {
		fmt.Fprintf(&b, "%s = %s\n", name, env.Settings[name])
	}
	d.verbatim(b.String())
}

// Rate says how often it came back, on what it depends, and how it was found.
func Rate(d *Doc) {
	r := &d.f.Record
	env := &r.Environment
	if r.Repeated > 0 {
		d.item("Came back %d of %d times, each time on freshly created tables over new connections.", r.Confirmed, r.Repeated)
	} else {
		d.item("How often it comes back is unknown.")
	}
	red := d.f.Reduction
	switch {
	case !d.f.Reduced:
		d.item("The case is as it was found: it has not been made smaller.")
	case red == nil:
		d.item("The case has been made smaller.")
	case len(red.Conditions) == 0 && red.Stop == "fixpoint":
		d.item("The case is minimal: without any one of its statements or rows it does not show this.")
	case len(red.Conditions) == 0:
		d.item("The case has been made smaller; what it needs is not known.")
	default:
		d.triggers(red.Conditions)
	}
	tool := env.ToolVersion
	if tool == "" {
		tool = "txweave (version unknown)"
	}
	d.item("Found by %s%s.", tool, seeds(d.f))
	if env.Command != "" {
		d.item("Command: %s", env.Command)
	}
	d.WriteString("\n")
}

// triggers lists what the finding needs. That a reduced case needs its statements and rows goes without a list.
func (d *Doc) triggers(conditions []finding.Condition) {
	parts := map[string]int{}
	var rest []string
	for _, c := range conditions {
		switch c.Kind {
		case "transaction", "statement", "row":
			parts[c.Kind]++
		default:
			rest = append(rest, c.Text)
		}
	}
	var counted []string
	for _, kind := range slices.Sorted(maps.Keys(parts)) {
		counted = append(counted, fmt.Sprintf("%s (%d)", kind, parts[kind]))
	}
	if len(counted) > 0 {
		rest = append([]string{"needs every " + strings.Join(counted, ", every ")}, rest...)
	}
	d.item("Trigger conditions; without any one of them this does not show:")
	for _, text := range rest {
		fmt.Fprintf(d, "  - %s\n", text)
	}
}

// seeds says what makes the case again.
func seeds(f *timeline.Dossier) string {
	env := &f.Record.Environment
	var out []string
	if env.Seed != 0 {
		out = append(out, fmt.Sprintf("campaign seed %d, case %d", env.Seed, env.Case))
	}
	if f.Case.Seed != 0 {
		out = append(out, fmt.Sprintf("case seed %d", f.Case.Seed))
	}
	if len(out) == 0 {
		return ""
	}
	return ", " + strings.Join(out, ", ")
}

// planned prints a case in the order of its schedule, where no trace says what happened.
func planned(c *testcase.Case) string {
	var b strings.Builder
	for _, s := range append(slices.Clone(c.Schema), c.Rows...) {
		fmt.Fprintf(&b, "/* init */ %s;\n", s.SQL)
	}
	next := make([]int, len(c.Txns))
	for _, n := range c.Schedule {
		fmt.Fprintf(&b, "/* t%d */ %s;\n", n, c.Txns[n].Step(next[n]).SQL)
		next[n]++
	}
	return b.String()
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
