package edits

import (
	"txweave/sql"
	"txweave/sql/sqltext"
)

// Rewriter proposes smaller texts for statements of one dialect, and names what they have. It is for one goroutine at a
// time. ok is false for what it does not read, or cannot write without changing more than was meant.
type Rewriter struct {
	Dialect *sql.Dialect

	last edited // what was asked about last: edits are asked for one by one
}

// edited is a statement with its edits.
type edited struct {
	text   string
	schema *sqltext.Schema
	risks  sqltext.Risk
	edits  []Edit
}

// read parses a statement that reads or writes rows; ok is false for what is none or cannot be read.
func (r *Rewriter) read(text string) (stmt sql.Stmt, ok bool) {
	stmt, err := r.Dialect.Parse(text)
	if err != nil {
		return nil, false
	}
	switch n := stmt.(type) {
	case *sql.Query, *sql.Insert, *sql.Update, *sql.Delete, *sql.DeleteJoined, *sql.Merge, *sql.Truncate:
		return stmt, true
	case *sql.CreateTable:
		return stmt, n.As != nil && n.Columns == nil
	}
	return nil, false
}

// print writes a statement; ok is false where the dialect cannot say it.
func (r *Rewriter) print(stmt sql.Stmt) (text string, ok bool) {
	text, err := r.Dialect.Print(stmt)
	return text, err == nil
}

// of are the edits of a statement and its risks.
func (r *Rewriter) of(text string, s *sqltext.Schema) *edited {
	if r.last.text != text || r.last.schema != s || text == "" {
		r.last = edited{text: text, schema: s}
		if stmt, ok := r.read(text); ok {
			r.last.risks, r.last.edits = Risks(stmt, s), Of(stmt, s)
		}
	}
	return &r.last
}

// Spell returns the statement as the parser prints it, on which edits are built.
func (r *Rewriter) Spell(text string) (string, bool) {
	stmt, ok := r.read(text)
	if !ok {
		return "", false
	}
	text, err := r.Dialect.Reprint(stmt)
	return text, err == nil
}

// Edit returns the statement with its i-th edit, large ones first; "" where that gives no statement, or one with a
// risk that it had not. more is false where there are fewer edits.
func (r *Rewriter) Edit(text string, s *sqltext.Schema, i int) (changed string, more bool) {
	of := r.of(text, s)
	if i >= len(of.edits) {
		return "", false
	}
	stmt := of.edits[i].Apply()
	changed, ok := r.print(stmt)
	if !ok || changed == text || Risks(stmt, s)&^of.risks != 0 {
		return "", true
	}
	return changed, true
}

// Clauses returns what each edit drops, where that is a clause: one string an edit, "" for the others.
func (r *Rewriter) Clauses(text string, s *sqltext.Schema) (out []string) {
	for _, e := range r.of(text, s).edits {
		out = append(out, e.Clause)
	}
	return out
}

// Risks returns the reasons for which the statement may have more than one right result, or fails for certain.
func (r *Rewriter) Risks(text string, s *sqltext.Schema) (sqltext.Risk, bool) {
	stmt, ok := r.read(text)
	if !ok {
		return 0, false
	}
	return Risks(stmt, s), true
}

// Aliases returns the names that a statement gives to tables, common table expressions and results, in lower case.
func (r *Rewriter) Aliases(text string) (tables, ctes, results []string) {
	stmt, ok := r.read(text)
	if !ok {
		return nil, nil, nil
	}
	return Aliases(stmt)
}

// Printing returns queries that tell what a query reads, for one that does not print it: each prints pkey and vkey of
// one of its tables, of all rows, or of those for which its conditions on that table alone are true. They come in the
// order of how much they explain.
func (r *Rewriter) Printing(text string, s *sqltext.Schema) (out []string) {
	stmt, ok := r.read(text)
	if !ok {
		return nil
	}
	for _, q := range Printing(stmt, s) {
		if text, ok := r.print(q); ok {
			out = append(out, text)
		}
	}
	return out
}

// SameShape says whether two statements have the same tree but for their names. It is true where the first one cannot
// be read: nothing is known of its shape.
func (r *Rewriter) SameShape(before, after string) bool {
	a, err := r.Dialect.Parse(before)
	if err != nil {
		return true
	}
	b, err := r.Dialect.Parse(after)
	return err == nil && SameShape(a, b)
}

// ChangeKeys gives every integer that stands for a pkey or vkey to change and writes what that returns.
func (r *Rewriter) ChangeKeys(text string, change func(table, column string, n int64) int64) (string, bool) {
	stmt, ok := r.read(text)
	if !ok {
		return text, true
	}
	if stmt, ok = ChangeKeys(stmt, change); !ok {
		return "", false
	}
	return r.print(stmt)
}

// WithoutColumns takes columns, by table, out of the assignments of an UPDATE or the lists of an INSERT … SELECT.
// ok is false where there is nothing to be done.
func (r *Rewriter) WithoutColumns(text string, gone map[string]map[string]bool) (string, bool) {
	stmt, ok := r.read(text)
	if ok {
		stmt, ok = WithoutColumns(stmt, gone)
	}
	if !ok {
		return "", false
	}
	return r.print(stmt)
}

// Features returns the names of the nodes in a target statement's tree: clauses, joins, subqueries, functions. With
// ordinary it also names operators and WHERE, which next to every statement has. ok is false for what it cannot read.
func (r *Rewriter) Features(text string, ordinary bool) (features []string, ok bool) {
	stmt, err := r.Dialect.Parse(text)
	if err != nil {
		return nil, false
	}
	return Features(stmt, ordinary), true
}

// SchemaFeatures returns the names of what a CREATE statement has besides columns and the primary key.
func (r *Rewriter) SchemaFeatures(text string) []string {
	stmt, err := r.Dialect.Parse(text)
	if err != nil {
		return nil
	}
	return SchemaFeatures(stmt)
}
