package database

import (
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// dialect is what differs from one DBMS to another.
type dialect struct {
	text, bytes, index, table string
	isolation, snapshot       sql.IsolationLevel   // of transactions that write, and of those that read one state
	numbered                  bool                 // parameters are $1, $2, …
	again                     func(err error) bool // a transaction that failed so may succeed the next time
	raced                     func(err error) bool // a row is there that was not when it was looked for
	own                       func(err error) bool // it is the DBMS's, or its connection's
	damaged                   func(err error) bool // the database's file is not whole
	full                      func(err error) bool // the disk of the database's file is
	columnThere               func(err error) bool // a column cannot be added because it is there
	indexThere                func(err error) bool // an index cannot be made because it is there
}

var embedded = dialect{text: "TEXT", bytes: "BLOB", index: "CREATE INDEX IF NOT EXISTS",
	again: func(err error) bool { return sqliteCode(err) == lib.SQLITE_BUSY },
	own:   func(err error) bool { return sqliteCode(err) != 0 },
	damaged: func(err error) bool {
		code := sqliteCode(err)
		return code == lib.SQLITE_CORRUPT || code == lib.SQLITE_NOTADB
	},
	full: func(err error) bool {
		var e *sqlite.Error // the last one is of the memory that processes share, which is a file, too
		return errors.As(err, &e) && (e.Code() == lib.SQLITE_FULL || e.Code() == lib.SQLITE_IOERR_SHMSIZE)
	},
	raced:       func(error) bool { return false }, // whoever writes is alone from the beginning
	columnThere: func(error) bool { return false }, // a change of a table is there whole or not at all
	indexThere:  func(error) bool { return false }}

// sqliteCode is the primary result code of an error of SQLite's; 0 of others.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// rebind writes a query's parameters as the DBMS has them. There is no question mark in a query that is none.
func (d *dialect) rebind(query string) string {
	if !d.numbered {
		return query
	}
	var b strings.Builder
	n := 0
	for before, rest, found := strings.Cut(query, "?"); ; before, rest, found = strings.Cut(rest, "?") {
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
}
