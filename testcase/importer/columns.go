package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

// column is a session of a table of sessions.
type column struct {
	name string
	at   int  // where its heading starts, counted in characters
	cell int  // number of its cell, where cells are marked
	open bool // no bar stands before the first cell
}

var (
	columnSession = lazily(`(?i)^[*_` + "`" + `\s]*(?:` + spelledSession +
		`|(?:transaction|txn|trx|tx|t|s|session|sess|connection|conn|con|client|terminal|window|thread|user|` +
		`worker|process|proc|shell|psql|tab|pane|console|task|job|agent|goroutine|node)[ _#-]{0,2}(?:\d+|[a-z])\b|c\d\b|` + foreignSession + `)[^|]{0,30}$`)
	columnTime = lazily(`(?i)^[*_\s]*(?:time|step|no\.?|#|seq|order|t|when|时间|步骤|顺序|時間|時刻|)[*_\s]*$`)
	ruler      = lazily(`^[\s|+:=-]*$`)
	breaks     = lazily(`(?i)<br\s*/?>`)
	gap        = lazily(`\t+| {2,}`)
)

// readColumns reads a table of sessions: a column for each of them, time downwards; cells are marked by bars, as in Markdown and
// in what clients print, or only by their place on the line. What stands above it is read as text, and so is its set-up.
func readColumns(s *scanner) ([]*scanner, error) {
	lines := strings.Split(s.text, "\n")
	tried := 0
	for i, line := range lines {
		columns, bars := headerOf(line)
		who, what, listed := listOf(line)
		if len(columns) < 2 && !listed {
			continue
		}
		if tried++; tried > mostHeadings {
			break
		}
		if !bars && len(columns) > 1 && !columnsSpeak(lines[i+1:], columns, bars) && onlyNames(line) {
			if columns = anchored(lines[i+1:], columns); columns == nil {
				return nil, s.parseError(i+1, "it names sessions side by side, and what each does does not stand below its name: put the session in front of each statement (T1> …;)")
			}
		}
		if listed = listed && listSpeaks(lines[i+1:], who, what); !listed && (len(columns) < 2 || !columnsSpeak(lines[i+1:], columns, bars)) {
			continue
		}
		above, err := s.above(lines[:i])
		if err != nil {
			return nil, err
		}
		out := s.part("", i+1)
		out.notes = above.notes
		t := table{s: out, columns: columns, bars: bars, last: make([]int, len(columns))}
		for n := range t.last {
			t.last[n] = -1
		}
		end := len(lines)
		for n, row := range lines[i+1:] {
			if listed && !t.listed(i+2+n, row, who, what) || !listed && !t.row(i+2+n, row) {
				end = i + 1 + n
				break
			}
		}
		out.out = append(out.prepared(above), out.out...)
		out.below(lines, end, len(above.out) == 0)
		return []*scanner{out}, nil
	}
	return nil, nil
}

// mostHeadings is how many lines that may be the heading of a table of sessions are looked at; rowsSeen, how many rows below one.
const (
	mostHeadings = 50
	rowsSeen     = 200
)

// above reads what stands above a table.
func (s *scanner) above(lines []string) (*scanner, error) {
	above := s.part("", 1)
	above.text = strings.Join(lines, "\n")
	above.names = map[string]string{}
	if fenced(above.text + "\n```") {
		inner, err := readFenced(above)
		if err != nil {
			return nil, err
		}
		return inner[0], nil
	}
	if err := above.scan(); err != nil {
		above.out = sentences(above) // prose with statements in it
	}
	return above, nil
}

// prepared is the set-up that stands above a table: what sessions do there too is a list of what they do in the table.
func (s *scanner) prepared(above *scanner) (out []piece) {
	for _, p := range above.out {
		if p.ofSession() && slices.ContainsFunc(s.out, func(q piece) bool { return normalSQL(q.sql) == normalSQL(p.sql) }) {
			if k := sqltext.KindOf(p.sql); k != sqltext.Set {
				s.notes = append(s.notes, Note{p.line, fmt.Sprintf("left out: %s stands in the table of sessions too", quote(p.sql)), false})
				continue
			}
		}
		p.tag = setupTag
		out = append(out, p)
	}
	return out
}

// below reads what stands below a table: its set-up, where none stands above it; statements that are nobody's are named.
func (s *scanner) below(lines []string, end int, setup bool) {
	rest := s.part("", 1)
	rest.text = strings.Repeat("\n", end) + strings.Join(lines[end:], "\n")
	var first []piece
	for _, p := range sentences(rest) {
		switch word(p.sql, 0) {
		case "CREATE", "INSERT":
			if setup {
				p.tag = setupTag
				first = append(first, p)
				continue
			}
		}
		s.notes = append(s.notes, Note{p.line, fmt.Sprintf("left out: %s stands below the table of sessions", quote(p.sql)), true})
	}
	s.out = append(first, s.out...)
}

// sentences are the lines of a text that are statements by themselves.
func sentences(s *scanner) (out []piece) {
	for i, line := range strings.Split(s.text, "\n") {
		line = strings.TrimSpace(line)
		text := labelled(line)
		if text == "" && isStatement(line) && strings.HasSuffix(line, ";") {
			text = line
		}
		if text == "" {
			for _, m := range inlineSQL.FindAllStringSubmatch(line, -1) {
				if defines(m[1]) {
					text += m[1] + ";"
				}
			}
		}
		for _, sql := range statements(text) {
			out = append(out, piece{line: i + 1, sql: sql})
		}
	}
	return out
}

// headerOf reads the names of the sessions out of a table's first line.
func headerOf(line string) (columns []column, bars bool) {
	if bars = strings.Contains(line, "|"); bars {
		for n, cell := range cellsOf(line, !strings.HasPrefix(strings.TrimSpace(line), "|")) {
			if columnSession.MatchString(strings.TrimSpace(cell)) { // others hold times, results, remarks
				columns = append(columns, column{name: strings.Trim(strings.TrimSpace(cell), "*_` :"), cell: n, open: !strings.HasPrefix(strings.TrimSpace(line), "|")})
			}
		}
		return columns, bars
	}
	line = untabbed(strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(line, "#"), "--"), " \t"))
	at := 0
	for _, cell := range gap.Split(line, -1) {
		start := at + strings.Index(line[at:], cell)
		at = start + len(cell)
		switch text := strings.Trim(strings.TrimSpace(cell), "*_` :-="); {
		case text == "":
		case columnSession.MatchString(text):
			columns = append(columns, column{name: text, at: start})
		case !columnTime.MatchString(text):
			return nil, bars
		}
	}
	return columns, bars
}

// columnsSpeak says whether two of the columns hold statements.
func columnsSpeak(rows []string, columns []column, bars bool) bool {
	speak := map[int]bool{}
	for i, row := range rows {
		if i > rowsSeen || len(speak) > 1 {
			break
		}
		for n, cell := range split(row, columns, bars) {
			if isStatement(withoutPrompt(strings.Trim(cell, " `*"))) {
				speak[n] = true
			}
		}
	}
	return len(speak) > 1
}

// onlyNames says whether a line holds names of sessions and nothing else, far from each other.
func onlyNames(line string) bool {
	cells := farApart.Split(strings.TrimSpace(untabbed(line)), -1)
	return len(cells) > 1 && !slices.ContainsFunc(cells, func(cell string) bool {
		return !wholeSession.MatchString(strings.Trim(cell, decoration))
	})
}

var farApart = lazily(` {4,}`)

// anchored gives columns the places where their statements begin, where those stand beside the headings; nil where it is not clear whose
// they are.
func anchored(rows []string, columns []column) []column {
	const apart = 8 // characters, at least, between two columns' statements
	var starts []int
	for i, row := range rows {
		if i > rowsSeen {
			break
		}
		row = untabbed(row)
		at := 0
		for _, cell := range gap.Split(row, -1) {
			if cell == "" {
				continue
			}
			start := at + strings.Index(row[at:], cell)
			at = start + len(cell)
			if isStatement(withoutPrompt(strings.Trim(cell, " `*"))) {
				starts = append(starts, start)
			}
		}
	}
	slices.Sort(starts)
	var groups []int
	for i, at := range starts {
		if i == 0 || at-starts[i-1] >= apart {
			groups = append(groups, at)
		}
	}
	if len(groups) != len(columns) {
		return nil
	}
	columns = slices.Clone(columns)
	for i := range columns {
		columns[i].at = groups[i]
	}
	return columns
}

// cellsOf splits a row at its bars. In an open one no bar stands before the first cell or behind the last one, so that one at the
// beginning says that the first cell is empty.
func cellsOf(line string, open bool) []string {
	line = strings.TrimSpace(line)
	if !open {
		line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	}
	line = strings.ReplaceAll(line, `\|`, "\x01")
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "\x01", "|")
	}
	return cells
}

func untabbed(line string) string {
	var b strings.Builder
	width := 0
	for _, r := range line {
		if r != '\t' {
			b.WriteRune(r)
			width++
			continue
		}
		for {
			b.WriteByte(' ')
			if width++; width%8 == 0 {
				break
			}
		}
	}
	return b.String()
}

// split returns the text of each column on a line.
func split(line string, columns []column, bars bool) []string {
	out := make([]string, len(columns))
	if bars {
		cells := cellsOf(line, columns[0].open)
		for n, c := range columns {
			if c.cell < len(cells) {
				out[n] = strings.TrimSpace(cells[c.cell])
			}
		}
		return out
	}
	line = untabbed(line)
	at := 0
	for _, cell := range gap.Split(line, -1) {
		if cell == "" {
			continue
		}
		start := at + strings.Index(line[at:], cell)
		at = start + len(cell)
		best := -1
		for n, c := range columns {
			if c.at <= start+2 {
				best = n
			}
		}
		if best >= 0 {
			out[best] = strings.TrimSpace(out[best] + " " + cell)
		}
	}
	return out
}

// table is a table of sessions while its rows are read.
type table struct {
	s       *scanner
	columns []column
	bars    bool
	last    []int // of each column: its last statement among the pieces, -1 for none
}

// row reads one line; false where the table has ended.
func (t *table) row(line int, text string) bool {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" && t.bars, fence.MatchString(trimmed):
		return len(t.s.tags()) == 0
	case trimmed == "" || ruler.MatchString(text):
		return true
	case labelled(trimmed) != "":
		return false
	case t.bars && !strings.Contains(text, "|"):
		return false
	}
	for n, cell := range split(text, t.columns, t.bars) {
		for _, sql := range breaks.Split(cell, -1) {
			t.cell(n, line, asCode(sql))
		}
	}
	return true
}

// cell reads what one session does, or what it was answered.
func (t *table) cell(n, line int, text string) {
	text = withoutPrompt(text)
	said := ""
	if m := cellRemark.FindStringSubmatch(text); m != nil && isStatement(m[1]) {
		text = strings.TrimSuffix(strings.TrimSpace(m[1]), ";") + "; -- " + m[2]
		said = m[2]
	}
	if placeholder.MatchString(text) {
		t.s.gaps = append(t.s.gaps, line)
		return
	}
	if text == "" {
		return
	}
	if at := t.last[n]; !isStatement(text) || at >= 0 && !t.closed(at) && goesOn(t.s.out[at].sql, text) {
		if at >= 0 && !t.closed(at) && !remarkLike.MatchString(text) {
			p := &t.s.out[at]
			p.sql += " " + strings.TrimSuffix(text, ";")
			p.open = !strings.HasSuffix(text, ";")
		} else if at >= 0 {
			t.s.out[at].comments = append(t.s.out[at].comments, text)
		}
		return
	}
	for _, sql := range statements(text) {
		t.last[n] = len(t.s.out)
		t.s.out = append(t.s.out, piece{line: line, tag: t.s.session(t.columns[n].name), sql: sql, open: !strings.HasSuffix(text, ";")})
	}
	if said != "" && t.last[n] >= 0 {
		p := &t.s.out[t.last[n]]
		p.open, p.comments = false, append(p.comments, said)
		p.remarked(said)
	}
}

// cellRemark is what became of a statement, in parentheses behind it.
var cellRemark = lazily(`(?i)^(.*?)\s*[_*]*\(((?:now |it )?(?:block|wait|hang|stuck|deadlock|error|ok\b|fails?|succeed|\d+ rows?)[^()]*)\)[_*.]*$`)

// goesOn says whether a line that might be a statement is the further line of one: UPDATE t, below it SET a = 1.
func goesOn(sql, next string) bool {
	switch first, all := word(sql, 0), words(sql, -1); word(next, 0) {
	case "SET":
		return first == "UPDATE" && !slices.Contains(all, "SET") || first == "INSERT" && len(all) < 4
	case "SELECT", "VALUES", "WITH":
		return (first == "INSERT" || first == "REPLACE") && !slices.Contains(all, "VALUES") && !slices.Contains(all, "SELECT")
	}
	return false
}

// codeCell is a cell that holds a statement as code, and something behind it.
var codeCell = lazily("^`([^`]+)`\\s*(.*)$")

// asCode is what a cell says, without the marks of code; what stands behind them is a remark.
func asCode(cell string) string {
	cell = strings.Trim(strings.TrimSpace(cell), "*")
	m := codeCell.FindStringSubmatch(cell)
	if m == nil || !isStatement(m[1]) {
		return cell
	}
	switch rest := strings.TrimLeft(m[2], "; "); {
	case rest == "":
		return m[1]
	case strings.HasPrefix(rest, "`"): // another one
		return strings.TrimSuffix(strings.TrimSpace(m[1]), ";") + "; " + asCode(rest)
	default:
		return strings.TrimSuffix(strings.TrimSpace(m[1]), ";") + "; -- " + rest
	}
}

var remarkLike = lazily(`(?i)^(?:--|#|/\*|\(|\[|->|=>|→|ok\b|query ok|empty|error|blocked|block|wait|hang|result|\d+ rows?|returns?\b|deadlock|success)`)

// closed says whether a statement has had its semicolon, or is one word.
func (t *table) closed(at int) bool {
	p := &t.s.out[at]
	return !p.open || len(strings.Fields(p.sql)) == 1
}

// statements splits a text at its semicolons; remarks behind them are left out.
func statements(text string) (out []string) {
	var b strings.Builder
	take := func() {
		if sql := strings.TrimSpace(b.String()); sql != "" && isStatement(sql) {
			out = append(out, sql)
		}
		b.Reset()
	}
	for t := range lexer.Tokens(text) {
		if t.Text == ";" {
			take()
			continue
		}
		b.WriteString(t.Text)
	}
	take()
	return out
}
