package testcase

import (
	"fmt"
	"strings"
)

// places are where the statements of a case stand in the text that it was read from.
type places struct {
	name  string // of the text; "": whoever knows it says it
	lines []int  // from 1, of all statements in the order of the text
}

func (p *places) of(index int) string {
	switch {
	case p == nil || index >= len(p.lines):
		return ""
	case p.name == "":
		return fmt.Sprintf("line %d: ", p.lines[index])
	}
	return fmt.Sprintf("%s:%d: ", p.name, p.lines[index])
}

// placed notes where the statements start.
func (p *parser) placed() {
	at := &places{name: p.name, lines: make([]int, 0, len(p.starts))}
	line, seen := 1, 0
	for _, start := range p.starts {
		line += strings.Count(p.text[seen:start], "\n")
		seen = start
		at.lines = append(at.lines, line)
	}
	p.c.places = at
}

// At names a statement in what is said of it: "T0.S1", and in front of that its file and line where the case was read
// from a text.
func (c *Case) At(r Ref) string {
	index := len(c.Schema) + len(c.Rows) + r.Stmt
	for n := range r.Txn {
		index += c.Txns[n].Steps()
	}
	if !c.Txns[r.Txn].Autocommit() {
		index++ // its BEGIN
	}
	return c.places.of(index) + r.String()
}

// PlacedAs says that a case has the statements of another one, in other words, and returns it.
func (c *Case) PlacedAs(o *Case) *Case {
	c.places = o.places
	return c
}

// RefusedError is a statement that a case must not hold.
type RefusedError struct {
	Where  string // "T0.S1", "T0" of its BEGIN or end, "schema, statement 0", "rows, statement 3"
	SQL    string
	Reason error
	index  int // among all statements of the case, in the order of its text
	at     *places
}

// Error returns one line.
func (e *RefusedError) Error() string {
	return e.at.of(e.index) + e.Unplaced()
}

func (e *RefusedError) Unwrap() error { return e.Reason }

// Unplaced is the line without the place in the text.
func (e *RefusedError) Unplaced() string {
	return fmt.Sprintf("%s: %s: a case must not hold it: %s", e.Where, quote(strings.Join(strings.Fields(e.SQL), " ")),
		e.Reason)
}

// Line is the line that the statement stands on; 0 where that is not known.
func (e *RefusedError) Line() int {
	if p := e.at; p != nil && e.index < len(p.lines) {
		return p.lines[e.index]
	}
	return 0
}
