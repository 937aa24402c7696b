package testcase

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// Refusal is a statement of a script that must not be run, and why.
type Refusal struct {
	Stmt   *ScriptStmt
	Reason error
}

// Admit lists the statements of a script that could reach beyond the database that is made for it: what Case.Admit
// refuses, but for definitions, settings of the session, savepoints, locks of its own tables and whatever else stays
// inside. private says that the server is one of its own, which goes when the script has run: then its settings may be
// changed too. The set-up comes first. Everything that is not known to be harmless is refused.
func (s *Script) Admit(x *sqltext.Syntax, private bool) []Refusal {
	a := scriptAdmission{admission: admission{x: x, script: true, alone: private}, private: private, ascii: s.isASCII()}
	var out []Refusal
	for _, list := range [][]ScriptStmt{s.Setup, s.Steps} {
		for i := range list {
			if err := a.judge(list[i].SQL); err != nil {
				out = append(out, Refusal{&list[i], err})
			}
		}
	}
	return out
}

type scriptAdmission struct {
	admission
	private bool
	ascii   bool // the script is
}

// judge says why a statement must not run; nil where it may.
func (a *scriptAdmission) judge(sql string) error {
	kind := a.x.Quoting.Read(sql).Kind
	judged := unscoped(a.x.Quoting, sql)
	if kind == sqltext.Select || kind == sqltext.Other {
		judged = withoutCatalogue(a.x.Quoting, judged)
	}
	s, err := a.read(judged)
	if err != nil {
		return err
	}
	if len(s.Tokens) == 0 {
		return errors.New("it is empty")
	}
	second := sqltext.Token{}
	if len(s.Tokens) > 1 {
		second = s.Tokens[1]
	}
	switch kind {
	case sqltext.Select, sqltext.Insert, sqltext.Update, sqltext.Delete:
		return nil
	case sqltext.Begin, sqltext.Commit, sqltext.Rollback, sqltext.Savepoint, sqltext.RollbackTo,
		sqltext.Release, sqltext.XA:
		return nil
	case sqltext.Lock:
		if s.Tokens[0].Is("flush") || second.Is("instance") || !second.Is("table", "tables") {
			return a.onlyPrivate("it stops the whole server")
		}
		return nil
	case sqltext.Set:
		if s.Tokens[0].Is("pragma") {
			return a.pragma(s)
		}
		return a.set(a.x.Quoting.Read(sql))
	case sqltext.Create, sqltext.Alter:
		return a.define(s)
	case sqltext.Define:
		return a.defineOther(s)
	}
	return a.other(s)
}

func (a *scriptAdmission) onlyPrivate(why string) error {
	if a.private {
		return nil
	}
	return errors.New(why)
}

// define judges what makes or alters a table, an index or a view.
func (a *scriptAdmission) define(s sqltext.Statement) error {
	if s.Creates() == "view" {
		for i, t := range s.Tokens {
			if t.Is("definer") && i+1 < len(s.Tokens) && s.Tokens[i+1].Text == "=" {
				return errors.New("it names a user")
			}
		}
		return nil
	}
	if s.Target == "" {
		return errors.New("it names no table")
	}
	return a.definitionWords(s)
}

// hasBody says whether a statement may hold others: it makes a trigger, a procedure, a function or a rule.
func hasBody(s sqltext.Statement) bool {
	if len(s.Tokens) == 0 || !s.Tokens[0].Is("create") {
		return false
	}
	for _, t := range s.Tokens[1:min(len(s.Tokens), 6)] {
		if t.Is("trigger", "procedure", "function", "rule") {
			return true
		}
		if !t.Is("or", "replace", "temporary", "temp", "aggregate") {
			return false
		}
	}
	return false
}

// bodyWords are words that the body of a trigger, procedure or function must not have: it could do with them what a
// statement by itself may not.
var bodyWords = strings.Fields(
	`database schema grant revoke user role password shutdown kill load install uninstall prepare execute global persist
	persist_only outfile dumpfile infile flush reset purge change master slave replica server event soname import tablespace directory definer plugin
	use attach detach pragma vacuum backup restore clone`)

// defineOther judges the definitions that no case has.
func (a *scriptAdmission) defineOther(s sqltext.Statement) error {
	at := 1
	for at < len(s.Tokens) && (s.Tokens[at].Is("or", "replace", "temporary", "temp", "if", "not", "exists", "online",
		"offline", "aggregate")) {
		at++
	}
	what := sqltext.Token{}
	if at < len(s.Tokens) {
		what = s.Tokens[at]
	}
	first := s.Tokens[0]
	switch {
	case first.Is("create") && what.Is("trigger", "procedure", "function", "rule"):
		return a.routine(s, at)
	case first.Is("create", "drop") && what.Is("materialized"):
		return nil // its query was judged with its words
	case first.Is("truncate"),
		first.Is("rename") && what.Is("table", "tables"),
		first.Is("drop") && what.Is("table", "tables", "view", "index", "trigger", "procedure", "function", "sequence",
			"prepare", "rule"),
		first.Is("create", "alter") && what.Is("sequence"),
		first.Is("alter") && what.Is("view"):
		return nil
	}
	return errors.New("it defines what is no table, index, view, trigger or routine of one database")
}

// routine judges what makes a trigger, a procedure or a function; what it makes is said by the token at.
func (a *scriptAdmission) routine(s sqltext.Statement, at int) error {
	for i, t := range s.Tokens[at+1:] {
		if a.x.Admission.Body != nil && s.Tokens[at].Is("trigger") && t.Is("execute") {
			continue // EXECUTE FUNCTION: what the function may do was asked where it was made
		}
		before, behind := s.Tokens[at+i], sqltext.Token{}
		if at+i+2 < len(s.Tokens) {
			behind = s.Tokens[at+i+2]
		}
		if behind.Text == "(" && t.Is("user", "database", "schema") { // what the session is, and no CREATE USER
			continue
		}
		if t.Kind == sqltext.Word && t.Is(bodyWords...) && before.Text != "." {
			return fmt.Errorf("%s in its body could reach beyond the database", strings.ToUpper(t.Text))
		}
		if t.Is("javascript", "wasm") && before.Is("language") {
			return fmt.Errorf("language %s reaches beyond the database", t.Text)
		}
	}
	if word, ok := a.readingWord(s.Tokens[at+1:]); ok {
		return fmt.Errorf("%s in it changes how the server reads statements", word)
	}
	if a.x.Admission.Body != nil {
		return a.x.Admission.Body(s, scriptJudge{a})
	}
	return nil
}

// scriptJudge judges for the database's own rules.
type scriptJudge struct{ a *scriptAdmission }

func (j scriptJudge) Statement(text string) error { return j.a.judge(text) }

func (j scriptJudge) Body(s sqltext.Statement) error { return j.a.bodyWithin(s) }

func (j scriptJudge) Setting(name string) error {
	if outward(name) {
		return fmt.Errorf("the setting %s could reach beyond the database", name)
	}
	return nil
}

// bodyWithin refuses a body that could do what a statement by itself may not.
func (a *scriptAdmission) bodyWithin(body sqltext.Statement) error {
	if word, ok := a.readingWord(body.Tokens); ok {
		return fmt.Errorf("%s in its body changes how the server reads statements", word)
	}
	for i, w := range body.Tokens {
		escaped := w.Kind == sqltext.Name && i > 1 && body.Tokens[i-1].Text == "&"
		if escaped || w.Is(bodyWords...) || w.Is("copy", "listen", "notify", "authorization", "system", "language",
			"extension", "cluster") {
			return fmt.Errorf("%s in its body could reach beyond the database", strings.ToUpper(w.Text))
		}
	}
	body.Kind = sqltext.Other // it may have other statements behind the one that it begins with
	if name, ok := a.catalogue(body); ok {
		return fmt.Errorf("%s in its body could reach beyond the database", name)
	}
	if name := a.reachesOut(body); name != "" {
		return fmt.Errorf("function %s in its body reaches beyond the database", name)
	}
	return nil
}

// outward says whether the name of a setting tells that a server reaches by it for files, other servers or its own end.
func outward(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "init_") ||
		slices.ContainsFunc(outwardEnds, func(s string) bool { return strings.HasSuffix(name, s) }) ||
		slices.ContainsFunc(outwardParts, func(s string) bool { return strings.Contains(name, s) })
}

var (
	outwardEnds  = strings.Fields(`dir port lib`)
	outwardParts = strings.Fields(
		`file _dir_ path basedir plugin secure socket host shutdown event_scheduler infile admin ssl tls user password
		role proxy load library log_bin master slave replica source gtid server_id audit wsrep authentication memory
		max_connections ttl restore backup kill`)
)

// set judges SET: of the session what it likes, of the server what its owner may.
func (a *scriptAdmission) set(s sqltext.Statement) error {
	t := s.Tokens[1:]
	switch {
	case len(t) == 0:
		return errors.New("it sets nothing")
	case t[0].Is("password", "role", "default", "resource"), len(t) > 1 && t[1].Is("authorization"):
		return errors.New("it is about users")
	case t[0].Is("statement"):
		return a.setStatement(t)
	}
	return a.assignments(t)
}

// setStatement judges SET STATEMENT settings FOR statement.
func (a *scriptAdmission) setStatement(t []sqltext.Token) error {
	at := slices.IndexFunc(t, func(t sqltext.Token) bool { return t.Is("for") })
	if at < 0 || at+1 == len(t) {
		return errors.New("it has no statement")
	}
	set := sqltext.Token{Kind: sqltext.Word, Text: "SET"}
	if err := a.set(sqltext.Statement{Tokens: append([]sqltext.Token{set}, t[1:at]...)}); err != nil {
		return err
	}
	return a.judge(sqltext.Join(t[at+1:]))
}

// assignments judges the settings of a list: [scope] name = value, @@[scope.]name = value, @variable = value.
func (a *scriptAdmission) assignments(t []sqltext.Token) error {
	global, depth, starts := false, 0, true // starts: the next token begins a setting
	for i := 0; i < len(t); i++ {
		depth += t[i].Nesting()
		switch {
		case depth > 0:
			continue
		case t[i].Text == ",":
			starts = true
			continue
		case !starts:
			continue
		}
		switch {
		case t[i].Is("persist", "persist_only"):
			return errors.New("it outlives the server")
		case t[i].Is("global", "session", "local"):
			global = t[i].Is("global")
		case t[i].Text == "@" && i+1 < len(t) && t[i+1].Text == "@":
			i++
		case t[i].Text == ".": // behind the scope
		case t[i].Text == "@": // a variable of the user's
			starts = false
		default:
			starts = false
			if err := a.assigned(t[i:], global); err != nil {
				return err
			}
		}
	}
	return nil
}

// assigned judges a setting, whose name comes first.
func (a *scriptAdmission) assigned(t []sqltext.Token, global bool) error {
	name, _ := t[0].Ident()
	if err := a.reading(name, t[1:]); err != nil {
		return err
	}
	switch {
	case global && t[0].Is("transaction"):
		return a.onlyPrivate("the level is the whole server's, and txweave did not start this server")
	case global:
		return a.global(name)
	case outward(name) && !strings.EqualFold(name, "sql_log_bin"):
		return fmt.Errorf("the setting %s could reach beyond the database", name)
	}
	return nil
}

func (a *scriptAdmission) pragma(s sqltext.Statement) error {
	if len(s.Tokens) < 2 || !s.Tokens[1].Is(a.x.Admission.Pragmas...) {
		return errors.New("a PRAGMA that may reach beyond the database")
	}
	return nil
}

// other judges what has no kind of its own.
func (a *scriptAdmission) other(s sqltext.Statement) error {
	first, second := s.Tokens[0], sqltext.Token{}
	if len(s.Tokens) > 1 {
		second = s.Tokens[1]
	}
	if a.x.Admission.Script != nil {
		if ok, err := a.x.Admission.Script(s, scriptJudge{a}); ok || err != nil {
			return err
		}
	}
	switch {
	case first.Is("show", "explain", "desc", "describe", "analyze", "check", "checksum", "optimize", "repair", "call",
		"do", "handler", "deallocate", "execute", "help",
		"split", "reindex", "signal", "get"):
		if first.Is("execute") && second.Is("immediate") {
			return a.dynamic(s)
		}
		return nil
	case first.Is("admin") && second.Is("check", "show", "checksum", "recover"):
		return nil
	case first.Is("vacuum") && len(s.Tokens) == 1: // VACUUM INTO 'file'
		return nil
	case first.Is("prepare"):
		return a.dynamic(s)
	case first.Is("flush"):
		return a.onlyPrivate("it is about the whole server")
	}
	return fmt.Errorf("%s is not known to stay inside the database", strings.ToUpper(first.Text))
}

// dynamic judges a statement that holds another one as a text.
func (a *scriptAdmission) dynamic(s sqltext.Statement) error {
	last := s.Tokens[len(s.Tokens)-1]
	if last.Kind != sqltext.Literal && !(last.Kind == sqltext.Name && strings.HasPrefix(last.Text, `"`)) ||
		len(s.Tokens) < 3 ||
		!s.Tokens[len(s.Tokens)-2].Is("from", "immediate") || strings.Contains(last.Text, `\`) {
		return errors.New("what it runs is not written out")
	}
	return a.judge(last.Unquote())
}

// global judges a setting of the whole server.
func (a *scriptAdmission) global(name string) error {
	switch {
	case outward(name):
		return fmt.Errorf("the setting %s could reach beyond the database", name)
	case !a.private:
		return fmt.Errorf("the setting %s is the whole server's, and txweave did not start this server", name)
	}
	return nil
}
