package timeline

import (
	"fmt"
	"strings"

	"txweave/dbms"
	"txweave/finding"
	"txweave/oracle/snapshot"
	"txweave/sqltext"
)

// wording says what is wrong in a few words: instead of Y, X happened.
type wording struct{ name, x, y string }

// phenomena say what the isolation oracle saw.
var phenomena = map[string]wording{
	string(dbms.G0):       {"dirty write", "a write over a row version of a transaction that has not ended", "waiting for it"},
	string(dbms.G1a):      {"aborted read", "a row version that is rolled back", "a committed one"},
	string(dbms.G1b):      {"intermediate read", "a row version that its transaction overwrites", "the transaction's last one"},
	string(dbms.G1c):      {"circular information flow", "versions of transactions that depend on each other", "those of transactions in some order"},
	string(dbms.OTV):      {"observed transaction vanishes", "part of a transaction that was seen already", "all of it"},
	string(dbms.P2):       {"fuzzy read", "two versions of one row in one transaction", "the same one"},
	string(dbms.PMP):      {"read skew", "part of what a transaction wrote", "all of it or nothing"},
	string(dbms.P4):       {"lost update", "success over a version newer than the one read", "an error or the newer version"},
	string(dbms.GSingle):  {"read skew", "a result that no serial order gives", "a serial one"},
	string(dbms.GSIb):     {"long fork", "a result that no serial order gives", "a serial one"},
	string(dbms.G2Item):   {"write skew", "a result that no serial order gives", "a serial one"},
	string(dbms.G2):       {"anti-dependency cycle", "a result that no serial order gives", "a serial one"},
	string(dbms.GSIa):     {"interference", "what was committed after the snapshot", "the snapshot"},
	string(dbms.GSIaRead): {"interference", "what was committed after the snapshot", "the snapshot"},
}

// inconsistencies say in which way a statement disagrees with the reads around it.
var inconsistencies = map[string]wording{
	"affected-versus-written": {"", "a wrong number of affected rows", "the number of rows that it changes"},
	"matched-versus-written":  {"", "a change of other rows", "of those that a SELECT with the same WHERE finds"},
	"overwrote-unseen":        {"", "a change of a row version that it could not see", "of the visible one"},
	"failed-yet-wrote":        {"", "an error with its changes kept", "without them"},
	snapshot.Stale:            {"", "rows as they were before its snapshot", "those of the snapshot"},
	snapshot.Session:          {"", "rows as they were before its own session's last transaction", "those after it"},
	snapshot.Dirty:            {"", "rows that are not committed", "committed ones"},
	snapshot.Newer:            {"", "rows that were committed after its snapshot", "those of the snapshot"},
	snapshot.OwnWrite:         {"", "rows without its own transaction's write", "those with it"},
	snapshot.ThinAir:          {"", "a row version that nobody has written", "one that was"},
	snapshot.MissingRow:       {"", "rows without one that nobody has touched", "those with it"},
}

// Phenomenon returns the everyday name of an isolation phenomenon, "" for one that is not known.
func Phenomenon(name string) string { return phenomena[name].name }

// Level says at which level the finding was made, and to which the server was held.
func (f *Dossier) Level() string {
	env := &f.Record.Environment
	if env.Claim != "" && env.Claim != env.Isolation {
		return fmt.Sprintf("%s (held to what %s forbids)", env.Isolation, env.Claim)
	}
	return env.Isolation
}

// Title names the finding: <dialect>: <statement kind> returns X instead of Y under <isolation>.
func (f *Dossier) Title(t *Timeline) string {
	return fmt.Sprintf("%s: %s under %s", f.Record.Environment.DBMS, f.Claim(t), f.Level())
}

// Claim is the middle part of the title: <statement kind> returns X instead of Y, where it is proved which of the two is
// wrong; <statement kind> gives X in a transaction and Y in autocommit, where it is not.
func (f *Dossier) Claim(t *Timeline) string {
	switch f.Record.Class {
	case finding.ClassCrash:
		return "the server crashes"
	case finding.ClassCorruption:
		return "the database is damaged"
	}
	if len(f.Record.Differences) == 0 {
		if f.Record.Class == "" {
			return "a case of transactions"
		}
		return f.Record.Class
	}
	d := &f.Record.Differences[0]
	if f.Record.Class == finding.ClassHang {
		return d.Kind + " does not end in a transaction, and does in autocommit"
	}
	if t != nil && f.Record.Class == finding.ClassReplay {
		if c := t.claim(d); c != "" {
			return c
		}
	}
	w, ok := phenomena[d.What]
	if !ok {
		w, ok = inconsistencies[d.What]
	}
	kind := d.Kind
	if named := finding.Named(d.Stmt + " " + d.Detail); kind == "" && len(named) > 0 && t != nil {
		if s := t.Find(named[0]); s != nil {
			kind = sqltext.Verb(s.SQL)
		}
	}
	if kind == "" {
		kind = "a statement"
	}
	alone := ""
	if strings.HasPrefix(d.Detail, finding.InAutocommit) {
		alone = " in autocommit"
	}
	switch {
	case f.Record.Class == finding.ClassUnexpected:
		return kind + " answers error " + d.What + ", which no statement can cause"
	case !ok && d.Stmt != "":
		return kind + " " + d.What
	case !ok:
		return f.Record.Summary
	case w.name != "":
		return fmt.Sprintf("%s returns %s instead of %s (%s, %s)", kind, w.x, w.y, d.What, w.name)
	}
	return fmt.Sprintf("%s returns %s instead of %s%s", kind, w.x, w.y, alone)
}

// claim says what a statement or a table of a replay difference shows. That the two answers differ does not tell which of
// them is wrong.
func (t *Timeline) claim(d *finding.Difference) string {
	for i := range t.Tables {
		tab := &t.Tables[i]
		if d.What == finding.Final && d.Detail == "table "+tab.Name && tab.Expected != nil {
			x, y := versus(tab.Actual, tab.Expected)
			return fmt.Sprintf("%s holds %s after the transactions and %s in autocommit", tab.Name, x, y)
		}
	}
	s := t.Find(d.Stmt)
	if s == nil || s.Expected == nil {
		return ""
	}
	x, y := AnswerShort(&s.Answer), AnswerShort(s.Expected)
	if s.Answer.Rows != nil && s.Expected.Rows != nil {
		x, y = versus(s.Answer.Rows, s.Expected.Rows)
	}
	if d.What == finding.Warnings {
		x, y = plural(len(s.Answer.Warnings), "warning"), fmt.Sprint(len(s.Expected.Warnings))
	}
	return fmt.Sprintf("%s gives %s in a transaction and %s in autocommit", d.Kind, x, y)
}
