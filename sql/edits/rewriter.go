package edits

import (
	"txweave/sql"
	"txweave/sqltext"
)

// Rewriter implements sqltext.Describer and sqltext.Rewriter for texts of one dialect. It is for one goroutine at a time.
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

var (
	_ sqltext.Describer = (*Rewriter)(nil)
	_ sqltext.Rewriter  = (*Rewriter)(nil)
)

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

// Spell implements sqltext.Rewriter.
func (r *Rewriter) Spell(text string) (string, bool) {
	stmt, ok := r.read(text)
	if !ok {
		return "", false
	}
	text, err := r.Dialect.Reprint(stmt)
	return text, err == nil
}

// Edit implements sqltext.Rewriter.
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

// Clauses implements sqltext.Rewriter.
func (r *Rewriter) Clauses(text string, s *sqltext.Schema) (out []string) {
	for _, e := range r.of(text, s).edits {
		out = append(out, e.Clause)
	}
	return out
}

// Risks implements sqltext.Rewriter.
func (r *Rewriter) Risks(text string, s *sqltext.Schema) (sqltext.Risk, bool) {
	stmt, ok := r.read(text)
	if !ok {
		return 0, false
	}
	return Risks(stmt, s), true
}

// Aliases implements sqltext.Rewriter.
func (r *Rewriter) Aliases(text string) (tables, ctes, results []string) {
	stmt, ok := r.read(text)
	if !ok {
		return nil, nil, nil
	}
	return Aliases(stmt)
}

// Telling implements sqltext.Rewriter.
func (r *Rewriter) Telling(text string, s *sqltext.Schema) (out []string) {
	stmt, ok := r.read(text)
	if !ok {
		return nil
	}
	for _, q := range Telling(stmt, s) {
		if text, ok := r.print(q); ok {
			out = append(out, text)
		}
	}
	return out
}

// SameShape implements sqltext.Rewriter.
func (r *Rewriter) SameShape(before, after string) bool {
	a, err := r.Dialect.Parse(before)
	if err != nil {
		return true
	}
	b, err := r.Dialect.Parse(after)
	return err == nil && SameShape(a, b)
}

// ChangeKeys implements sqltext.Rewriter.
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

// WithoutColumns implements sqltext.Rewriter.
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

// Features implements sqltext.Describer.
func (r *Rewriter) Features(text string, ordinary bool) (features []string, ok bool) {
	stmt, err := r.Dialect.Parse(text)
	if err != nil {
		return nil, false
	}
	return Features(stmt, ordinary), true
}

// SchemaFeatures implements sqltext.Describer.
func (r *Rewriter) SchemaFeatures(text string) []string {
	stmt, err := r.Dialect.Parse(text)
	if err != nil {
		return nil
	}
	return SchemaFeatures(stmt)
}
