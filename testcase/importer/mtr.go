package importer

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

var (
	mtrCommand = lazily(`(?mi)^(?:--\s*)?(?:connect\s*\(|connect\s+\w+\s*,|connection\s+\w+\s*;?\s*$|` +
		`send(?:\s|;)|reap\s*;?\s*$|disconnect\s+\w+|source\s+include/)|^--\s*(?:source\s|error\s|connection\s)`)
	mtrHeading = lazily(`(?i)^connection\s+\w+\s*$`)
	mtrConnect = lazily(`(?i)^connect\s*\(?\s*([\w$]+)\s*,`)
	mtrLet     = lazily(`(?is)^let\s+(\$?\w+)\s*=\s*(.*)$`)
	mtrVar     = lazily(`\$\w+`)
)

// isMTR says whether a text is a test of mysqltest's.
func isMTR(text string) bool {
	found := mtrCommand.FindAllString(text, 50)
	// "Connection A" on a line of its own is a heading.
	return len(found) > 1 && !fenced(text) && slices.ContainsFunc(found, func(line string) bool { return !mtrHeading.MatchString(line) })
}

// mtrReader follows the commands of a test.
type mtrReader struct {
	s       *scanner
	out     *scanner
	current string
	values  map[string]string
	open    map[string]bool // connections that have begun a transaction
	made    map[string]bool // tables of this part
	acts    bool            // rows are read or changed
	errors  []string        // that the next statement may answer
	sends   bool            // the next statement is sent and not waited for
	idle    []string        // connections that must have answered before the next statement
	loops   int             // depth of what is run more than once, or not at all
	end     string          // of a statement
	results bool            // the text is a result file
}

// quietCommands change no answer; lostCommands do what no script can.
var (
	quietCommands = strings.Fields(`echo disconnect source sleep real_sleep sorted_result vertical_results horizontal_results query_vertical query_horizontal
		disable_warnings enable_warnings disable_query_log enable_query_log disable_result_log enable_result_log disable_info enable_info disable_metadata enable_metadata
		disable_abort_on_error enable_abort_on_error disable_connect_log enable_connect_log disable_ps_protocol enable_ps_protocol disable_view_protocol enable_view_protocol
		disable_cursor_protocol enable_cursor_protocol disable_ps2_protocol enable_ps2_protocol disable_reconnect enable_reconnect disable_session_track_info
		enable_session_track_info disable_parsing enable_parsing disable_rpl_parse enable_rpl_parse disable_prepare_warnings enable_prepare_warnings disable_service_connection
		enable_service_connection replace_result replace_column replace_regex replace_numeric_round lowercase_result result_format save_master_pos character_set ping
		start_timer end_timer skip_if_hypergraph dirty_close output partially_sorted_result disable_async_client enable_async_client reset_connection`)
	readCommands = strings.Fields(`connect connection send send_eval reap eval error delimiter let while if disconnect`)
	lostCommands = strings.Fields(`exec exec_in_background system perl write_file append_file remove_file remove_files_wildcard copy_file move_file mkdir rmdir cat_file
		chmod diff_files file_exists list_files shutdown_server send_quit send_shutdown sync_with_master sync_slave_with_master wait_for_slave_to_stop change_user die exit skip
		query_get_value dec inc expr assert`)
)

// isCommand says whether a line begins with a command of mysqltest's.
func isCommand(line string) bool {
	name, _, _ := strings.Cut(strings.ToLower(line), " ")
	if at := strings.IndexByte(name, '('); at > 0 {
		name = name[:at]
	}
	name = strings.Trim(name, ";")
	return slices.Contains(readCommands, name) || slices.Contains(quietCommands, name) || slices.Contains(lostCommands, name)
}

// readMTR reads a test: its connections are the sessions. Where it drops the tables of its set-up another test begins.
func readMTR(s *scanner) ([]*scanner, error) {
	r := &mtrReader{s: s, current: "default", values: map[string]string{}, open: map[string]bool{}, made: map[string]bool{}, end: ";"}
	r.out = s.part("", 1)
	r.out.names = map[string]string{}
	parts := []*scanner{r.out}
	lines := strings.Split(s.text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "" || line == "{" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "--"):
			r.command(s.base+i+1, strings.TrimSuffix(strings.TrimSpace(line[2:]), r.end), true)
			continue
		case line == "}":
			r.loops = max(0, r.loops-1)
			continue
		case r.printed(lines, i):
			r.results = true
			continue
		case !isStatement(line) && !isCommand(line) && plain.MatchString(line):
			r.out.notes = append(r.out.notes, Note{s.base + i + 1, "left out: " + quote(line) + " is no command of mysqltest's", strings.HasSuffix(line, ";")})
			continue
		}
		text, last := r.statement(lines, i)
		if r.command(s.base+i+1, text, false) {
			i = last
			continue
		}
		i = last
		if r.drops(text) {
			r.open, r.made, r.acts = map[string]bool{}, map[string]bool{}, false
			r.out = s.part("", s.base+i+1)
			r.out.names = map[string]string{}
			parts = append(parts, r.out)
			continue
		}
		r.sql(s.base+i+1, text)
	}
	parts = slices.DeleteFunc(parts, func(p *scanner) bool { return len(p.out) == 0 })
	for _, p := range parts {
		for i := range p.out {
			if r.results { // a result file does not show what was sent and not waited for
				p.out[i].idle = nil
			}
		}
	}
	if len(parts) == 0 {
		return nil, s.errorf(0, "an mtr test without a statement")
	}
	return parts, nil
}

// printed says whether a line is what a statement printed: a test's result file has it between the statements. It neither begins nor
// ends a statement, and it follows one and is followed by one, or by a command.
func (r *mtrReader) printed(lines []string, at int) bool {
	begins := func(line string) bool {
		return isStatement(line) || isCommand(line) || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "--")
	}
	line := strings.TrimSpace(lines[at])
	if len(r.out.out) == 0 || begins(line) || strings.HasSuffix(line, r.end) || !r.results && !strings.Contains(line, "\t") && plain.MatchString(line) {
		return false
	}
	for _, next := range lines[at+1:] {
		if next = strings.TrimSpace(next); begins(next) {
			return true
		}
		if strings.HasSuffix(next, r.end) {
			return false
		}
	}
	return r.results
}

// statement reads from a line to the delimiter; last is the number of the line where it ends.
func (r *mtrReader) statement(lines []string, from int) (text string, last int) {
	first := strings.ToLower(strings.TrimSpace(lines[from]))
	if strings.HasPrefix(first, "delimiter ") {
		return strings.TrimSpace(lines[from]), from
	}
	for strings.HasPrefix(first, "while") || strings.HasPrefix(first, "if ") || strings.HasPrefix(first, "if(") {
		return strings.TrimSpace(lines[from]), from
	}
	all := strings.Join(lines[from:min(len(lines), from+2000)], "\n")
	for at := 0; at < len(all); {
		if strings.HasPrefix(all[at:], r.end) {
			last := from + strings.Count(all[:at], "\n")
			if rest := strings.TrimSpace(lineOf(all[at+len(r.end):])); isStatement(rest) || isCommand(rest) { // another one on the line
				lines[last] = rest
				last--
			}
			return strings.TrimSpace(all[:at]), last
		}
		at += len(lexer.Next(all, at).Text)
	}
	return strings.TrimSpace(all), from + strings.Count(all, "\n")
}

// command takes a command of mysqltest's; false for a statement.
func (r *mtrReader) command(line int, text string, dashed bool) bool {
	name, rest, _ := strings.Cut(text, " ")
	name, rest = strings.ToLower(strings.Trim(name, " \t;")), strings.TrimSpace(rest)
	if at := strings.IndexByte(name, '('); at > 0 {
		rest, name = name[at:]+rest, name[:at]
	}
	switch {
	case name == "connect":
		if m := mtrConnect.FindStringSubmatch(text); m != nil {
			r.current = m[1]
			return true
		}
	case name == "connection":
		r.current = strings.Trim(rest, "; \t")
	case name == "send" || name == "send_eval":
		if r.sends = true; rest != "" {
			r.sql(line, r.filled(rest))
		}
	case name == "eval":
		r.sql(line, r.filled(rest))
	case name == "query_vertical" || name == "query_horizontal":
		r.sql(line, rest)
	case name == "error":
		r.errors = strings.FieldsFunc(rest, func(c rune) bool { return c == ',' || c == ' ' })
	case name == "delimiter":
		r.end = strings.TrimSpace(strings.TrimSuffix(rest, r.end))
		if r.end == "" {
			r.end = ";"
		}
	case name == "let":
		r.let(text)
	case name == "while" || name == "if":
		r.loops++
		r.missing(line, "a loop or a condition: what stands in it is run once", text)
	case name == "disconnect":
		r.out.out = append(r.out.out, r.disconnected(line, strings.Trim(rest, "; \t"))...)
		if r.current == strings.Trim(rest, "; \t") {
			r.current = "default"
		}
	case name == "source":
		if !harmlessSource.MatchString(rest) {
			r.missing(line, "another file is read here", text)
		}
	case name == "reap":
		r.idle = append(r.idle, normal(r.current))
	case slices.Contains(quietCommands, name):
	case slices.Contains(lostCommands, name) && (dashed || name != "expr"):
		r.missing(line, "a command that no script can have", text)
	case dashed && isStatement(text):
		r.sql(line, text)
	case dashed: // a remark
	default:
		return false
	}
	return true
}

// harmlessSource are files of the test suite that change no answer: what is needed to run, and waiting for others.
var harmlessSource = lazily(`(?i)(?:have_|not_|wait_|count_sessions|wait_until|no_|default_|maybe_|big_test|long_test|only_|innodb_page_size)`)

func (r *mtrReader) missing(line int, why, text string) {
	r.out.notes = append(r.out.notes, Note{line, why + ": " + quote(strings.Join(strings.Fields(text), " ")), true})
}

// let remembers a value that is written out.
func (r *mtrReader) let(text string) {
	m := mtrLet.FindStringSubmatch(text)
	if m == nil {
		return
	}
	name := "$" + strings.TrimPrefix(m[1], "$")
	value := strings.TrimSpace(m[2])
	if strings.HasPrefix(value, "`") || strings.HasPrefix(value, "query_get_value") {
		delete(r.values, name) // what a query gives
		return
	}
	r.values[name] = r.filled(value)
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

// disconnected rolls back what a connection has left open.
func (r *mtrReader) disconnected(line int, name string) []piece {
	if !r.open[normal(name)] {
		return nil
	}
	delete(r.open, normal(name))
	return []piece{{line: line, tag: r.out.session(name), sql: "ROLLBACK", comments: []string{"the connection ends"}}}
}

// drops says whether a statement drops a table of the set-up though no transaction is open: the test is over.
func (r *mtrReader) drops(text string) bool {
	s := sqltext.Read(text)
	return s.Kind == sqltext.Define && strings.EqualFold(sqltext.FirstWord(text), "DROP") && r.acts && len(r.open) == 0 && r.made[s.Target]
}

// sql files a statement of the current connection.
func (r *mtrReader) sql(line int, text string) {
	p := piece{line: line, tag: r.out.session(r.current), sql: strings.TrimSpace(text)}
	switch {
	case p.sql == "":
		return
	case strings.Contains(strings.ToLower(p.sql), "debug_sync"), strings.Contains(strings.ToLower(p.sql), "debug_dbug"):
		r.missing(line, "a point to stop at inside the server, which only debug builds have", p.sql)
		r.errors, r.sends = nil, false
		return
	case mtrVar.MatchString(p.sql) && !strings.ContainsAny(p.sql, "'\"`"):
		r.missing(line, "a value that a query gives", p.sql)
		return
	}
	codes := []int{}
	for _, e := range r.errors {
		if n, err := strconv.Atoi(e); err == nil && n > 0 {
			codes = append(codes, n)
		} else if n := mtrErrors[strings.ToUpper(e)]; n > 0 {
			codes = append(codes, n)
		} else {
			p.comments = append(p.comments, "error "+e)
		}
	}
	if len(codes) == 1 && len(r.errors) == 1 {
		p.printed = &testcase.Printed{Count: -1, Err: codes[0]}
	}
	if r.sends {
		p.comments = append(p.comments, "sent, not waited for")
	}
	p.idle = r.idle
	if r.idle = nil; !r.sends {
		r.idle = []string{p.tag}
	}
	r.errors, r.sends = nil, false
	read := sqltext.Read(p.sql)
	switch r.acts = r.acts || read.Kind <= sqltext.Rollback && read.Kind != sqltext.Insert; read.Kind {
	case sqltext.Create:
		r.made[read.Target] = read.Target != ""
	case sqltext.Begin:
		r.open[p.tag] = true
	case sqltext.Commit, sqltext.Rollback:
		delete(r.open, p.tag)
	}
	r.out.out = append(r.out.out, p)
}

// mtrErrors are the names by which tests call the errors that schedules meet most.
var mtrErrors = map[string]int{
	"ER_DUP_ENTRY": 1062, "ER_DUP_KEY": 1022, "ER_LOCK_WAIT_TIMEOUT": 1205, "ER_LOCK_DEADLOCK": 1213, "ER_CHECKREAD": 1020, "ER_NO_SUCH_TABLE": 1146,
	"ER_BAD_TABLE_ERROR": 1051, "ER_TABLE_EXISTS_ERROR": 1050, "ER_PARSE_ERROR": 1064, "ER_ROW_IS_REFERENCED_2": 1451, "ER_NO_REFERENCED_ROW_2": 1452,
	"ER_TABLE_DEF_CHANGED": 1412, "ER_QUERY_INTERRUPTED": 1317, "ER_LOCK_NOWAIT": 3572, "ER_BAD_NULL_ERROR": 1048, "ER_DATA_TOO_LONG": 1406,
	"ER_SUBQUERY_NO_1_ROW": 1242, "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION": 1792, "ER_TABLE_NOT_LOCKED": 1100, "ER_TABLE_NOT_LOCKED_FOR_WRITE": 1099,
	"ER_SP_DOES_NOT_EXIST": 1305, "ER_CONSTRAINT_FAILED": 4025, "ER_NO_DEFAULT_FOR_FIELD": 1364, "ER_WARN_DATA_OUT_OF_RANGE": 1264, "ER_CRASHED_ON_USAGE": 1194,
}
