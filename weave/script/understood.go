package script

import (
	"slices"
	"strings"

	"txweave/history"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// notUnderstood are parts of the messages by which databases say that they do not understand a statement.
var notUnderstood = []string{"SQL syntax", "syntax error", "unrecognized token", "Unknown system variable",
	"Unknown storage engine", "Unknown collation", "Unknown character set"}

// missing is the table that a message says is not there; "" where it says nothing of the kind.
func missing(message string) string {
	if name := between(message, "Table '", "' doesn't exist"); name != "" {
		return name[strings.IndexByte(name, '.')+1:] // behind the database
	}
	if name := between(message, `relation "`, `" does not exist`); name != "" {
		return name
	}
	_, rest, _ := strings.Cut(message, "no such table: ")
	name, _, _ := strings.Cut(rest, " ")
	return strings.TrimPrefix(name, "main.")
}

// between is what stands between two parts of a text; "" where it has not both.
func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	if part, _, ok := strings.Cut(rest, after); ok {
		return part
	}
	return ""
}

// Missing names the table that an error says is not there and that no statement of the script makes; "" for any other
// error.
func (o *Showing) Missing(e *history.DBError) string {
	name := missing(e.Message)
	if name == "" {
		return ""
	}
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
	return strings.Contains(message, "doesn't exist") || missing(message) != ""
}

// NotUnderstood says whether an error's message means that the database does not understand the statement.
func NotUnderstood(message string) bool {
	return slices.ContainsFunc(notUnderstood, func(part string) bool { return strings.Contains(message, part) })
}
