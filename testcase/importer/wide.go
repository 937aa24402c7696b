package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// wideSetting takes a setting that holds for all sessions of a server, a database or a user, before any session begins:
// each begins with it, which a database of its own can have. So it takes what has the server read such settings again.
func (b *scriptBuilder) wideSetting(p *piece) bool {
	if b.begun || len(b.s.Steps) > 0 {
		return false
	}
	if own := ofEachSession(p.sql); own != "" {
		b.wide = true
		if level := b.levelOf(own); level != "" {
			b.beginAt(p, level)
			return true
		}
		b.settings = append(b.settings, testcase.ScriptStmt{SQL: own, Line: p.line})
		return true
	}
	return b.wide && compact(p.sql) == "selectpg_reload_conf()"
}

// ofEachSession is the setting of a session that ALTER SYSTEM SET …, ALTER DATABASE name SET … or ALTER ROLE name SET …
// makes of each; "" for any other statement.
func ofEachSession(text string) string {
	tokens := lexer.Significant(text, -1)
	if len(tokens) < 5 || !tokens[0].Is("alter") || !tokens[1].Is("system", "database", "role", "user") {
		return ""
	}
	at := slices.IndexFunc(tokens, func(t sqltext.Token) bool { return t.Is("set") })
	if at < 2 || at > 6 || at+3 > len(tokens) || tokens[at+1].Is("tablespace") {
		return ""
	}
	return sqltext.Join(tokens[at:])
}

// inherited has sessions begin with the settings of the whole server that others have made before their first
// statement, which is when they connect, as later has it of the level.
func (b *scriptBuilder) inherited() {
	seen := map[int]bool{}
	var made []testcase.ScriptStmt
	for i := 0; i < len(b.s.Steps); i++ {
		st := b.s.Steps[i]
		if !seen[st.Session] {
			seen[st.Session] = true
			for _, own := range made {
				own.Session, own.Line, own.Idle = st.Session, st.Line, st.Idle
				b.s.Steps = slices.Insert(b.s.Steps, i, own)
				b.notes = append(b.notes, Note{st.Line, fmt.Sprintf("%s connects here, and begins with %s, which is the whole "+
					"server's by then", b.s.Sessions[st.Session], quote(own.SQL)), false})
				i++
			}
		}
		if own := b.sessionsOwn(st.SQL); own != "" {
			made = append(made, testcase.ScriptStmt{SQL: own})
		}
	}
}

// sessionsOwn is SET SESSION for a setting that a statement gives to the whole server and that sessions have, too; ""
// for any other statement.
func (b *scriptBuilder) sessionsOwn(text string) string {
	tree := sqltext.SyntaxOf(b.target).Tree
	stmt, err := tree.Parse(text)
	set, ok := stmt.(*sql.Set)
	if err != nil || !ok || len(set.Settings) != 1 || b.levelOf(text) != "" {
		return ""
	}
	scope, name := set.Settings[0].Scope, ""
	switch t := set.Settings[0].Target.(type) {
	case *sql.Column:
		name = t.Name.Folded()
	case *sql.Variable:
		scope, name, _ = strings.Cut(strings.ToLower(strings.TrimPrefix(t.Text, "@@")), ".")
	}
	if !strings.EqualFold(scope, "GLOBAL") || name == "" {
		return ""
	}
	value, err := tree.Print(&sql.Set{Settings: []*sql.Setting{{Scope: "SESSION",
		Target: &sql.Column{Name: &sql.Name{Value: name}}, Value: set.Settings[0].Value}}})
	if err != nil || !testcase.OfSessions(sqltext.SyntaxOf(b.target), value) {
		return ""
	}
	return value
}
