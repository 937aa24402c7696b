// Package postgresql is the grammar of PostgreSQL as far as it means the same as MySQL's: what that reads otherwise is
// refused before it is read (gate.go), and what is printed again is spelled as PostgreSQL takes it (spell.go). What stands
// only in PostgreSQL's grammar (RETURNING, ON CONFLICT, MERGE, UPDATE … FROM, ::, LATERAL, …) is refused by the parser.
package postgresql

import (
	"txweave/sqltext"
	"txweave/sqltext/mysql"
)

// Parser implements sqltext.Parser.
type Parser struct{ common *mysql.Parser }

var _ sqltext.Parser = (*Parser)(nil)

// New returns a parser, for one goroutine at a time.
func New() *Parser { return &Parser{mysql.New(sqltext.ANSI)} }

// Analyze implements sqltext.Analyzer.
func (p *Parser) Analyze(s *sqltext.Schema, sql string) (*sqltext.Analysis, error) {
	if err := gate(sql); err != nil {
		return nil, err
	}
	a, err := p.common.Analyze(s, sql)
	if err == nil {
		a.MatchWhere = spell(a.MatchWhere)
	}
	return a, err
}

// BeforeRead implements sqltext.Analyzer.
func (p *Parser) BeforeRead(sql string, locking, inner bool) (string, error) {
	if err := gate(sql); err != nil {
		return "", err
	}
	text, err := p.common.BeforeRead(sql, locking, inner)
	return spell(text), err
}

// IsCondition implements sqltext.Analyzer.
func (p *Parser) IsCondition(where string) error {
	if err := gate(where); err != nil {
		return err
	}
	return p.common.IsCondition(where)
}

// Condition implements sqltext.Analyzer.
func (p *Parser) Condition(where string) (*sqltext.Expr, error) {
	if err := gate(where); err != nil {
		return nil, err
	}
	return p.common.Condition(where)
}

// Features implements sqltext.Describer.
func (p *Parser) Features(sql string, ordinary bool) ([]string, bool) {
	if gate(sql) != nil {
		return nil, false
	}
	return p.common.Features(sql, ordinary)
}

// SchemaFeatures implements sqltext.Describer.
func (p *Parser) SchemaFeatures(sql string) []string { return p.common.SchemaFeatures(sql) }

// Spell implements sqltext.Rewriter.
func (p *Parser) Spell(sql string) (string, bool) {
	if gate(sql) != nil {
		return "", false
	}
	text, ok := p.common.Spell(sql)
	return spell(text), ok
}

// Edit implements sqltext.Rewriter.
func (p *Parser) Edit(sql string, s *sqltext.Schema, i int) (string, bool) {
	if gate(sql) != nil {
		return "", false
	}
	text, more := p.common.Edit(sql, s, i)
	return spell(text), more
}

// Clauses implements sqltext.Rewriter.
func (p *Parser) Clauses(sql string, s *sqltext.Schema) []string {
	if gate(sql) != nil {
		return nil
	}
	return p.common.Clauses(sql, s)
}

// Risks implements sqltext.Rewriter.
func (p *Parser) Risks(sql string, s *sqltext.Schema) (sqltext.Risk, bool) {
	if gate(sql) != nil {
		return 0, false
	}
	return p.common.Risks(sql, s)
}

// Aliases implements sqltext.Rewriter.
func (p *Parser) Aliases(sql string) (tables, ctes, results []string) {
	if gate(sql) != nil {
		return nil, nil, nil
	}
	return p.common.Aliases(sql)
}

// SameShape implements sqltext.Rewriter.
func (p *Parser) SameShape(before, after string) bool {
	if gate(before) != nil {
		return true
	}
	return gate(after) == nil && p.common.SameShape(before, after)
}

// ChangeKeys implements sqltext.Rewriter.
func (p *Parser) ChangeKeys(sql string, change func(table, column string, n int64) int64) (string, bool) {
	if gate(sql) != nil {
		return "", false
	}
	text, ok := p.common.ChangeKeys(sql, change)
	return spell(text), ok
}

// WithoutColumns implements sqltext.Rewriter.
func (p *Parser) WithoutColumns(sql string, gone map[string]map[string]bool) (string, bool) {
	if gate(sql) != nil {
		return "", false
	}
	text, ok := p.common.WithoutColumns(sql, gone)
	return spell(text), ok
}
