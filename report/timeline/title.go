package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// tell returns how a kind of fault is told: of a read of what is rolled back that it is not committed, where the plain
// form shows no rollback, as the read was of what a transaction changed again; nil where the catalogue has no such
// kind.
func (f *Dossier) tell(what fault.Kind) *fault.CatalogueEntry {
	if what == fault.G1a && f.Plain != nil && !f.Plain.rollsBack() {
		what = fault.DirtyRead
	}
	return f.Entry(what)
}

// Entry is what the catalogue says of a kind of fault, as it is of the statement that the finding names where that has
// no condition for its rows; nil where it has no such kind.
func (f *Dossier) Entry(what fault.Kind) *fault.CatalogueEntry {
	e := fault.Of(what)
	if e == nil || e.OfAll == nil || !f.Unconditional() {
		return e
	}
	all := *e
	all.Title, all.Why, all.Want = e.OfAll.Title, e.OfAll.Why, e.OfAll.Want
	return &all
}

// Called is the everyday name of a kind of fault; "" where its own says as much.
func Called(what fault.Kind) string {
	if e := fault.Of(what); e != nil {
		return e.Called
	}
	return ""
}

// LevelName spells a level as SQL does.
func LevelName(level string) string { return strings.ToUpper(strings.ReplaceAll(level, "-", " ")) }

// Level says at which level the finding was made, and to which the server was held.
func (f *Dossier) Level() string {
	env := &f.Record.Environment
	if own := f.ownLevels(); own != "" {
		return own
	}
	if env.Claim != "" && env.Claim != env.Isolation {
		return fmt.Sprintf("%s, held to what %s promises", LevelName(env.Isolation), LevelName(env.Claim))
	}
	return LevelName(env.Isolation)
}

// ownLevels are the levels of the transactions, where each has one of its own.
func (f *Dossier) ownLevels() string {
	if f.Case == nil || f.Record.Environment.Claim != "" {
		return ""
	}
	var out []string
	for i := range f.Case.Txns {
		level := f.Case.Txns[i].Isolation
		if level == "" {
			return ""
		}
		out = append(out, LevelName(level))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " and ")
}

// Title names the finding in one sentence: the database, what is wrong, and the level where it takes several
// transactions to show it.
func (f *Dossier) Title(t *Timeline) string {
	if f.Record.Environment.Isolation == "" || !f.Concurrent() {
		return f.Headline(t)
	}
	return f.Headline(t) + " (" + f.Level() + ")"
}

// Headline is the claim behind the database's name.
func (f *Dossier) Headline(t *Timeline) string { return Of(f.Record.Environment.DBMS, f.Claim(t)) }

// Of is a claim about a database, behind its name as its makers write it.
func Of(database, claim string) string {
	if p, err := dbms.Lookup(database, ""); err == nil && p.Product != "" {
		return p.Product + ": " + claim
	}
	return claim
}

// Wrong says which of a finding's two answers is known to be wrong. That the statements answer otherwise without
// transactions, by another plan or in a SELECT right before does not tell by itself.
func (f *Dossier) Wrong() WrongSide {
	switch {
	case f.InAutocommit() != "" || f.readMends():
		return TheOther
	case f.Record.Class == finding.ClassReplay && f.Beside == "":
		return EitherSide
	case f.Record.Class == finding.ClassPlan:
		return f.Plain.WrongPlan()
	case len(f.Record.Differences) > 0 && f.Record.Differences[0].What == fault.MatchedWritten && !f.Unconditional():
		return EitherSide
	}
	return TheRun
}

// readMends says whether the answer without transactions is wrong, and right with reads between the statements.
func (f *Dossier) readMends() bool { return f.Record.Cause == finding.CauseRead }

// Concurrent says whether it takes several transactions to show the finding, as far as the case that its report shows
// tells.
func (f *Dossier) Concurrent() bool {
	if f.Record.Class == finding.ClassPlan || f.readMends() {
		return false
	}
	if f.Plain != nil {
		return len(f.Plain.Case.Txns) > 1
	}
	return f.Case == nil || len(f.Case.Txns) > 1
}

// Broke says whether the finding is of a server that ended or does not answer any more.
func (f *Dossier) Broke() bool {
	return f.Record.Class == finding.ClassCrash || f.Record.Class == finding.ClassHang && f.Run == nil
}

// Why says in two sentences why it is wrong, in no words of ours; "" where the class alone tells nothing.
func (f *Dossier) Why() string {
	if f.Beside != "" && len(f.Record.Differences) > 0 {
		return "One after the other, in whatever order, the transactions do not give these answers."
	}
	switch f.Record.Class {
	case finding.ClassCrash:
		return "No statement may end the server."
	case finding.ClassHang:
		if f.KeptLock() {
			return fault.Of(f.Record.Differences[0].What).Why
		}
		return "The statement waits for no lock, and without transactions it ends at once. It must answer."
	case finding.ClassCorruption:
		if f.outgrown() {
			return "The statements make and fill the tables of a case. The database is damaged, or it has kept something of " +
				"what had ended before them."
		}
		return "Whatever statements were run before, the tables must be whole."
	case finding.ClassUnexpected:
		if f.ofRow() {
			return "The row is one of those that the empty tables are filled with. Its keys are its own, and its values such " +
				"as their columns take."
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
	if w := f.tell(f.Record.Differences[0].What); w != nil {
		if d := &f.Record.Differences[0]; d.AtStart {
			return "The row was there before the transactions began: a statement has it as it was filled in. The read of all " +
				"rows right before the transactions did not have it, so one of the two is wrong."
		}
		return w.Why
	}
	return ""
}

// KeptLock says whether a statement waited in vain: for a lock that nobody held, or in a circle.
func (f *Dossier) KeptLock() bool {
	return len(f.Record.Differences) > 0 && (f.Record.Differences[0].What == fault.LockKept ||
		f.Record.Differences[0].What == fault.Undetected)
}

// hangClaim is Claim of a statement that does not end.
func (f *Dossier) hangClaim(t *Timeline, d *finding.Difference) string {
	switch {
	case f.KeptLock():
		return strings.Replace(fault.Of(d.What).Title, "{stmt}", subject(t, d), 1)
	case d.Kind == "" && d.Stmt == "": // the tool's own, of which it is not said whether a transaction matters
		return "A statement that makes the tables does not end"
	case d.Kind == finding.AddedRead:
		return "A read of a table does not end"
	}
	return d.Kind + " does not end in a transaction, and does without one"
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
		if f.outgrown() {
			return "The database does not take statements that a new one takes"
		}
		return "The database is damaged" + f.complaint()
	case "":
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
			return "A row that violates nothing is refused with error " + d.Told()
		}
		return fmt.Sprintf("%s is answered with error %s, which no statement can cause", subject(t, d), d.Told())
	case finding.ClassPlan:
		return f.planClaim(t, d)
	case finding.ClassReplay:
		if c := f.replayClaim(t, d); c != "" {
			return c
		}
	}
	w := f.tell(d.What)
	switch {
	case w == nil && d.Stmt != "":
		return subject(t, d) + ": " + d.Told()
	case w == nil:
		return f.Record.Summary
	case d.AtStart:
		return "Two reads disagree about a row as it was at the start"
	}
	return f.faultClaim(t, d, cmp.Or(f.counted(t, d), w.Title))
}

// outgrown says whether no check of the tables tells of damage: the database answered a statement that makes or fills
// them otherwise than a new one does.
func (f *Dossier) outgrown() bool {
	return len(f.Record.Differences) > 0 && f.Record.Differences[0].What == fault.UnexpectedError
}

// Complains says whether the finding is what the database says of its own tables.
func (f *Dossier) Complains() bool { return f.Record.Class == finding.ClassCorruption && !f.outgrown() }

// Said is what the database said of its tables, on one line; "" where it said nothing.
func (f *Dossier) Said() string {
	if len(f.Record.Differences) == 0 {
		return ""
	}
	return finding.Line(f.Record.Differences[0].Transaction.Said)
}

// complaint is what the database said of its tables, behind a colon; "" where it said nothing.
func (f *Dossier) complaint() string {
	const longest = 80
	said := []rune(f.Said())
	switch {
	case len(said) == 0:
		return ""
	case len(said) > longest:
		return ": " + string(said[:longest]) + "…"
	}
	return ": " + string(said)
}

// faultClaim puts into the title of a fault who meets it, and how.
func (f *Dossier) faultClaim(t *Timeline, d *finding.Difference, title string) string {
	kind := f.meets(t, d)
	verb := kind + " works on"
	switch kind {
	case "SELECT":
		verb = kind + " returns"
	case unnamed, aTransaction:
		verb = kind + " sees"
	}
	text := strings.ReplaceAll(strings.ReplaceAll(title, "{sees}", verb), "{stmt}", kind)
	if kind == aTransaction {
		text = strings.Replace(text, "its transaction's", "its", 1)
		text = strings.Replace(text, "its transaction began", "it began", 1)
		text = strings.Replace(text, "of its own transaction", "of its own", 1)
	}
	const waited = ", after it waited for a lock"
	if f.waits(t, d) && f.Record.Class == finding.ClassInconsistent && !strings.HasSuffix(text, waited) {
		text += waited
	}
	if d.Autocommit {
		text += ", without any transaction"
	}
	return text
}

// meets is the kind of statement that meets a fault, or a transaction where the reads around its statements tell.
func (f *Dossier) meets(t *Timeline, d *finding.Difference) string {
	kind, class := subject(t, d), f.Record.Class
	if d.What == fault.RowTwice && !d.Returned {
		return "SELECT" // a read around the statement
	}
	if kind == unnamed && (class == finding.ClassMechanism || class == finding.ClassIsolation) {
		return aTransaction
	}
	if s := find(t, d.Stmt); s != nil && class == finding.ClassSnapshot &&
		blind(control.Read(f.syntax().Tree, s.SQL).Tree) {
		return aTransaction // the read before the statement tells
	}
	return kind
}

// InAutocommit is what a statement does without any transaction, where that is what is wrong; "" where it is not.
func (f *Dossier) InAutocommit() string {
	if len(f.Record.Differences) == 0 || !f.Record.Differences[0].Autocommit {
		return ""
	}
	return finding.Line(f.Record.Differences[0].Steps.String())
}

// waits says whether the statement that a difference names waited for a lock, in the finding's run or in the plain one:
// where it is probed first, the probe waits in its stead.
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

// What a sentence is about where it is not known which kind of statement: one, or the whole transaction.
const (
	unnamed      = "A statement"
	aTransaction = "A transaction"
)

func find(t *Timeline, name string) *LaneStep {
	if t == nil || name == "" {
		return nil
	}
	return t.Find(name)
}

// subject is the kind of the statement that a difference is about.
func subject(t *Timeline, d *finding.Difference) string {
	if d.Kind != "" {
		return d.Kind
	}
	name := cmp.Or(d.Stmt, d.Reader)
	if s := find(t, name); s != nil {
		return sqltext.Verb(s.SQL)
	}
	return unnamed
}

// counted says more exactly what a write did, where the difference tells it in numbers.
func (f *Dossier) counted(t *Timeline, d *finding.Difference) string {
	switch {
	case d.What == fault.Affected && d.Transaction.Affected != nil && d.Replay.Affected != nil:
		wrote, s := number(int(*d.Replay.Affected)), find(t, d.Stmt)
		changes := " and changes " + wrote
		switch {
		case f.Plain == nil && s != nil && s.Answer.Rows != nil:
			changes = " and returns " + wrote
		case f.Plain == nil && !d.Autocommit && d.Kind != "DELETE": // that read may be what is wrong
			changes = ", and a read right after it finds " + wrote
		case d.Kind == "INSERT":
			changes = " and adds " + wrote
		}
		return "{stmt} reports " + count(int(*d.Transaction.Affected), "affected row") + changes
	case d.What == fault.MatchedWritten && d.Transaction.State != nil && d.Replay.State != nil:
		switch {
		case d.Transaction.State.Absent() && f.Unconditional():
			return "{stmt} without a WHERE clause skips a row"
		case d.Transaction.State.Absent():
			return "{stmt} skips a row that a SELECT with its WHERE clause finds"
		case d.Replay.State.Absent():
			return "{stmt} changes a row that a SELECT with its WHERE clause does not find"
		}
		return "{stmt} changes another version of a row than a SELECT with its WHERE clause finds"
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
	where := "in a transaction"
	if f.readMends() {
		where = "after a read of the tables"
	}
	if f.Plain == nil {
		if t == nil {
			return ""
		}
		return t.claim(d, where)
	}
	t = f.Plain.Timeline
	if d.What != fault.Final {
		return t.claim(d, where)
	}
	if c := f.Plain.gone(); c != "" {
		return c
	}
	for i := range t.Tables { // which have names of their own
		for j := range t.Tables[i].Differences {
			return t.claim(&t.Tables[i].Differences[j], where)
		}
	}
	return ""
}

// claim says what a statement or a table of a replay difference shows. That the two answers differ does not tell which
// of them is wrong. where is where the statement runs that answers otherwise "without one".
func (t *Timeline) claim(d *finding.Difference, where string) string {
	for i := range t.Tables {
		tab := &t.Tables[i]
		if d.Table == tab.Name && tab.Expected != nil {
			x, y := versus(tab.Actual, tab.Expected)
			after, without := "transactions", "transactions"
			if len(t.Used()) == 1 {
				after, without = "transaction", "one"
			}
			return fmt.Sprintf("After the %s table %s holds %s, after the same statements without %s %s", after, tab.Name, x,
				without, y)
		}
	}
	s := t.Find(d.Stmt)
	if s == nil || s.Expected == nil {
		return ""
	}
	verb, x, y := "returns", s.Answer, *s.Expected
	switch {
	case d.What == fault.Warnings:
		return fmt.Sprintf("%s gives %s %s and %s without one", d.Kind, count(len(x.Warnings), "warning"), where,
			number(len(y.Warnings)))
	case x.Err != nil && y.Err == nil:
		return fmt.Sprintf("%s fails with error %s %s and succeeds without one", d.Kind,
			history.ErrorName(x.Err.Code), where)
	case x.Err == nil && y.Err != nil:
		return fmt.Sprintf("%s succeeds %s and fails with error %s without one", d.Kind, where,
			history.ErrorName(y.Err.Code))
	case x.Err != nil:
		return fmt.Sprintf("%s fails with error %s %s and with error %s without one", d.Kind,
			history.ErrorName(x.Err.Code), where, history.ErrorName(y.Err.Code))
	case x.Rows != nil && y.Rows != nil:
		actual, expected := versus(x.Rows, y.Rows)
		return fmt.Sprintf("%s %s %s %s and %s without one", d.Kind, verb, actual, where, expected)
	}
	return fmt.Sprintf("%s affects %s %s and %s without one", d.Kind, count(int(x.Affected), "row"), where,
		number(int(y.Affected)))
}
