// Package grammar chooses the parser for a DBMS: the one place that knows them all.
package grammar

import (
	"txweave/sqltext"
	"txweave/sqltext/mysql"
)

// Of returns a parser for the SQL of that dialect, for one goroutine at a time. A dialect that has no grammar of its own
// is read as MySQL's with its own quoting.
func Of(dialect string) sqltext.Parser { return mysql.New(sqltext.QuotingOf(dialect)) }
