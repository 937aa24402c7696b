package analysis

import (
	"fmt"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// Texts tells the same of statements as texts. One is for one goroutine at a time: it keeps the statement that it has
// read last.
type Texts struct {
	Reader
	text string
	stmt sql.Stmt
	err  error
}

// TextsOf returns one for the statements of a DBMS.
func TextsOf(x *sqltext.Syntax) *Texts {
	return &Texts{Reader: Reader{Dialect: x.Tree, Traits: x.Traits}}
}

// read reads a statement.
func (t *Texts) read(text string) (sql.Stmt, error) {
	if t.text != text || t.stmt == nil && t.err == nil {
		t.text = text
		if t.stmt, t.err = t.Dialect.Parse(text); t.err != nil {
			t.err = fmt.Errorf("cannot parse %q: %s", clipped(text), clipped(t.err.Error()))
		}
	}
	return t.stmt, t.err
}

// Analyze reads one target statement of a case with this schema. A statement whose tables or versions are not known
// for certain is an error: the oracles refuse it.
func (t *Texts) Analyze(s *sqltext.Schema, text string) (*sqltext.Analysis, error) {
	stmt, err := t.read(text)
	if err != nil {
		return nil, err
	}
	a, err := t.Of(s, stmt)
	return a, named(text, err)
}

// BeforeRead returns the query for pkey and vkey of the rows that an UPDATE or DELETE writes, under the same WHERE,
// ORDER BY and LIMIT (TxCheck, section 3.2); "" where there is none. A locking one takes the locks that the statement
// itself takes: exclusive ones on the target's rows, with inner shared ones in its inner query blocks; a view, which
// has no place for a lock clause, stands there as its query.
func (t *Texts) BeforeRead(s *sqltext.Schema, text string, locking, inner bool) (string, error) {
	stmt, err := t.read(text)
	if err != nil {
		return "", err
	}
	q, err := t.Reader.BeforeRead(s, stmt, Locks{Target: locking, Inner: inner})
	if err != nil || q == nil {
		return "", err
	}
	return t.Dialect.Print(q)
}

// JoinedRead returns the query for pkey and vkey of the rows that an UPDATE or DELETE of joined tables writes, two
// columns for each of the tables, which it names in that order; "" for every other statement, and where it writes not
// each of the tables that it joins, or joins one with itself. Locks are as with BeforeRead.
func (t *Texts) JoinedRead(s *sqltext.Schema, text string, locking, inner bool) (query string,
	tables []string, err error) {
	stmt, err := t.read(text)
	if err != nil {
		return "", nil, err
	}
	q, tables, err := t.Reader.JoinedRead(s, stmt, Locks{Target: locking, Inner: inner})
	if err != nil || q == nil {
		return "", nil, err
	}
	query, err = t.Dialect.Print(q)
	return query, tables, err
}
