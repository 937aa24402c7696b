package importer

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

var (
	// generalLog is a line of the general log of MySQL and MariaDB: perhaps a time, the connection, the command, its
	// text. Older servers leave the time out where it is that of the line above.
	generalLog = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\S+|\d{6}\s+\d{1,2}:\d\d:\d\d)?\s+(\d+)\s+` +
		`((?:Close|Reset) stmt|Init DB|Field List|Reset Connection|Change user|Long Data|Connect Out|[A-Z]\w*)\b` +
		`[ \t]*(.*)$`)
	// postgresLog is a line of PostgreSQL's log: a time, the process in brackets, what kind of line it is, its text.
	postgresLog = regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[\d.]*)\S*(?: [\w+-]+)? ` +
		`\[(\d+)\]\S*(?: \S+)*? ` +
		`(LOG|ERROR|DETAIL|HINT|STATEMENT|WARNING|CONTEXT|NOTICE|FATAL|PANIC|INFO|QUERY|LOCATION):\s*(.*)$`)
	// postgresSent is what such a line says of a statement.
	postgresSent = regexp.MustCompile(`(?s)^(?:duration: ([\d.]+) ms\s+)?(statement|execute|parse|bind)( [^:]*)?:` +
		`\s?(.*)$`)
)

// generalCommands are those of the general log; what is left out changes no answer.
var generalCommands = []string{"Query", "Execute", "Connect", "Quit", "Prepare", "Close stmt", "Reset stmt", "Init DB",
	"Field List", "Ping", "Statistics", "Reset Connection", "Change user", "Fetch", "Long Data", "Connect Out",
	"Sleep", "Processlist", "Daemon", "Time", "Debug"}

// record is what a log has in one go: lines without a head belong to the one above.
type record struct {
	line            int
	who, kind, text string
	at              time.Time
	more            []string // its further lines
	open            string   // what opens the literal, name or comment that has not ended yet
	runs            bool     // lines without a head go on with it
}

// add takes a further line.
func (r *record) add(line string) {
	r.more = append(r.more, line)
	r.open = unclosed(r.open + line)
}

// generalRecord reads the head of a record of the general log; nil for another line. In an open literal a line without
// a time is none.
func generalRecord(line string, above *record) *record {
	if isLogHead(line) {
		return &record{}
	}
	m := generalLog.FindStringSubmatch(line)
	if m == nil || m[1] == "" && (!slices.Contains(generalCommands, m[3]) || above != nil && above.open != "") {
		return nil
	}
	return &record{who: m[2], kind: m[3], text: m[4], open: unclosed(m[4]),
		runs: slices.Contains([]string{"Query", "Execute", "Prepare"}, m[3]) || !slices.Contains(generalCommands, m[3])}
}

// postgresRecord reads the head of a record of PostgreSQL's log; nil for another line.
func postgresRecord(line string, _ *record) *record {
	m := postgresLog.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	at, _ := time.Parse(time.DateTime, m[1])
	sent := postgresSent.FindStringSubmatch(m[4])
	return &record{who: m[2], kind: m[3], text: m[4], at: at, runs: sent != nil && !quietSent(sent)}
}

// unclosed is what opens the literal, name or comment in which a text ends; "" for none.
func unclosed(text string) string {
	for t := range lexer.Tokens(text) {
		if t.Open && t.Text[0] == '/' {
			return "/*"
		} else if t.Open {
			return t.Text[:1]
		}
	}
	return ""
}

// fromLog says whether a line is one of a server's log that has a statement.
func fromLog(line string) bool {
	if h := generalRecord(" "+line, nil); h != nil && slices.Contains(generalCommands, h.kind) {
		return begins(h.text)
	}
	h := postgresRecord(line, nil)
	return h != nil && postgresSent.MatchString(h.text)
}

// isGeneralLog and isPostgresLog say whether two lines of a text, at least, are those of a log.
func isGeneralLog(s *source) bool {
	return countLines(s, func(line string) bool {
		h := generalRecord(line, nil)
		return h != nil && slices.Contains(generalCommands, h.kind)
	}) > 1
}

func isPostgresLog(s *source) bool { return countLines(s, postgresLog.MatchString) > 1 }

func countLines(s *source, is func(string) bool) (n int) {
	for _, line := range s.lines() {
		if is(line) {
			n++
		}
	}
	return n
}

// logReader reads a server's log; its connections are the sessions.
type logReader struct {
	*part
	s        *source
	acted    map[string]bool      // connections that have begun, or have named a table
	open     map[string]bool      // … that have begun a transaction, or begin one with each statement
	implicit map[string]bool      // … that begin one with each statement
	uses     map[string]string    // the database of each connection
	database string               // that of the first one that sends a statement
	sent     map[string]string    // the last statement of each connection, as the log has it
	blamed   map[string]int       // the statement that an error was filed under
	began    map[string]time.Time // when the last statement of each connection began
	at       map[int]time.Time    // when the statement of each line began
	lasting  bool                 // the log says how long statements took
	prepared bool                 // the last statement has its values in a line of their own
}

func newLog(s *source) *logReader {
	return &logReader{part: newPart("", 1), s: s, acted: map[string]bool{}, open: map[string]bool{},
		implicit: map[string]bool{}, uses: map[string]string{}, sent: map[string]string{}, blamed: map[string]int{},
		began: map[string]time.Time{}, at: map[int]time.Time{}}
}

// records divides a log. indented says that lines which begin with a blank belong to the record above, whatever it is.
func (r *logReader) records(head func(string, *record) *record, indented bool) ([]*record, error) {
	var out []*record
	last := &record{}
	for i, line := range r.s.lines() {
		if h := head(line, last); h != nil {
			h.line, last = i+1, h
			out = append(out, h)
			continue
		}
		bare := strings.TrimSpace(line)
		switch on := last.runs || indented && len(out) > 0 && line != strings.TrimLeft(line, " \t"); {
		case on && (bare == "" || !wholeRecord(last.text)):
			last.add(line)
		case bare != "" && (on || !isRemark(bare)):
			return nil, r.s.errorf(i+1, "%s: neither a line of the log nor one of a statement in it", quote(line))
		}
	}
	for _, rec := range out {
		rec.text = strings.Join(append([]string{rec.text}, rec.more...), "\n")
	}
	return out, nil
}

// wholeRecord says whether a record is of a statement that no line goes on with: COMMIT.
func wholeRecord(text string) bool {
	return isWhole(strings.TrimRight(text[strings.LastIndexByte(text, ':')+1:], "; \t\n"))
}

// send files a statement of a connection.
func (r *logReader) send(rec *record, sql string) {
	sql = strings.TrimRight(strings.TrimSpace(sql), "; \t\n")
	tag := r.session("connection " + rec.who)
	switch k := sqltext.KindOf(sql); {
	case testcase.SwitchesAutocommit(sql):
		r.open[rec.who], r.implicit[rec.who] = true, true
	case k == sqltext.Begin:
		r.open[rec.who] = true
	case k == sqltext.Commit || k == sqltext.Rollback:
		r.open[rec.who] = r.implicit[rec.who]
	}
	if db := r.uses[rec.who]; db != "" && r.database == "" {
		r.database = db
	} else if db != "" && db != r.database {
		r.note(rec.line, true, "connection %s is in the database %s, and another one in %s: they are one here",
			rec.who, db, r.database)
		delete(r.uses, rec.who)
	}
	r.sent[rec.who], r.at[rec.line] = sql, rec.at
	r.out = append(r.out, piece{line: rec.line, tag: tag, sql: sql, own: true})
}

// ends rolls back what a connection that ends has left open.
func (r *logReader) ends(rec *record) {
	if r.open[rec.who] {
		r.send(rec, "ROLLBACK")
		r.out[len(r.out)-1].comments = []string{"the connection ends"}
	}
	r.open[rec.who], r.implicit[rec.who] = false, false
}

// asks says whether a statement is what a client asks for itself: no table, and no function that does more than tell
// of the server or the connection.
func asks(sql string) bool {
	if word(sql, 0) == "SHOW" {
		return true
	}
	read := sqltext.Read(sql)
	for i, t := range read.Tokens[1:] {
		if t.Text == "(" && !read.Tokens[i].Is("database", "schema", "version", "user", "current_user",
			"session_user", "system_user", "connection_id", "current_database", "current_schema", "current_schemas",
			"current_setting", "pg_backend_pid", "pg_is_in_recovery", "now", "select", "(", ",", "in") {
			return false
		}
	}
	return read.Kind == sqltext.Select && len(read.Named) == 0
}

// done leaves out what clients ask for themselves, and makes the tables and rows above the first transaction the
// set-up.
func (r *logReader) done() ([]*part, error) {
	var setup, kept []piece
	began := false
	for _, p := range r.out {
		if !begins(p.sql) {
			r.note(p.line, true, "left out: %s is not a statement that is read", quote(p.sql))
			continue
		}
		if !r.acted[p.tag] && asks(p.sql) {
			r.note(p.line, false, "left out: %s, which a client asks for itself", quote(p.sql))
			continue
		}
		kind := sqltext.KindOf(p.sql)
		r.acted[p.tag] = r.acted[p.tag] || kind != sqltext.Set
		makes := kind == sqltext.Create || kind == sqltext.Alter || kind == sqltext.Insert || word(p.sql, 0) == "DROP"
		began = began || !makes && (kind.IsTarget() || kind == sqltext.Begin)
		switch {
		case !began && makes:
			p.tag = setupTag
			setup = append(setup, p)
			continue
		case !began && kind == sqltext.Set && loads(p.sql): // of what is loaded, and of its connection
			own := p
			own.tag = setupTag
			setup = append(setup, own)
		}
		kept = append(kept, p)
	}
	if !slices.ContainsFunc(setup, func(p piece) bool { return sqltext.KindOf(p.sql) != sqltext.Set }) {
		setup = nil
	}
	if r.out = append(setup, kept...); len(r.out) == 0 {
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
	all, err := r.records(generalRecord, false)
	if err != nil {
		return nil, err
	}
	for _, rec := range all {
		switch rec.kind {
		case "Query", "Execute":
			r.send(rec, rec.text)
		case "Init DB":
			r.uses[rec.who] = strings.TrimSpace(rec.text)
		case "Connect", "Quit", "Reset Connection", "Change user":
			r.ends(rec)
			_, on, _ := strings.Cut(rec.text, " on ")
			if db, _, _ := strings.Cut(on, " "); db != "" && db != "using" {
				r.uses[rec.who] = db
			}
		default:
			if rec.kind != "" && !slices.Contains(generalCommands, rec.kind) {
				r.note(rec.line, true, "left out: a command that is not read: %s", quote(rec.kind+" "+rec.text))
			}
		}
	}
	return r.done()
}

// readPostgresLog reads PostgreSQL's log: statements of the simple protocol and of the extended one, whose values stand
// in a line of their own.
func readPostgresLog(s *source) ([]*part, error) {
	r := newLog(s)
	all, err := r.records(postgresRecord, true)
	if err != nil {
		return nil, err
	}
	for _, rec := range all {
		rec.text = strings.ReplaceAll(rec.text, "\n\t", "\n") // the server begins further lines with a tab
		if err := r.record(rec); err != nil {
			return nil, err
		}
	}
	if err := r.whole(); err != nil {
		return nil, err
	}
	r.byBeginnings()
	return r.done()
}

// quietSent says whether what a line says of a statement is not that it is run: it is parsed, its values are put in,
// or more of its rows are fetched.
func quietSent(sent []string) bool {
	return sent[2] == "parse" || sent[2] == "bind" || strings.HasPrefix(sent[3], " fetch from")
}

// record takes one of PostgreSQL's.
func (r *logReader) record(rec *record) error {
	if rec.kind == "DETAIL" {
		if err := r.values(rec.text); err != nil {
			return err
		}
	}
	if err := r.whole(); err != nil {
		return err
	}
	sent := postgresSent.FindStringSubmatch(rec.text)
	switch {
	case rec.kind == "LOG" && sent != nil && !quietSent(sent):
		r.lasted(rec, sent[1])
		r.send(rec, sent[4])
		r.prepared = sent[2] == "execute"
		delete(r.blamed, rec.who)
	case rec.kind == "LOG" && strings.HasPrefix(rec.text, "disconnection:"), rec.kind == "FATAL":
		r.ends(rec)
	case rec.kind == "ERROR":
		r.answerOf(rec.who, rec.text)
	case rec.kind == "STATEMENT":
		r.failed(rec)
	}
	return nil
}

// lasted makes the time of a record that of the beginning of its statement: a log with durations has the end.
func (r *logReader) lasted(rec *record, ms string) {
	if took, err := time.ParseDuration(ms + "ms"); err == nil {
		r.lasting = true
		rec.at = rec.at.Add(-took)
	}
	if last := r.began[rec.who]; rec.at.Before(last) { // the log's times are not that exact
		rec.at = last
	}
	r.began[rec.who] = rec.at
}

// byBeginnings puts the statements of a log with durations in the order in which they began.
func (r *logReader) byBeginnings() {
	if !r.lasting {
		return
	}
	exact := false
	for _, at := range r.at {
		exact = exact || at.Nanosecond() != 0
	}
	slices.SortStableFunc(r.out, func(a, b piece) int { return r.at[a.line].Compare(r.at[b.line]) })
	r.note(r.out[0].line, !exact,
		"the log has a statement where it has ended: by its times and durations they are in the order of beginnings")
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
	r.blamed[connection] = -1
	for i := len(r.out) - 1; i >= 0; i-- {
		if r.out[i].tag == normal("connection "+connection) {
			r.out[i].comments, r.out[i].told = append(r.out[i].comments, message), len(r.out)
			r.blamed[connection] = i
			return
		}
	}
}

// failed takes the statement that the error above it is of. Where the log has it nowhere else it is sent here.
func (r *logReader) failed(rec *record) {
	at, is := r.blamed[rec.who]
	sql := strings.TrimRight(strings.TrimSpace(rec.text), "; ")
	if delete(r.blamed, rec.who); !is || at >= 0 && normalSQL(r.sent[rec.who]) == normalSQL(sql) {
		return
	}
	var said []string
	if at >= 0 {
		last := len(r.out[at].comments) - 1
		said, r.out[at].comments = r.out[at].comments[last:], r.out[at].comments[:last:last]
	}
	r.note(rec.line, true, "the log has this only where it failed, which may be later than it was sent: %s",
		quote(sql))
	if !holds(sql) {
		r.send(rec, sql)
		r.out[len(r.out)-1].comments = said
	}
}

// logged is how the statements of PostgreSQL's log are divided.
var logged = sqltext.Quoting{EscapeTexts: true, Dollars: true, Nested: true, ReturnEnds: true}

// holds says whether a statement of PostgreSQL's log has a parameter.
func holds(sql string) bool {
	for t := range logged.Tokens(sql) {
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
	for t := range logged.Tokens(list) {
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
	quoting := logged
	if !strings.Contains(sql, "$") {
		quoting = sqltext.FileQuoting
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
