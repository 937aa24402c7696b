// Package certificate checks a history with a version certificate: the order in which a database says that it installed
// the versions of each key, and the version set that each search looked at. With it the direct serialization graph
// (Adya) is known and nothing has to be searched for, predicates included (Emme: Clark et al., "Bringing Order to
// Practical Validation of Database Isolation Levels", sections 3 and 4). The claim: every read returned a version that
// a committed transaction left, every search returned the rows of its version set that match, and the graph is acyclic
// (SER), or has no cycle without two anti-dependencies in a row (SI) and, where the certificate has times, none that
// contradicts them.
//
// Whoever cannot say in which order all committed versions came has no certificate: the verdict is then unknown. Who
// says it wrongly gets a wrong verdict: the certificate is believed.
package certificate

import (
	"context"
	"fmt"

	"txweave/history"
	"txweave/history/register"
)

// KeyVersion names a version of a history of registers: what it says was written to the key. (history.Version is that
// of a row, by its version key.)
type KeyVersion struct {
	Key   int32
	Value int64
}

// Certificate is what a database gives away about a history of registers. A row of a table is a key of the history;
// what was written to it names a version of the row.
type Certificate struct {
	// Source says who gave it.
	Source string
	// Order is, by key, its committed versions, oldest first. The initial state of a key, where no transaction wrote it,
	// is not among them.
	Order [][]int64
	// Times are, by transaction, when it started and committed; nil where that is not known.
	Times []Times
	// Snapshots are, by transaction, its number and whom it saw, where the database numbers its writers; nil: it does not.
	// Whoever commits after another one may have begun before it, and need not come after it: there are no starts then,
	// and commits only say who did.
	Snapshots []history.Snapshot
	// Reborn says that a row which is inserted where another one was deleted is another row, and does not depend on the
	// deletion (dbms.Mechanisms.KeysReborn).
	Reborn bool
	// Statements are those that read one state each, transaction by transaction and each one's in their order, where a
	// transaction's statements have snapshots of their own.
	Statements []Statement
	// Committing are, by transaction, when its commit was asked for, by the clock of the history's times; nil, or 0: not
	// known.
	Committing []int64
	// Tables are what predicates search.
	Tables     []Relation
	Predicates []Predicate
	// NotChecked says which searches are not among the predicates, and why, a line each.
	NotChecked []string
}

// Times are instants of a transaction by the database's own clock or counter, only ever compared; 0 is one that is not
// known. A version that was committed at an instant is seen by what starts at it or later.
type Times struct {
	Start, Commit int64
}

// Statement is a part of a transaction that read one state of the database: what had been committed at a moment between
// its start and its end, and what the transaction itself had written.
type Statement struct {
	Txn int // index in the history
	// At and Ops are its operations: so many from the transaction's operation At on, counted from 0.
	At, Ops int
	// Start and End are when it was sent and answered, by the clock of the history's times; 0: not known.
	Start, End int64
}

// Relation is a table as certificates know it: a set of keys that predicates search, with the rows that their versions
// stand for.
type Relation struct {
	Name string
	// Columns and their types as a CREATE TABLE has them: integers ("INT", "BIGINT", …), binary strings ("BLOB",
	// "VARBINARY(8)"), or what only the database understands. No columns: one integer, "value", what was written itself.
	Columns []ColumnType
	// Keys are those of its rows.
	Keys []int32
	// Rows has the columns of every version; nil is a version that is the deletion of the row. The initial state of a key
	// that no transaction wrote has no row.
	Rows map[KeyVersion][]history.Value
}

// ColumnType is one column of a Relation, by name and declared type.
type ColumnType struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Predicate is one search of a transaction: a SELECT, or the part of an UPDATE or DELETE that finds the rows. What it
// then read or wrote of them are operations of the history.
type Predicate struct {
	Txn   int    // index in the history
	At    int    // it ran before the transaction's operation At, counted from 0
	Table int    // index in Tables
	Where string // "": every row
	// Statement is which of the certificate's statements searched, counted from 1; 0: none of these.
	Statement int
	// Among are the keys that it could find at all, as those of a range; nil: every key of the table.
	Among []int32
	// Seen is the version set. A key that is not in it was looked at in its initial state. Where it is nil and AsOf is 0
	// it is what the transaction's snapshot has, and its own; where there is none of these, the version set is not known.
	Seen map[int32]int64
	// AsOf, where it is not 0, stands for Seen: the versions that were committed at this instant, and the transaction's
	// own.
	AsOf int64
	// Current says that it looked at current rows, as writes and locking reads may, whatever its transaction's snapshot.
	Current bool
	// Result is the keys of the rows that it found, Listed says that they are known.
	Result []int32
	Listed bool
}

// Issuer recovers the certificate of a history from the database that it was recorded on, or from its log. What it
// cannot say it leaves out: the check then says unknown. It gives an error where it could not ask.
type Issuer interface {
	Certify(h *register.History) (*Certificate, error)
}

// Matches is a matches oracle (Emme, section 4.2): it says for which rows a WHERE clause over the columns of a table is
// true. It gives an *UnknownError where it cannot tell.
type Matches interface {
	Match(ctx context.Context, t *Relation, where string, rows [][]history.Value) ([]bool, error)
}

// UnknownError says why a matches oracle does not judge a predicate.
type UnknownError struct{ Reason string }

func (e *UnknownError) Error() string { return e.Reason }

func unknownf(format string, args ...any) error {
	return &UnknownError{fmt.Sprintf(format, args...)}
}

// among lists the keys that a search could find.
func (c *Certificate) among(p *Predicate) []int32 {
	if p.Among != nil {
		return p.Among
	}
	return c.Tables[p.Table].Keys
}

// columns are those of the table, "value" where none is named.
func (t *Relation) columns() []ColumnType {
	if len(t.Columns) == 0 {
		return []ColumnType{{"value", "BIGINT"}}
	}
	return t.Columns
}

// row returns the row of a version; there is none where it is a deletion. It is known unless the certificate left it
// out.
func (t *Relation) row(v KeyVersion) (row []history.Value, there, known bool) {
	if row, known = t.Rows[v]; known {
		return row, row != nil, true
	}
	if len(t.Columns) == 0 {
		return []history.Value{history.IntValue(v.Value)}, true, true
	}
	return nil, false, false
}
