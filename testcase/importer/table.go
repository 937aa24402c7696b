package importer

import (
	"slices"
	"strings"
)

// column is a session of a table of sessions: its name and the number of its cell.
type column struct {
	name string
	cell int
}

// table is a table with a column for each session, or with a column that names the session and one that holds its
// statement.
type table struct {
	*reader
	columns   []column
	who, what int         // cells of a table whose rows name their sessions; -1 else
	last      map[int]int // of each column: its last statement among the pieces
	open      map[int]bool
	other     []string // headings of columns that are none
	bare      bool     // no bar stands before the first cell
	width     int      // cells of its heading
}

// headerOf reads the heading of a table of sessions; nil for another line.
func headerOf(line string) *table {
	if strings.Count(line, "|") < 1 {
		return nil
	}
	t := &table{who: -1, what: -1, last: map[int]int{}, open: map[int]bool{},
		bare: !strings.HasPrefix(strings.TrimSpace(line), "|")}
	heading := rowOf(line, t.bare)
	t.width = len(heading)
	for n, cell := range heading {
		cell = strings.Trim(cell, "*_` :")
		name, _, _ := strings.Cut(cell, "(")
		switch kind := strings.ToLower(strings.TrimSuffix(cell, " id")); {
		case isSession(strings.TrimSpace(name)), len(cell) == 1 && isShort(cell) && cell[0] > '9':
			t.columns = append(t.columns, column{named(strings.TrimSpace(name)), n})
		case slices.Contains([]string{"session", "transaction", "txn", "trx", "connection", "client", "thread"},
			kind) && t.who < 0:
			t.who = n
		case slices.Contains([]string{"statement", "sql", "query", "operation", "sql statement"}, kind) && t.what < 0:
			t.what = n
		case cell != "":
			t.other = append(t.other, cell)
		}
	}
	if len(t.columns) > 1 {
		t.who, t.what = -1, -1
		return t
	}
	if t.columns = nil; t.who >= 0 && t.what >= 0 {
		return t
	}
	return nil
}

// isCount says whether a heading is that of a column which counts the rows.
func isCount(heading string) bool {
	return slices.Contains([]string{"time", "step", "t", "#", "no", "no."}, strings.ToLower(heading))
}

// rowOf splits a row at its bars; Jira's headings have two. Where the heading has none before its first cell, one at
// the beginning says that the first cell is empty.
func rowOf(line string, bare bool) []string {
	line = strings.TrimSpace(line)
	if bare {
		line = "|" + line
	}
	if strings.HasPrefix(line, "||") && strings.HasSuffix(line, "||") {
		line = strings.ReplaceAll(line, "||", "|")
	}
	return cellsOf(line)
}

// isTableRule says whether a line divides a table: +---+---+, |---|:--:|.
func isTableRule(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && strings.Trim(line, "|+:-= \t") == "" && (strings.Contains(line, "-") || line[0] == '+')
}

// table reads a table that begins on a line; false where none does.
func (r *reader) table(number int) (bool, error) {
	line := r.rest()
	t := headerOf(line)
	if t == nil || r.printsIt(t) {
		return false, nil
	}
	t.reader = r
	if t.other = slices.DeleteFunc(t.other, isCount); len(t.other) > 0 {
		r.note(number, false, "columns that do not belong to a session are not read: %s", strings.Join(t.other, ", "))
	}
	r.pos += len(line)
	r.sticky = ""
	for r.pos < len(r.text) {
		next := r.pos + 1
		row := lineOf(r.text[next:])
		if trimmed := strings.TrimSpace(row); !strings.Contains(trimmed, "|") && !isTableRule(row) ||
			r.fences.opens(r.lineAt(next)) {
			break
		}
		r.pos = next + len(row)
		if isTableRule(row) {
			continue
		}
		if err := t.row(r.lineAt(next), row); err != nil {
			return false, err
		}
	}
	for n, open := range t.open {
		if p := &r.out[t.last[n]]; open && !begins(p.sql) {
			return false, r.src.errorf(p.line, "%s: a cell that is not a whole statement", quote(p.sql))
		}
	}
	return true, nil
}

// printsIt says whether the heading is that of rows which a client printed of the statement above: its columns have
// such names.
func (r *reader) printsIt(t *table) bool {
	p := r.last()
	above, _, _ := cutLast(r.text[:r.pos])
	_, above, _ = cutLast(above)
	return p != nil && strings.HasPrefix(strings.TrimSpace(above), "+-") && !slices.ContainsFunc(t.columns,
		func(c column) bool {
			return !strings.Contains(strings.ToLower(p.sql), strings.ToLower(c.name)) && strings.Contains(c.name, " ")
		}) && word(p.sql, 0) == "SELECT"
}

// row reads a row.
func (t *table) row(number int, row string) error {
	cells := rowOf(row, t.bare)
	if t.who >= 0 {
		return t.listed(number, cells)
	}
	for _, c := range t.columns {
		if c.cell < len(cells) {
			if err := t.cell(c, number, cells[c.cell]); err != nil {
				return err
			}
		}
	}
	for n, cell := range cells {
		if !slices.ContainsFunc(t.columns, func(c column) bool { return c.cell == n }) && isClosed(asCode(cell)) {
			return t.src.errorf(number, "%s: a statement in a column that is not a session's", quote(cell))
		}
	}
	if len(cells) > t.width {
		return t.src.errorf(number, "%d cells below a heading of %d: a bar within a cell is written \\|", len(cells),
			t.width)
	}
	return nil
}

// listed reads a row that names its session.
func (t *table) listed(number int, cells []string) error {
	if t.who >= len(cells) || t.what >= len(cells) {
		return t.src.errorf(number, "a row without a session or without a statement")
	}
	name := strings.Trim(cells[t.who], "*_` ")
	if name == "" && len(t.out) > 0 {
		name = t.names[t.out[len(t.out)-1].tag]
	}
	switch {
	case isSession(name), isSetup(name):
	case isShort(name) || len(name) == 1 && isLetter(name[0]):
		name = "session " + name
	case cells[t.what] != "":
		return t.src.errorf(number, "%s: no session's name: want a letter, a number or a name such as session 1 in "+
			"each row", quote(name))
	}
	n := slices.IndexFunc(t.columns, func(c column) bool { return normal(c.name) == normal(name) })
	if n < 0 {
		n = len(t.columns)
		t.columns = append(t.columns, column{name, n})
	}
	return t.cell(t.columns[n], number, cells[t.what])
}

// asCode is what a cell says, without a prompt and the marks of code; what stands behind those is a remark.
func asCode(cell string) string {
	cell = strings.TrimSpace(cell)
	for len(cell) > 1 && cell[0] == '*' && cell[len(cell)-1] == '*' { // bold, and not the star of SELECT *
		cell = cell[1 : len(cell)-1]
	}
	cell = strings.ReplaceAll(cell, "``", "`")
	if inner, ok := strings.CutPrefix(cell, "{code}"); ok { // Jira's, as are the two braces
		cell = strings.TrimSpace(strings.TrimSuffix(inner, "{code}"))
	}
	if strings.HasPrefix(cell, "{{") {
		cell = strings.NewReplacer("{{", "`", "}}", "`").Replace(cell)
	}
	code, rest, ok := strings.Cut(strings.TrimPrefix(cell, "`"), "`")
	if !strings.HasPrefix(cell, "`") || !ok || !begins(withoutPrompt(code)) {
		return withoutPrompt(cell)
	}
	code = withoutPrompt(code)
	switch rest = strings.TrimLeft(rest, "; "); {
	case rest == "":
		return code
	case strings.HasPrefix(rest, "`"): // another one
		return strings.TrimSuffix(code, ";") + "; " + asCode(rest)
	}
	return strings.TrimSuffix(code, ";") + "; -- " + strings.TrimPrefix(rest, "-- ")
}

// cell reads what one session does, or what it was answered.
func (t *table) cell(c column, number int, text string) error {
	for _, line := range breaks(text) {
		line = asCode(line)
		if line == "" {
			continue
		}
		if err := t.line(c, number, line); err != nil {
			return err
		}
	}
	return nil
}

// breaks are the lines of a cell.
func breaks(text string) []string {
	return strings.Split(strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n", "<BR>", "\n", `\\`,
		"\n").Replace(text), "\n")
}

// line reads a line of a cell.
func (t *table) line(c column, number int, text string) error {
	at, open := t.last[c.cell], t.open[c.cell]
	isFirst := begins(text) || strings.Contains(" UPDATE DELETE ", " "+word(text, 0)+" ")
	switch {
	case open && (!isFirst || !follows(t.out[at].sql, text)) && !isAnswer(text):
		t.open[c.cell] = !strings.HasSuffix(text, ";")
		t.out[at].sql += " " + strings.TrimSuffix(text, ";")
		return nil
	case !isFirst:
		if _, any := t.last[c.cell]; any && isAnswer(text) {
			t.tell(at, strings.TrimLeft(text, "-#/ "))
			return nil
		}
		return t.src.errorf(number, "%s: a cell of %s that is neither a statement nor what one answered (a remark "+
			"behind --, or in parentheses)", quote(text), c.name)
	}
	text, said := parted(text)
	list, left := statements(text)
	switch {
	case len(list) == 0:
		list = []string{text}
	case left != "" && !isAnswer(left):
		return t.src.errorf(number, "%s: neither a statement nor a remark behind --", quote(left))
	case left != "":
		said = left
	}
	for _, sql := range list {
		t.said[t.session(c.name)] = true
		t.last[c.cell] = len(t.out)
		t.open[c.cell] = !strings.HasSuffix(text, ";") && !isWhole(sql) && said == ""
		t.out = append(t.out, piece{line: number, tag: t.session(c.name), sql: flat(t.src, sql), own: true})
	}
	if said != "" {
		t.tell(t.last[c.cell], said)
	}
	return nil
}

// tell files a remark on a statement.
func (t *table) tell(at int, text string) {
	t.out[at].comments, t.out[at].told = append(t.out[at].comments, strings.Trim(text, "() ")), len(t.out)
	t.out[at].remarked(text)
}

// parted parts the statements of a line from what stands behind them: a remark, or an answer in parentheses or behind
// an arrow.
func parted(text string) (sql, said string) {
	if sql, said = behindRemark(text); said != "" {
		return strings.TrimSpace(sql), strings.TrimLeft(said, "-#/* ")
	}
	for _, arrow := range []string{" -> ", " => ", " → ", " ⇒ "} {
		if at := strings.LastIndex(text, arrow); at > 0 && !strings.ContainsAny(text[at:], "'\"") {
			return strings.TrimSpace(text[:at]), text[at+len(arrow):]
		}
	}
	if at := strings.LastIndex(text, " ("); at > 0 && strings.HasSuffix(text, ")") {
		if inner := text[at+2 : len(text)-1]; !strings.ContainsAny(inner, "()'") && isAnswer(inner) &&
			!isShort(inner) && !strings.ContainsAny(inner[:1], "0123456789") {
			return strings.TrimSpace(text[:at]), inner
		}
	}
	return text, ""
}
