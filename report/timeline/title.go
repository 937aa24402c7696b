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
	"txweave/sqltext"
)

// wording is how one kind of fault is told to people: its everyday name, a sentence for the title, and why it is wrong in two
// sentences that need no theory. In the sentence {stmt} stands for the statement that met it, {sees} for it and its verb: "SELECT
// returns", "UPDATE works on".
type wording struct{ name, title, why string }

const sees = "{sees} "

// faults tell what the other oracles saw: how a statement disagrees with the reads around it, what a plain read missed, which
// mechanism did not hold.
var faults = map[string]wording{
	"affected-versus-written": {"", "{stmt} reports a number of affected rows that is not the number that it changed",
		"The number of affected rows must be that of the rows that were changed. Right before and after the statement, with nothing in between, the table shows another number."},
	"matched-versus-written": {"", "{stmt} does not change exactly the rows that its WHERE clause finds",
		"A statement must change the rows that its WHERE clause finds, all of them and no others. A SELECT with the same WHERE clause right before it finds others: one of the two is wrong."},
	"affected-versus-spelled": {"", "{stmt} reports a number of affected rows that is not the number of those that it spells",
		"Each row that it spells is inserted, or changes one that is in its way. So the number of affected rows is known from its text alone."},
	"returned-versus-written": {"", "{stmt} returns other rows than it writes",
		"RETURNING gives each row that the statement writes, once, as the statement leaves it. A read right after it, with nothing in between, shows other rows or values."},
	"given-versus-left": {"", "{stmt} leaves another value than it gives", "Its text says what it gives to a column. A read right after it, with nothing in between, shows another value."},
	"count-versus-seen": {"", "{stmt} finds another number of rows in a table than another SELECT beside it",
		"Both read the same table as it is at the same moment, and neither has a condition. So they must find the same number of rows."},
	"order-versus-rows": {"", "{stmt} returns its rows in another order than its ORDER BY says",
		"ORDER BY sorts the rows of an answer. Here two rows that follow each other contradict it by the numbers that they show."},
	"key-twice": {"", "{stmt} sees two rows with one unique key",
		"A unique key names one row. A duplicate may be refused as late as at COMMIT, but no state of the table holds both rows, and the transaction has read both."},
	"late-key-twice": {"", "{stmt} sees two rows with one unique key, one of its own transaction",
		"A unique key names one row. The transaction's own duplicate may be refused as late as at COMMIT, but no state of the table holds both rows, and it has read both."},
	"write-in-read-only": {"", "{stmt} writes in a READ ONLY transaction",
		"What would write is refused in a transaction that begins READ ONLY, whatever rows it finds. Here it was answered with success."},
	"overwrote-unseen": {"", "{stmt} changes another version of a row than the one that its transaction sees",
		"A statement must work on the rows as a read right before it shows them. Here it overwrote another value."},
	"failed-yet-wrote": {"", "{stmt} fails and keeps a part of its changes",
		"A statement that fails changes nothing. Here rows have changed although it was answered with an error."},
	"row-twice": {"", "{stmt} returns one row twice",
		"A row is in a table once. Here a read returns it twice, with one primary key."},
	"failed-commit": {"", "A COMMIT fails with an error that no conflict explains",
		"Once every statement of a transaction is answered its COMMIT may fail for a conflict with another transaction alone. Here it fails with another error."},
	finding.RefusedOwed: {"", "A COMMIT is refused for a foreign key that no row violates",
		"A foreign key that is DEFERRABLE INITIALLY DEFERRED is checked when the transaction commits. Right before that each row refers to one that is there, and the COMMIT fails."},
	finding.CommittedOwed: {"", "A COMMIT succeeds and leaves a row that refers to none",
		"A foreign key that is DEFERRABLE INITIALLY DEFERRED is checked when the transaction commits. Right before that a row refers to one that is not there, and the COMMIT succeeds."},
	snapshot.Stale: {"", "{stmt} misses a change that was committed before its transaction began to read",
		"What is committed before a transaction takes its snapshot belongs to that snapshot. Here the row is as it was before that commit."},
	snapshot.Session: {"", "{stmt} misses a change that the same connection has committed before",
		"A connection must see its own earlier commits. Here the row is as it was before one of them."},
	snapshot.Dirty: {"", sees + "a change that another transaction has not committed",
		"What a transaction writes must stay invisible to others until it commits. Here it had not."},
	snapshot.Newer: {"", sees + "a change that was committed after its transaction's first read",
		"At this level all reads of a transaction see the state of its first read. Here a later commit of another transaction shows."},
	snapshot.OwnWrite: {"", "{stmt} misses a change of its own transaction",
		"A transaction sees what it has written itself. Here a row is as it was before that."},
	snapshot.ThinAir: {"", sees + "a value that nobody has written",
		"A row holds what some statement wrote, or what was there at the start. This value is neither."},
	snapshot.MissingRow: {"", "{stmt} misses a row that nobody has touched",
		"The row was there before the transactions began, and no statement changed or deleted it. So every read must find it."},
	"uncommitted-read": {"", "A transaction sees a change that another one has not committed",
		"What a transaction writes must stay invisible to others until it commits. Here it had not begun to commit."},
	"future-read": {"", "A transaction sees a change before the one that made it has begun to commit",
		"What a transaction writes must stay invisible to others until it commits. Here it was seen before."},
	"lock-conflict": {"", "Two transactions hold locks that exclude each other at the same time",
		"Of two transactions that lock the same row in ways that exclude each other, the second one must wait for the first. Here both went on."},
	"row-lock": {"", "Two transactions hold locks of one row that exclude each other at the same time",
		"A SELECT that locks a row keeps others from locking or changing it in ways that exclude its own until its transaction ends. Here another one did."},
	"table-lock": {"", "A locked table is used by another transaction at the same time",
		"Who is given a lock of a table keeps others from using it in ways that exclude the lock, until it is given back. Here another one went on."},
	"lock-refused": {"", "A lock that nobody else has asked for is refused",
		"Who tries to lock a number is refused only where another transaction has it, or waits for it. Here no other one had asked for it."},
	"write-lock": {"", "Two transactions have the database's one write lock at the same time",
		"A BEGIN that takes the write lock keeps every other transaction from beginning so, and from writing, until it ends. Here another one went on."},
	"refused": {"", "A transaction's first write is refused for a newer commit, though there is none",
		"A transaction that has read may begin to write unless another one has committed since. Here nobody who may have written had ended."},
	"dirty-write": {"", "Two transactions change the same row before either of them has ended",
		"A row that a transaction has changed belongs to it until it ends. Here another one changed it in between."},
	"concurrent-update": {"", "Two concurrent transactions both change a row and both commit",
		"At this level the second one to change a row that a concurrent transaction has changed must fail. Here both commit, and one change is lost."},
	"conflict-cycle": {"", "Transactions commit although each read what the other one changed",
		"At this level the transactions must give what they give one after the other. Whichever comes first, the next one must see its change, and none of them did."},
	"own-write-lost": {"", "A transaction misses a change of its own",
		"A transaction sees what it has written itself. Here a row is as it was before that."},
	"unwritten-version": {"", "A transaction sees a value that no transaction has left there",
		"A row holds what the last committed statement wrote. This value is of no transaction, or it had long been overwritten."},
	"torn-row": {"", "A transaction sees a row that is put together from two writes",
		"A row is written as a whole. Here its columns are of two different writes."},
	"row-too-many": {"", "A transaction sees a row that is not there",
		"The row had not been inserted, or it was deleted, before the read began. So no read may find it."},
	"aborted-read": {"", "A transaction sees a change that is rolled back later",
		"What a transaction that is rolled back has written was never in the database. Here another transaction works with it."},
	"aborted-read-of-delete": {"", "A transaction misses a row that another one deleted and that is rolled back",
		"A row that only a transaction deleted which is rolled back was there all the time. So every read must find it."},
	"consistent-read:missing-row": {"", "A transaction misses a row that is there",
		"What wrote the row had been committed before, and nobody has deleted it since. So the read must find it."},
	"intermediate-read": {"", "A transaction sees a value that is changed again before it is committed",
		"Of a transaction only the last value of a row may become visible. Here another transaction works with one that was never committed."},
	"passed-over-after-wait": {"", "{stmt} passes over a row that its WHERE clause finds, after it waited for a lock",
		"A statement that waited for a row must look at it again, as it is then. Its WHERE clause finds the row now, and the row was not changed."},
	"passed-over-moved-row": {"", "{stmt} passes over a row whose key another transaction changes",
		"The row is in the table all the time, and the WHERE clause finds it before and after the change of its key. So the statement must change it."},
	snapshot.Undone: {"", "{stmt} sees a change that its transaction has undone",
		"ROLLBACK TO a savepoint undoes what was written since. Here a later statement of the transaction still sees it."},
	"order-cycle": {"", "Transactions see each other's changes in a circle",
		"Each of them must have come before the next one, and the last one before the first. No order of the transactions gives that."},
	"order-against-time": {"", "A transaction that began after another one had committed comes before it",
		"What was committed before a transaction began must be visible to it. Here the transaction worked on what was there before."},
	"dangerous-structure": {"", "Transactions commit although each read what the next one changed",
		"At this level the transactions must give what they give one after the other. Whichever comes first, the next one must see its change, and none of them did."},
	"concurrent-write-certified": {"", "Two concurrent transactions both change a row and both commit",
		"At this level the second one to change a row that a concurrent transaction has changed must fail. Here both commit, and one change is lost."},
	"conflict-before-commit": {"", "{stmt} is answered with an error that only a COMMIT may have",
		"A conflict of this kind is found when a transaction commits. Here a statement before that is answered with it."},
	"lost-savepoint": {"", "A savepoint that was set is not there",
		"A savepoint stays until it is released, replaced or the transaction ends. None of that happened, and ROLLBACK TO it fails."},
	"unknown-savepoint": {"", "A savepoint that was never set is there",
		"ROLLBACK TO a savepoint that does not exist must fail. Here it is answered with success."},
	"commit-order": {"", "The database's own timestamps contradict the order in which things happened",
		"A transaction that began after another one had committed must have the later timestamp. Here the timestamps say the opposite."},
	"version-order": {"", "The database's store holds other versions of a row than were written",
		"Every committed write leaves one version of its row, in the order of the commits. The store tells of others."},
	"snapshot-read": {"", "{stmt} does not see what the database says was there at its timestamp",
		"A plain read sees the rows as they were at its transaction's timestamp. Read back at that timestamp, the table holds something else."},
	"timestamp-read": {"", "{stmt} sees a version that was not the latest at its timestamp",
		"A statement sees the latest version that was committed before its timestamp. The store has a later one."},
	"overwrote a state that no committed statement left": {"", "{stmt} overwrites a value that no committed statement has left there",
		"A change starts from what the last committed statement wrote. Here it starts from something else."},
	"read-yet-wrote": {"", "{stmt} changes rows although it only reads",
		"A query changes nothing. Here rows have changed while it ran, alone on the database."},
	"timestamp-order": {"", "A transaction depends on one that began after it had ended",
		"What happened later cannot have been seen earlier. Here the older transaction worked on what the newer one wrote."},
	"overwrote a state that another committed statement overwrote too": {"", "{stmt} overwrites the same state of a row as another committed statement",
		"Of two committed changes of a row the later one must start from what the earlier one left. Here both start from the same state, so one of them is lost."},
}

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
	if s := find(t, d.Stmt); s != nil && f.Record.Class == finding.ClassSnapshot && blind(s.SQL) {
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
func blind(sql string) bool {
	s := sqltext.Read(sql)
	return s.Kind == sqltext.Insert && !slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool { return t.Is("select", "table") })
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
