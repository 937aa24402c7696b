package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// fence is one of a Markdown text's, or of Jira's.
type fence struct {
	from, to int // lines between its marks, from 1
	lang     string
	title    string // of Jira's
	head     string // the Markdown heading above it
	lead     string // the line above it
	left     string // why it is left out; "" where it is taken
	kind     string // the format that stands by itself of which it is; "" for another one
	defines  bool   // it holds tables and rows alone
	missing  bool   // what is left out sends statements
}

// fences are those of a text, and what stands outside that is read. nil is that of a text without any.
type fences struct {
	list   []fence
	opened map[int]bool // first lines of those that are taken
	tables map[int]bool // lines of tables outside
	heads  map[int]bool // headings outside
	lines  []string     // of the text
	ends   []int        // lines outside with a COMMIT or ROLLBACK as code
	holder string       // what holds the statements: "the fences" and the like
	first  int          // the line above the first one that can be of use, and the last: those of toRepeat
	last   int
}

func (f *fences) opens(line int) bool   { return f != nil && f.opened[line] }
func (f *fences) isTable(line int) bool { return f != nil && f.tables[line] }
func (f *fences) outside(line int) bool { return f != nil && f.heads[line] }

// at is the number of the fence that a line is in, from 1; 0 for none.
func (f *fences) at(line int) int {
	if f == nil {
		return 0
	}
	return 1 + slices.IndexFunc(f.list, func(x fence) bool { return x.from <= line && line <= x.to })
}

// leadOf is what stands above a line's fence.
func (f *fences) leadOf(line int) string {
	if n := f.at(line); n > 0 {
		return strings.Trim(f.list[n-1].lead, "#*_ :")
	}
	return ""
}

// takenLangs are the languages of the fences that are taken; resultHeads are words of headings below which a fence is
// not.
var (
	takenLangs = strings.Fields("sql mysql mariadb postgresql postgres pgsql plpgsql sqlite tidb text txt plain " +
		"plaintext console none noformat go golang")
	resultHeads = strings.Fields("expect expected actual instead version environment output log logs result results " +
		"workaround")
)

// fenceMark reads a line that opens a fence, or closes one: ```sql, ~~~, {code:sql|title=x}, {noformat}.
func fenceMark(line string) (mark, lang, title string) {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		if rest, ok := strings.CutPrefix(line, mark); ok && !strings.Contains(rest, "`") {
			lang, _, _ = strings.Cut(strings.TrimLeft(rest, mark[:1]+" "), " ")
			return mark, strings.ToLower(lang), ""
		}
	}
	for _, mark := range []string{"{code", "{noformat"} {
		rest, ok := strings.CutPrefix(line, mark)
		if !ok || !strings.HasSuffix(rest, "}") || rest != "}" && rest[0] != ':' {
			continue
		}
		for _, option := range strings.Split(strings.Trim(rest, ":}"), "|") {
			if t, ok := strings.CutPrefix(option, "title="); ok {
				title = t
			} else if option != "" && !strings.Contains(option, "=") {
				lang = strings.ToLower(option)
			}
		}
		return mark, lang, title
	}
	return "", "", ""
}

// fencesOf finds the fences of a text, and why some are left out; nil where it has none.
func fencesOf(s *source) (*fences, error) {
	f := &fences{opened: map[int]bool{}, tables: map[int]bool{}, heads: map[int]bool{}}
	lines := s.lines()
	f.lines = lines
	open, head, lead := "", "", ""
	for i, line := range lines {
		mark, lang, title := fenceMark(line)
		switch {
		case open != "" && mark == open && lang == "":
			f.list[len(f.list)-1].to = i
			open, lead = "", ""
		case open == "" && mark != "":
			open = mark
			f.list = append(f.list, fence{from: i + 2, to: len(lines), lang: lang, title: title, head: head,
				lead: lead})
		case open == "" && strings.TrimSpace(line) != "":
			if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed,
				"h3. ") {
				head = line
			}
			lead = line
		}
	}
	if len(f.list) == 0 && isIndented(lines) && !isGo(s) && !isOwn(s) {
		f.indented(lines)
	}
	f.holder = "the fences"
	f.first, f.last = toRepeat(lines)
	if len(f.list) == 0 && !f.unmarked(s, lines) {
		return nil, nil
	}
	if len(f.list) > maxFences {
		return nil, s.errorf(1, "more than %d fences: no report has that many", maxFences)
	}
	f.judge(lines)
	f.oneKind(s, lines)
	return f, nil
}

// judge says of each fence whether it is taken.
func (f *fences) judge(lines []string) {
	for i := range f.list {
		if f.list[i].judge(lines); f.list[i].from < f.first || f.list[i].from > f.last {
			f.list[i].left = "it does not stand under How to repeat"
		}
		if f.tellsError(i) {
			f.list[i].left = ""
		}
	}
}

// toRepeat are the lines that show how to repeat it, in a report of MySQL's tracker, which has a description above, or
// no statement: from the number of the heading to that of the last line, counted from 1. from is 0 in another text.
func toRepeat(lines []string) (from, to int) {
	to = len(lines)
	described, stated := false, false
	for i, line := range lines {
		switch strings.ToLower(strings.Trim(line, "#*: \t")) {
		case "description":
			described = true
		case "how to repeat":
			if described || !stated {
				from = i + 1
			}
		case "suggested fix":
			to = i
		default:
			stated = stated || holdsStatement(line)
		}
	}
	return from, to
}

// unmarked finds what holds the statements of a text without fences, and may have prose around it: the part of a
// report of MySQL's tracker that shows how to repeat it, or tables. false where nothing does.
func (f *fences) unmarked(s *source, lines []string) bool {
	if kind, _ := kindOf(s, lines); kind != "" {
		return false
	}
	if f.first > 0 && f.first < f.last {
		f.holder, f.list = "How to repeat", []fence{{from: f.first + 1, to: f.last}}
		return true
	}
	f.holder = "the tables"
	return f.onlyTables(lines)
}

// onlyTables says whether the statements of a text stand in tables of sessions, and nowhere else.
func (f *fences) onlyTables(lines []string) bool {
	found := false
	for i := 0; i < len(lines); i++ {
		switch {
		case headerOf(lines[i]) != nil && f.tableAt(lines, i):
			for found = true; i+1 < len(lines) && (strings.Contains(lines[i+1], "|") || isTableRule(lines[i+1])); i++ {
			}
		case holdsStatement(lines[i]):
			return false
		}
	}
	return found
}

// isDeep says whether a line is indented as Markdown's code is.
func isDeep(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// isIndented says whether the statements of a text stand in indented lines, with others around them.
func isIndented(lines []string) bool {
	inside, prose := 0, 0
	for _, line := range lines {
		switch {
		case isDeep(line) && holdsStatement(line):
			inside++
		case isDeep(line) || strings.TrimSpace(line) == "" || headingOf(line) != "" || isRemark(line):
		case isClosed(withoutMark(line)) || fromLog(line) || strings.HasPrefix(line, "step ") ||
			strings.HasPrefix(line, "session "):
			return false
		default:
			prose++
		}
	}
	return inside > 1 && prose > 0
}

// indented takes blocks of lines that begin with four blanks or a tab as fences: Markdown's other way to show code.
func (f *fences) indented(lines []string) {
	head, lead, blank := "", "", true
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if isDeep(line) && blank && strings.TrimSpace(line) != "" {
			x := fence{from: i + 1, to: blockEnd(lines, i), head: head, lead: lead}
			f.list = append(f.list, x)
			i = x.to - 1
			continue
		}
		if blank = strings.TrimSpace(line) == ""; !blank {
			if lead = line; strings.HasPrefix(line, "#") {
				head = line
			}
		}
	}
}

// blockEnd is the number of the last line of the indented block that begins there; results in it are a block of their
// own.
func blockEnd(lines []string, from int) (last int) {
	for i := from; i < len(lines) && (isDeep(lines[i]) || strings.TrimSpace(lines[i]) == ""); i++ {
		if i > from && slices.Contains(resultHeads, firstWord(lines[i:i+1])) {
			break
		}
		if strings.TrimSpace(lines[i]) != "" {
			last = i + 1
		}
	}
	return last
}

// oneKind leaves out the fences that are of another format than the first one with more than tables and rows.
func (f *fences) oneKind(s *source, lines []string) {
	first, chosen := 0, ""
	for i := range f.list {
		x := &f.list[i]
		x.kind, x.defines = kindOf(s, lines[x.from-1:x.to])
		if x.left == "" && !x.defines && first == 0 {
			first, chosen = x.from, x.kind
		}
	}
	for i := range f.list {
		if x := &f.list[i]; x.left == "" && first > 0 && x.kind != chosen && (chosen != "" || !x.defines) {
			x.left = fmt.Sprint("another format than that of the fence in line ", first)
			x.missing = x.defines
		}
	}
}

// kindOf is the format of lines that stands by itself; "" for statements, with marks or without. They may define tables
// and rows alone.
func kindOf(s *source, lines []string) (kind string, onlyDefines bool) {
	inner := *s
	inner.text = strings.Join(lines, "\n")
	for i := range formats[:firstOfText] {
		if formats[i].is(&inner) {
			return formats[i].name, false
		}
	}
	return "", !slices.ContainsFunc(lines, func(line string) bool {
		return holdsStatement(line) && !defines(strings.TrimSpace(line))
	})
}

// maxFences is how many fences a text may have.
const maxFences = 1000

// judge says whether a fence is taken: one in a language of those that are read, not below a heading of results, with a
// statement.
func (x *fence) judge(lines []string) {
	inner := lines[x.from-1 : x.to]
	switch {
	case x.lang != "" && !slices.Contains(takenLangs, x.lang):
		x.left, x.missing = "its language is "+x.lang, slices.ContainsFunc(inner, speaksSQL)
	case slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(x.head), func(c rune) bool {
		return c < 'a' ||
			c > 'z'
	}),
		func(w string) bool { return slices.Contains(resultHeads, w) }):
		x.left = "it stands under " + quote(strings.Trim(x.head, "#*_ :"))
	case slices.Contains(resultHeads, firstWord(inner)):
		x.left = "it holds results"
	case !slices.ContainsFunc(inner, holdsStatement):
		x.left = noStatement
	}
}

// noStatement is why a fence without a statement is left out.
const noStatement = "it holds no statement"

// tellsError says whether a fence holds the error that the last statement of the one above was answered, and nothing
// else. What ends a transaction, or sets something, may stand below the statement that failed.
func (f *fences) tellsError(i int) bool {
	x := &f.list[i]
	if x.left != noStatement || i == 0 || f.list[i-1].left != "" || strings.Contains(strings.ToLower(x.lead), "expect") ||
		!strings.HasPrefix(strings.TrimSpace(f.lines[x.from-1]), "ERROR ") {
		return false
	}
	for _, line := range f.lines[x.from-1 : x.to] {
		if line = strings.TrimSpace(line); line != "" && !isAnswerLine(line) {
			return false
		}
	}
	above := f.list[i-1]
	for _, line := range slices.Backward(f.lines[above.from-1 : above.to]) {
		if sql := withoutPrompt(withoutMark(strings.TrimSpace(line))); begins(sql) {
			return sqltext.KindOf(sql).IsTarget()
		}
	}
	return false
}

// speaksSQL says whether a line of another language has a statement in it.
func speaksSQL(line string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc([]string{"insert into ", "delete from ", "update ", "commit", "select ", "begin"},
		func(words string) bool { return strings.Contains(line, words) })
}

// firstWord is the word with which lines begin, in small letters.
func firstWord(lines []string) string {
	for _, line := range lines {
		if w := strings.Fields(strings.ToLower(line)); len(w) > 0 {
			return w[0]
		}
	}
	return ""
}

// holdsStatement says whether a statement begins on a line, behind a mark, a prompt or in a cell.
func holdsStatement(line string) bool {
	line = strings.TrimSpace(line)
	m := frontMark(line)
	if begins(line) || begins(withoutPrompt(line[m.length:])) || fromLog(line) || callsDatabase(line) ||
		strings.HasPrefix(line, "step ") {
		return true
	}
	return strings.Contains(line, "|") && slices.ContainsFunc(rowOf(line, false),
		func(cell string) bool { return begins(asCode(cell)) && !isRemark(cell) })
}

// unfenced leaves of a text the fences that are taken, headings of sessions and tables; other lines are blank, so that
// each stays where it is. Notes say what is not read.
func (f *fences) unfenced(s *source) (text string, notes []Note, err error) {
	lines := s.lines()
	out := make([]string, len(lines))
	taken := false
	for _, x := range f.list {
		if x.left != "" {
			notes = append(notes, Note{x.from - 1, "a fence is left out: " + x.left, x.missing})
			continue
		}
		if taken = true; isSession(x.title) {
			out[x.from-2] = x.title + ":"
			f.heads[x.from-1] = true
		}
		copy(out[x.from-1:x.to], lines[x.from-1:x.to])
		f.opened[x.from] = true
	}
	prose, err := f.around(s, lines, out)
	switch {
	case err != nil:
		return "", nil, err
	case !taken && len(f.tables) == 0:
		left := f.list[0].left
		if f.list[0].missing {
			left += ": " + handOver
		}
		return "", nil, s.errorf(f.list[0].from, "no fence holds statements that can be read: %s", left)
	case len(prose) > 0:
		notes = append([]Note{{prose[0], "outside of " + f.holder + ", not read: " + ranges(prose), false}}, notes...)
	}
	return strings.Join(out, "\n"), append(notes, f.spoken(lines, out, prose)...), nil
}

// around reads what stands outside of the fences: headings and tables, which go into out, and prose, whose lines it
// returns.
func (f *fences) around(s *source, lines, out []string) (prose []int, err error) {
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch mark, _, _ := fenceMark(line); {
		case f.at(i+1) > 0 || mark != "" || line == "" || isRule(line) || isTableRule(line):
		case headingOf(line) != "":
			out[i], f.heads[i+1] = lines[i], true
		case headerOf(line) != nil && f.tableAt(lines, i):
			for ; i < len(lines) && (strings.Contains(lines[i], "|") || isTableRule(lines[i])) && f.at(i+1) == 0; i++ {
				out[i], f.tables[i+1] = lines[i], true
			}
			i--
		case strings.Contains(line, "<td") || strings.Contains(line, "<th"):
			return nil, s.errorf(i+1, "%s: a table in HTML: write it with bars (| session 1 | session 2 |)", quote(line))
		case f.first > 0 && (i < f.first || i >= f.last):
			prose = append(prose, i+1)
		case isClosed(withoutMark(line)) && strings.HasSuffix(line, ";"):
			return nil, s.errorf(i+1, "%s: a statement outside of the fences: put it into one", quote(line))
		case strings.HasPrefix(line, "|") && slices.ContainsFunc(cellsOf(line),
			func(cell string) bool { return isClosed(asCode(cell)) }):
			return nil, s.errorf(i+1, "%s: a table with statements whose columns name no sessions: %s", quote(line),
				giveHeading)
		default:
			prose = append(prose, i+1)
		}
	}
	return prose, nil
}

// giveHeading says how the columns of a table get their sessions.
const giveHeading = "give them a heading (| session 1 | session 2 |)"

// isClosed says whether a text is a statement that ends: with its semicolon, or because it is whole.
func isClosed(text string) bool {
	return begins(text) && (strings.HasSuffix(text, ";") || isWhole(text))
}

// tableAt says whether the table that begins on a line holds a statement.
func (f *fences) tableAt(lines []string, at int) bool {
	for _, line := range lines[at:] {
		if !strings.Contains(line, "|") && !isTableRule(line) {
			break
		}
		if holdsStatement(line) {
			return true
		}
	}
	return false
}

// spoken names statements that stand as code in what is not read, and nowhere in what is. They are missing where the
// line speaks of a session, or they make a table.
func (f *fences) spoken(lines, out []string, prose []int) (notes []Note) {
	read := normalSQL(strings.Join(out, " "))
	for _, n := range prose {
		line := lines[n-1]
		for i, code := range strings.Split(line, "`") {
			sql := strings.TrimRight(strings.TrimSpace(code), "; ")
			if i%2 == 0 || !begins(sql) {
				continue
			}
			if k := sqltext.KindOf(sql); k == sqltext.Commit || k == sqltext.Rollback {
				f.ends = append(f.ends, n)
			}
			if !strings.Contains(read, normalSQL(sql)) {
				missing := speaks(line) || word(sql, 0) == "CREATE"
				notes = append(notes, Note{n, fmt.Sprintf("left out: %s stands outside of %s", quote(sql), f.holder),
					missing})
			}
		}
	}
	return notes
}

// whose is the error of a line above a fence that speaks of a session and is no heading, in a text without a session
// where a transaction goes on from one fence to the next: what stands in them may be several ones'.
func (f *fences) whose(s *source, p *part) error {
	if f == nil || len(p.tags()) > 0 {
		return nil
	}
	acting, spans := map[int]bool{}, false // fences that do more than define; a transaction goes on in the next one
	for i := range p.out {
		q := &p.out[i]
		acting[q.fence] = acting[q.fence] || !defines(q.sql) && sqltext.KindOf(q.sql) != sqltext.Set
		spans = spans || i > 0 && q.fence != p.out[i-1].fence && !ended(p.out[:i])
	}
	if !spans {
		return nil
	}
	if n := f.alternates(acting); n > 0 {
		return s.errorf(n, "%s: it stands above several fences, with another line above those between: if it says whose they "+
			"are, want a session's name alone on a line (session 1:)", quote(f.lines[n-1]))
	}
	last := 0
	for i, x := range f.list {
		from := last
		if last == 0 {
			from = max(0, x.from-3)
		}
		if last = x.to; !acting[i+1] {
			last = 0
			continue
		}
		for n := from; n < x.from-1; n++ {
			if speaks(outsideCode(f.lines[n])) {
				return s.errorf(n+1, "%s: it names a session and is not a heading: want its name alone on a line "+
					"(session 1:), or in front of each statement (T1> …;)", quote(f.lines[n]))
			}
		}
	}
	return nil
}

// alternates is a line above a fence that stands above an earlier one, too, and not above the one between: 0 for none.
func (f *fences) alternates(acting map[int]bool) int {
	seen, last := map[string]bool{}, ""
	for i, x := range f.list {
		if !acting[i+1] || x.lead == "" {
			continue
		}
		if seen[x.lead] && x.lead != last {
			return 1 + slices.Index(f.lines[f.list[i-1].to:], x.lead) + f.list[i-1].to
		}
		seen[x.lead], last = true, x.lead
	}
	return 0
}

// outsideCode is what a line says besides its code.
func outsideCode(line string) (said string) {
	for i, part := range strings.Split(line, "`") {
		if i%2 == 0 {
			said += part
		}
	}
	return said
}

// unended notes the transactions that are open at the end of a part, where a line outside of the fences ends one.
func (f *fences) unended(p *part) {
	open := map[string]bool{}
	for i := range p.out {
		switch k := sqltext.KindOf(p.out[i].sql); k {
		case sqltext.Begin, sqltext.Commit, sqltext.Rollback:
			open[p.out[i].tag] = k == sqltext.Begin
		}
	}
	for _, n := range f.ends {
		for _, tag := range p.tags() {
			if open[tag] && strings.Contains(normal(f.lines[n-1]), tag) {
				p.note(n, true, "the line speaks of the end of %s's transaction, and no statement makes it",
					p.names[tag])
			}
		}
	}
}

// ranges writes numbers of lines: "lines 1-3, 7".
func ranges(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		if parts = append(parts, fmt.Sprint(lines[i])); j > i {
			parts[len(parts)-1] += fmt.Sprintf("-%d", lines[j])
		}
		i = j + 1
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}
