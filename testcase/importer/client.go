package importer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// clientsOwn are commands of psql, and of shells whose commands begin with a dot, that change what they print.
var clientsOwn = strings.Fields(`\echo \qecho \warn \timing \x \pset \conninfo \a \t \H \errverbose \h \? \l \d \dt \d+
	\di .mode .headers .header .width .nullvalue .echo .changes .timer .eqp .print .bail .separator .prompt`)

// shownVariables are the variables of psql, in capitals, that do so.
var shownVariables = strings.Fields(`VERBOSITY ECHO ON_ERROR_STOP SHOW_CONTEXT QUIET PROMPT1 PROMPT2 HISTCONTROL
	FETCH_COUNT`)

// variables are psql's, by session and name.
type variables map[string]map[string]string

// clients takes a command of a client that is no statement: about what it prints, a variable's value (\set, \unset),
// how long it waits for a lock (.timeout), and below these what the client says of them; false for another line.
func (r *reader) clients(line string) bool {
	w := strings.Fields(line)
	number := r.lineAt(r.pos)
	switch {
	case len(w) == 0:
		return false
	case line[0] != '\\' && (line[0] != '.' || !r.prompts.dotted()):
		return r.command && (strings.Contains(line, " is ") && strings.HasSuffix(line, ".") || // Timing is on.
			strings.HasPrefix(line, "You are now connected to "))
	case slices.Contains(clientsOwn, w[0]), w[0] == `\set` && len(w) > 1 && slices.Contains(shownVariables, w[1]):
		r.note(number, false, "left out, as it is about what the client prints: %s", quote(line))
	case w[0] == ".timeout" && len(w) == 2 && isNumber(w[1]):
		tag := cmp.Or(r.tag, r.sticky)
		*r.list() = append(*r.list(), piece{line: number, tag: tag, sql: "PRAGMA busy_timeout = " + w[1]})
	case (w[0] == `\c` || w[0] == `\connect`) && r.connects(w[1:]):
	case w[0] == `\i` || w[0] == `\ir`:
		r.note(number, true, "left out: another file: %s", quote(line))
	case w[0] == `\set` && len(w) > 1:
		r.assign(w[1], r.valueOf(strings.TrimSpace(line)[len(`\set`):]))
	case w[0] == `\unset` && len(w) == 2:
		delete(r.variables[cmp.Or(r.tag, r.sticky)], w[1])
	default:
		return false
	}
	r.command = true
	return true
}

// connects takes psql's \c, with a database, a user and more behind it, where the session has nothing to lose: no
// transaction and no settings; false elsewhere.
func (r *reader) connects(to []string) bool {
	tag := cmp.Or(r.tag, r.sticky)
	own := slices.DeleteFunc(slices.Clone(*r.list()), func(p piece) bool { return p.tag != tag })
	if !ended(own) || slices.ContainsFunc(own, func(p piece) bool { return sqltext.KindOf(p.sql) == sqltext.Set }) {
		return false
	}
	number := r.lineAt(r.pos)
	if len(to) > 0 && to[0] != "-" {
		*r.list() = append(*r.list(), piece{line: number, tag: tag, sql: "USE " + to[0]})
	}
	if len(to) > 1 && to[1] != "-" {
		r.note(number, true, "left out: another user: %s", quote(r.rest()))
	}
	return true
}

// copied takes the rows below a COPY … FROM STDIN, and makes an INSERT of these (postgresql.org/docs, COPY, text
// format); false for another statement.
func (r *reader) copied(p *piece) (taken bool, err error) {
	if word(p.sql, 0) != "COPY" {
		return false, nil
	}
	w := words(p.sql, -1)
	from := slices.Index(w, "STDIN") - 1
	if from < 0 || w[from] != "FROM" {
		return false, nil
	}
	if len(w) > from+2 {
		return false, r.src.errorf(p.line, "%s: rows below a COPY are read in its text format alone: write an INSERT",
			quote(p.sql))
	}
	into := lexer.Trim(p.sql)
	into = strings.TrimSpace(into[len("COPY") : len(into)-len("STDIN")])
	into = strings.TrimSpace(into[:len(into)-len("FROM")])
	var all []string
	for {
		if r.pos += len(r.rest()); r.pos == len(r.text) {
			return false, r.src.errorf(p.line, `%s: its rows end with a line \., and there is none`, quote(p.sql))
		}
		r.pos++
		row := r.rest()
		if strings.TrimSpace(row) == `\.` {
			break
		}
		cells := strings.Split(row, "\t")
		for i, cell := range cells {
			switch {
			case cell == `\N`:
				cells[i] = "NULL"
			case strings.Contains(cell, `\`):
				cells[i] = "E'" + escapes.Replace(cell) + "'"
			default:
				cells[i] = quoted(cell)
			}
		}
		all = append(all, "("+strings.Join(cells, ", ")+")")
	}
	r.pos += len(r.rest())
	p.sql = "INSERT INTO " + into + " VALUES " + strings.Join(all, ", ")
	return len(all) == 0, nil
}

// escapes makes those of COPY to those of a literal E'…'.
var escapes = strings.NewReplacer(`\\`, `\\`, `\'`, `''`, `'`, `''`, `\v`, `\x0b`, `\u`, `u`, `\U`, `U`)

// quoted writes a text as a literal.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// valueOf is the value that \set gives: its arguments, without their quotes and what stands between them
// (postgresql.org/docs, psql, \set).
func (r *reader) valueOf(text string) string {
	var b strings.Builder
	name := false // the first argument has been read
	for t := range sqltext.FileQuoting.Tokens(r.filled(text, cmp.Or(r.tag, r.sticky))) {
		switch {
		case t.Kind == sqltext.Blank || t.Kind == sqltext.Comment:
		case !name:
			name = true
		default:
			b.WriteString(t.Unquote())
		}
	}
	return b.String()
}

func (r *reader) assign(name, value string) {
	tag := cmp.Or(r.tag, r.sticky)
	if r.variables == nil {
		r.variables = variables{}
	}
	if r.variables[tag] == nil {
		r.variables[tag] = map[string]string{}
	}
	r.variables[tag][name] = value
}

// filled puts the values of a session's variables in their places: :name, :'name' and :"name".
func (r *reader) filled(text, tag string) string {
	if len(r.variables) == 0 || !strings.Contains(text, ":") {
		return text
	}
	var b strings.Builder
	colon := false // the token before is one that may begin a variable
	for t := range sqltext.FileQuoting.Tokens(text) {
		name := t.Text
		if t.Kind == sqltext.Literal || t.Kind == sqltext.Name {
			name = t.Unquote()
		}
		value, is := r.variables[tag][name]
		if !is {
			value, is = r.variables[""][name]
		}
		if colon && is {
			before := strings.TrimSuffix(b.String(), ":")
			b.Reset()
			switch t.Kind {
			case sqltext.Literal:
				value = quoted(value)
			case sqltext.Name:
				value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
			}
			b.WriteString(before + value)
		} else {
			b.WriteString(t.Text)
		}
		colon = t.Text == ":" && !colon
	}
	return b.String()
}

// gets takes \gset behind a query that writes its values out, and refuses it behind others; false where none stands
// there.
func (r *reader) gets(text string, number int) (taken bool, err error) {
	line := strings.TrimSpace(r.rest())
	w := strings.Fields(line)
	if len(w) == 0 || w[0] != `\gset` {
		return false, nil
	}
	prefix := ""
	if len(w) > 1 {
		prefix = w[1]
	}
	values, ok := writtenOut(r.src.target, text)
	if !ok {
		return false, r.src.errorf(number, "%s: a variable gets here what the query answers: write the value in the place "+
			"of the variable, and leave %s out", quote(text+" "+line), w[0])
	}
	for name, value := range values {
		r.assign(prefix+name, value)
	}
	r.pos += len(r.rest())
	return true, nil
}

// writtenOut are the values of a query that writes out its one row, by the names of its columns.
func writtenOut(target, text string) (values map[string]string, ok bool) {
	stmt, _ := sqltext.SyntaxOf(target).Tree.Parse(text)
	q, ok := stmt.(*sql.Query)
	if !ok {
		return nil, false
	}
	b, ok := q.Body.(*sql.Select)
	if !ok || b.From != nil || b.Where != nil {
		return nil, false
	}
	values = map[string]string{}
	for _, i := range b.Items {
		l, literal := sql.Bare(i.X).(*sql.Literal)
		if !literal || i.Alias == nil {
			return nil, false
		}
		values[i.Alias.Value] = strings.Trim(l.Characters(), "'")
	}
	return values, true
}

// bind puts the values of psql's \bind into a statement; false where they are not its parameters.
func bind(sql string) (string, bool) {
	at := strings.Index(sql, `\bind `)
	if at < 0 {
		return sql, !strings.Contains(sql, `\bind`)
	}
	var values []string
	for t := range lexer.Tokens(sql[at+len(`\bind `):]) {
		switch {
		case t.Kind == sqltext.Blank:
		case t.Kind == sqltext.Literal:
			values = append(values, t.Text)
		default:
			values = append(values, quoted(t.Text))
		}
	}
	return putIn(strings.TrimSpace(sql[:at]), func(mark string) (string, bool) {
		n, err := strconv.Atoi(strings.TrimPrefix(mark, "$"))
		if err != nil || n < 1 || n > len(values) {
			return mark, false
		}
		return values[n-1], true
	})
}
