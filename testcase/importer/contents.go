package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

// initialRows is what people write above a table of the rows that are there at the beginning.
var initialRows = lazily(`(?i)\b(?:initial(?:ly)?|existing|starting|sample|test|base|original|current)\s+(?:data|rows?|contents?|state|values?|table|records?)\b|` +
	`^\W*(?:\d+[.):]\s*)?(?:table |the )?(?:data|rows|contents?|records)(?: (?:in|of|is|are)\b[^;]{0,30})?\W*$|\b(?:data|contents?|rows) (?:of|in) (?:the )?table\b|初始数据|表数据`)

// contents makes an INSERT of rows that are printed as a client or Markdown prints them, where one of the tables that were made has
// such columns; else a note says that they are missing.
func (s *scanner) contents(line int, columns []string, rows [][]string, made []piece) (out []piece) {
	table := ""
	for _, p := range made {
		read := sqltext.Read(p.sql)
		if read.Kind != sqltext.Create || read.Target == "" || word(p.sql, 1) != "TABLE" {
			continue
		}
		if all := columnsOf(p.sql); !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(all, strings.ToLower(c)) }) {
			if table != "" && table != read.Target {
				table = ""
				break
			}
			table = read.Target
		}
	}
	if table == "" || len(columns) == 0 {
		s.notes = append(s.notes, Note{line, "left out: rows of the beginning, and it is not clear of which table: write INSERT INTO … VALUES …;", true})
		return nil
	}
	for _, row := range rows {
		if len(row) != len(columns) {
			continue
		}
		values := make([]string, len(row))
		for i, v := range row {
			values[i] = literalOf(v)
		}
		sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), strings.Join(values, ", "))
		out = append(out, piece{line: line, tag: setupTag, sql: sql})
	}
	if len(out) > 0 {
		s.notes = append(s.notes, Note{line, fmt.Sprintf("the rows that are printed here are those that %s has at the beginning", table), false})
	}
	return out
}

// columnsOf are the names that stand at the beginnings of a CREATE TABLE's definitions, in small letters.
func columnsOf(sql string) (out []string) {
	depth, first := 0, false
	for _, t := range lexer.Significant(sql, -1) {
		switch t.Text {
		case "(":
			depth++
			first = depth == 1
			continue
		case ")":
			depth--
		case ",":
			first = depth == 1
			continue
		}
		if name, ok := t.Ident(); ok && first {
			out = append(out, strings.ToLower(name))
		}
		first = false
	}
	return out
}

var plainNumber = lazily(`^-?\d+(?:\.\d+)?$`)

// literalOf is a printed value as a statement has it.
func literalOf(v string) string {
	if v == "NULL" || plainNumber.MatchString(v) {
		return v
	}
	return "'" + strings.ReplaceAll(strings.ReplaceAll(v, `\`, `\\`), "'", "''") + "'"
}

// grid reads the rows of a printed table; nil for what is none.
func grid(lines []string) (columns []string, rows [][]string) {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || gridRule.MatchString(line), ruler.MatchString(line):
		case !strings.HasPrefix(line, "|"):
			return nil, nil
		default:
			cells := cellsOf(line, false)
			for i := range cells {
				cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`*")
			}
			if columns == nil {
				columns = cells
			} else {
				rows = append(rows, cells)
			}
		}
	}
	return columns, rows
}

// printedRows makes set-up of the rows that stand below a CREATE TABLE, which prints none.
func (s *scanner) printedRows() {
	for i := 0; i < len(s.out); i++ {
		p := &s.out[i]
		if p.ragged {
			p.printed = nil
		}
		if word(p.sql, 0) != "CREATE" || p.printed == nil || p.printed.Columns == nil || len(p.printed.Rows) == 0 {
			continue
		}
		rows := slices.DeleteFunc(p.printed.Rows, func(row []string) bool { return ruler.MatchString(strings.Join(row, "")) })
		columns, line := p.printed.Columns, p.line
		p.printed = nil
		s.out = slices.Insert(s.out, i+1, s.contents(line, columns, rows, s.out[:i+1])...)
	}
}

// stageLine is a line that says when the statements below it are sent: "Step 3:".
var stageLine = lazily(`(?i)^\W*(?:step|phase|stage|action|time|moment)\s*#?\s*(\d{1,3})\W*$`)

// byStage brings statements that stand under such lines into their order, where each session's stand by themselves.
func (s *scanner) byStage() {
	var at []int
	last, sorted, sessions := 0, true, map[string]bool{}
	for i := range s.out {
		if p := &s.out[i]; p.stage > 0 && p.ofSession() {
			at = append(at, i)
			sorted = sorted && p.stage >= last
			last = p.stage
			sessions[p.tag] = true
		}
	}
	if sorted || len(sessions) < 2 {
		return
	}
	list := make([]piece, len(at))
	for n, i := range at {
		list[n] = s.out[i]
	}
	slices.SortStableFunc(list, func(a, b piece) int { return a.stage - b.stage })
	for n, i := range at {
		s.out[i] = list[n]
	}
	s.notes = append(s.notes, Note{list[0].line, "the statements are sent in the order of the steps that they stand under", false})
}

// awaited takes a statement that a transcript has twice as one: first where it was sent and printed nothing, as it waited, and
// again where its answer came.
func (s *scanner) awaited() {
	if !s.talks {
		return
	}
	for i := 0; i < len(s.out); i++ {
		p := &s.out[i]
		if !p.ofSession() || p.printed != nil && p.printed.Count >= 0 || sqltext.KindOf(p.sql) == sqltext.Begin {
			continue
		}
		next := i + 1
		for next < len(s.out) && s.out[next].tag != p.tag {
			next++
		}
		if next == i+1 || next == len(s.out) || !s.answered(i) {
			continue
		}
		q := &s.out[next]
		if q.printed == nil || q.printed.Count < 0 || normalSQL(q.sql) != normalSQL(p.sql) {
			continue
		}
		p.printed, p.comments = q.printed, append(p.comments, q.comments...)
		p.printed.Waited = true
		s.notes = append(s.notes, Note{q.line, fmt.Sprintf("%s stands here again with its answer: it is the one of line %d, which waited", quote(q.sql), p.line), false})
		s.out = slices.Delete(s.out, next, next+1)
	}
}

// shortWait is a setting by which who waits for a lock is refused soon.
var shortWait = lazily(`(?i)lock_(?:wait_)?timeout\b\s*:?=\s*'?(?:[0-9]|10|[0-9]{1,4}\s*ms)'?\s*$`)

// refused keeps what comes after a statement that its text shows to be refused after it has waited until it is: the next one is not sent
// before. Only where the text makes such waits short: nobody waits for the usual minute.
func (s *scanner) refused() {
	short := false
	for i := range s.out {
		p := &s.out[i]
		short = short || shortWait.MatchString(p.sql)
		const timeout = 1205
		if short && p.ofSession() && p.printed != nil && p.printed.Err == timeout && i+1 < len(s.out) && s.out[i+1].tag != p.tag && !slices.Contains(s.out[i+1].idle, p.tag) {
			s.out[i+1].idle = append(s.out[i+1].idle, p.tag)
		}
	}
}

// answered says whether all statements of sessions before one, and one at least, have their answers printed.
func (s *scanner) answered(at int) bool {
	n := 0
	for _, p := range s.out[:at] {
		if p.ofSession() {
			if p.printed == nil {
				return false
			}
			n++
		}
	}
	return n > 0
}

// toldSQL is a statement within what people say.
var toldSQL = lazily(`(?i)\b(?:update\s+[\w.` + "`" + `"]+\s+set\b|insert\s+into\b|delete\s+from\b|select\b.+\bfrom\b|replace\s+into\b|alter\s+table\b)`)

// tell remembers that a remark tells of a statement of another session.
func (s *scanner) tell(line string, at int) {
	if all := speaksOf(line); len(all) == 1 && toldSQL.MatchString(line) {
		s.told = append(s.told, mention{s.session(all[0]), at})
	}
}

// quotesNext says whether a line has the statement in it that stands on the next one.
func (s *scanner) quotesNext(line string) bool {
	next := withoutPrompt(lineOf(strings.TrimLeft(s.text[s.pos+len(s.rest()):], " \t\n")))
	flat := func(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
	return isStatement(next) && strings.Contains(flat(line), flat(strings.TrimRight(next, "; ")))
}

// untold is the error where a remark tells of a statement of a session that has none.
func (s *scanner) untold() error {
	for _, m := range s.told {
		if !slices.ContainsFunc(s.tags(), func(tag string) bool { return number.FindString(tag) == number.FindString(m.session) }) {
			return s.parseError(m.line, "it tells of a statement of %s, which has none of its own here: write that as a statement, with its session in front (T1> …;)",
				s.called([]string{m.session})[0])
		}
	}
	return nil
}

// cells is the error where what was taken for printed rows holds statements.
func (s *scanner) cells() error {
	if len(s.gaps) > 0 {
		return s.parseError(s.gaps[0], "something stands here for a statement that the text gives elsewhere: write it out")
	}
	const least = 2
	if len(s.celled) < least {
		return nil
	}
	return s.parseError(s.celled[0], "a table with statements, and it is not clear which sessions its columns are: give them a heading (| session 1 | session 2 |), "+
		"or put the session in front of each statement (T1> …;)")
}

// number is what tells a session from others: the number or letter with which its name ends.
var number = lazily(`(?:\d+|.)$`)

// everySession is how prose names all sessions at once.
var everySession = lazily(`(?i)\b(?:each|both|all|every)\b(?: (?:of )?(?:the )?(?:two |three |open )?(?:sessions?|transactions?|clients?|terminals?|windows?|connections?))?`)

// endsAll says whether prose speaks of the end of every session's transaction.
func endsAll(line string) bool {
	return (ending.MatchString(line) || endWord.MatchString(line)) && everySession.MatchString(line) && len(line) < 100
}

var endWord = lazily("\\bEND;|`END;?`|\\bend (?:the|both|each) transactions?\\b")

// autocommitOff is how prose says that no session commits by itself.
var autocommitOff = lazily(`(?i)\b(?:disabl\w+|switch\w* off|turn\w* off|without|no)\s+(?:the\s+)?auto-?commit\b|` +
	`\bauto-?commit\b(?:\s+(?:option|mode))?\s*(?:is|was|are|=|:|set to)?\s*(?:off|disabled|0|false)\b`)

// withoutAutocommit sends what such prose says, before the first statement of each session.
func (s *scanner) withoutAutocommit() {
	line := 0
	for i, l := range strings.Split(s.text, "\n") {
		if len(l) < 400 && autocommitOff.MatchString(l) && !isStatement(withoutPrompt(l)) {
			line = i + 1
			break
		}
	}
	if line == 0 || len(s.tags()) < 2 || slices.ContainsFunc(s.out, func(p piece) bool { return autocommit.MatchString(p.sql) || sqltext.KindOf(p.sql) == sqltext.Begin }) {
		return
	}
	if s.ansi {
		s.notes = append(s.notes, Note{line, "it says that autocommit is off, which this target has no setting for: begin each transaction (BEGIN;)", true})
		return
	}
	seen := map[string]bool{}
	for i := 0; i < len(s.out); i++ {
		if p := s.out[i]; p.ofSession() && !seen[p.tag] {
			seen[p.tag] = true
			s.out = slices.Insert(s.out, i, piece{line: p.line, tag: p.tag, sql: "SET autocommit = 0"})
			i++
		}
	}
	s.notes = append(s.notes, Note{line, "it says that autocommit is off: each session begins with SET autocommit = 0", false})
}

// loneBar is a line of nothing but a bar: what copying a tracker's numbered lines leaves behind each.
var loneBar = lazily(`(?m)^[ \t]*\|[ \t]*$`)

// withoutBars takes such lines out of a text that has no tables.
func withoutBars(text string) string {
	const least = 3
	if len(loneBar.FindAllStringIndex(text, least)) < least || strings.Count(text, "|") != len(loneBar.FindAllStringIndex(text, -1)) {
		return text
	}
	return loneBar.ReplaceAllString(text, "")
}
