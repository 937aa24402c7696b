package dbms

import (
	sqltree "txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/edits"
	"txweave/sqltext"
)

// Grammar returns what makes a parser of a dialect's statements.
func Grammar(d *sqltree.Dialect, traits analysis.Traits) func() sqltext.Parser {
	return func() sqltext.Parser {
		return struct {
			sqltext.Analyzer
			*edits.Rewriter
		}{&analysis.Texts{Reader: analysis.Reader{Dialect: d, Traits: traits}}, &edits.Rewriter{Dialect: d}}
	}
}
