package importer

import (
	"regexp"
	"strings"

	"txweave/sqltext"
)

var (
	// generalLog is a line of the general log of MySQL and MariaDB: perhaps a time, the connection, the command, its
	// text. Older servers leave the time out where it is that of the line above.
	generalLog = regexp.MustCompile(`^(?:\d{4}-\d\d-\d\dT\S+|\d{6}\s+\d{1,2}:\d\d:\d\d)?\s+(\d+)\s+` +
		`(Query|Execute|Connect|Quit|Prepare|Close stmt|Reset stmt|Init DB|Field List|Ping|Statistics)\b[ \t]*(.*)$`)
	// postgresLog is a line of PostgreSQL's log: a time, the process in brackets, what kind of line it is, its text.
	postgresLog = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*(?: [\w+-]+)? \[(\d+)\]\S*(?: \S+)*? ` +
		`(LOG|ERROR|DETAIL|HINT|STATEMENT|WARNING|CONTEXT|NOTICE|FATAL):\s+(.*)$`)
	// postgresSent is what such a line says of a statement.
	postgresSent = regexp.MustCompile(`^(?:duration: [\d.]+ ms\s+)?(statement|execute|parse|bind)(?: [^:]*)?: (.*)$`)
)

// fromLog says whether a line is one of a server's log that has a statement.
func fromLog(line string) bool {
	if m := generalLog.FindStringSubmatch(" " + line); m != nil {
		return begins(m[3])
	}
	m := postgresLog.FindStringSubmatch(line)
	return m != nil && postgresSent.MatchString(m[3])
}

func countLines(s *source, re *regexp.Regexp) (n int) {
	for _, line := range s.lines() {
		if re.MatchString(line) {
			n++
		}
	}
	return n
}

// isGeneralLog and isPostgresLog say whether two lines of a text, at least, are those of a log.
func isGeneralLog(s *source) bool  { return countLines(s, generalLog) > 1 }
func isPostgresLog(s *source) bool { return countLines(s, postgresLog) > 1 }

// logReader reads a server's log; its connections are the sessions.
type logReader struct {
	*part
	s        *source
	inside   bool            // what stands on a line without a head goes on with the last statement
	acted    map[string]bool // connections that have begun, or have named a table
	prepared bool            // the last statement has its values in a line of their own
}

func newLog(s *source) *logReader {
	return &logReader{part: newPart("", 1), s: s, acted: map[string]bool{}}
}

// send files a statement of a connection. What a client asks for itself when it connects is left out.
func (r *logReader) send(line int, connection, sql string) {
	sql = strings.TrimRight(strings.TrimSpace(sql), "; ")
	r.inside = true
	r.out = append(r.out, piece{line: line, tag: r.session("connection " + connection), sql: sql, own: true})
}

// more goes on with the last statement.
func (r *logReader) more(number int, line string) error {
	switch {
	case strings.TrimSpace(line) == "", !r.inside && isRemark(strings.TrimSpace(line)):
	case !r.inside:
		return r.s.errorf(number, "%s: neither a line of the log nor one of a statement in it", quote(line))
	default:
		p := &r.out[len(r.out)-1]
		p.sql += "\n" + strings.TrimRight(strings.TrimRight(line, " \t"), ";")
	}
	return nil
}

// done leaves out what clients ask for themselves, and makes the tables and rows above the first transaction the
// set-up.
func (r *logReader) done() ([]*part, error) {
	kept := r.out[:0:0]
	began := false
	for _, p := range r.out {
		if !begins(p.sql) {
			r.note(p.line, true, "left out: %s is no statement that is read", quote(p.sql))
			continue
		}
		read := sqltext.Read(p.sql)
		reads := read.Kind == sqltext.Select && len(read.Named) == 0 || word(p.sql, 0) == "SHOW"
		if reads && !r.acted[p.tag] {
			r.note(p.line, false, "left out: %s, which a client asks for itself", quote(p.sql))
			continue
		}
		r.acted[p.tag] = r.acted[p.tag] || read.Kind != sqltext.Set
		makes := read.Kind == sqltext.Create || read.Kind == sqltext.Alter || read.Kind == sqltext.Insert ||
			word(p.sql, 0) == "DROP"
		if began = began || !makes && (read.Kind.IsTarget() || read.Kind == sqltext.Begin); !began && makes {
			p.tag = setupTag
		}
		kept = append(kept, p)
	}
	if r.out = kept; len(kept) == 0 {
		return nil, r.s.errorf(1, "a log without a statement")
	}
	return []*part{r.part}, nil
}

// isLogHead says whether a line is one that the server writes above its log.
func isLogHead(line string) bool {
	w := strings.Fields(line)
	return strings.Contains(line, ", Version: ") || strings.HasPrefix(line, "Tcp port: ") ||
		len(w) > 2 && w[0] == "Time" && w[1] == "Id" && w[2] == "Command"
}

// readGeneralLog reads the general log of MySQL or MariaDB.
func readGeneralLog(s *source) ([]*part, error) {
	r := newLog(s)
	for i, line := range s.lines() {
		m := generalLog.FindStringSubmatch(line)
		switch {
		case m == nil && isLogHead(line):
			r.inside = false
		case m == nil:
			if err := r.more(i+1, line); err != nil {
				return nil, err
			}
		case m[2] == "Query", m[2] == "Execute":
			r.send(i+1, m[1], m[3])
		default:
			r.inside = false
		}
	}
	return r.done()
}

// readPostgresLog reads PostgreSQL's log: statements of the simple protocol and of the extended one, whose values stand
// in a line of their own.
func readPostgresLog(s *source) ([]*part, error) {
	r := newLog(s)
	for i, line := range s.lines() {
		m := postgresLog.FindStringSubmatch(line)
		if m == nil {
			if err := r.more(i+1, line); err != nil {
				return nil, err
			}
			continue
		}
		if m[2] == "DETAIL" {
			if err := r.values(m[3]); err != nil {
				return nil, err
			}
		}
		if err := r.whole(); err != nil {
			return nil, err
		}
		sent := postgresSent.FindStringSubmatch(m[3])
		r.inside = false
		switch {
		case m[2] == "LOG" && sent != nil && (sent[1] == "statement" || sent[1] == "execute"):
			r.send(i+1, m[1], sent[2])
			r.prepared = sent[1] == "execute"
		case m[2] == "ERROR":
			r.answerOf(m[1], m[3])
		}
	}
	if err := r.whole(); err != nil {
		return nil, err
	}
	return r.done()
}

// values puts the values of a line "parameters: $1 = '5', $2 = NULL" into the statement above it.
func (r *logReader) values(detail string) error {
	kind, list, _ := strings.Cut(detail, ":")
	if !r.prepared || !strings.EqualFold(kind, "parameters") {
		return nil
	}
	p := &r.out[len(r.out)-1]
	sql, all := filled(p.sql, list)
	if !all {
		return r.s.errorf(p.line, "%s: want a value for each $1, $2, … of the statement: %s", quote(detail),
			quote(p.sql))
	}
	p.sql, r.prepared = sql, false
	return nil
}

// whole is the error of a statement whose values stand nowhere.
func (r *logReader) whole() error {
	if p := len(r.out) - 1; r.prepared && holds(r.out[p].sql) {
		return r.s.errorf(r.out[p].line,
			"%s has values that stand elsewhere: want the line DETAIL: parameters: $1 = '…' below it",
			quote(r.out[p].sql))
	}
	r.prepared = false
	return nil
}

// answerOf notes an error of a connection's last statement.
func (r *logReader) answerOf(connection, message string) {
	for i := len(r.out) - 1; i >= 0; i-- {
		if r.out[i].tag == normal("connection "+connection) {
			r.out[i].comments = append(r.out[i].comments, message)
			return
		}
	}
}

// holds says whether a statement has a parameter of PostgreSQL's.
func holds(sql string) bool {
	for t := range sqltext.PostgreSQL.Tokens(sql) {
		if isParameter(t.Text) {
			return true
		}
	}
	return false
}

// isParameter says whether a token is a parameter: $1.
func isParameter(text string) bool {
	return len(text) > 1 && text[0] == '$' && strings.Trim(text[1:], "0123456789") == ""
}

// filled puts the values of a list "$1 = '5', $2 = NULL" into a statement; false where one has none.
func filled(sql, list string) (string, bool) {
	values := map[string]string{}
	name, want := "", false
	for t := range sqltext.PostgreSQL.Tokens(list) {
		switch {
		case t.Kind == sqltext.Blank || t.Text == ",":
		case isParameter(t.Text):
			name = t.Text
		case t.Text == "=":
			want = true
		case want:
			values[name], want = t.Text, false
		}
	}
	return putIn(sql, func(mark string) (string, bool) { v, ok := values[mark]; return v, ok })
}

// putIn puts values in the place of $1, ?; false where one has none.
func putIn(sql string, value func(mark string) (string, bool)) (string, bool) {
	var b strings.Builder
	all := true
	quoting := sqltext.PostgreSQL
	if !strings.Contains(sql, "$") {
		quoting = sqltext.MySQL
	}
	for t := range quoting.Tokens(sql) {
		if t.Text == "?" || isParameter(t.Text) {
			v, ok := value(t.Text)
			all = all && ok
			b.WriteString(v)
			continue
		}
		b.WriteString(t.Text)
	}
	return b.String(), all
}
