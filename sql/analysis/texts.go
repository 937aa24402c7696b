package analysis

import (
	"fmt"

	"txweave/sql"
	"txweave/sqltext"
)

// Texts tells the same of statements as texts. One is for one goroutine at a time: it keeps the statement that it has
// read last.
type Texts struct {
	Reader
	text string
	stmt sql.Stmt
	err  error
}

var _ sqltext.Analyzer = (*Texts)(nil)

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

// Analyze implements sqltext.Analyzer.
func (t *Texts) Analyze(s *sqltext.Schema, text string) (*sqltext.Analysis, error) {
	stmt, err := t.read(text)
	if err != nil {
		return nil, err
	}
	a, err := t.Of(s, stmt)
	return a, named(text, err)
}

// BeforeRead implements sqltext.Analyzer.
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

// JoinedRead implements sqltext.Analyzer.
func (t *Texts) JoinedRead(s *sqltext.Schema, text string, locking, inner bool) (query string, tables []string, err error) {
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
