package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// errorCode is the code of an error as clients and people write it: a number, or an SQLSTATE.
var errorCode = regexp.MustCompile(`(?i)\berror:?\s*(?:code:?\s*|sqlstate:?\s*)?\(?(\d{4}|\d[\dA-Z]{4})\b`)

// printedCount is what clients say of how many rows there were.
var printedCount = regexp.MustCompile(`(?i)^(?:(\d+) rows? in set|query ok, (\d+) rows? affected|` +
	`\((\d+) rows?\)$|(?:(?:update|delete|merge|select)|insert 0) (\d+)$)`)

// waits says whether a remark says that a statement waited.
func waits(text string) bool {
	w := strings.Fields(strings.ToLower(strings.TrimLeft(text, "([<=>*_← -")))
	for len(w) > 1 && slices.Contains([]string{"is", "will", "this", "it", "now"}, w[0]) {
		w = w[1:]
	}
	return len(w) > 0 && slices.Contains([]string{"block", "blocks", "blocked", "blocking", "wait", "waits", "waiting",
		"hang", "hangs"}, strings.Trim(w[0], ".,:;)]>!_*…"))
}

// remarked takes from a remark what it says of the statement's answer.
func (p *piece) remarked(text string) {
	if !waits(text) && !strings.HasPrefix(strings.ToLower(text), "error") && speaksOfOther(text, p.tag) {
		return
	}
	if waits(text) {
		p.answer().Waited = true
	}
	if m := errorCode.FindStringSubmatch(text); m != nil && p.answer().Err == "" {
		p.answer().Err = strings.ToUpper(m[1])
	}
	s, led, stated := told(text)
	values, _ := valuesOf(strings.TrimSpace(text))
	switch query := sqltext.KindOf(p.sql) == sqltext.Select; {
	case stated:
		take(p.answer(), s)
	case (led || values != nil && query) && !waits(text) && p.answer().Err == "":
		p.unclear = true
	}
	p.unsaid()
}

// take takes what a remark says, where nothing was printed.
func take(a *testcase.Printed, s saying) {
	if a.Rows != nil || a.Count >= 0 || a.Err != "" || a.Message != "" {
		return
	}
	a.Rows, a.Cells, a.Count, a.Affected = s.rows, s.cells, s.count, s.affected
	a.Fine, a.Message, a.Loose, a.Expected = s.fine, s.message, s.loose, s.expected
}

// answerWords begin what people write of an answer, in a cell or behind a mark.
var answerWords = strings.Fields(`ok query empty error blocked block blocks blocking wait waits waiting hang hangs
	hung result results returns return deadlock success succeeds fails failed unblocked unblocks resumes goes gives
	sees shows prints rows row updated inserted deleted affected`)

// isAnswer says whether a text is what a statement answered: it begins with such a word, a number, or a mark that no
// statement has.
func isAnswer(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || isRemark(text) || isSaid(text) || isAnswerLine(text) {
		return true
	}
	if strings.ContainsRune("([<=>*←→0123456789", []rune(text)[0]) {
		return true
	}
	first := strings.ToLower(strings.Trim(strings.Fields(text)[0], ".,:;!…"))
	return slices.Contains(answerWords, first) && !begins(text)
}

// isAnswerLine says whether a line has a shape that clients print, in a text of any kind.
func isAnswerLine(line string) bool {
	low := strings.ToLower(line)
	for _, start := range []string{"+--", "|", "query ok", "empty set", "error ", "error:", "rows matched:",
		"records:", "database changed", "statement prepared", "bye", "warning ", "note ",
		"changed:", "time: ", "^c", "ctrl-c --", "no connection. ", "connection id: ", "current database: ", "*****"} {
		if strings.HasPrefix(low, start) {
			return true
		}
	}
	return printedCount.MatchString(line) && !begins(line)
}

// answers takes a line that a client printed; false for another one.
func (r *reader) answers(line string) bool {
	p := r.answered()
	if p == nil || r.serial {
		return false
	}
	if r.vertical = strings.HasPrefix(line, "*****") || strings.HasPrefix(line, "-[ RECORD ") || r.vertical &&
		strings.ContainsAny(line, ":|") && !r.speaks(line); r.vertical {
		p.comments = append(p.comments, line)
		return true
	}
	if !isAnswerLine(line) {
		return (r.signs.prompts && r.prompts.seen || r.frame || r.beginsFrame(line)) && r.answersPrompt(p, line)
	}
	a := p.answer()
	switch m := printedCount.FindStringSubmatch(line); {
	case m != nil:
		a.Count, _ = strconv.Atoi(m[1] + m[2] + m[3] + m[4])
		a.Affected, r.frame = m[2]+m[4] != "", false
	case strings.HasPrefix(line, "|"):
		r.bars(p, line)
		return true
	case strings.HasPrefix(strings.ToLower(line), "empty set"):
		a.Rows, a.Count = [][]string{}, 0
	case strings.HasPrefix(strings.ToLower(line), "error"):
		if p.remarked(line); a.Err == "" {
			r.failed(p, line)
		}
	}
	p.told = len(*r.list())
	p.unsaid()
	return true
}

// failed takes an error that a client prints without a code: ERROR:  relation "t" does not exist; Runtime error near
// line 3: database is locked (5).
func (r *reader) failed(p *piece, line string) {
	p.comments = append(p.comments, line)
	kind, message, ok := strings.Cut(line, ": ")
	first, _, _ := strings.Cut(strings.ToLower(kind), " ")
	if !ok || !r.prompts.seen || first != "error" && first != "runtime" {
		return
	}
	message = strings.TrimPrefix(strings.TrimSpace(message), "stepping, ")
	if at := strings.LastIndex(message, " ("); at > 0 && strings.Trim(message[at:], " ()0123456789") == "" {
		message = message[:at]
	}
	a := p.answer()
	a.Message, a.Loose, p.told = message, false, len(*r.list())
}

// gaveUp are messages of a wait for a lock that lasted as long as it was allowed to, and gaveUpCode is the code of one.
var gaveUp = []string{"lock wait timeout exceeded", "due to lock timeout", "database is locked"}

const gaveUpCode = "1205"

// gaveUp says whether the text says that a statement waited for a lock as long as it was allowed to.
func (p *piece) gaveUp() bool {
	if a := p.printed; a != nil && a.Err == gaveUpCode {
		return true
	}
	return slices.ContainsFunc(p.comments, func(said string) bool {
		return slices.ContainsFunc(gaveUp, func(m string) bool { return strings.Contains(strings.ToLower(said), m) })
	})
}

// waitOut has what comes next in the text sent once such a statement has answered: a COMMIT that lets it go on would
// change its answer.
func (p *part) waitOut() {
	for i := range p.out {
		q := &p.out[i]
		if next := max(q.told, i+1); q.gaveUp() && next < len(p.out) && !slices.Contains(p.out[next].idle, q.tag) {
			p.out[next].idle = append(p.out[next].idle, q.tag)
		}
	}
}

// unsaid forgets an answer of which nothing was said that can be compared.
func (p *piece) unsaid() {
	if a := p.printed; a != nil && a.Columns == nil && a.Rows == nil && a.Count < 0 && a.Err == "" && a.Message == "" &&
		!a.Waited && !a.Fine {
		p.printed = nil
	}
}

// answered is the statement whose answer comes now: the last one, or below its session's heading the one that had
// waited.
func (r *reader) answered() *piece {
	list := *r.list()
	if len(list) == 0 {
		return nil
	}
	for i := len(list) - 1; i >= 0 && r.sticky != ""; i-- {
		if list[i].tag == r.sticky {
			return &list[i]
		}
	}
	return &list[len(list)-1]
}

// bars takes a row between bars, of a statement that returns rows.
func (r *reader) bars(p *piece, line string) {
	end := strings.LastIndexByte(line, '|') + 1
	cells := cellsOf(line[:end])
	number := r.lineAt(r.pos)
	for _, cell := range append(cells, strings.TrimSpace(line[end:])) {
		if isClosed(asCode(cell)) {
			r.err = r.src.errorf(number, "%s: a table with statements whose columns name no sessions: %s", quote(line),
				giveHeading)
		}
	}
	switch word(p.sql, 0) {
	case "CREATE", "DROP", "ALTER", "BEGIN", "START", "COMMIT", "ROLLBACK", "SET":
		r.err = r.src.errorf(number,
			"%s: rows that no statement returned: write INSERT INTO … VALUES …; for rows that are there at the "+
				"beginning", quote(line))
	}
	if isTableRule(line) {
		return
	}
	r.row(p, cells)
}

// row files a row of a printed table: the first one holds the columns' names.
func (r *reader) row(p *piece, cells []string) {
	a := p.answer()
	if a.Columns == nil {
		a.Columns, a.Rows = cells, [][]string{}
		return
	}
	p.ragged = p.ragged || len(cells) != len(a.Columns)
	a.Rows = append(a.Rows, cells)
}

// cellsOf splits a row at its bars, blanks around the cells left out.
func cellsOf(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x01"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "\x01", "|"))
	}
	return cells
}
