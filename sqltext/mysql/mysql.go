// Package mysql is the grammar of MySQL, MariaDB and TiDB, and of SQLite as far as it writes the same: TiDB's parser
// behind sqltext.Parser.
//
// All that looks at the parser's tree is here, and the tree stays here: what the oracles have to know of a statement
// (analyze.go, refuse.go, before.go), the names of what it has (features.go), its conditions (condition.go), and how it
// becomes smaller without becoming another one (edits.go, expressions.go, classes.go, risks.go, names.go, keys.go,
// print.go). Each of them is about this grammar's nodes from the first line to the last; what the tool makes of the
// answers is with those who ask, in packages instrument, reduce, finding/signature and checker/certificate, and holds
// for any grammar.
package mysql

import (
	"errors"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // literals of the tree

	"txweave/sqltext"
)

// Parser implements sqltext.Parser.
type Parser struct {
	tidb *parser.Parser // keeps its sql_mode
	ansi bool
	// sqlite says that a write's conflicts are spelled as SQLite does.
	sqlite bool
	// Collide has Analyze tell which rows the keys of what a statement writes meet (sqltext.Analysis.KeyWhere): where = compares as unique
	// keys do.
	Collide bool
}

var _ sqltext.Parser = (*Parser)(nil)

// New returns a parser, for one goroutine at a time. With the quoting of the SQL standard || concatenates, too.
func New(q sqltext.Quoting) *Parser {
	p := &Parser{tidb: parser.New(), ansi: q == sqltext.ANSI}
	if p.ansi {
		p.tidb.SetSQLMode(mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes)
	}
	return p
}

// NewSQLite returns a parser of what SQLite writes as MySQL does, or for which MySQL has other words.
func NewSQLite() *Parser {
	p := New(sqltext.ANSI)
	p.sqlite = true
	return p
}

// parse reads one statement of any kind. What the grammar does not know is left out: that the answer of a query goes through a table of
// its own, and what a write returns. The tree keeps the whole text.
func (p *Parser) parse(sql string) (ast.StmtNode, error) {
	text := sql
	if x, ok := sqltext.ReadScratch(sql); ok {
		text = x.Query
	}
	if _, del, ok := sqltext.ReadTruncate(sql); ok {
		text = del
	}
	text, _, _ = sqltext.CutReturning(text)
	if p.sqlite {
		if dual(text) {
			return nil, errors.New("DUAL is no table of SQLite's: leave FROM out")
		}
		text = cutCondition(fromSQLite(withoutArbiter(text)))
	}
	node, err := p.tidb.ParseOneStmt(text, "", "")
	if err == nil {
		node.SetText(nil, sql)
	}
	return node, err
}

// cutCondition leaves out of CREATE INDEX … WHERE which rows it holds: the grammar knows no such index.
func cutCondition(sql string) string {
	if first := sqltext.Significant(sql, 3); len(first) < 3 || !first[0].Is("create") || !first[1].Is("index") && !first[2].Is("index") {
		return sql
	}
	at, depth := 0, 0
	for t := range sqltext.ANSI.Tokens(sql) {
		if depth += t.Nesting(); depth == 0 && t.Is("where") {
			return sql[:at]
		}
		at += len(t.Text)
	}
	return sql
}

// dual says whether a statement reads DUAL, which the grammar takes for no table at all.
func dual(sql string) bool {
	if !strings.Contains(strings.ToLower(sql), "dual") {
		return false
	}
	return slices.ContainsFunc(sqltext.ANSI.Read(sql).Named, func(n sqltext.TableName) bool { return n.Name == "dual" })
}

// read parses one SELECT, INSERT, UPDATE or DELETE; ok is false for what is none or cannot be read.
func (p *Parser) read(sql string) (root ast.StmtNode, ok bool) {
	root, err := p.parse(sql)
	if err != nil {
		return nil, false
	}
	switch root.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt, *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
		return root, true
	}
	return nil, false
}
