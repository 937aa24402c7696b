package mysql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// restoreWriter spells shared row locks as both MySQL and MariaDB read them; the parser prints MySQL 8's form, which alone may
// name tables or go on to NOWAIT and SKIP LOCKED.
type restoreWriter struct {
	strings.Builder
	shared bool // FOR SHARE is to be written
}

const forShare = "FOR SHARE"

func (w *restoreWriter) WriteString(s string) (int, error) {
	if w.shared {
		w.flush(slices.Contains([]string{" OF ", " NOWAIT", " SKIP LOCKED"}, s))
	}
	if s == forShare && !strings.HasSuffix(w.String(), "'") { // not the contents of a literal
		w.shared = true
		return len(s), nil
	}
	return w.Builder.WriteString(s)
}

// flush writes the lock that is still to be written.
func (w *restoreWriter) flush(more bool) {
	switch {
	case w.shared && more:
		w.Builder.WriteString(forShare)
	case w.shared:
		w.Builder.WriteString("LOCK IN SHARE MODE")
	}
	w.shared = false
}

// restore prints a node as SQL. With ansi, a backslash in a string is an ordinary character.
func restore(n ast.Node, ansi bool) (string, error) {
	flags := format.RestoreStringSingleQuotes | format.RestoreKeyWordUppercase | format.RestoreStringWithoutCharset |
		format.RestoreSpacesAroundBinaryOperation
	if !ansi {
		flags |= format.RestoreStringEscapeBackslash
	}
	w := &restoreWriter{}
	if err := n.Restore(format.NewRestoreCtx(flags, w)); err != nil {
		return "", fmt.Errorf("cannot print the statement again: %w", err)
	}
	w.flush(false)
	return w.String(), nil
}

// print returns the SQL of a tree. ok is false unless that text reads back as the same tree: the parser's printer
// loses charset introducers, prints operands without the parentheses that they need, and the like, and a rewrite
// must not change what it did not mean to change.
func (p *Parser) print(root ast.StmtNode) (sql string, ok bool) {
	defer func() { // a tree that no text gives can make the printer follow a nil pointer
		if recover() != nil {
			ok = false
		}
	}()
	text, err := restore(root, p.ansi)
	if err != nil {
		return "", false
	}
	sql = tidy(text)
	if p.words != nil {
		if sql, ok = p.words.Raise(sql, root.OriginalText()); !ok {
			return "", false
		}
	}
	sql = dressed(sql, root.OriginalText())
	again, readable := p.read(sql)
	if !readable || shapeOf(again) != shapeOf(root) {
		return "", false
	}
	textAgain, err := restore(again, p.ansi)
	return sql, err == nil && textAgain == text
}

// dressed adds to what is printed of a tree what parse left out of its text.
func dressed(sql, whole string) string {
	if x, ok := sqltext.ReadScratch(whole); ok {
		return x.Head + " " + sql
	}
	if _, list, ok := sqltext.CutReturning(whole); ok {
		return sql + " RETURNING" + list
	}
	return sql
}

// tidy puts a space after every comma, around the equals sign of an assignment, and between two minus signs, which
// begin a comment in SQLite.
func tidy(sql string) string {
	var b strings.Builder
	var last sqltext.Token
	assigned := false // the last token is the equals sign of an assignment
	for t := range sqltext.Tokens(sql) {
		alone := t.Text == "=" && (last.Kind == sqltext.Word || last.Kind == sqltext.Name)
		if t.Kind != sqltext.Blank && (last.Text == "," || assigned || alone || last.Text == "-" && t.Text == "-") {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
		last, assigned = t, alone
	}
	return b.String()
}

// shape gathers the nesting of a tree's nodes, and of literals what their printed form may not show.
type shape struct{ strings.Builder }

func (s *shape) Enter(n ast.Node) (ast.Node, bool) {
	if _, ok := n.(*ast.ParenthesesExpr); ok {
		return n, false // the same tree with and without
	}
	fmt.Fprintf(s, "(%T", n)
	if v, ok := n.(*test_driver.ValueExpr); ok && v.Kind() == test_driver.KindString {
		fmt.Fprintf(s, " %s %q", v.Type.GetCharset(), v.GetString())
	}
	return n, false
}

func (s *shape) Leave(n ast.Node) (ast.Node, bool) {
	if _, ok := n.(*ast.ParenthesesExpr); !ok {
		s.WriteByte(')')
	}
	return n, true
}

func shapeOf(root ast.StmtNode) string {
	s := &shape{}
	root.Accept(s)
	return s.String()
}

// literal returns a literal's node.
func literal(value any) ast.ExprNode {
	const charset, collation = "utf8mb4", "utf8mb4_bin"
	return ast.NewValueExpr(value, charset, collation)
}
