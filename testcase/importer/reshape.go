package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

var (
	// markLine is a remark that holds a session's name and nothing else, or says that what it belongs to is set-up.
	markLine = lazily(`(?i)^\s*(?:--|#)\s*(?:` + anySession + `|init|setup)\s*$`)
	// sessionLine is a statement with its session in front and nothing between: "T1 BEGIN".
	sessionLine = lazily(`(?i)^\s*(` + anySession + `)\s+(\S.*)$`)
	// settingLine is a setting that prose names, by itself on its line.
	settingLine = lazily(`(?i)^\W*(?:@@)?(?:global\.|session\.)?((?:innodb|tidb|tx|transaction|optimizer|binlog|lock|default_transaction)(?:_[a-z0-9]+)+)\s*[=:]\s*['"]?([\w-]+)['"]?\W*$`)
)

// marksBelow brings the marks of a text in which each statement has its session on the line below it to the statements' own
// lines: the last thing such a text says is a session's name, and before the first one stands a statement.
func marksBelow(text string) string {
	lines := strings.Split(text, "\n")
	marks, first, last := 0, "", -1
	for i, line := range lines {
		switch {
		case strings.TrimSpace(line) == "" || fenceLine.MatchString(line):
		case markLine.MatchString(line):
			if last < 0 || !strings.HasSuffix(strings.TrimRight(lines[last], " \t"), ";") {
				return text
			}
			marks++
			last = i
		default:
			if first == "" {
				first = line
			}
			last = i
		}
	}
	const least = 3
	if marks < least || last < 0 || !markLine.MatchString(lines[last]) || !isStatement(strings.TrimSpace(first)) {
		return text
	}
	before := -1
	for i, line := range lines {
		if markLine.MatchString(line) {
			lines[before], lines[i] = strings.TrimRight(lines[before], " \t")+" "+strings.TrimSpace(line), ""
		} else if strings.TrimSpace(line) != "" {
			before = i
		}
	}
	return strings.Join(lines, "\n")
}

// ordered reads a fence that lists each statement with its session in front and nothing between; nil for another one.
func (b *block) ordered(s *scanner) (out []piece) {
	for i, line := range b.lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := sessionLine.FindStringSubmatch(line)
		if m == nil || !isStatement(m[2]) {
			return nil
		}
		out = append(out, piece{line: b.line + i, tag: s.session(m[1]), sql: strings.TrimSuffix(strings.TrimSpace(m[2]), ";"), own: true})
	}
	return out
}

// reorder takes the order of a fence that lists what sessions do, where it has all that they do above, but for their settings.
func (s *scanner) reorder(order []piece) bool {
	tags := s.tags()
	for i := range order {
		at := slices.IndexFunc(tags, func(tag string) bool { return number.FindString(tag) == number.FindString(order[i].tag) })
		if at < 0 {
			return false
		}
		order[i].tag = tags[at]
	}
	key := func(p *piece) string { return p.tag + "\x00" + normalSQL(p.sql) }
	left := map[string]int{}
	for i := range order {
		left[key(&order[i])]++
	}
	var kept []piece
	for i := range s.out {
		p := &s.out[i]
		switch {
		case !p.ofSession() || sqltext.KindOf(p.sql) == sqltext.Set:
			kept = append(kept, *p)
		case left[key(p)] == 0:
			return false
		default:
			left[key(p)]--
		}
	}
	s.out = append(kept, order...)
	return true
}

// take makes the order of a fence the schedule, or says that it is not run.
func (s *scanner) take(order []piece) {
	line := order[0].line
	if s.reorder(order) {
		s.notes = append(s.notes, Note{line, "the statements are sent in the order that is listed here", false})
		return
	}
	s.notes = append(s.notes, Note{line, "left out: an order of statements that are not those of the sessions above", true})
}

// everywhere are settings of the set-up that hold for every session, where the text does not say whose they are: not those by which
// tables are loaded.
var loading = lazily(`(?i)^set\s+(?:global\b|persist|@@global|names\b|character|(?:session\s+|local\s+|@@(?:session\.)?)?(?:sql_mode|foreign_key_checks|unique_checks|time_zone|` +
	`sql_notes|character_set\w*|collation\w*|client_\w+|search_path)\b|@[^@])`)

// forAll sends the settings that stand above all sessions, and are nobody's, in each of them.
func (b *scriptBuilder) forAll() {
	seen := map[int]bool{}
	for i := 0; i < len(b.s.Steps); i++ {
		n := b.s.Steps[i].Session
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, st := range b.settings {
			st.Session = n
			b.s.Steps = slices.Insert(b.s.Steps, i, st)
			i++
		}
	}
	for _, st := range b.settings {
		b.notes = append(b.notes, Note{st.Line, fmt.Sprintf("%s stands above all sessions: each begins with it", quote(st.SQL)), false})
	}
}

// unsaid notes the settings that prose names and no statement sets.
func (b *scriptBuilder) unsaid() {
	for i, line := range strings.Split(b.text, "\n") {
		if len(line) > 200 {
			continue
		}
		m := settingLine.FindStringSubmatch(line)
		if m == nil || isStatement(strings.TrimSpace(line)) || slices.ContainsFunc(b.out, func(p piece) bool {
			return sqltext.KindOf(p.sql) == sqltext.Set && strings.Contains(strings.ToLower(p.sql), strings.ToLower(m[1]))
		}) || strings.HasSuffix(strings.ToLower(m[1]), "_isolation") && len(b.levels) > 0 {
			continue
		}
		b.notes = append(b.notes, Note{b.base + i + 1, fmt.Sprintf("it speaks of %s = %s, which no statement sets", m[1], m[2]), false})
	}
}

// isRows says whether a fence before the first schedule holds rows of the beginning, which become a part of the set-up.
func (s *scanner) isRows(b *block, current *scanner, shared *[]piece) bool {
	columns, rows := grid(b.lines)
	if columns == nil || current != nil || !initialRows.MatchString(b.lead) {
		return false
	}
	*shared = append(*shared, s.contents(b.line, columns, rows, *shared)...)
	return true
}

// isOrder says whether a fence lists in which order the statements of the schedule above are sent, which becomes its order. s may be nil.
func (s *scanner) isOrder(b *block) bool {
	if s == nil || len(s.tags()) < 2 {
		return false
	}
	order := b.ordered(s)
	if len(order) < 2 {
		return false
	}
	s.take(order)
	return true
}

// unbegun notes what the text calls a transaction, where nothing begins it.
func (b *scriptBuilder) unbegun() {
	for n, name := range b.s.Sessions {
		count, writes, begun := 0, false, false
		for _, st := range b.s.Steps {
			if st.Session != n {
				continue
			}
			k := sqltext.KindOf(st.SQL)
			count++
			writes = writes || k == sqltext.Insert || k == sqltext.Update || k == sqltext.Delete
			begun = begun || k == sqltext.Begin || k == sqltext.Commit || k == sqltext.Rollback || autocommit.MatchString(st.SQL)
		}
		if count > 1 && writes && !begun && calledTransaction.MatchString(name) {
			b.notes = append(b.notes, Note{b.s.Steps[0].Line, fmt.Sprintf("%s is called a transaction, and no statement begins it: each of its statements commits by itself", name), true})
		}
	}
}

var calledTransaction = lazily(`(?i)^(?:transaction|txn|trx|事务|トランザクション|트랜잭션|transaktion|транзакция)`)

// placeholder stands in a cell for a statement that the text gives elsewhere.
var placeholder = lazily(`^\\?<\w[\w ]{0,30}\\?>;?$`)
