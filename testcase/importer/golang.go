package importer

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
)

// goCall is a call of database/sql's that sends something, or one of its style, as a line of a program has it.
var goCall = regexp.MustCompile(`\b\w+\.(?:(?:Must)?(?:Exec|Query|QueryRow)(?:Context)?\((?:[\w.()]+,\s*)?["` +
	"`" + `]\s*\w|(?:BeginTx|Begin|Commit|Rollback)\()`)

// callsDatabase says whether a line of a program sends a statement.
func callsDatabase(line string) bool { return goCall.MatchString(line) }

// isGo says whether a text is a Go program: it begins with its package, or two of its lines send statements as
// database/sql does.
func isGo(s *source) bool {
	first, calls := "", 0
	for _, line := range s.lines() {
		line = strings.TrimSpace(line)
		if first == "" && !strings.HasPrefix(line, "//") {
			first = line
		}
		if callsDatabase(line) {
			calls++
		}
	}
	return strings.HasPrefix(first, "package ") && len(strings.Fields(first)) == 2 || calls > 1 && !begins(first)
}

// goReader follows what a Go program sends: calls of database/sql, one after the other, with statements and values that
// are written out. The variables that send them are the sessions.
type goReader struct {
	*part
	s      *source
	set    *token.FileSet
	off    int                  // lines that stand above the text's first one
	defers map[string]token.Pos // transactions that are rolled back when their function ends
	open   map[string]bool
	err    error
}

// readGo reads a Go program. Each test of it is a schedule; else one function sends all statements.
func readGo(s *source) ([]*part, error) {
	if strings.Contains(s.text, "TXWEAVE_DSN") {
		return nil, s.errorf(1, "a Go program of export's: import the case that it was made of")
	}
	r := &goReader{s: s}
	file, err := r.parse()
	if err != nil {
		return nil, err
	}
	var out []*part
	tests := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		r.part, r.defers, r.open = newPart(f.Name.Name, r.line(f.Pos())), map[string]token.Pos{}, map[string]bool{}
		if ast.Inspect(f.Body, r.visit); r.err != nil {
			return nil, r.err
		}
		r.finish()
		if len(r.out) == 0 {
			continue
		}
		if strings.HasPrefix(f.Name.Name, "Test") {
			tests++
		}
		if out = append(out, r.part); len(out) > 1 && tests < len(out) {
			return nil, r.errorf(f.Pos(), "another function sends statements, and when it is called is not read: one "+
				"function, or tests by themselves")
		}
	}
	if len(out) == 0 {
		return nil, s.errorf(1,
			`a Go program that sends no statement as database/sql does: x.Exec("…"), tx.QueryRow("…", 1)`)
	}
	if len(out) == 1 {
		out[0].title = ""
	}
	return out, nil
}

// parse reads the program, or a piece of one: functions without a package, statements without a function.
func (r *goReader) parse() (*ast.File, error) {
	var first error
	off := 0
	for _, head := range []string{"", "package p\n", "package p\nfunc _() {\n"} {
		r.set, r.off = token.NewFileSet(), strings.Count(head, "\n")
		text := head + r.s.text
		if strings.Contains(head, "{") {
			text += "\n}"
		}
		file, err := parser.ParseFile(r.set, "", text, parser.SkipObjectResolution)
		if err == nil {
			return file, nil
		}
		if first == nil || head == "package p\n" && !strings.HasPrefix(strings.TrimSpace(r.s.text), "package") {
			first, off = err, r.off
		}
	}
	line, message := 1, first.Error()
	var list scanner.ErrorList
	if errors.As(first, &list) && len(list) > 0 {
		line, message = list[0].Pos.Line-off, list[0].Msg
	}
	return nil, r.s.errorf(line, "no Go program: %s", message)
}

func (r *goReader) line(at token.Pos) int { return max(r.set.Position(at).Line-r.off, 1) }

func (r *goReader) errorf(at token.Pos, format string, args ...any) error {
	return r.s.errorf(r.line(at), format, args...)
}

func (r *goReader) fail(at token.Pos, format string, args ...any) {
	if r.err == nil {
		r.err = r.errorf(at, format, args...)
	}
}

// sends says whether a part of a program sends anything.
func sends(n ast.Node) (out bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if ok {
			name, of := methodOf(c)
			_, ends := goVerbs[name]
			out = out || ends || holdsText(c) && !slices.Contains(goTalkers, of)
		}
		return !out
	})
	return out
}

// goSenders send the statement that is their argument; goVerbs begin or end a transaction.
var (
	goSenders = strings.Fields("Exec ExecContext Query QueryContext QueryRow QueryRowContext MustExec " +
		"MustExecContext " +
		"MustQuery MustQueryContext ExecToErr QueryToErr Get Select")
	goVerbs = map[string]string{"Commit": "COMMIT", "Rollback": "ROLLBACK", "Begin": "BEGIN", "BeginTx": "BEGIN",
		"MustBegin": "BEGIN", "Beginx": "BEGIN"}
)

// methodOf is the method of a call, and the variable whose it is.
func methodOf(c *ast.CallExpr) (method, of string) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	switch x := sel.X.(type) {
	case *ast.Ident:
		of = x.Name
	case *ast.SelectorExpr:
		of = x.Sel.Name
	}
	return sel.Sel.Name, of
}

// statementAt is which argument of a call is a text with a statement; -1 for none.
func statementAt(c *ast.CallExpr) int {
	for i, a := range c.Args {
		if text, ok := stringOf(a); ok && i < 2 {
			if begins(strings.TrimSpace(text)) {
				return i
			}
			return -1
		}
	}
	return -1
}

// holdsText says whether a call has a text with a statement among its arguments, wherever.
func holdsText(c *ast.CallExpr) bool {
	return slices.ContainsFunc(c.Args, func(a ast.Expr) bool {
		text, ok := stringOf(a)
		return ok && begins(strings.TrimSpace(text))
	})
}

// stringOf is the text of an expression that is written out.
func stringOf(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			text, err := strconv.Unquote(x.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		a, ok := stringOf(x.X)
		b, also := stringOf(x.Y)
		return a + b, ok && also && x.Op == token.ADD
	case *ast.ParenExpr:
		return stringOf(x.X)
	}
	return "", false
}

// visit reads what a function sends, in the order of its text. What runs more than once, side by side, or perhaps, is
// in no order that the text shows.
func (r *goReader) visit(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.IfStmt:
		if sends(x.Body) || x.Else != nil && sends(x.Else) {
			r.fail(x.Pos(), "it is sent under a condition: write what ran")
		}
	case *ast.DeferStmt:
		if name, of := methodOf(x.Call); name == "Rollback" {
			r.defers[of] = x.Pos()
		} else if sends(x.Call) {
			r.fail(x.Pos(), "it is sent when the function ends: write it where it is sent")
		}
		return false
	case *ast.ForStmt, *ast.RangeStmt, *ast.GoStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt, *ast.FuncLit:
		if sends(n) {
			r.fail(n.Pos(), "what a program runs side by side, more than once, under a condition or in a function of "+
				"its "+
				"own is in no order that the text shows: write what ran")
		}
		return false
	case *ast.AssignStmt: // a transaction has the name of the variable that holds it
		if c, ok := x.Rhs[0].(*ast.CallExpr); ok {
			name, _ := methodOf(c)
			if id, plain := x.Lhs[0].(*ast.Ident); plain && goVerbs[name] == "BEGIN" {
				r.begin(c, id.Name)
				return false
			}
		}
	case *ast.CallExpr:
		return r.sent(x)
	}
	return r.err == nil
}

// sent reads a call.
func (r *goReader) sent(c *ast.CallExpr) bool {
	name, of := methodOf(c)
	switch {
	case of != "" && goVerbs[name] != "":
		r.send(c.Pos(), of, goVerbs[name])
		return false
	case slices.Contains(goSenders, name) && of != "":
		r.call(c, name, of)
	case holdsText(c) && !slices.Contains(goTalkers, of):
		r.fail(c.Pos(), "a statement in a call that is not read: want x.Exec, x.Query or x.QueryRow, with Must in "+
			"front or Context behind")
	}
	return r.err == nil
}

// begin files the beginning of a transaction, at the level that its options name: sql.LevelSerializable,
// pgx.Serializable.
func (r *goReader) begin(c *ast.CallExpr, name string) {
	level := ""
	for i, a := range c.Args {
		if id, ok := a.(*ast.Ident); i > 0 && ok && id.Name != "nil" {
			r.fail(a.Pos(), "the options of a transaction that stand elsewhere: write them into the call")
		}
		ast.Inspect(a, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(goLevels, strings.TrimPrefix(sel.Sel.Name,
				"Level")) {
				level = strings.TrimPrefix(sel.Sel.Name, "Level")
			}
			if id, ok := n.(*ast.Ident); ok && (id.Name == "ReadOnly" || id.Name == "AccessMode") {
				r.fail(a.Pos(), "a transaction's access: write it as statements, with the session in front (T1> START "+
					"TRANSACTION READ ONLY;)")
			}
			return true
		})
	}
	for _, second := range []string{"Read", "Uncommitted", "Committed"} { // ReadCommitted is two words
		level = strings.Replace(level, second, " "+second, 1)
	}
	level = strings.ToUpper(strings.Join(strings.Fields(level), " "))
	switch {
	case level != "" && setsWithin(r.s.target):
		r.send(c.Pos(), name, "BEGIN ISOLATION LEVEL "+level)
	case level != "":
		r.send(c.Pos(), name, "SET TRANSACTION ISOLATION LEVEL "+level)
		fallthrough
	default:
		r.send(c.Pos(), name, "BEGIN")
	}
}

// goLevels are the levels that a transaction's options name.
var goLevels = strings.Fields("ReadUncommitted ReadCommitted RepeatableRead Serializable Snapshot Linearizable " +
	"WriteCommitted")

// goTalkers are packages and variables whose calls only say what a statement is.
var goTalkers = strings.Fields("fmt log slog t b tb require assert errors strings")

// call reads a call that sends a statement.
func (r *goReader) call(c *ast.CallExpr, name, of string) {
	at := statementAt(c)
	if at < 0 {
		r.unread(c, name, of)
		return
	}
	sql, _ := stringOf(c.Args[at])
	if slices.ContainsFunc(lexer.Significant(sql, -1), func(t sqltext.Token) bool {
		return t.Text == "?" ||
			isParameter(t.Text)
	}) {
		var ok bool
		if sql, ok = r.filled(sql, c.Args[at+1:]); !ok {
			r.fail(c.Pos(), "%s has values that are not written out beside it: write them into the statement",
				quote(sql))
			return
		}
	}
	list, left := statements(sql)
	if left != "" {
		r.fail(c.Pos(), "%s: no statement", quote(left))
	}
	for _, one := range list {
		r.send(c.Pos(), of, one)
	}
}

// unread says of a call why its statement is not read, unless it sends none.
func (r *goReader) unread(c *ast.CallExpr, name, of string) {
	for i, a := range c.Args {
		text, ok := stringOf(a)
		b, sum := a.(*ast.BinaryExpr)
		switch {
		case i > 1, ok && (name == "Get" || name == "Select"):
			return // of something else
		case ok:
			r.fail(c.Pos(), "%s: no statement", quote(text))
		case sum && b.Op == token.ADD:
			r.fail(c.Pos(), "%s puts its statement together: write it out", quote(of+"."+name))
		}
	}
	if len(c.Args) > 0 {
		r.fail(c.Pos(), "%s sends a statement that does not stand there: write it out", quote(of+"."+name))
	}
}

// filled puts the values of a call's arguments in the place of ? and $1.
func (r *goReader) filled(sql string, args []ast.Expr) (string, bool) {
	var values []string
	for _, a := range args {
		v, ok := valueOf(a)
		if !ok {
			return sql, false
		}
		values = append(values, v)
	}
	next := 0
	return putIn(sql, func(mark string) (string, bool) {
		at := next
		if mark == "?" {
			next++
		} else {
			at = numberOf(mark[1:]) - 1
		}
		if at < 0 || at >= len(values) {
			return mark, false
		}
		return values[at], true
	})
}

// valueOf is a value that is written out, as a statement has it.
func valueOf(e ast.Expr) (string, bool) {
	if text, ok := stringOf(e); ok {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'", !strings.Contains(text, `\`)
	}
	switch x := e.(type) {
	case *ast.BasicLit:
		return x.Value, x.Kind == token.INT || x.Kind == token.FLOAT
	case *ast.UnaryExpr:
		v, ok := valueOf(x.X)
		return "-" + v, ok && x.Op == token.SUB
	case *ast.Ident:
		return map[string]string{"nil": "NULL", "true": "TRUE", "false": "FALSE"}[x.Name], x.Name == "nil" ||
			x.Name == "true" || x.Name == "false"
	case *ast.CallExpr: // int64(5)
		if id, ok := x.Fun.(*ast.Ident); ok && len(x.Args) == 1 && (strings.HasPrefix(id.Name, "int") ||
			strings.HasPrefix(id.Name, "float") || id.Name == "string") {
			return valueOf(x.Args[0])
		}
	}
	return "", false
}

// send files a statement of a variable's.
func (r *goReader) send(at token.Pos, of, sql string) {
	tag := r.session(of)
	switch sqltext.KindOf(sql) {
	case sqltext.Begin:
		r.open[of] = true
	case sqltext.Commit, sqltext.Rollback:
		r.open[of] = false
	}
	r.out = append(r.out, piece{line: r.line(at), tag: tag, sql: strings.TrimRight(strings.TrimSpace(sql), "; "),
		own: true})
}

// finish rolls back what is open and is to be rolled back when its function ends.
func (r *goReader) finish() {
	for _, name := range slices.Sorted(maps.Keys(r.defers)) {
		if r.open[name] {
			r.send(r.defers[name], name, "ROLLBACK")
		}
	}
}
