package importer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

var mtrVar = regexp.MustCompile(`\$\w+`)

// quietCommands change no answer; lostCommands do what no script can; resultCommands are those that a result file has,
// too.
var (
	quietCommands = strings.Fields(`echo source sleep real_sleep sorted_result vertical_results horizontal_results
		query_vertical query_horizontal disable_warnings enable_warnings disable_query_log enable_query_log
		disable_result_log enable_result_log disable_info enable_info disable_metadata enable_metadata
		disable_abort_on_error enable_abort_on_error disable_connect_log enable_connect_log disable_ps_protocol
		enable_ps_protocol disable_view_protocol enable_view_protocol disable_cursor_protocol enable_cursor_protocol
		disable_ps2_protocol enable_ps2_protocol disable_reconnect enable_reconnect disable_session_track_info
		enable_session_track_info disable_parsing enable_parsing disable_rpl_parse enable_rpl_parse
		disable_prepare_warnings enable_prepare_warnings disable_service_connection enable_service_connection
		replace_result replace_column replace_regex replace_numeric_round lowercase_result result_format
		save_master_pos character_set ping start_timer end_timer skip_if_hypergraph dirty_close output
		partially_sorted_result disable_async_client enable_async_client reset_connection`)
	readCommands = strings.Fields(`connect connection send send_eval reap eval error delimiter let while if disconnect
		query_vertical query_horizontal`)
	lostCommands = strings.Fields(`exec exec_in_background system perl write_file append_file remove_file
		remove_files_wildcard copy_file move_file mkdir rmdir cat_file chmod diff_files file_exists list_files
		shutdown_server send_quit send_shutdown sync_with_master sync_slave_with_master wait_for_slave_to_stop
		change_user die exit skip query_get_value dec inc expr assert
		copy_files_wildcard force-rmdir force-cpdir write_line query_attributes`)
	resultCommands = strings.Fields(`connect connection disconnect`)
)

// commandOf is the command of mysqltest's with which a line begins, without the dashes in front of it; "" for none.
func commandOf(line string) string {
	if strings.HasPrefix(strings.TrimLeft(line, "- "), "ERROR ") { // an answer
		return ""
	}
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(line, "- ")), " ")
	if at := strings.IndexByte(name, '('); at > 0 {
		name = name[:at]
	}
	name = strings.Trim(name, ";\t")
	if slices.Contains(readCommands, name) || slices.Contains(quietCommands, name) || slices.Contains(lostCommands,
		name) {
		return name
	}
	return ""
}

// isMTR says whether a text is a test of mysqltest's, or what one printed: commands that have to do with connections,
// two at least, or one with dashes in front.
func isMTR(s *source) bool {
	found, strong := 0, false
	for _, line := range s.lines() {
		line = strings.TrimSpace(line)
		name := commandOf(line)
		dashed := strings.HasPrefix(line, "--")
		switch name {
		case "connect":
			if connectsAs(line) != "" {
				found, strong = found+2, true
			}
		case "connection":
			if dashed || strings.HasSuffix(line, ";") {
				found++
			}
		case "send", "reap", "error", "source", "disconnect":
			if dashed || name == "reap" || strings.HasPrefix(line, "source include/") {
				found, strong = found+2, strong || !strings.HasPrefix(line, "-- ")
			}
		}
	}
	return found > 1 && strong
}

// mtrReader follows the commands of a test.
type mtrReader struct {
	*part
	s       *source
	lines   []string
	parts   []*part
	current string
	values  map[string]string
	begun   map[string]bool // connections that have begun a transaction
	made    map[string]bool // tables of this part
	acts    bool            // rows are read or changed
	errors  []string        // that the next statement may answer
	sends   bool            // the next statement is sent and not waited for
	reaped  []string        // connections that must have answered before the next statement
	end     string          // of a statement
	result  bool            // the text is what a test printed
}

// readMTR reads a test: its connections are the sessions. Where it drops the tables of its set-up another test begins.
func readMTR(s *source) ([]*part, error) {
	r := &mtrReader{s: s, lines: s.lines(), current: "default", values: map[string]string{}, end: ";"}
	r.result = !slices.ContainsFunc(r.lines, func(line string) bool {
		line = strings.TrimSpace(line)
		name := commandOf(line)
		return name != "" && !slices.Contains(resultCommands, name) && (strings.HasPrefix(line, "--") ||
			!begins(line)) || name != "" && strings.HasPrefix(line, "--")
	})
	r.anew(1)
	for i := 0; i < len(r.lines); i++ {
		next, err := r.line(i)
		if err != nil {
			return nil, err
		}
		i = next
	}
	parts := slices.DeleteFunc(r.parts, func(p *part) bool { return len(p.out) == 0 })
	if len(parts) == 0 {
		return nil, s.errorf(1, "an mtr test without a statement")
	}
	for _, p := range parts {
		p.refused()
	}
	return parts, nil
}

// anew begins another test.
func (r *mtrReader) anew(line int) {
	r.part = newPart("", line)
	r.parts = append(r.parts, r.part)
	r.begun, r.made, r.acts = map[string]bool{}, map[string]bool{}, false
}

// line reads what begins on a line; it returns the number of its last line.
func (r *mtrReader) line(i int) (last int, err error) {
	line := strings.TrimSpace(r.lines[i])
	switch {
	case line == "" || line == "{" || line == "}" || strings.HasPrefix(line, "#"):
		return i, nil
	case strings.HasPrefix(line, "--"):
		text := strings.TrimSuffix(strings.TrimSpace(line[2:]), r.end)
		if name := commandOf(text); name != "" {
			r.command(i+1, name, text)
		} else if begins(text) {
			r.sql(i+1, text)
		} else if !r.result {
			return i, r.s.errorf(i+1, "%s: no command of mysqltest's: a remark stands behind #", quote(line))
		}
		return i, nil
	case commandOf(line) == "" && !r.starts(i):
		p := r.answered()
		switch {
		case !r.result || len(r.out) == 0:
			return i, r.s.errorf(i+1, "%s: neither a statement nor a command of mysqltest's, nor a remark behind #",
				quote(line))
		case begins(line) && (p == nil || !returnsRows(p.sql)):
			return i, r.s.errorf(i+1, "%s: a statement of a result file has its %s behind it", quote(line), r.end)
		case p != nil && !returnsRows(p.sql) && strings.HasSuffix(line, r.end) && !strings.HasPrefix(line, "ERROR "):
			return i, r.s.errorf(i+1, "%s: neither a statement nor a command of mysqltest's, and the statement above returns "+
				"no rows",
				quote(line))
		}
		return r.printed(i, p), nil
	}
	text, last := r.statement(i)
	if name := commandOf(text); name != "" && !(name == "connection" && !r.result && begins(text)) {
		r.command(i+1, name, text)
		return last, nil
	}
	if r.drops(text) {
		r.anew(last + 1)
		return last, nil
	}
	r.sql(i+1, text)
	return last, nil
}

// starts says whether a statement begins on a line. In a result file it has its delimiter behind it: what stands there
// without one is a row.
func (r *mtrReader) starts(i int) bool {
	if begun := begins(strings.Join(r.lines[i:min(len(r.lines), i+40)], "\n")); !r.result || !begun {
		return begun
	}
	text := strings.Join(r.lines[i:min(len(r.lines), i+2000)], "\n")
	for at := 0; at < len(text) && !strings.HasPrefix(text[at:], r.end); {
		t := lexer.Next(text, at)
		if t.Kind == sqltext.Blank && strings.Contains(t.Text, "\n") && cutsOff(text[:at], text[at+len(t.Text):]) {
			return false
		}
		if at += len(t.Text); at >= len(text) {
			return false
		}
	}
	return true
}

// cutsOff says whether what stands below a line of a result file is no part of a statement that begins above: it
// begins another one, or another connection speaks.
func cutsOff(so, below string) bool {
	line := lineOf(below)
	if isWhole(so) || slices.Contains(resultCommands, commandOf(line)) && len(strings.Fields(line)) == 2 &&
		!strings.HasSuffix(line, ",") {
		return true
	}
	switch first := word(so, 0); {
	case !begins(below), first == "CREATE", first == "ALTER", first == "EXPLAIN":
		return false
	case first == "INSERT" || first == "REPLACE":
		return slices.Contains(words(so, -1), "VALUES")
	}
	return follows(so, line)
}

// returnsRows says whether a statement may be answered with rows.
func returnsRows(sql string) bool {
	w := words(sql, -1)
	return slices.Contains(w, "RETURNING") || slices.Contains(strings.Fields("( SELECT WITH TABLE VALUES SHOW EXPLAIN "+
		"DESC DESCRIBE ANALYZE CALL CHECK CHECKSUM EXECUTE HANDLER"), w[0])
}

// answered is the last statement of the current connection; nil for none.
func (r *mtrReader) answered() *piece {
	for n := range slices.Backward(r.out) {
		if r.out[n].tag == normal(r.current) {
			return &r.out[n]
		}
	}
	return nil
}

// printed takes what the current connection was answered: rows with the columns' names above them, or an error; it
// returns their last line. Whoever comes next has waited for it.
func (r *mtrReader) printed(i int, p *piece) int {
	from := i
	for i+1 < len(r.lines) {
		next := strings.TrimSpace(r.lines[i+1])
		if commandOf(next) != "" || strings.HasPrefix(next, "#") || r.starts(i+1) {
			break
		}
		i++
	}
	if p == nil {
		return i
	}
	lines := r.lines[from : i+1]
	if !slices.Contains(r.reaped, p.tag) {
		r.reaped = append(r.reaped, p.tag)
	}
	switch first := strings.TrimSpace(lines[0]); {
	case strings.HasPrefix(first, "ERROR "):
		p.comments = append(p.comments, first)
		if code := errorOf(first); code > 0 {
			p.answer().Err = strconv.Itoa(code)
		}
	case first == "Warnings:":
	case slices.Contains([]string{"SELECT", "WITH", "TABLE", "VALUES"}, word(p.sql, 0)):
		rows(p, lines)
	}
	return i
}

// rows takes the rows of a printed table. A blank line is a row of one empty value; the last ones may be echoed, too:
// such a table is not compared.
func rows(p *piece, lines []string) {
	if at := slices.Index(lines, "Warnings:"); at > 0 {
		lines = lines[:at]
	}
	columns := strings.Split(lines[0], "\t")
	if len(columns) == 1 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		return
	}
	a := p.answer()
	a.Columns, a.Rows = columns, [][]string{}
	for _, line := range lines[1:] {
		if len(columns) == 1 || strings.TrimSpace(line) != "" {
			a.Rows = append(a.Rows, strings.Split(line, "\t"))
		}
	}
}

// errorOf is the code of the error that a test's result shows by its message; 0 for one that is not known.
func errorOf(line string) int {
	for message, code := range mtrMessages {
		if strings.Contains(line, message) {
			return code
		}
	}
	return 0
}

// statement reads from a line to the delimiter; last is the number of the line where it ends.
func (r *mtrReader) statement(from int) (text string, last int) {
	first := strings.TrimSpace(r.lines[from])
	switch commandOf(first) {
	case "delimiter", "while", "if":
		return first, from
	}
	all := strings.Join(r.lines[from:min(len(r.lines), from+2000)], "\n")
	for at := 0; at < len(all); {
		if strings.HasPrefix(all[at:], r.end) {
			last := from + strings.Count(all[:at], "\n")
			if rest := strings.TrimSpace(lineOf(all[at+len(r.end):])); begins(rest) ||
				commandOf(rest) != "" { // another one on the line
				r.lines[last] = rest
				last--
			}
			return strings.TrimSpace(all[:at]), last
		}
		t := lexer.Next(all, at)
		if i := strings.Index(t.Text, r.end); t.Kind == sqltext.Word && i > 0 { // END$$
			at += i
			continue
		}
		at += len(t.Text)
	}
	return strings.TrimSpace(all), from + strings.Count(all, "\n")
}

// command takes a command of mysqltest's.
func (r *mtrReader) command(line int, name, text string) {
	_, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "connect":
		r.current = cmp.Or(connectsAs(text), r.current)
	case "connection":
		r.current = strings.Trim(rest, "; \t")
	case "send", "send_eval":
		if r.sends = true; rest != "" {
			r.eval(line, rest)
		}
	case "eval", "query_vertical", "query_horizontal":
		r.eval(line, rest)
	case "error":
		r.errors = strings.FieldsFunc(rest, func(c rune) bool { return c == ',' || c == ' ' })
	case "delimiter":
		if r.end = strings.TrimSpace(strings.TrimSuffix(rest, r.end)); r.end == "" {
			r.end = ";"
		}
	case "let":
		r.let(line, text)
	case "while", "if":
		r.note(line, true, "a loop or a condition: what stands in it is run once: %s", quote(text))
	case "disconnect":
		r.disconnect(line, strings.Trim(rest, "; \t"))
	case "source":
		if !harmless(rest) {
			r.note(line, true, "another file is read here: %s", quote(text))
		}
	case "reap":
		r.reaped = append(r.reaped, normal(r.current))
	default:
		if slices.Contains(lostCommands, name) {
			r.note(line, true, "a command that no script can have: %s", quote(strings.Join(strings.Fields(text), " ")))
		}
	}
}

// harmless says whether a file of the test suite changes no answer: it says what is needed to run, or waits for others.
func harmless(file string) bool {
	for _, part := range strings.Fields("have_ not_ wait_ count_sessions no_ default_ maybe_ big_test long_test " +
		"only_ " +
		"innodb_page_size") {
		if strings.Contains(strings.ToLower(file), part) {
			return true
		}
	}
	return false
}

// connectsAs is the connection that a command connects: connect (con1,localhost,root,,); "" for another one.
func connectsAs(line string) string {
	name, _, ok := strings.Cut(strings.TrimLeft(strings.TrimLeft(line, "- ")[len("connect"):], " ("), ",")
	if name = strings.TrimSpace(name); !ok || strings.ContainsAny(name, " =;(") {
		return ""
	}
	return name
}

// let remembers a value that is written out.
func (r *mtrReader) let(line int, text string) {
	name, value, _ := strings.Cut(strings.TrimSpace(text[len("let"):]), "=")
	name, value = "$"+strings.TrimPrefix(strings.TrimSpace(name), "$"), strings.TrimSpace(value)
	if r.lacks(value) || strings.HasPrefix(value, "query_get_value") {
		delete(r.values, name) // what a query gives
		if r.readsTables(value) {
			r.note(line, true, "a query whose value is kept, which is not run: %s", quote(text))
		}
		return
	}
	r.values[name] = r.filled(value)
}

// readsTables says whether the query in a value reads tables of the test's, which may lock their rows or take the
// transaction's snapshot; those of the server's own schemas do neither.
func (r *mtrReader) readsTables(value string) bool {
	w := words(strings.Trim(value, "`"), -1)
	at := slices.Index(w, "FROM")
	return at >= 0 && at+1 < len(w) &&
		!slices.Contains(sqltext.SyntaxOf(r.s.target).Traits.Schemas, strings.ToLower(w[at+1]))
}

// lacks says whether a text has a value in it that is not written out: that of a query.
func (r *mtrReader) lacks(text string) bool {
	for i, quoted := range strings.Split(text, "`") {
		if i%2 == 1 && strings.Contains(quoted, " ") && begins(quoted) {
			return true
		}
	}
	return slices.ContainsFunc(mtrVar.FindAllString(text, -1), func(name string) bool {
		_, known := r.values[name]
		return !known
	})
}

// eval files statements with the values of variables put in: mysqltest sends a text of several at once.
func (r *mtrReader) eval(line int, text string) {
	if r.lacks(text) {
		r.note(line, true, "a value that a query gives: %s", quote(text))
		r.errors, r.sends = nil, false
		return
	}
	text = r.filled(text)
	if word(text, 0) != "CREATE" { // which may have a body
		for at := 0; at < len(text); {
			t := lexer.Next(text, at)
			if at += len(t.Text); t.Text == ";" {
				r.sql(line, text[:at-1])
				text, at = text[at:], 0
			}
		}
	}
	r.sql(line, text)
}

// filled puts the values of variables in their place.
func (r *mtrReader) filled(text string) string {
	return mtrVar.ReplaceAllStringFunc(text, func(name string) string {
		if v, ok := r.values[name]; ok {
			return v
		}
		return name
	})
}

// disconnect rolls back what a connection has left open.
func (r *mtrReader) disconnect(line int, name string) {
	if r.begun[normal(name)] {
		delete(r.begun, normal(name))
		r.out = append(r.out, piece{line: line, tag: r.session(name), sql: "ROLLBACK",
			comments: []string{"the connection ends"}, own: true})
	}
	if r.current == name {
		r.current = "default"
	}
}

// drops says whether a statement drops a table of the set-up though no transaction is open: the test is over.
func (r *mtrReader) drops(text string) bool {
	s := sqltext.Read(text)
	return s.Kind == sqltext.Define && word(text, 0) == "DROP" && r.acts && len(r.begun) == 0 && r.made[s.Target]
}

// sql files a statement of the current connection.
func (r *mtrReader) sql(line int, text string) {
	p := piece{line: line, tag: r.session(r.current), sql: strings.TrimSpace(text), own: true}
	switch low := strings.ToLower(p.sql); {
	case p.sql == "":
		return
	case strings.Contains(low, "debug_sync"), strings.Contains(low, "debug_dbug"):
		r.note(line, true, "a point to stop at inside the server, which only debug builds have: %s", quote(p.sql))
		r.errors, r.sends = nil, false
		return
	case mtrVar.MatchString(p.sql) && !strings.ContainsAny(p.sql, "'\"`"):
		r.note(line, true, "a value that a query gives: %s", quote(p.sql))
		return
	}
	r.expects(&p)
	if r.sends {
		p.comments = append(p.comments, "sent, not waited for")
	}
	p.idle = r.reaped
	if r.reaped = nil; !r.sends && !r.result { // a result file does not show what was sent and not waited for
		r.reaped = []string{p.tag}
	}
	r.errors, r.sends = nil, false
	read := sqltext.Read(p.sql)
	switch r.acts = r.acts || read.Kind <= sqltext.Rollback && read.Kind != sqltext.Insert; read.Kind {
	case sqltext.Create:
		r.made[read.Target] = read.Target != ""
	case sqltext.Begin:
		r.begun[p.tag] = true
	case sqltext.Commit, sqltext.Rollback:
		delete(r.begun, p.tag)
	}
	r.out = append(r.out, p)
}

// expects notes the error that a statement must answer, or may.
func (r *mtrReader) expects(p *piece) {
	var code int
	for _, e := range r.errors {
		n := mtrErrors[strings.ToUpper(e)]
		if strings.Trim(e, "0123456789") == "" {
			n = numberOf(e)
		}
		if code = n; n == 0 && e != "0" {
			p.comments = append(p.comments, "error "+e)
		}
	}
	if code > 0 && len(r.errors) == 1 {
		p.printed = &testcase.Printed{Count: -1, Err: strconv.Itoa(code)}
	}
}

// mtrErrors are the names by which tests call the errors that schedules meet most, and mtrMessages how results show
// them.
var mtrErrors = map[string]int{
	"ER_DUP_ENTRY": 1062, "ER_DUP_KEY": 1022, "ER_LOCK_WAIT_TIMEOUT": 1205, "ER_LOCK_DEADLOCK": 1213,
	"ER_CHECKREAD": 1020, "ER_NO_SUCH_TABLE": 1146,
	"ER_BAD_TABLE_ERROR": 1051, "ER_TABLE_EXISTS_ERROR": 1050, "ER_PARSE_ERROR": 1064, "ER_ROW_IS_REFERENCED_2": 1451,
	"ER_NO_REFERENCED_ROW_2": 1452,
	"ER_TABLE_DEF_CHANGED":   1412, "ER_QUERY_INTERRUPTED": 1317, "ER_LOCK_NOWAIT": 3572, "ER_BAD_NULL_ERROR": 1048,
	"ER_DATA_TOO_LONG":     1406,
	"ER_SUBQUERY_NO_1_ROW": 1242, "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION": 1792, "ER_TABLE_NOT_LOCKED": 1100,
	"ER_TABLE_NOT_LOCKED_FOR_WRITE": 1099,
	"ER_SP_DOES_NOT_EXIST":          1305, "ER_CONSTRAINT_FAILED": 4025, "ER_NO_DEFAULT_FOR_FIELD": 1364,
	"ER_WARN_DATA_OUT_OF_RANGE": 1264,
	"ER_CRASHED_ON_USAGE":       1194,
}

var mtrMessages = map[string]int{
	"Lock wait timeout exceeded": 1205, "Deadlock found when trying to get lock": 1213, "Duplicate entry": 1062,
	"Record has changed since last read":   1020,
	"Cannot delete or update a parent row": 1451, "Cannot add or update a child row": 1452, "cannot be null": 1048,
	"Data too long for column":     1406,
	"Table definition has changed": 1412, "Query execution was interrupted": 1317,
	"Statement aborted because lock(s) could not be acquired": 3572,
	"Cannot execute statement in a READ ONLY transaction":     1792, "Out of range value": 1264,
	"Subquery returns more than 1 row":     1242,
	"You have an error in your SQL syntax": 1064, "doesn't have a default value": 1364,
}
