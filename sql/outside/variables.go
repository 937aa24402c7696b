package outside

import (
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// assigned follows values into the variables of sessions: SET @a = …, SELECT … INTO @a, @a := …, and from these into
// what a prepared statement is given. A name stands for the variables of all sessions.
func (v *Values) assigned(text string) {
	tokens := v.syntax.Quoting.Read(text).Tokens
	if before, after, ok := v.into(text); ok {
		s := v.taken(before+after, "")
		for i := range tokens {
			if i > 0 && tokens[i-1].Text == "@" && strings.Contains(text[len(before):], "@"+tokens[i].Text) {
				v.markVariable("@"+tokens[i].Text, s)
			}
		}
	}
	if len(tokens) > 1 && tokens[0].Is("execute") {
		v.given(tokens)
	}
	stmt, err := v.syntax.Tree.Parse(text)
	if err != nil {
		return
	}
	v.scopeIn("").each(stmt, func(s *scope, n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Setting:
			if to, ok := n.Target.(*sql.Variable); ok && !isNil(n.Value) {
				v.markVariable(to.Text, s.of(n.Value))
			}
		case *sql.Binary:
			if to, ok := n.Left.(*sql.Variable); ok && n.Op == sql.OpAssign {
				v.markVariable(to.Text, s.of(n.Right))
			}
		}
		return true
	})
}

// markVariable notes that a variable of a session's holds values of a source.
func (v *Values) markVariable(name string, s Source) {
	if name = strings.ToLower(name); s != None && !strings.HasPrefix(name, "@@") && v.variables[name] == None {
		v.variables[name], v.changed = s, true
	}
}

// given follows values into the statement that EXECUTE name USING @a, @b runs.
func (v *Values) given(tokens []sqltext.Token) {
	name, _ := tokens[1].Ident()
	r := v.routines[name]
	for i := range tokens {
		if s := v.variables["@"+strings.ToLower(tokens[i].Text)]; r != nil && i > 0 && tokens[i-1].Text == "@" &&
			r.source.or(s) != r.source {
			r.keeps, r.source, v.changed = true, s, true
		}
	}
}

// textWithin is the statement that PREPARE holds, or those of a block that DO runs, as a text: they are followed as the
// body of a routine is; nil for any other statement.
func (v *Values) textWithin(text string) (name string, r *routine) {
	tokens := v.syntax.Quoting.Read(text).Tokens
	if len(tokens) < 2 || !tokens[0].Is("prepare", "do", "execute") {
		return "", nil
	}
	last := tokens[len(tokens)-1]
	body := undollared(last.Unquote())
	switch {
	case tokens[0].Is("prepare") && last.Kind == sqltext.Literal && tokens[len(tokens)-2].Is("from"):
		name, _ = tokens[1].Ident()
	case tokens[0].Is("prepare"):
		at := 1
		for at < len(tokens) && !tokens[at].Is("as") {
			at++
		}
		if at+1 >= len(tokens) {
			return "", nil
		}
		name, _ = tokens[1].Ident()
		body = sqltext.Join(tokens[at+1:])
	case tokens[0].Is("do") && tokens[1].Kind == sqltext.Literal, tokens[0].Is("do") && tokens[1].Is("language"):
		name = "block " + text // nobody calls it
		for _, t := range tokens {
			if t.Kind == sqltext.Literal {
				body = undollared(t.Unquote())
			}
		}
	case tokens[0].Is("execute") && tokens[1].Is("immediate") && last.Kind == sqltext.Literal:
		name = "block " + text
	default:
		return "", nil
	}
	return strings.ToLower(name), &routine{body: body}
}
