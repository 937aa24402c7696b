package script

import (
	"regexp"
	"slices"
	"strings"

	"txweave/history"
	"txweave/sqltext"
	"txweave/testcase"
)

// notUnderstood are parts of the messages by which databases say that they do not understand a statement.
var notUnderstood = []string{"SQL syntax", "syntax error", "unrecognized token", "Unknown system variable",
	"Unknown storage engine", "Unknown collation", "Unknown character set"}

var noTable = regexp.MustCompile(
	`Table '(?:[^'.]*\.)?([^']+)' doesn't exist|no such table: (?:main\.)?(\S+)|relation "([^"]+)" does not exist`)

// Missing names the table that an error says is not there and that no statement of the script makes; "" for any other
// error.
func (o *Showing) Missing(e *history.DBError) string {
	m := noTable.FindStringSubmatch(e.Message)
	if m == nil {
		return ""
	}
	name := m[1] + m[2] + m[3]
	for _, list := range [][]testcase.ScriptStmt{o.Script.Setup, o.Script.Steps} {
		for _, st := range list {
			if x := sqltext.Read(st.SQL); x.Creates() != "" && strings.EqualFold(x.Target, name) || x.Kind == sqltext.Other {
				return "" // a routine may make it
			}
		}
	}
	return name
}

// Lacks says whether an error's message means that something which a statement names, a table above all, is not there.
func Lacks(message string) bool {
	return strings.Contains(message, "doesn't exist") || noTable.MatchString(message)
}

// NotUnderstood says whether an error's message means that the database does not understand the statement.
func NotUnderstood(message string) bool {
	return slices.ContainsFunc(notUnderstood, func(part string) bool { return strings.Contains(message, part) })
}
