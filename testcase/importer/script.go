package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Note is something that the text does not state as it was understood, or that was left out.
type Note struct {
	Line int
	Text string
	// Missing says that the text holds something that is not run: what remains may not be what the text is about.
	Missing bool
}

// String prints the note with its line.
func (n Note) String() string { return fmt.Sprintf("line %d: %s", n.Line, n.Text) }

// ScriptOrder is one schedule of a text: most hold one.
type ScriptOrder struct {
	Title  string // as the text has it; "" for none
	Line   int
	Script *testcase.Script
	Notes  []Note
	Format string // in which it was read, one of Formats
}

// ReadScripts reads a text as scripts, which hold nearly everything that people write. private says that they will be
// run on a server of its own, whose settings they may change. Errors are of type *testcase.ParseError.
func ReadScripts(name string, text []byte, o Options, private bool) ([]ScriptOrder, error) {
	parts, err := read(name, text, o)
	if err != nil {
		return nil, err
	}
	if o.Part > 0 {
		p, err := choose(name, parts, o.Part)
		if err != nil {
			return nil, err
		}
		parts = []*part{p}
	}
	var out []ScriptOrder
	for _, p := range parts {
		b := newScript(p, name, o)
		b.make(private)
		if b.err != nil {
			return nil, b.err
		}
		if len(b.s.Steps) == 0 {
			msg := "no statement here: want SQL, with its session where there are several (T0> …; or /* t0 */ …; or " +
				"…; -- T0)"
			for _, n := range b.notes {
				if n.Missing {
					msg = n.Text
				}
			}
			return nil, &testcase.ParseError{Name: name, Line: max(p.line, 1), Msg: msg}
		}
		mode := sqltext.SyntaxOf(o.Target).Admission.Mode
		if mode.Means != "" && !b.moded && len(b.s.Sessions) > 1 {
			b.notes = append(b.notes, Note{Line: b.s.Steps[0].Line, Text: mode.Means})
		}
		out = append(out, ScriptOrder{Title: p.title, Line: max(p.line, 1), Script: b.s, Notes: b.notes,
			Format: p.format})
	}
	return out, nil
}

// scriptBuilder makes a script of a part.
type scriptBuilder struct {
	*part
	name      string
	target    string
	ansi      bool
	s         *testcase.Script
	notes     []Note
	number    map[string]int        // of a session by its name as it is compared
	home      map[string]string     // the database that each table is made in, by its name
	twins     map[string]string     // new names of tables whose name is taken by another database's, by both names
	current   string                // the database that the text uses
	err       error                 // of a text that cannot be one script
	databases map[string]bool       // that the text makes or uses: their names are left out of the statements
	tables    map[string]bool       // that the set-up makes
	prepared  bool                  // the text has a set-up of its own
	settings  []testcase.ScriptStmt // of nobody, above all sessions
	wide      bool                  // … one of which the text gives the server, the database or a user
	every     bool                  // every setting above all sessions is one of each
	moded     bool                  // the text sets what Admission.Mode is
	begun     bool                  // a session has begun a transaction, or done what no set-up does
	// own are settings of sessions, by tag, that the tables and rows behind them are made under, manual the sessions that
	// have switched autocommit off.
	own    map[string][]testcase.ScriptStmt
	manual map[string]bool
}

func newScript(p *part, name string, o Options) *scriptBuilder {
	b := &scriptBuilder{part: p, name: name, target: o.Target,
		ansi:   !sqltext.SyntaxOf(o.Target).Quoting.Backslash,
		notes:  p.notes,
		s:      &testcase.Script{Target: o.Target, Isolation: o.Isolation},
		number: map[string]int{}, home: map[string]string{}, twins: map[string]string{},
		databases: map[string]bool{"test": true},
		tables:    map[string]bool{}, own: map[string][]testcase.ScriptStmt{}, manual: map[string]bool{}}
	if p.own != nil && o.Isolation == "" {
		b.s.Isolation = p.own.Isolation
	}
	return b
}

// make makes the script.
func (b *scriptBuilder) make(private bool) {
	b.build()
	b.later()
	b.inherited()
	b.forAll()
	b.unbegun()
	b.inTurn()
	b.unclear()
	if len(b.s.Steps) > 0 {
		b.admit(private)
	}
}

func (b *scriptBuilder) note(p *piece, missing bool, format string, args ...any) {
	b.notes = append(b.notes, Note{p.line, fmt.Sprintf(format, args...), missing})
}

func (b *scriptBuilder) build() {
	tagged := slices.ContainsFunc(b.out, func(p piece) bool { return p.tag != "" && p.tag != setupTag })
	b.out = b.allLevelled(b.out)
	for i := range b.out {
		b.housed(&b.out[i])
	}
	for i := range b.out {
		p := &b.out[i]
		switch {
		case b.noise(p), b.wideSetting(p):
		case len(b.s.Steps) == 0 && (p.tag == setupTag || p.tag == "" && tagged && !b.begun):
			b.prepared = true
			b.setup(p)
		case p.tag == setupTag:
			b.note(p, false, "the set-up goes on after sessions have begun: it is sent over a connection of its own: "+
				"%s", quote(p.sql))
			b.step(p)
		case p.tag == "" && tagged:
			if !b.stray(i) {
				return
			}
		case b.prepares(i, tagged):
			b.s.Setup = append(b.s.Setup, b.own[p.tag]...)
			delete(b.own, p.tag)
			b.setup(p)
		default:
			b.step(p)
		}
	}
	b.clean()
	if len(b.s.Steps) == 0 && len(b.s.Setup) > 0 { // nothing but definitions: they are what the text is about
		for _, st := range b.s.Setup {
			b.step(&piece{line: st.Line, sql: st.SQL, comments: st.Comments})
		}
		if len(b.notes) > 0 {
			b.notes = append(b.notes, Note{b.s.Steps[0].Line, "nothing but tables and rows is read of the text", true})
		}
		b.s.Setup = nil
	}
}

// allLevelled writes transactions that begin with a level as the target has them.
func (b *scriptBuilder) allLevelled(all []piece) []piece {
	out := make([]piece, 0, len(all))
	for _, p := range all {
		p.sql = b.called(&p)
		own := levelled(b.target, b.ansi, p.sql)
		changed := len(own) == 0 || own[0] != p.sql
		if b.ansi && changed && !slices.Contains(words(p.sql, -1), "SERIALIZABLE") {
			b.note(&p, true, "left out: the level of %s: %s has serializable alone", quote(p.sql), b.target)
		}
		for i, sql := range own {
			x := p
			if x.sql = sql; i < len(own)-1 {
				x.comments, x.printed = nil, nil
			}
			out = append(out, x)
		}
	}
	return out
}

// called is a statement with the names of settings that all versions of the target know.
func (b *scriptBuilder) called(p *piece) string {
	names := sqltext.SyntaxOf(b.target).Called
	set := sqltext.KindOf(p.sql) == sqltext.Set
	var out strings.Builder
	at := 0 // how many @ stand in front
	for t := range lexer.Tokens(p.sql) {
		name, _ := t.Ident()
		other := names[name]
		switch {
		case other != "" && (at == 2 || set && at == 0):
			if !strings.Contains(out.String(), other) {
				b.note(p, false, "%s is written as %s, which each version knows", name, other)
			}
			t.Text = other
		case t.Text == "@":
			at++
		case !t.Is("session", "local", "global") && t.Text != ".":
			at = 0
		}
		out.WriteString(t.Text)
	}
	return out.String()
}

// clean leaves out what clears the way when all is over.
func (b *scriptBuilder) clean() {
	for len(b.s.Steps) > 1 {
		last := &b.s.Steps[len(b.s.Steps)-1]
		if word(last.SQL, 0) != "DROP" || !drops(last.SQL) || word(last.SQL, 1) == "TEMPORARY" || !b.made(last.SQL) {
			return
		}
		b.s.Steps = b.s.Steps[:len(b.s.Steps)-1]
	}
}

// prepares says whether a session's statement belongs to the set-up: tables and rows before anything begins.
func (b *scriptBuilder) prepares(i int, tagged bool) bool {
	if b.begun || b.prepared {
		return false
	}
	p := &b.out[i]
	switch k := sqltext.KindOf(p.sql); {
	case k == sqltext.Create && slices.Contains([]string{"TEMPORARY", "TEMP"}, word(p.sql, 1)):
		return false // it is there for its session alone
	case k == sqltext.Create || k == sqltext.Alter:
		return true
	case k == sqltext.Insert && b.manual[p.tag] && !b.commits(i): // it begins a transaction
	case k == sqltext.Define, k == sqltext.Insert && len(b.s.Setup) > 0 && word(p.sql, 0) == "INSERT":
		return true
	case k == sqltext.Set && (b.levelOf(p.sql) != "" || tagged):
		return false // of the session, before it begins
	}
	b.begun = true
	return false
}

// commits says whether the transaction of a row that is written comes to its COMMIT with nothing but tables and rows
// between.
func (b *scriptBuilder) commits(i int) bool {
	for _, p := range b.out[i+1:] {
		switch k := sqltext.KindOf(p.sql); {
		case p.tag != b.out[i].tag:
			return false
		case k != sqltext.Insert && k != sqltext.Create && k != sqltext.Set:
			return k == sqltext.Commit
		}
	}
	return false
}

// levelOf returns the isolation level that a SET asks for and nothing else, "" for any other statement.
func (b *scriptBuilder) levelOf(sql string) string {
	if sqltext.KindOf(sql) != sqltext.Set {
		return ""
	}
	level, _ := testcase.SetsLevel(b.target, sql)
	return level.Name
}

// globalLevel takes the level that every session begins with, if a statement sets the whole server's before any session
// is there. One that a session sends, or that comes later, is a step, if the target has such statements: later has it.
func (b *scriptBuilder) globalLevel(p *piece) bool {
	level := b.serversLevel(p.sql)
	known := control.Read(sqltext.SyntaxOf(b.target).Tree, p.sql).Tree != nil
	if level == "" || known && (p.ofSession() || len(b.s.Steps) > 0) {
		return false
	}
	b.beginAt(p, level)
	return true
}

// serversLevel is the level that a statement sets for all sessions that begin after it; "" for any other statement.
func (b *scriptBuilder) serversLevel(sql string) string {
	if level, ok := testcase.SetsLevel(b.target, sql); ok && level.For == control.LevelServer {
		return level.Name
	}
	return ""
}

// later has sessions begin with the level that the whole server was set to before their first statement, which is when
// they connect; those that were there before keep theirs (dev.mysql.com/doc/refman, SET TRANSACTION).
func (b *scriptBuilder) later() {
	seen, level := map[int]bool{}, ""
	for i := 0; i < len(b.s.Steps); i++ {
		st := b.s.Steps[i]
		if !seen[st.Session] && level != "" {
			own := testcase.ScriptStmt{Session: st.Session, Line: st.Line, Idle: st.Idle,
				SQL: "SET SESSION TRANSACTION ISOLATION LEVEL " + strings.ToUpper(strings.ReplaceAll(level, "-", " "))}
			b.s.Steps = slices.Insert(b.s.Steps, i, own)
			b.notes = append(b.notes, Note{st.Line, fmt.Sprintf("%s connects here: the server's level is %s by then",
				b.s.Sessions[st.Session], level), false})
			i++
		}
		seen[st.Session] = true
		level = cmp.Or(b.serversLevel(st.SQL), level)
	}
}

// beginAt has all sessions begin at a level: what the text sets holds, whatever was asked for.
func (b *scriptBuilder) beginAt(p *piece, level string) {
	was := b.s.Isolation
	part := slices.ContainsFunc(sqltext.SyntaxOf(b.target).Tree.LevelParts, func(x sql.LevelPart) bool {
		return x.Level == was && x.Of == level
	})
	if was == level || part { // a session has the part all the same
		return
	}
	if b.s.Isolation = level; was != "" {
		b.note(p, false, "the text has sessions begin at %s, which holds, not %s", level, was)
	}
}

// made says whether the set-up has made what a DROP names.
func (b *scriptBuilder) made(sql string) bool {
	for _, t := range lexer.Significant(sql, -1)[2:] {
		if name, ok := t.Ident(); ok && b.tables[name] {
			return true
		}
	}
	return false
}

func (b *scriptBuilder) setup(p *piece) {
	if level := b.levelOf(p.sql); level != "" {
		b.beginAt(p, level)
		return
	}
	back := b.setsModeBack(p)
	if back {
		p.sql = "SET SQL_MODE = '" + usualMode + "'" // which is what was kept there, written out
		b.settings = slices.DeleteFunc(b.settings, func(st testcase.ScriptStmt) bool {
			name, _ := settingOf(st.SQL)
			return name == "sql_mode"
		})
	}
	if name := databaseOf(p.sql); name != "" && !b.foreign(name) {
		b.databases[name] = true
	}
	st := b.stmt(p, -1)
	if read := sqltext.Read(st.SQL); read.Kind == sqltext.Create && read.Target != "" {
		b.tables[read.Target] = true
	}
	b.s.Setup = append(b.s.Setup, st)
	if p.tag == "" && sqltext.KindOf(p.sql) == sqltext.Set && !p.dump && !back && (b.every || b.heldByAll(st.SQL)) &&
		b.levelOf(p.sql) == "" {
		st.Line, st.Comments = p.line, nil
		b.settings = append(b.settings, st)
	}
}

func (b *scriptBuilder) step(p *piece) {
	k := sqltext.KindOf(p.sql)
	b.begun = b.begun || k != sqltext.Set && k != sqltext.Create // of a table that is temporary
	name := p.tag
	if name == "" {
		name = "session"
	}
	if b.setsModeBack(p) {
		p.sql = "SET sql_mode = DEFAULT"
	}
	n, known := b.number[name]
	if !known {
		n = len(b.s.Sessions)
		b.number[name] = n
		b.s.Sessions = append(b.s.Sessions, cmp.Or(b.names[name], name))
	}
	st := b.stmt(p, n)
	b.s.Steps = append(b.s.Steps, st)
	if on, switches := testcase.AutocommitOf(p.sql); switches {
		b.manual[p.tag] = !on
	} else if k == sqltext.Set && !b.begun && b.levelOf(p.sql) == "" {
		st.Session, st.Comments, st.Printed = -1, nil, nil
		b.own[p.tag] = append(b.own[p.tag], st)
	}
}

// tableOf is the table that a CREATE TABLE makes, and the database in front of its name.
func tableOf(sql string) (in, table string, ok bool) {
	if sqltext.KindOf(sql) != sqltext.Create || !slices.Contains(words(sql, 4), "TABLE") {
		return "", "", false
	}
	tokens := lexer.Significant(sql, 10)
	at := slices.IndexFunc(tokens, func(t sqltext.Token) bool { return t.Is("table") }) + 1
	for at < len(tokens) && tokens[at].Is("if", "not", "exists") {
		at++
	}
	if at+2 >= len(tokens) {
		return "", "", false
	}
	table, ok = tokens[at].Ident()
	if tokens[at+1].Text == "." {
		in = table
		table, ok = tokens[at+2].Ident()
	}
	return in, table, ok
}

// housed remembers in which database a table is made. A script has one database: of two tables of one name the second
// gets another name, if the text writes the database in front of each.
func (b *scriptBuilder) housed(p *piece) {
	if w := words(p.sql, 2); len(w) == 2 && w[0] == "USE" {
		b.current = strings.ToLower(w[1])
	}
	in, table, ok := tableOf(p.sql)
	if !ok {
		return
	}
	plain := in == ""
	in = cmp.Or(in, b.current)
	other, made := b.home[table]
	switch {
	case !made:
		b.home[table] = in
	case other == in || in == "":
	case plain || b.current != "" || other == "":
		b.fail(p, "%s: the table %s is made in %s, too, and a script has one database: give one of the two another name, "+
			"or write the database in front of each", quote(p.sql), table, cmp.Or(other, "another database"))
	case b.twins[in+"."+table] == "":
		name := in + "_" + table
		for b.home[name] != "" {
			name += "_"
		}
		b.twins[in+"."+table], b.home[name] = name, "the script"
		b.note(p, false, "%s.%s is named %s: a script has one database", in, table, name)
	}
}

func (b *scriptBuilder) fail(p *piece, format string, args ...any) {
	if b.err == nil {
		b.err = &testcase.ParseError{Name: b.name, Line: p.line, Msg: fmt.Sprintf(format, args...)}
	}
}

// renamed gives tables whose name two databases have, the one that is theirs in the script.
func (b *scriptBuilder) renamed(p *piece, sql string) string {
	if len(b.twins) == 0 {
		return sql
	}
	var out strings.Builder
	tokens := slices.Collect(lexer.Tokens(sql))
	dot := func(i int) bool { return i >= 0 && i < len(tokens) && tokens[i].Text == "." }
	for i := 0; i < len(tokens); i++ {
		name, _ := tokens[i].Ident()
		text := tokens[i].Text
		if dot(i+1) && i+2 < len(tokens) {
			other, _ := tokens[i+2].Ident()
			twin := b.twins[name+"."+other]
			if twin != "" || b.home[other] == name {
				out.WriteString(cmp.Or(twin, text+"."+tokens[i+2].Text))
				i += 2
				continue
			}
		}
		if b.twinned(name) && !dot(i-1) {
			b.fail(p, "%s: two databases have a table %s: write the database in front of it", quote(p.sql), name)
		}
		out.WriteString(text)
	}
	return out.String()
}

// twinned says whether two databases have a table of a name.
func (b *scriptBuilder) twinned(table string) bool {
	return table != "" && slices.ContainsFunc(slices.Collect(maps.Keys(b.twins)), func(twin string) bool {
		return strings.HasSuffix(twin, "."+table)
	})
}

func (b *scriptBuilder) stmt(p *piece, session int) testcase.ScriptStmt {
	sql := lexer.Trim(p.sql)
	if sqltext.KindOf(sql) >= sqltext.Create {
		sql = strings.TrimSpace(definer.ReplaceAllString(sql, ""))
	}
	st := testcase.ScriptStmt{Session: session, Line: p.line, SQL: b.unqualified(b.renamed(p, sql)),
		Comments: p.comments, Printed: p.printed}
	for _, tag := range p.idle {
		if n, known := b.number[tag]; known {
			st.Idle = append(st.Idle, n)
		}
	}
	return st
}

// foreign says of a name in front of a table's or a column's that no text's own tables are in what it names: a database
// that tells of the server, or a row that is written.
func (b *scriptBuilder) foreign(name string) bool {
	return slices.Contains([]string{"new", "old", "excluded"}, name) ||
		slices.Contains(sqltext.SyntaxOf(b.s.Target).Traits.Schemas, name)
}

// unqualified leaves out the names of the databases that the text makes or uses, and those that stand before its own
// tables and are no alias: the script has one database of its own.
func (b *scriptBuilder) unqualified(sql string) string {
	if !strings.Contains(sql, ".") {
		return sql
	}
	tokens := slices.Collect(lexer.Tokens(sql))
	dot := func(i int) bool { return i >= 0 && i < len(tokens) && tokens[i].Text == "." }
	alias := func(name string) bool {
		for i := range tokens {
			if n, ok := tokens[i].Ident(); ok && n == name && !dot(i-1) && !dot(i+1) {
				return true
			}
		}
		return false
	}
	var out strings.Builder
	for i := 0; i < len(tokens); i++ {
		name, ok := tokens[i].Ident()
		if ok && !dot(i-1) && dot(i+1) && i+2 < len(tokens) && !b.tables[name] && !b.foreign(name) {
			other, named := tokens[i+2].Ident()
			if named && (b.databases[name] || b.tables[other] && !alias(name)) {
				i++
				continue
			}
		}
		out.WriteString(tokens[i].Text)
	}
	return out.String()
}

// admit leaves out what could reach beyond the script's own database.
func (b *scriptBuilder) admit(private bool) {
	refused := map[*testcase.ScriptStmt]bool{}
	for _, r := range b.s.Admit(sqltext.SyntaxOf(b.s.Target), private) {
		refused[r.Stmt] = true
		note := Note{r.Stmt.Line, fmt.Sprintf("left out: %s: %s",
			quote(strings.Join(strings.Fields(r.Stmt.SQL), " ")), r.Reason), true}
		if !slices.Contains(b.notes, note) { // a setting may be of the set-up, too
			b.notes = append(b.notes, note)
		}
	}
	keep := func(list []testcase.ScriptStmt) (out []testcase.ScriptStmt) {
		for i := range list {
			if !refused[&list[i]] {
				out = append(out, list[i])
			}
		}
		return out
	}
	b.s.Setup, b.s.Steps = keep(b.s.Setup), keep(b.s.Steps)
}
