package testcase

import (
	"strings"

	"txweave/sql/sqltext"
)

// The versions of the .txw text format. The first divides every text into statements by one set of rules; the second
// by those of the case's target, and has settings of sessions. Both are read, and the first is written where it
// suffices.
const (
	FirstVersion  = 1
	FormatVersion = 2
)

// version is the first that the case can be written in.
func (c *Case) version() int {
	if len(c.Sessions) > 0 {
		return 2
	}
	own := sqltext.SyntaxOf(c.Target).Quoting
	if own == firstLexer {
		return 1
	}
	for _, list := range [][]Stmt{c.Schema, c.Rows} {
		for _, s := range list {
			if !alike(s.SQL) {
				return 2
			}
		}
	}
	for s := range c.steps() {
		if !alike(s.SQL) {
			return 2
		}
	}
	return 1
}

// lexis is by whose rules the case's text is divided.
func (c *Case) lexis() sqltext.Quoting {
	if c.version() == 1 {
		return firstLexer
	}
	return sqltext.SyntaxOf(c.Target).Quoting
}

// alike says whether the first version's rules take a text for one statement, which then is one of the first version,
// whatever its target takes it for.
func alike(sql string) bool {
	return !strings.ContainsAny(sql, "\\#`[$") && !strings.Contains(sql, "--") && !strings.Contains(sql, "/*") ||
		checkSQL(sql, firstLexer) == nil
}
