package testcase

import (
	"bytes"
	"fmt"
	"strconv"

	"txweave/sql/sqltext"
)

// scheduleWidth is the column that a printed schedule's lines do not go beyond.
const scheduleWidth = 76

// Names of the sections of the text form; a transaction's section is named T and its number, and may name its
// session.
const (
	secSchema   = "schema"
	secRows     = "rows"
	secSession  = "session"
	secSchedule = "schedule"
	secOrder    = "order"
	sessionMark = " session "

	isolationMark = " isolation "
)

// Names of the fixed header fields.
const (
	fieldTool      = "tool"
	fieldSeed      = "seed"
	fieldTarget    = "target"
	fieldIsolation = "isolation"
	// the identities of the transactions' statements, where they are not those of their places
	fieldStatements = "statements"
)

// Print returns the case's text. Parse reads it back as an equal case when Validate accepts the case.
// Sections without content are left out, and so are an empty Tool and a Seed of 0.
func (c *Case) Print() []byte {
	var b bytes.Buffer
	printComments(&b, c.Comments)
	fmt.Fprintf(&b, "txweave case %d\n", c.version())
	if c.Tool != "" {
		printField(&b, fieldTool, c.Tool)
	}
	if c.Seed != 0 {
		printField(&b, fieldSeed, strconv.FormatUint(c.Seed, 10))
	}
	printField(&b, fieldTarget, c.Target)
	printField(&b, fieldIsolation, c.Isolation)
	for _, o := range c.Options {
		printField(&b, o.Key, o.Value)
	}
	if ids := c.identities(); ids != "" {
		printField(&b, fieldStatements, ids)
	}
	lexis := c.lexis()
	printSection(&b, secSchema, c.Schema, lexis)
	printSection(&b, secRows, c.Rows, lexis)
	for _, s := range c.Sessions {
		printSection(&b, sessionSection(s.Number), s.Stmts, lexis)
	}
	for n := range c.Txns {
		t := &c.Txns[n]
		stmts := make([]Stmt, 0, t.Steps())
		for i := range t.Steps() {
			stmts = append(stmts, *t.Step(i))
		}
		printSection(&b, sectionOf(n, t), stmts, lexis)
	}
	printSchedule(&b, c.Schedule)
	printOrder(&b, c.Order)
	if len(c.Tail) > 0 {
		b.WriteByte('\n')
		printComments(&b, c.Tail)
	}
	return b.Bytes()
}

func txnName(n int) string { return "T" + strconv.Itoa(n) }

// sectionOf returns the section name of a transaction: "T2", "T2 session 1", "T2 session 1 isolation read-committed".
func sectionOf(txn int, t *Txn) string {
	name := txnName(txn)
	if t.Session != 0 {
		name += sessionMark + strconv.Itoa(t.Session)
	}
	if t.Isolation != "" {
		name += isolationMark + t.Isolation
	}
	return name
}

// sessionSection returns the name of a section of settings: "session", "session 1".
func sessionSection(number int) string {
	if number == 0 {
		return secSession
	}
	return secSession + " " + strconv.Itoa(number)
}

func printComments(b *bytes.Buffer, comments []string) {
	for _, c := range comments {
		b.WriteString(c)
		b.WriteByte('\n')
	}
}

func printField(b *bytes.Buffer, key, value string) {
	b.WriteString(key + ":")
	if value != "" {
		b.WriteString(" " + value)
	}
	b.WriteByte('\n')
}

func printSection(b *bytes.Buffer, name string, stmts []Stmt, lexis sqltext.Quoting) {
	if len(stmts) == 0 {
		return
	}
	fmt.Fprintf(b, "\n-- %s --\n", name)
	for _, s := range stmts {
		printComments(b, s.Comments)
		b.WriteString(s.SQL)
		if endsInLineComment(s.SQL, lexis) {
			b.WriteByte('\n')
		}
		b.WriteString(";\n")
	}
}
