package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/report/export"
	"txweave/report/script"
	"txweave/report/timeline"
)

// Summary says what is wrong, and why, in a few sentences.
func Summary(d *Doc) {
	at := ""
	if d.f.Concurrent() {
		at = ", at " + d.f.Level()
	}
	if d.f.Record.Class == finding.ClassPlan && d.f.Searched() == nil { // the title says it
		d.Text("%s", d.f.Why())
		return
	}
	d.Text("%s%s. %s", d.f.Claim(d.t), at, d.f.Why())
	if d.f.Record.Class == finding.ClassCrash || d.f.Complains() {
		d.log()
	}
}

// Details writes what a maintainer looks up after having understood it, below a line.
func Details(d *Doc) {
	d.WriteString(d.tracker.Markup.rule + "\n\n")
	if p := d.f.Plain; p != nil {
		d.item("The case above was run %d times as it stands here, and showed it %d times.", p.Runs, p.Shown)
	}
	Rate(d)
	Settings(d)
	if d.f.Plain == nil && d.t != nil {
		d.bookkeeping()
		Why(d)
	}
	d.test()
	d.Text("To attach: timeline.html draws the sessions side by side with what each statement saw; case.txw is the case " +
		"for txweave.")
}

// test writes the regression test in the form of the tracker's project, where that is one file.
func (d *Doc) test() {
	intro, ok := testIntro[d.tracker.Test]
	if !ok || d.t == nil && !d.f.Broke() {
		return
	}
	tested := d.f.Tested
	if tested == nil {
		files, err := export.Write(d.tracker.Test, d.f)
		if err != nil {
			return // the finding does not allow that form; txweave export says why
		}
		tested = &timeline.Tested{Text: files[0].Text}
	}
	if d.tracker.Test == "mtr" && strings.Contains(tested.Text, "--reap\n") {
		intro += " A statement that waits is sent and reaped, and nothing else is sent before it does wait."
	}
	d.Text("%s", strings.TrimSuffix(intro+" "+tested.Said, " "))
	d.verbatim(tested.Text)
}

var testIntro = map[string]string{
	"mtr":            "As an mtr test.",
	"isolation-spec": "As a spec for src/test/isolation.",
}

// bookkeeping explains the columns that the case needs for its own purposes.
func (d *Doc) bookkeeping() {
	for _, s := range d.f.Case.Schema {
		if strings.Contains(s.SQL, "vkey") {
			d.Text("T1.S0 is the first statement of transaction T1 after BEGIN. A row is named by its pkey, and its version by " +
				"vkey, which every write sets to a number of its own; pvkey keeps the one that an UPDATE overwrote.")
			return
		}
	}
	d.Text("T1.S0 is the first statement of transaction T1 after BEGIN.")
}

// log shows where it crashed, or what it met in its tables: the tail of the server's log.
func (d *Doc) log() {
	log := d.f.Log
	if log == "" {
		log = d.f.Record.Log
	}
	if log == "" {
		if d.f.Record.Class == finding.ClassCrash {
			d.Text("The server's log is not there.")
		}
		return
	}
	text, whole := condensed(log)
	if whole {
		d.Text("The end of the server's log:")
	} else {
		d.Text("The end of the server's log; of lines that differ in numbers or their statement alone the last one, and " +
			"long ones cut:")
	}
	d.verbatim(text)
}

// Severity is that of bugs.mysql.com.
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
	if full := env.Settings[env.DBMS+"_version"]; full != "" { // what the server says of its build, beside its version
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

// Settings names the level, and the variables that somebody has to set who repeats this.
func Settings(d *Doc) {
	env := &d.f.Record.Environment
	settings := d.f.SettingsToRepeat()
	switch {
	case d.f.Record.Class == finding.ClassPlan && d.f.Plain != nil: // one session, at whatever level
		return
	case len(env.Settings) == 0:
		d.Text("Isolation level: %s. Variables are unknown: finding.json names none.", d.f.Level())
		return
	case len(settings) == 0:
		d.Text("Isolation level: %s. All else that may change an answer is the server's default.", d.f.Level())
		return
	}
	d.Text("Isolation level: %s. What else may change an answer and is not the server's default:", d.f.Level())
	var b strings.Builder
	for _, s := range settings {
		fmt.Fprintf(&b, "%s = %s\n", s[0], s[1])
	}
	d.verbatim(b.String())
}

// Rate says how often it came back, on what it depends, and how it was found.
func Rate(d *Doc) {
	r := &d.f.Record
	env := &r.Environment
	if r.Confirmed > 0 {
		d.item("Came back %d of %s, each time on freshly created tables over new connections.", r.Confirmed,
			finding.Count(r.Repeated, "time"))
	} else if r.Repeated > 0 {
		d.item("It was %s.", r.Again())
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
	s := script.Of(d.f, d.t)
	for _, c := range conditions {
		switch c.Kind {
		case "transaction", "statement", "row":
			parts[c.Kind]++
		default:
			text := c.Say(s.Call)
			// what differs by plan is asked of committed writes alone
			committed := c.Kind == "end" && d.f.Record.Class == finding.ClassPlan
			// it stands in the script, by another name
			renamed := d.f.Plain != nil && (c.Kind == "index" || c.Kind == "constraint")
			if !committed && !renamed && !slices.Contains(rest, text) {
				rest = append(rest, text)
			}
		}
	}
	var counted []string
	for _, kind := range slices.Sorted(maps.Keys(parts)) {
		counted = append(counted, fmt.Sprintf("%s (%d)", kind, parts[kind]))
	}
	if len(counted) > 0 {
		rest = append([]string{"needs every " + strings.Join(counted, ", every ")}, rest...)
	}
	if len(rest) == 0 {
		return
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
