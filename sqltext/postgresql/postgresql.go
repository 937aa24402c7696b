// Package postgresql is the grammar of PostgreSQL by way of MySQL's: what that reads otherwise is refused before it is read
// (gate.go), what it has other words for is said in those (lower.go), and what is printed again is spelled as PostgreSQL takes
// it (spell.go). All else that stands only in PostgreSQL's grammar (RETURNING in WITH, ::, LATERAL, …) is refused.
package postgresql

import (
	"fmt"
	"slices"

	"txweave/sqltext"
	"txweave/sqltext/mysql"
)

// Parser implements sqltext.Parser.
type Parser struct {
	common *mysql.Parser
	// of is the schema that was read last, plain the same with its views as the common grammar reads them.
	of, plain *sqltext.Schema
}

var _ sqltext.Parser = (*Parser)(nil)

// New returns a parser, for one goroutine at a time.
func New() *Parser {
	common := mysql.NewWith(sqltext.ANSI, spoken{})
	common.Collide = true
	return &Parser{common: common}
}

// spoken are no words: what is given to the common grammar is lowered before, and raised behind it.
type spoken struct{}

// Lower implements mysql.Words.
func (spoken) Lower(sql string) (string, error) { return sql, nil }

// Raise implements mysql.Words.
func (spoken) Raise(printed, _ string) (string, bool) { return printed, true }

// Apart implements mysql.Words.
func (spoken) Apart(string) string { return "" }

// read makes of a statement, or of a condition, one that the common grammar reads, and tells how its own are written back:
// nil where they are not.
func read(sql string) (text string, raise func(string) string, err error) {
	sql, named := only(sql)
	if err := gate(sql); err != nil {
		return "", nil, err
	}
	l, err := lower(sql)
	if raise = l.raise; named && raise != nil {
		raise = func(sql string) string { return raiseOnly(l.raise(sql)) }
	}
	return l.text, raise, err
}

// views returns a schema whose views the common grammar reads.
func (p *Parser) views(s *sqltext.Schema) (*sqltext.Schema, error) {
	switch {
	case len(s.Views)+len(s.Heirs) == 0:
		return s, nil
	case p.of == s:
		return p.plain, nil
	}
	plain := *s
	plain.Views = slices.Clone(s.Views)
	for i := range plain.Views {
		v := &plain.Views[i]
		text, _, err := read(v.Query)
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", v.Name, err)
		}
		v.Query = text
	}
	for i := range s.Heirs {
		plain.Views = append(plain.Views, ownRows(s, &s.Heirs[i]))
	}
	p.of, p.plain = s, &plain
	return p.plain, nil
}

// Analyze implements sqltext.Analyzer.
func (p *Parser) Analyze(s *sqltext.Schema, sql string) (*sqltext.Analysis, error) {
	sql, err := ofFamily(s, sql)
	if err != nil {
		return nil, err
	}
	text, _, err := read(sql)
	if err != nil {
		return nil, err
	}
	s, err = p.views(s)
	if err != nil {
		return nil, err
	}
	a, err := p.common.Analyze(s, text)
	if err == nil {
		a.MatchWhere, a.KeyWhere = raiseWords(spell(a.MatchWhere)), raiseWords(spell(a.KeyWhere))
		if merges(sql) {
			merged(a, s, sql)
		}
		if a.Kind == sqltext.Select && !a.SetOrCTE && !a.LocksSome {
			a.RowLock = words(sql).rowLock()
		}
	}
	return a, err
}

// JoinedRead implements sqltext.Analyzer: PostgreSQL's statements write one table.
func (*Parser) JoinedRead(*sqltext.Schema, string, bool, bool) (query string, tables []string, err error) {
	return "", nil, nil
}

// BeforeRead implements sqltext.Analyzer.
func (p *Parser) BeforeRead(s *sqltext.Schema, sql string, locking, inner bool) (string, error) {
	sql, err := ofFamily(s, sql)
	if err != nil {
		return "", err
	}
	lower, _, err := read(sql)
	if err != nil {
		return "", err
	}
	if merges(sql) {
		return "", nil
	}
	text, err := p.common.BeforeRead(s, lower, locking, inner)
	return raiseOnly(raiseWords(spell(text))), err
}

// Features implements sqltext.Describer.
func (p *Parser) Features(sql string, ordinary bool) ([]string, bool) {
	text, _, err := read(sql)
	if err != nil {
		return nil, false
	}
	features, ok := p.common.Features(text, ordinary)
	if merges(sql) && ok {
		features = append(features, "merge")
	}
	return features, ok
}

// SchemaFeatures implements sqltext.Describer.
func (p *Parser) SchemaFeatures(sql string) []string { return p.common.SchemaFeatures(sql) }

// Spell implements sqltext.Rewriter.
func (p *Parser) Spell(sql string) (string, bool) {
	lower, raise, err := read(sql)
	if err != nil || raise == nil {
		return "", false
	}
	text, ok := p.common.Spell(lower)
	return raise(spell(text)), ok
}

// Telling implements sqltext.Rewriter.
func (p *Parser) Telling(sql string, s *sqltext.Schema) []string {
	if writesHeir(s, sql) {
		return nil
	}
	lower, raise, err := read(sql)
	if err != nil || raise == nil {
		return nil
	}
	if s, err = p.views(s); err != nil {
		return nil
	}
	out := p.common.Telling(lower, s)
	for i, text := range out {
		out[i] = raise(spell(text))
	}
	return out
}

// Edit implements sqltext.Rewriter.
func (p *Parser) Edit(sql string, s *sqltext.Schema, i int) (string, bool) {
	if writesHeir(s, sql) {
		return "", false
	}
	lower, raise, err := read(sql)
	if err == nil && merges(sql) {
		text, more := mergeEdit(sql, i)
		if _, _, err := read(text); err != nil {
			text = ""
		}
		return text, more
	}
	if err != nil || raise == nil {
		return "", false
	}
	text, more := p.common.Edit(lower, s, i)
	if text == "" {
		return "", more
	}
	return raise(spell(text)), more
}

// Clauses implements sqltext.Rewriter.
func (p *Parser) Clauses(sql string, s *sqltext.Schema) []string {
	if writesHeir(s, sql) {
		return nil
	}
	text, raise, err := read(sql)
	if err != nil || raise == nil {
		return nil
	}
	return p.common.Clauses(text, s)
}

// Risks implements sqltext.Rewriter.
func (p *Parser) Risks(sql string, s *sqltext.Schema) (sqltext.Risk, bool) {
	sql, err := ofFamily(s, sql)
	if err != nil {
		return 0, false
	}
	text, _, err := read(sql)
	if err != nil {
		return 0, false
	}
	return p.common.Risks(text, s)
}

// Aliases implements sqltext.Rewriter.
func (p *Parser) Aliases(sql string) (tables, ctes, results []string) {
	text, _, err := read(sql)
	if err != nil {
		return nil, nil, nil
	}
	return p.common.Aliases(text)
}

// SameShape implements sqltext.Rewriter.
func (p *Parser) SameShape(before, after string) bool {
	from, _, err := read(before)
	if err != nil {
		return true
	}
	to, _, err := read(after)
	return err == nil && p.common.SameShape(from, to)
}

// ChangeKeys implements sqltext.Rewriter.
func (p *Parser) ChangeKeys(sql string, change func(table, column string, n int64) int64) (string, bool) {
	lower, raise, err := read(sql)
	if err != nil || raise == nil {
		return "", false
	}
	text, ok := p.common.ChangeKeys(lower, change)
	return raise(spell(text)), ok
}

// WithoutColumns implements sqltext.Rewriter.
func (p *Parser) WithoutColumns(sql string, gone map[string]map[string]bool) (string, bool) {
	lower, raise, err := read(sql)
	if err != nil || raise == nil {
		return "", false
	}
	text, ok := p.common.WithoutColumns(lower, gone)
	return raise(spell(text)), ok
}
