package testcase

import (
	"cmp"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Levels returns the isolation level that each step runs at, as the script sets it: "" where it sets none, and the
// level of the session is the one it begins with. What the server makes of it only the server knows: LevelsAsked.
func (s *Script) Levels() []string {
	return s.LevelsAsked(func(int, string) string { return "" }, func(int) bool { return false })
}

// LevelsAsked is Levels where sessions were asked: said is what the session of a step said before it, "" where it was
// not asked; once is what was set for the step's transaction alone. refused says of a step that the server did not do
// it.
func (s *Script) LevelsAsked(said func(step int, once string) string, refused func(step int) bool) []string {
	sessions := make([]sessionLevel, len(s.Sessions))
	for i := range sessions {
		sessions[i].level = s.Isolation
	}
	out := make([]string, len(s.Steps))
	for _, u := range s.Units(nil, refused) {
		x := &sessions[u.Session]
		if !u.Chained {
			x.once = ""
		}
		spends := !u.Chained && s.spends(&u, refused)
		if spends {
			x.once, x.next = x.next, ""
		}
		for _, i := range u.Steps {
			if !refused(i) {
				x.take(readSetting(s.Target, s.Steps[i].SQL), sqltext.SyntaxOf(s.Target).Tree, &u)
			}
		}
		level := x.current(spends || u.Data)
		for _, i := range u.Steps {
			level = cmp.Or(said(i, x.once), level)
		}
		for _, i := range u.Steps {
			out[i] = level
		}
	}
	return out
}

// spends says whether a unit uses up a level that was set for one transaction: one that is begun or ended does, even if
// it is empty, and one that opens a table; a query of no table does not, nor a statement that is not understood.
func (s *Script) spends(u *Unit, refused func(step int) bool) bool {
	return u.Opened || u.Ends || slices.ContainsFunc(u.Steps, func(i int) bool {
		return s.opensTables(i, refused(i))
	})
}

// opensTables says whether a step is of tables, or of what is not known; of a step that is refused and is not read as a
// tree it says no.
func (s *Script) opensTables(step int, refused bool) bool {
	syntax := sqltext.SyntaxOf(s.Target)
	read := control.Read(syntax.Tree, s.Steps[step].SQL)
	kind := kindOf(syntax, read)
	if what := toldOf(s.Steps[step].SQL); what != "" {
		return !refused && slices.Contains(syntax.Traits.Dictionary, what)
	}
	switch n := read.Tree.(type) {
	case nil, *sql.Opaque:
		return !refused && (kind == plain || kind == commits)
	case *sql.LockTables:
		return len(n.Tables) > 0
	}
	return kind == commits || slices.ContainsFunc(read.Tables(), func(name string) bool {
		return !strings.EqualFold(name, syntax.Tree.NoTable)
	})
}

// toldOf is what a SHOW, or a DESCRIBE of a table, tells of: its words behind SHOW in lower case, but for a name; ""
// for any other statement.
func toldOf(text string) string {
	tokens := sqltext.Read(text).Tokens
	for len(tokens) > 2 && tokens[1].Is("full", "extended") {
		tokens = slices.Delete(slices.Clone(tokens), 1, 2)
	}
	switch {
	case len(tokens) < 2:
	case tokens[0].Is("show") && len(tokens) > 2 && tokens[2].Is("status", "set"):
		return strings.ToLower(tokens[1].Text + " " + tokens[2].Text)
	case tokens[0].Is("show"):
		return strings.ToLower(tokens[1].Text)
	case tokens[0].Is("describe", "desc", "explain") && (len(tokens) < 4 || tokens[2].Text == ".") &&
		!tokens[1].Is("select", "table", "values"):
		return "columns"
	}
	return ""
}

// sessionLevel follows the level of one session.
type sessionLevel struct {
	level string // of its transactions
	next  string // of the next one alone
	once  string // of the one that is open alone
	part  *sql.LevelPart
}

// pessimistic is what BEGIN PESSIMISTIC asks for: a transaction at the session's level, whatever its mode.
const pessimistic = "pessimistic"

// take takes what a statement of a unit asks for. Where no setting is of one transaction SET TRANSACTION is for the
// next one (dev.mysql.com/doc/refman, SET TRANSACTION), elsewhere for the one that is open (postgresql.org/docs, SET
// TRANSACTION).
func (x *sessionLevel) take(s control.Statement, d *sql.Dialect, u *Unit) {
	if part, on := s.LevelPart(); part != nil {
		if x.part = nil; on {
			x.part = part
		}
		return
	}
	asked, ok := s.Level()
	inside := len(d.LevelOnce) > 0
	switch {
	case !ok || asked.For == control.LevelServer:
	case asked.For == control.LevelSession:
		if u.Explicit && u.Data && x.once == "" { // it is for those that follow
			x.once = x.current(true)
		}
		x.level = asked.Name
	case inside && u.Explicit, s.Opens() == control.Begun:
		x.once = asked.Name
	case !inside && !u.Explicit:
		x.next = asked.Name
	}
}

// current is the level of the unit that is open, of a setting by itself what it makes of the next one.
func (x *sessionLevel) current(data bool) string {
	level := cmp.Or(x.once, x.level)
	if !data {
		level = cmp.Or(x.next, x.level)
	}
	switch p := x.part; {
	case level == pessimistic:
		return x.level
	case p != nil && (p.Of == "" || level == "" || p.Of == level):
		return p.Level
	}
	return level
}

// First returns the first step of a unit that reads or writes rows, or prepares to: behind it nothing can be said of
// the unit's level any more. ok is false where there is none.
func (u *Unit) First(s *Script) (step int, ok bool) {
	for _, i := range u.Steps {
		if k := sqltext.KindOf(s.Steps[i].SQL); k != sqltext.Begin && k != sqltext.Set && k != sqltext.Commit &&
			k != sqltext.Rollback && u.Data {
			return i, true
		}
	}
	return 0, false
}

// SetsLevel returns the level that a statement of a target asks for and nothing else, and for whom; ok is false for any
// other one.
func SetsLevel(target, text string) (l control.Level, ok bool) {
	l, ok = readSetting(target, text).Level()
	return l, ok && l.Alone
}

// readSetting reads a statement, and one that is none of the target's by the dialect of no target: texts of other
// databases set levels, too.
func readSetting(target, text string) control.Statement {
	s := control.Read(sqltext.SyntaxOf(target).Tree, text)
	if s.Tree == nil && s.Kind == sqltext.Set {
		return control.Read(sqltext.SyntaxOf("").Tree, text)
	}
	return s
}
