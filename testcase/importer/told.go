package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

var (
	// tableInside is a table that a sentence makes on its way: "with a made by CREATE TABLE a (id int)".
	tableInside = lazily("(?i)^(\\s*\\pL[\\pL\\pN ,.'’():`-]*?\\s[`\"]?)(create\\s+table\\s+(?:if\\s+not\\s+exists\\s+)?[\\w.`\"]+\\s*\\()")
	// leadsIn are the words with which such a sentence comes to its statement, and no mark of a session does.
	leadsIn = lazily("(?i)\\b(?:by|with|like|as|is|was|are|were|using|via|tables?|schema|ddl|from|of|run|ran|running|execute|executed|did|first|have|has|had|" +
		"made|created|given|assume|consider|say|suppose|use|used|do|this|that|a|the|statement|query)[ ,:]*[`\"]?$")
	// rowsInside is a statement in backticks behind it.
	rowsInside = lazily("(?i)`((?:insert\\s+into|replace\\s+into|create\\s+(?:unique\\s+)?index)\\b[^`]+)`")
	// rowTold is a row as prose has it.
	rowTold = lazily(`\(\s*(?:-?\d+(?:\.\d+)?|'[^'()]*'|NULL)\s*(?:,\s*(?:-?\d+(?:\.\d+)?|'[^'()]*'|NULL)\s*)*\)`)
	// ofRows says that prose speaks of a table's rows.
	ofRows = lazily(`(?i)\b(?:rows?|records?|tuples?|contains?|containing|holds?|holding|initially|filled|populated)\b`)
)

// sentences writes a sentence of prose that makes a table on its way as the statements that it has in it, and notes what it says of rows.
func (s *scanner) sentences(lines []string) {
	for i, line := range lines {
		m := tableInside.FindStringSubmatchIndex(line)
		if m == nil || len(line) > 2000 || !leadsIn.MatchString(strings.TrimSpace(line[m[2]:m[3]])) || isStatement(strings.TrimSpace(line)) || labelled(line) != "" || setupBehind.MatchString(line) {
			continue
		}
		end := closes(line, m[5]-1)
		if end < 0 {
			continue
		}
		said := strings.TrimSpace(line[:m[4]]) + " …"
		rest := line[end:]
		if at := strings.IndexAny(rest, ".,;`\" "); at >= 0 && tableOption.MatchString(rest) {
			end += len(tableOption.FindString(rest))
			rest = line[end:]
		}
		sql := strings.TrimSpace(line[m[4]:end]) + ";"
		for _, also := range rowsInside.FindAllStringSubmatch(rest, -1) {
			sql += " " + strings.TrimSuffix(strings.TrimSpace(also[1]), ";") + ";"
		}
		rest = rowsInside.ReplaceAllString(rest, "")
		s.notes = append(s.notes, Note{i + 1, "its table is taken out of the sentence: " + quote(said), false})
		if rows := rowTold.FindAllString(rest, -1); fits(rows, sql) {
			sql += " INSERT INTO " + sqltext.Read(sql).Target + " VALUES " + strings.Join(rows, ", ") + ";"
		} else if len(rows) > 0 || ofRows.MatchString(rest) && digits.MatchString(rest) {
			s.notes = append(s.notes, Note{i + 1, "left out: " + quote(strings.Trim(rest, "`\" ,;:.")) + " tells of rows and is no INSERT", true})
		}
		lines[i] = "/* init */ " + strings.ReplaceAll(sql, "; ", "; /* init */ ")
	}
}

var digits = lazily(`\d`)

// fits says whether rows are told that have as many values as a table has columns.
func fits(rows []string, table string) bool {
	columns := len(columnsOf(strings.TrimRight(table, "; ")))
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(row string) bool { return strings.Count(row, ",")+1 != columns })
}

// tellsOfRows says whether a line of prose has rows in it.
func tellsOfRows(line string) bool {
	return len(line) < 1000 && !strings.Contains(line, ";") && rowTold.MatchString(line) && ofRows.MatchString(line) && !isStatement(withoutPrompt(line))
}

// tableOption is what may stand behind the columns of a table.
var tableOption = lazily(`(?i)^\s*(?:engine\s*=?\s*\w+|without\s+rowid|strict|(?:default\s+)?(?:charset|character\s+set)\s*=?\s*\w+)`)

// closes is where the bracket that opens at a place is closed, and one more; -1 where it is not, on its line.
func closes(line string, at int) int {
	depth := 0
	for at < len(line) {
		t := lexer.Next(line, at)
		depth += t.Nesting()
		at += len(t.Text)
		if depth == 0 {
			return at
		}
	}
	return -1
}

// doneAgain is how prose says that what stands there is done again, or somewhere else, too.
var doneAgain = lazily(`(?i)^\W*(?:\d+[.)]\s*)?(?:(?:then|now|and|next|finally|please|again)[ ,]+)*(?:(?:in|on|from)\s+(?:the\s+)?` + anySession + `[ ,]+)?(?:` +
	`repeat(?:ing|ed)?\b(?:\s+(?:the|this|that|these|those|all|it|steps?|both|everything|above|previous|from|until|as|\d+|many|several|a few|with|in|for)\b|[.!:]?\s*$)|` +
	`(?:do|run|execute|issue|perform|type)\s+(?:exactly\s+)?(?:the same|this again|that again|it again|likewise|all (?:of )?(?:this|that|the above)|the above)\b|` +
	`(?:exactly\s+)?the same (?:statements?|steps?|commands?|queries|thing|again)?\s*(?:(?:in|for|on|from|with|as)\s+(?:` + anySession + `|the other|another|a second|both|each)\b)|` +
	`(?:run|execute|do|loop|insert|update)\b[^;]{0,60}\b(?:\d+|many|several|a few|hundreds of|thousands of)\s+times\b|(?:in )?an? (?:endless |infinite |tight )?loop\b)`)

var (
	// sideBySide is how prose says that what stands below it runs at once; elsewhere, that something is done to the server itself.
	sideBySide = lazily(`(?i)^\W*(?:\d+[.)]\s*)?(?:(?:then|now|and|next|please)[ ,]+)*(?:run|execute|do|start|issue|send|open)\b[^;]{0,60}` +
		`\b(?:concurrently|in parallel|simultaneously|at the same time|at once)\b`)
	elsewhere = lazily(`(?i)^\W*(?:\d+[.)]\s*)?(?:(?:then|now|and|next|please)[ ,]+)*` +
		`(?:kill|restart|reboot|shut ?down|stop|pause|disconnect|unplug|upgrade|fail ?over)\b[^;]{0,60}` +
		`\b(?:-9|mysqld|mariadbd?|mysql|server|instance|tidb|tikv|pd|postgres(?:ql)?|database|node|primary|replica|master|slave|process|network|leader|region)\b`)
)

// snipped stands for what somebody has cut out.
var snipped = lazily(`(?i)^\s*(?:--|#|//|/\*)?\s*[\[(<{]?\s*(?:\.{3,}|…|(?:snip|cut|omitted|some more statements|other statements|more statements here)(?:ped)?)\s*[\])>}]?\s*(?:\*/)?\s*$`)

// corrects is how a text says afterwards that one of its statements is another, or missing.
var corrects = lazily(`(?i)^\W*(?:edit|correction|erratum|oops|sorry)\b.*(?:\b(?:begin|start transaction|commit|rollback)\b|\b` + anySession + `\b)`)

// changes says whether a line is a statement that prints no rows: what is cut out below it is no result.
func changes(line string) bool {
	line = withoutPrompt(line)
	return isStatement(line) && !slices.Contains([]string{"SELECT", "SHOW", "WITH", "TABLE", "EXPLAIN", "DESC"}, word(line, 0))
}

// again notes lines that say so: what they mean is not run. A sentence of its own counts, a remark behind a statement too.
func (s *scanner) again(text string) {
	before := ""
	for i, line := range strings.Split(text, "\n") {
		told := isStatement(withoutPrompt(line))
		if snipped.MatchString(line) && changes(before) {
			s.notes = append(s.notes, Note{s.base + i + 1, "something is left out of the text here: write it out, or take the line away", true})
		}
		if strings.TrimSpace(line) != "" {
			before = line
		}
		line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), decoration))
		if len(line) > 300 || line == "" || told {
			continue
		}
		if elsewhere.MatchString(line) || sideBySide.MatchString(line) && !s.severalMarks(text) {
			s.notes = append(s.notes, Note{s.base + i + 1, "not done: " + quote(line) + ": a script has statements of sessions alone, in one order", true})
		}
		if !doneAgain.MatchString(line) && !corrects.MatchString(line) {
			continue
		}
		s.notes = append(s.notes, Note{s.base + i + 1, "not done: " + quote(line) + ": write the statements out, in the order in which they are sent", true})
	}
}

// contrast is a line that begins one of several experiments by what came of it: "This works:", "… but this does not:".
var contrast = lazily(`(?i)^\W*(?:(?:but|and|however|while|whereas|now|here|so|for comparison)[ ,]+)*(?:` +
	`(?:(?:this|that|it|the (?:following|first|second|third|next|other)|these|those|what|which)\s+)` +
	`(?:(?:one|case|version|example|variant|script|sequence|also|statements?|order|code|query|queries|transaction)\s+){0,2}` +
	`(?:works?|is (?:ok|okay|fine|correct|right|wrong|broken|not ok)|are (?:ok|fine|wrong)|fails?|breaks?|does\b|do\b|doesn['’]?t|don['’]?t|succeeds?)[^;]{0,50}|` +
	`(?:works?|working|does not work|doesn['’]?t work|not working|ok|good|bad|fails?|failing|wrong|correct|broken|fine)(?:\s+(?:case|example|version|order|as expected))?` +
	`)\s*[:：]\W*$`)

// apartBy splits a text where experiments begin that are told apart by what came of them, or by their numbers: each runs over the set-up above
// the first. Where one goes on with what another has made it is an error.
func (s *scanner) apartBy() ([]*scanner, error) {
	at := s.contrasts
	if len(at) < 2 {
		at = s.cases
	}
	if len(at) < 2 {
		return []*scanner{s}, nil
	}
	first := 0
	for first < len(s.out) && (s.out[first].line < at[0] || s.out[first].tag == setupTag && s.movedUp(first)) {
		first++
	}
	in := func(from, to int) (out []piece) {
		for _, p := range s.out[first:] {
			if p.line >= from && (to == 0 || p.line < to) {
				out = append(out, p)
			}
		}
		return out
	}
	shared := s.out[:first]
	whole := !slices.ContainsFunc(shared, func(p piece) bool { return !defines(p.sql) && sqltext.KindOf(p.sql) != sqltext.Set })
	var parts []*scanner
	for n, line := range at {
		to := 0
		if n+1 < len(at) {
			to = at[n+1]
		}
		list := in(line, to)
		if len(list) == 0 {
			continue
		}
		whole = whole && ended(list) && slices.ContainsFunc(list, func(p piece) bool { return !defines(p.sql) })
		p := s.part(strings.Trim(lineOf(strings.Join(strings.SplitAfterN(s.text, "\n", line-s.base)[line-s.base-1:], "")), decoration), line)
		p.names, p.spoken, p.vows, p.base = s.names, nil, nil, s.base
		for _, q := range shared {
			q.tag = setupTag
			p.out = append(p.out, q)
		}
		p.out = append(p.out, list...)
		for _, m := range s.vows {
			if m.line >= line && (to == 0 || m.line < to) {
				p.vows = append(p.vows, m)
			}
		}
		for _, note := range s.notes {
			if note.Line == line {
				continue // its title
			}
			if note.Line < at[0] && len(parts) == 0 || note.Line >= line && (to == 0 || note.Line < to) {
				p.notes = append(p.notes, note)
			}
		}
		parts = append(parts, p)
	}
	if len(parts) < 2 {
		return []*scanner{s}, nil
	}
	for _, p := range parts[1:] {
		whole = whole && !s.leans(p, parts[0], len(shared))
	}
	if !whole && (len(s.contrasts) < 2 || !slices.ContainsFunc(parts[1].out, func(p piece) bool { return sqltext.KindOf(p.sql) == sqltext.Begin })) {
		return []*scanner{s}, nil // numbered cases are doubt's; else it is said of statements of one schedule
	}
	if !whole {
		return nil, s.parseError(parts[1].at, "another case begins here (the one before in line %d), and it is not clear with which tables and rows: one at a time, please", parts[0].at)
	}
	return parts, nil
}

// movedUp says whether a statement stands before one that the text has above it.
func (s *scanner) movedUp(at int) bool {
	return slices.ContainsFunc(s.out[at:], func(p piece) bool { return p.line < s.out[at].line })
}

// leans says whether a part uses a table that the first one makes, and nothing that both have.
func (s *scanner) leans(p, first *scanner, shared int) bool {
	made := map[string]bool{}
	for _, q := range p.out {
		if read := sqltext.Read(q.sql); read.Kind == sqltext.Create {
			made[read.Target] = true
		}
	}
	for _, q := range first.out[shared:] {
		read := sqltext.Read(q.sql)
		if read.Kind == sqltext.Create && read.Target != "" && !made[read.Target] &&
			slices.ContainsFunc(p.out[shared:], func(q piece) bool { return names(q.sql, read.Target) }) {
			return true
		}
	}
	return false
}

// otherWay is an alternative to a statement, in a remark behind it.
var otherWay = lazily(`(?i)^\W*(?:or|alternatively|also with|same with|also for)\b[:, ]+(.*)$`)

// otherWays notes the alternatives that remarks name, which are not tried.
func (b *scriptBuilder) otherWays() {
	for i := range b.out {
		p := &b.out[i]
		for _, c := range p.comments {
			if m := otherWay.FindStringSubmatch(c); m != nil && isStatement(strings.Trim(m[1], "`\" ")) {
				b.note(p, false, "%s", fmt.Sprintf("another statement is named for %s, which is not tried: %s", quote(p.sql), quote(m[1])))
			}
		}
	}
}

// rowsTold makes set-up of rows that prose tells of the one table that has none: "Table t has 3 rows: (1,1), (2,2), (3,3)".
func (s *scanner) rowsTold(text string) {
	made := map[string]int{} // where the tables are made that have no rows
	for i, p := range s.out {
		switch read := sqltext.Read(p.sql); {
		case read.Kind == sqltext.Create && read.Target != "" && word(p.sql, 1) == "TABLE":
			made[read.Target] = i
		case read.Kind == sqltext.Insert && !p.ofSession():
			return
		}
	}
	for i, line := range strings.Split(text, "\n") {
		rows := rowTold.FindAllString(line, -1)
		if !tellsOfRows(line) || isRemark(strings.TrimSpace(line)) || tales.MatchString(toldRows.ReplaceAllString(line, "")) ||
			slices.ContainsFunc(s.out, func(p piece) bool { return p.line == s.base+i+1 }) {
			continue
		}
		of, n := "", 0
		for t := range made {
			if n++; len(made) == 1 || names(line, t) {
				if of != "" {
					return
				}
				of = t
			}
		}
		if of == "" || slices.ContainsFunc(s.out[:made[of]], func(p piece) bool { return p.ofSession() }) {
			continue
		}
		if !fits(rows, s.out[made[of]].sql) {
			s.notes = append(s.notes, Note{s.base + i + 1, "left out: " + quote(strings.TrimSpace(line)) + " tells of rows: write INSERT INTO … VALUES …;", true})
			return
		}
		s.out = slices.Insert(s.out, made[of]+1, piece{line: s.base + i + 1, tag: setupTag, sql: fmt.Sprintf("INSERT INTO %s VALUES %s", of, strings.Join(rows, ", "))})
		s.notes = slices.DeleteFunc(s.notes, func(n Note) bool { return n.Line == s.base+i+1 && !n.Missing }) // that the line was left out
		s.notes = append(s.notes, Note{s.base + i + 1, fmt.Sprintf("the rows that it tells of are those that %s has at the beginning", of), false})
		return
	}
}

// toldRows are the words of such a line that are those of a tale elsewhere.
var toldRows = lazily(`(?i)\b(?:has|had|is|are|was|holds?|with|which|that)\b`)

// severalMarks says whether a text names several sessions, by marks or in words.
func (s *scanner) severalMarks(text string) bool {
	return markedStatements(text) > 1 || len(speaksOf(text)) > 1
}

// next is a session's mark behind an arrow.
var next = lazily(`(?i)\s*(?:--?>|=>|→|⇒)\s*((?:` + anySession + `|(?-i:[A-H]))\s?[:>]\s*)`)

// chained writes what sessions do on one line, with an arrow in front of each mark, one behind the other.
func chained(lines []string) {
	for i, line := range lines {
		m := inFront.FindString(line)
		if m == "" || !isStatement(line[len(m):]) || len(line) > 4000 {
			continue
		}
		at := next.FindAllStringSubmatchIndex(line, -1)
		if len(at) == 0 || slices.ContainsFunc(at, func(x []int) bool { return !isStatement(line[x[3]:]) }) {
			continue
		}
		var b strings.Builder
		from := 0
		for _, x := range append(at, []int{len(line), 0, len(line)}) {
			b.WriteString(strings.TrimRight(line[from:x[0]], "; ") + "; ")
			from = x[2]
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
}

var (
	// shownTable is the answer to SHOW CREATE TABLE, as \G prints it, and asksTable what asks for it.
	shownTable = lazily(`(?i)^\s*Create Table:\s+(create\s+(?:temporary\s+)?table\b.*)$`)
	asksTable  = lazily(`(?i)^.{0,60}\bshow\s+create\s+table\s+\S+\s*(?:;|\\G)?\s*$`)
)

// shownTables makes the tables that a client was asked to show, where nothing else makes a table.
func (s *scanner) shownTables(lines []string) {
	if slices.ContainsFunc(lines, func(line string) bool {
		return word(withoutPrompt(line), 0) == "CREATE" && isStatement(withoutPrompt(line)) && !shownTable.MatchString(line)
	}) {
		return
	}
	for i, line := range lines {
		m := shownTable.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		lines[i] = "/* init */ " + m[1]
		for j := i - 1; j >= max(0, i-4); j-- {
			asked := asksTable.MatchString(lines[j])
			lines[j] = ""
			if asked {
				break
			}
		}
		s.notes = append(s.notes, Note{i + 1, "the table that is shown here is made", false})
	}
}

// indentedApart says whether the line of one statement begins further to the right than that of another.
func (s *scanner) indentedApart(a, b int) bool {
	lines := strings.Split(s.text, "\n")
	indent := func(n int) int {
		if n -= s.base + 1; n < 0 || n >= len(lines) {
			return 0
		}
		return len(lines[n]) - len(strings.TrimLeft(lines[n], " \t"))
	}
	return indent(a) != indent(b)
}

// headLevel is a level behind a session's name, in its heading.
var headLevel = lazily(`(?i)[(\[,:-]\s*(?:at |in |isolation(?: level)?[:= ]+)?(read[ -]uncommitted|read[ -]committed|repeatable[ -]read|serializable)\b`)

// levelOfHead: the heading of a session that names a level sets it there, once.
func (s *scanner) levelOfHead(line string, at int) {
	m := headLevel.FindStringSubmatch(line)
	if m == nil || sqltext.SyntaxOf(s.target).Quoting == sqltext.ANSI || slices.ContainsFunc(s.out, func(p piece) bool { return p.tag == s.sticky && levelOf(p.sql) != "" }) {
		return
	}
	sql := "SET SESSION TRANSACTION ISOLATION LEVEL "
	if sqltext.SyntaxOf(s.target).Quoting == sqltext.PostgreSQL {
		sql = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL "
	}
	sql += strings.ToUpper(strings.ReplaceAll(m[1], "-", " "))
	s.out = append(s.out, piece{line: at, tag: s.sticky, sql: sql, headed: true})
	s.notes = append(s.notes, Note{at, "its heading names a level: " + sql, false})
}
