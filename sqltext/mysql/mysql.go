// Package mysql is the grammar of MySQL, MariaDB and TiDB, and of others with Words for what they say otherwise: TiDB's
// parser behind sqltext.Parser.
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
	"strings"
	"sync/atomic"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // literals of the tree

	"txweave/sqltext"
)

// Parser implements sqltext.Parser.
type Parser struct {
	tidb  *parser.Parser // keeps its sql_mode
	ansi  bool
	words Words // nil: none
	// Collide has Analyze tell which rows the keys of what a statement writes meet (sqltext.Analysis.KeyWhere): where = compares as unique
	// keys do.
	Collide bool
}

var _ sqltext.Parser = (*Parser)(nil)

// New returns a parser, for one goroutine at a time. With the quoting of the SQL standard || concatenates, too.
func New(q sqltext.Quoting) *Parser {
	ansi := q == sqltext.ANSI
	return &Parser{tidb: newTiDB(ansi), ansi: ansi}
}

func newTiDB(ansi bool) *parser.Parser {
	p := parser.New()
	if ansi {
		p.SetSQLMode(mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes)
	}
	return p
}

// Words are how another DBMS says what this grammar has no words for, or others.
type Words interface {
	// Lower writes a statement, or a condition that stands alone, in this grammar's words.
	Lower(sql string) (string, error)
	// Raise writes what is printed in those of the DBMS; whole is the statement of which it was printed, "" for a part of one. ok is
	// false where the DBMS cannot say it.
	Raise(printed, whole string) (text string, ok bool)
	// Apart is the condition that Lower leaves out of a statement and Raise gives back: of the rows that an upsert changes; "" for none.
	Apart(sql string) string
}

// NewWith returns a parser of what a DBMS writes as MySQL does, or has other words for.
func NewWith(q sqltext.Quoting, w Words) *Parser {
	p := New(q)
	p.words = w
	return p
}

// reserved are the keywords that are no names without quotes, in lower case.
var reserved = func() map[string]bool {
	out := map[string]bool{}
	for _, k := range parser.Keywords {
		if k.Reserved {
			out[strings.ToLower(k.Word)] = true
		}
	}
	return out
}()

// Reserved says whether a word is no name in this grammar, unless it is quoted.
func Reserved(word string) bool { return reserved[strings.ToLower(word)] }

// lower writes a text in this grammar's words.
func (p *Parser) lower(sql string) (string, error) {
	if p.words == nil {
		return sql, nil
	}
	return p.words.Lower(sql)
}

// raised writes what was printed of a part of a statement in the words of the DBMS.
func (p *Parser) raised(text string, err error) (string, error) {
	if err != nil || p.words == nil {
		return text, err
	}
	text, ok := p.words.Raise(text, "")
	if !ok {
		return "", errors.New("a part of the statement cannot be printed")
	}
	return text, nil
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
	text, err := p.lower(text)
	if err != nil {
		return nil, err
	}
	node, err := p.ask(text)
	if err == nil {
		node.SetText(nil, sql)
	}
	return node, err
}

// Asked is how many texts TiDB's parser was asked to read: a test holds how many that are for a case.
var Asked atomic.Int64

// ask has TiDB's parser read one statement, of a size that it can read. It panics at some texts, an integer of 82 digits for one: that is an
// error, and the next statement is for a parser that knows nothing of it.
func (p *Parser) ask(text string) (node ast.StmtNode, err error) {
	quoting := sqltext.MySQL
	if p.ansi {
		quoting = sqltext.ANSI
	}
	if err := quoting.Bound(text); err != nil {
		return nil, err
	}
	Asked.Add(1)
	defer func() {
		if recover() != nil {
			p.tidb = newTiDB(p.ansi)
			node, err = nil, errors.New("the parser knows no such literal, or no such clause")
		}
	}()
	return p.tidb.ParseOneStmt(text, "", "")
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
