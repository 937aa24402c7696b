package timeline

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/isolation"
	"txweave/oracle/snapshot"
	"txweave/sql"
	"txweave/sql/control"
	"txweave/sqltext"
)

// wording is how one kind of fault is told to people: its everyday name, a sentence for the title, and why it is wrong in two
// sentences that need no theory. In the sentence {stmt} stands for the statement that met it, {sees} for it and its verb: "SELECT
// returns", "UPDATE works on".
type wording struct{ name, title, why string }

const sees = "{sees} "

// during are the ends of names that say what else was done at that time, and how that is told.
var during = [][2]string{{"-after-kill", " when its statement is killed"}, {"-after-rebuild", " while its table is built anew"},
	{"-after-index-build", " while an index of its table is built"},
	{"-after-repartitioning", " after its table's partitions were copied"}}

// tell returns how a fault is told.
func tell(what string) (w wording, ok bool) {
	for _, d := range during {
		if base, cut := strings.CutSuffix(what, d[0]); cut {
			w, ok = tell(base)
			w.title += d[1]
			return w, ok
		}
	}
	what = strings.TrimSuffix(what, isolation.ThroughSearch)
	if w, ok = phenomena[what]; ok {
		return w, true
	}
	if w, ok = faults[what]; ok {
		return w, true
	}
	if _, after, cut := strings.Cut(what, ":"); cut { // a mechanism, and in which way it did not hold
		w, ok = faults[after]
	}
	return w, ok
}

// tell returns how a fault of the finding is told: of a read of what is rolled back that it is not committed, where the plain form shows no
// rollback, as the read was of what a transaction changed again.
func (f *Dossier) tell(what string) (wording, bool) {
	if what == string(dbms.G1a) && f.Plain != nil && !f.Plain.rollsBack() {
		return tell(snapshot.Dirty)
	}
	return tell(what)
}

// Phenomenon returns the everyday name of an isolation phenomenon, "" for one that is not known.
func Phenomenon(name string) string { return phenomena[name].name }

// LevelName spells a level as SQL does.
func LevelName(level string) string { return strings.ToUpper(strings.ReplaceAll(level, "-", " ")) }

// Level says at which level the finding was made, and to which the server was held.
func (f *Dossier) Level() string {
	env := &f.Record.Environment
	if env.Claim != "" && env.Claim != env.Isolation {
		return fmt.Sprintf("%s, held to what %s promises", LevelName(env.Isolation), LevelName(env.Claim))
	}
	return LevelName(env.Isolation)
}

// Title names the finding in one sentence, with its level.
func (f *Dossier) Title(t *Timeline) string {
	if f.Record.Environment.Isolation == "" {
		return f.Claim(t)
	}
	return f.Claim(t) + " (" + f.Level() + ")"
}

// Why says in two sentences why it is wrong, in no words of ours; "" where the class alone tells nothing.
func (f *Dossier) Why() string {
	switch f.Record.Class {
	case finding.ClassCrash:
		return "No statement may end the server."
	case finding.ClassHang:
		if f.keptLock() {
			return "A transaction that has ended holds no locks. Every transaction that could have held this one had ended, and it was not given."
		}
		return "The statement waits for no lock, and without transactions it ends at once. It must answer."
	case finding.ClassCorruption:
		return "Whatever statements were run before, the tables must be whole."
	case finding.ClassUnexpected:
		if f.ofRow() {
			return "The row is one of those that the empty tables are filled with. Its keys are its own, and its values such as their columns take."
		}
		return "No statement and no data can cause this error. It says that the engine or its files are damaged."
	case finding.ClassPlan:
		return f.whyPlan()
	case finding.ClassReplay:
		return f.whyReplay()
	}
	if len(f.Record.Differences) == 0 {
		return ""
	}
	if w, ok := f.tell(f.Record.Differences[0].What); ok {
		if d := &f.Record.Differences[0]; atStart(d) {
			return "The row was there before the transactions began: a statement has it as it was filled in. The read of all rows right before the transactions did not have it, so one of the two is wrong."
		}
		return f.Unconditional(w.why)
	}
	return ""
}

// keptLock says whether a statement waited for a lock that nobody held.
func (f *Dossier) keptLock() bool {
	return slices.ContainsFunc(f.Record.Differences, func(d finding.Difference) bool { return d.What == finding.KeptLock })
}

// hangClaim is Claim of a statement that does not end.
func (f *Dossier) hangClaim(t *Timeline, d *finding.Difference) string {
	switch {
	case f.keptLock():
		return subject(t, d) + " waits for a lock that no open transaction holds"
	case d.Kind == "" && d.Stmt == "": // the tool's own, of which it is not said whether a transaction matters
		return "A statement that makes the tables does not end"
	case d.Kind == finding.Probe:
		return "A read of a table does not end"
	}
	return d.Kind + " does not end in a transaction, and does without one"
}

// atStart says whether a difference is one of two reads of what was there at the start.
func atStart(d *finding.Difference) bool {
	return d.What == snapshot.ThinAir && strings.HasSuffix(d.Detail, snapshot.NotAtStart)
}

// Claim is the sentence that says what is wrong.
func (f *Dossier) Claim(t *Timeline) string {
	switch f.Record.Class {
	case finding.ClassCrash:
		if in := f.Record.CrashedIn(); in != "" {
			return "The server crashes in " + in
		}
		return "The server crashes"
	case finding.ClassCorruption:
		return "The database is damaged"
	}
	if f.Record.Class == "" {
		return cmp.Or(f.Record.Summary, "A case of transactions")
	}
	if len(f.Record.Differences) == 0 {
		return f.Record.Class
	}
	d := &f.Record.Differences[0]
	switch f.Record.Class {
	case finding.ClassHang:
		return f.hangClaim(t, d)
	case finding.ClassUnexpected:
		if f.ofRow() {
			return "A row that violates nothing is refused with error " + d.What
		}
		return fmt.Sprintf("%s is answered with error %s, which no statement can cause", subject(t, d), d.What)
	case finding.ClassPlan:
		return f.planClaim(t, d)
	case finding.ClassReplay:
		if c := f.replayClaim(t, d); c != "" {
			return c
		}
	}
	w, ok := f.tell(d.What)
	if !ok {
		if d.Stmt != "" {
			return subject(t, d) + ": " + d.What
		}
		return f.Record.Summary
	}
	text := w.title
	if atStart(d) {
		return "Two reads disagree about a row as it was at the start"
	}
	if exact := counted(d); exact != "" {
		text = exact
	}
	text = f.Unconditional(text)
	kind := subject(t, d)
	if s := find(t, d.Stmt); s != nil && f.Record.Class == finding.ClassSnapshot && blind(control.Read(f.syntax().Tree, s.SQL).Tree) {
		kind = "A transaction" // the read before the statement tells
	}
	if d.What == rowTwice && !strings.HasPrefix(d.Detail, "the write returned ") {
		kind = "SELECT" // a read around the statement
	}
	verb := kind + " works on"
	switch kind {
	case "SELECT":
		verb = kind + " returns"
	case unnamed, "A transaction":
		verb = kind + " sees"
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "{sees}", verb), "{stmt}", kind)
	if kind == "A transaction" {
		text = strings.Replace(text, "its transaction's", "its", 1)
		text = strings.Replace(text, "its transaction began", "it began", 1)
	}
	const waited = ", after it waited for a lock"
	if f.waits(t, d) && f.Record.Class == finding.ClassInconsistent && !strings.HasSuffix(text, waited) {
		text += waited
	}
	if strings.HasPrefix(d.Detail, finding.InAutocommit) {
		text += ", without any transaction"
	}
	return text
}

// InAutocommit is what a statement does without any transaction, where that is what is wrong; "" where it is not.
func (f *Dossier) InAutocommit() string {
	if len(f.Record.Differences) == 0 {
		return ""
	}
	wrong, is := strings.CutPrefix(f.Record.Differences[0].Detail, finding.InAutocommit)
	if !is {
		return ""
	}
	return finding.Line(wrong)
}

// waits says whether the statement that a difference names waited for a lock, in the finding's run or in the plain one: where it is
// probed first, the probe waits in its stead.
func (f *Dossier) waits(t *Timeline, d *finding.Difference) bool {
	if s := find(t, d.Stmt); s != nil && s.Blocked {
		return true
	}
	if f.Plain == nil {
		return false
	}
	s := find(f.Plain.Timeline, d.Stmt)
	return s != nil && s.Blocked && s.Kind() == d.Kind
}

// blind says whether a statement writes rows without having read any.
func blind(stmt sql.Stmt) bool {
	_, inserts := stmt.(*sql.Insert)
	return inserts && !sql.Has(stmt, func(n sql.Node) bool {
		switch n.(type) {
		case *sql.Select, *sql.Whole:
			return true
		}
		return false
	})
}

// unnamed is a statement of which it is not known what it is.
const unnamed = "A statement"

func find(t *Timeline, name string) *LaneStep {
	if t == nil || name == "" {
		return nil
	}
	return t.Find(name)
}

// reader finds in an explanation the statement that saw what it should not have: "T1.S0 read it", ", which T1.S0 read", "the
// search of T1.S0 saw". The statement that an explanation names first is often the one that wrote it.
var reader = regexp.MustCompile(`(T\d+\.S\d+) (?:read|saw)\b|which (T\d+\.S\d+) (?:read|saw)`)

// subject is the kind of the statement that a difference is about.
func subject(t *Timeline, d *finding.Difference) string {
	if d.Kind != "" {
		return d.Kind
	}
	name := d.Stmt
	if name == "" {
		if m := reader.FindStringSubmatch(d.Detail); m != nil {
			name = m[1] + m[2]
		}
	}
	if d.What == string(dbms.P4) { // the last one named is the one that overwrites
		if named := finding.Named(d.Detail); len(named) > 0 {
			name = named[len(named)-1]
		}
	}
	if s := find(t, name); s != nil {
		return sqltext.Verb(s.SQL)
	}
	return unnamed
}

// counted says more exactly what a write did, where the difference tells it in numbers.
func counted(d *finding.Difference) string {
	var said, wrote int
	switch d.What {
	case "affected-versus-written":
		if _, err := fmt.Sscanf(strings.TrimPrefix(d.Detail, finding.InAutocommit), "it says it affected %d rows and wrote %d", &said, &wrote); err != nil {
			return ""
		}
		changes := "changes " + number(wrote)
		if d.Kind == "INSERT" {
			changes = "adds " + number(wrote)
		}
		return "{stmt} reports " + count(said, "affected row") + " and " + changes
	case "matched-versus-written":
		_, after, _ := strings.Cut(d.Detail, " with the same WHERE found ")
		switch matched, written, _ := strings.Cut(after, ", "); {
		case strings.HasSuffix(written, "overwrote nothing"):
			return "{stmt} skips a row that a SELECT with its WHERE clause finds"
		case matched == "nothing":
			return "{stmt} changes a row that a SELECT with its WHERE clause does not find"
		case strings.HasPrefix(matched, "version "):
			return "{stmt} changes another version of a row than a SELECT with its WHERE clause finds"
		}
	}
	return ""
}

// count prints a number of things: no row, 1 row, 2 rows.
func count(n int, what string) string {
	if n == 0 {
		return "no " + what
	}
	return finding.Count(n, what)
}

func number(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// replayClaim says what differs without transactions, in the words of the plain form where there is one.
func (f *Dossier) replayClaim(t *Timeline, d *finding.Difference) string {
	if f.Plain == nil {
		if t == nil {
			return ""
		}
		return t.claim(d)
	}
	t = f.Plain.Timeline
	if d.What != finding.Final {
		return t.claim(d)
	}
	if c := f.Plain.gone(); c != "" {
		return c
	}
	for i := range t.Tables { // which have names of their own
		for j := range t.Tables[i].Differences {
			return t.claim(&t.Tables[i].Differences[j])
		}
	}
	return ""
}

// claim says what a statement or a table of a replay difference shows. That the two answers differ does not tell which of
// them is wrong.
func (t *Timeline) claim(d *finding.Difference) string {
	for i := range t.Tables {
		tab := &t.Tables[i]
		if d.FinalTable() == tab.Name && tab.Expected != nil {
			x, y := versus(tab.Actual, tab.Expected)
			return fmt.Sprintf("After the transactions table %s holds %s, after the same statements without transactions %s", tab.Name, x, y)
		}
	}
	s := t.Find(d.Stmt)
	if s == nil || s.Expected == nil {
		return ""
	}
	verb, x, y := "returns", s.Answer, *s.Expected
	switch {
	case d.What == finding.Warnings:
		return fmt.Sprintf("%s gives %s in a transaction and %s without one", d.Kind, count(len(x.Warnings), "warning"), number(len(y.Warnings)))
	case x.Err != nil && y.Err == nil:
		return fmt.Sprintf("%s fails with error %s in a transaction and succeeds without one", d.Kind, history.ErrorName(x.Err.Code))
	case x.Err == nil && y.Err != nil:
		return fmt.Sprintf("%s succeeds in a transaction and fails with error %s without one", d.Kind, history.ErrorName(y.Err.Code))
	case x.Err != nil:
		return fmt.Sprintf("%s fails with error %s in a transaction and with error %s without one", d.Kind, history.ErrorName(x.Err.Code), history.ErrorName(y.Err.Code))
	case x.Rows != nil && y.Rows != nil:
		actual, expected := versus(x.Rows, y.Rows)
		return fmt.Sprintf("%s %s %s in a transaction and %s without one", d.Kind, verb, actual, expected)
	}
	return fmt.Sprintf("%s affects %s in a transaction and %s without one", d.Kind, count(int(x.Affected), "row"), number(int(y.Affected)))
}
