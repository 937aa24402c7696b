package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// ofSession says whether a session says it, and not the set-up or nobody.
func (p *piece) ofSession() bool { return p.tag != "" && p.tag != setupTag }

// once leaves out the lists of a text that says first what each session's statements are, and then in which order they are sent:
// the same statements again.
func (s *scanner) once() {
	var steps []int
	for i := range s.out {
		if s.out[i].ofSession() {
			steps = append(steps, i)
		}
	}
	const least = 6 // two transactions of BEGIN, one statement, COMMIT
	for cut := (len(steps) + 1) / 2; len(steps) >= least && cut < len(steps) && cut <= len(steps)/2+8; cut++ {
		if !s.lists(steps[:cut], steps[cut:]) {
			continue
		}
		s.notes = append(s.notes, Note{s.out[steps[0]].line, fmt.Sprintf("the statements are listed here by session, and from line %d on in the order in which they are sent, "+
			"which is the schedule", s.out[steps[cut]].line), false})
		first := steps[cut]
		kept := s.out[:0:0]
		for i, p := range s.out {
			if i >= first || !p.ofSession() || sqltext.KindOf(p.sql) == sqltext.Set {
				kept = append(kept, p)
			}
		}
		s.out = kept
		return
	}
}

// lists says whether the first statements are those of one session after the other, and the second ones the same in another
// order; settings need not come again.
func (s *scanner) lists(first, second []int) bool {
	key := func(i int) string { return s.out[i].tag + "\x00" + normalSQL(s.out[i].sql) }
	count := map[string]int{}
	var tags []string
	for _, i := range first {
		count[key(i)]++
		if t := s.out[i].tag; len(tags) == 0 || tags[len(tags)-1] != t {
			if slices.Contains(tags, t) {
				return false
			}
			tags = append(tags, t)
		}
	}
	same := len(first) == len(second)
	for n, i := range second {
		if count[key(i)]--; count[key(i)] < 0 {
			return false
		}
		same = same && key(i) == key(first[n])
	}
	for _, i := range first {
		if count[key(i)] > 0 && sqltext.KindOf(s.out[i].sql) != sqltext.Set {
			return false
		}
	}
	return len(tags) > 1 && !same
}

// anew splits a text where its set-up begins again, once all transactions have ended: another experiment with the same tables.
func (s *scanner) anew() []*scanner {
	parts := []*scanner{}
	start := 0
	cut := func(end int) {
		if len(parts) == 0 && end == len(s.out) {
			parts = append(parts, s)
			return
		}
		p := s.part("", s.out[start].line)
		p.names, p.spoken, p.vows = s.names, s.spoken, s.vows
		p.out = s.out[start:end:end]
		for _, n := range s.notes {
			if (len(parts) == 0 || n.Line >= p.at) && (end == len(s.out) || n.Line < s.out[end].line) {
				p.notes = append(p.notes, n)
			}
		}
		parts = append(parts, p)
		start = end
	}
	made, acted := map[string]bool{}, false
	for i := range s.out {
		p := &s.out[i]
		if acted = acted || p.ofSession(); word(p.sql, 0) != "CREATE" || p.ofSession() && len(s.order) > 0 {
			continue
		}
		read := sqltext.Read(p.sql)
		if read.Kind != sqltext.Create || read.Target == "" {
			continue
		}
		if !acted || !made[read.Target] {
			made[read.Target] = true
			continue
		}
		from := i
		for from > start && s.out[from-1].prepares() {
			from--
		}
		if len(s.order) == 0 && ended(s.out[start:from]) && slices.ContainsFunc(s.out[start:from], func(p piece) bool { return p.ofSession() }) &&
			(!p.ofSession() || !dropped(s.out[start:i], read.Target)) {
			cut(from)
			made, acted = map[string]bool{}, p.ofSession()
		}
		made[read.Target] = true
	}
	cut(len(s.out))
	return parts
}

// prepares says whether a statement that is nobody's stands before the tables of a set-up.
func (p *piece) prepares() bool {
	return !p.ofSession() && slices.Contains([]string{"DROP", "SET", "USE", "CREATE", "INSERT"}, word(p.sql, 0))
}

// dropped says whether a session drops the table.
func dropped(list []piece, table string) bool {
	return slices.ContainsFunc(list, func(p piece) bool {
		return p.ofSession() && word(p.sql, 0) == "DROP" && sqltext.Read(p.sql).Target == table
	})
}

// ended says whether every transaction that has begun has ended.
func ended(list []piece) bool {
	open := map[string]bool{}
	for _, p := range list {
		switch word(p.sql, 0) {
		case "BEGIN", "START":
			open[p.tag] = true
		case "COMMIT", "ROLLBACK":
			delete(open, p.tag)
		}
	}
	return len(open) == 0
}

var (
	// outcome is a heading of what was expected or seen, in a text without fences.
	outcome = lazily(`(?i)^\W*(?:order\s*:?\s*(?:tx|txn|t|s)?\d\s*(?:[-—=]+>|→)|expect\w*|actual\w*|observed|seen|what (?:did|do) (?:you|i)|instead|the results? (?:is|are)|` +
		`(?:you|we|one)(?:'ll| will| should| can| would)? (?:now )?(?:see|get|observe|notice)s?)\b[^;]{0,60}$`)
	// deeds are how prose ends a transaction, or begins one.
	deed = lazily(`(?i)^\W*(?:\d+[.):]\s*)?(?:(?:then|now|and|finally|next|again)[ ,]+)*(?:` +
		`(commit|roll ?back|begin|start)s?\s+(?:(?:a|the)\s+)?(?:transaction\s+)??(?:(?:in|on|of|from|for|with)\s+)?(?:the\s+)?(` + anySession + `)|` +
		`(?:in\s+)?(` + anySession + `)\s*[:,]?\s+(commits?|rolls? ?back|rollbacks?|begins?|starts?)(?:\s+(?:a|the|its|transaction|work))*)\W*$`)
	ending = lazily(`(?i)\b(?:commit|commits|rollback|rolls? back)\b|提交|回滚`)
)

// deedOf returns the statement that a line of prose stands for, and whose it is: "Commit session 1.", "then T2 rolls back".
func deedOf(line string) (session, sql string) {
	m := deed.FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	session, verb := m[2]+m[3], strings.ToLower(m[1]+m[4])
	switch {
	case strings.HasPrefix(verb, "commit"):
		return session, "COMMIT"
	case strings.HasPrefix(verb, "roll"):
		return session, "ROLLBACK"
	}
	return session, "BEGIN"
}

// saidAgain says whether all that the text still has repeats statements that were read: what was expected of them.
func (s *scanner) saidAgain() bool {
	if len(s.out) == 0 || s.looked || !s.ended() || len(s.tags()) < 2 {
		return false
	}
	s.looked = true
	rest := s.part("", 0)
	rest.text, rest.names, rest.looked = s.text[s.pos+len(s.rest()):], map[string]string{}, true
	rest.talks = s.talks
	if rest.scan() != nil {
		return false
	}
	return !slices.ContainsFunc(rest.out, func(p piece) bool {
		return !slices.ContainsFunc(s.out, func(q piece) bool { return normalSQL(q.sql) == normalSQL(p.sql) })
	})
}

var (
	// usedLevel is prose that says under which level all is done, without the word; otherwise, what it says of another one.
	usedLevel = lazily(`(?i)\b(?:under|at|in|with|uses?|using|running|run|set to|are|is)\s+(?:the\s+)?(?:(?-i:(RC|RR|RU))\b|(?:read[ -](?:un)?committed|repeatable[ -]read|serializable)\b)`)
	otherwise = lazily(`(?i)\b(?:not|works?|worked|fine|unlike|than|instead|but|only|ok|doesn['’]?t|don['’]?t|cannot|can['’]t|should|expected|expect|would|even)\b`)
)

var spokenLevel = lazily(`(?i)isolation\b|\blevel\b|隔离级别`)
var shortLevel = lazily(`(?i)\bisolation(?: level)?(?: is)?\s*[:=]?\s*(RU|RC|RR|SER)\b`)

// levelsOf lists the levels that a text names where it sets none.
func levelsOf(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(line, "_", " ") // Troc's REPEATABLE_READ
		if len(line) > 1000 || !spokenLevel.MatchString(line) && (!usedLevel.MatchString(line) || otherwise.MatchString(line)) || isStatement(withoutPrompt(line)) {
			continue
		}
		found := levelWords.FindAllString(line, -1)
		if m := usedLevel.FindStringSubmatch(line); m != nil && m[1] != "" && len(found) == 0 {
			if level, ok := trocLevel(m[1]); ok {
				found = []string{level}
			}
		}
		if m := shortLevel.FindStringSubmatch(line); m != nil && len(found) == 0 {
			if level, ok := trocLevel(m[1]); ok {
				found = []string{level}
			}
		}
		for _, level := range found {
			if level = strings.ReplaceAll(strings.ToLower(level), " ", "-"); !slices.Contains(out, level) {
				out = append(out, level)
			}
		}
	}
	return out
}

// unset takes the level from what the text says of it, where no statement sets one.
func (b *scriptBuilder) unset() {
	if b.s.Isolation != "" || slices.ContainsFunc(b.s.Steps, func(st testcase.ScriptStmt) bool { return levelOf(st.SQL) != "" }) || b.levelOfSome() {
		return
	}
	switch levels := b.levels; {
	case len(levels) == 1:
		b.s.Isolation = levels[0]
		b.notes = append(b.notes, Note{1, "the text speaks of " + levels[0] + ", which is taken as its level", false})
	case len(levels) > 1:
		b.notes = append(b.notes, Note{1, "the text speaks of " + strings.Join(levels, " and ") + " and sets no level: --isolation chooses one", false})
	}
}

// levelOfSome says whether some transactions begin with a level and others without.
func (b *scriptBuilder) levelOfSome() bool {
	with, without := 0, 0
	for _, st := range b.s.Steps {
		if sqltext.KindOf(st.SQL) == sqltext.Begin && levelWords.MatchString(st.SQL) {
			with++
		} else if sqltext.KindOf(st.SQL) == sqltext.Begin {
			without++
		}
	}
	return with > 0 && without > 0
}

// stray takes a statement of nobody's that comes after those of sessions; false where all that follows is another part.
func (b *scriptBuilder) stray(i int) bool {
	p := &b.out[i]
	rest := b.out[i:]
	switch {
	case slices.ContainsFunc(rest, func(q piece) bool { return q.ofSession() }):
		for j := i - 1; j >= 0; j-- {
			if q := &b.out[j]; q.ofSession() {
				b.note(p, b.marked() && *b.behind, "%s has no mark: it is taken as %s's, who spoke last", quote(p.sql), b.s.Sessions[b.number[q.tag]])
				p.tag = q.tag
				break
			}
		}
	case b.again(rest):
		b.note(p, false, "belongs to no session, and repeats what sessions do: left out, with what follows: %s", quote(p.sql))
		return false
	default:
		b.note(p, false, "%s comes after all sessions: it is sent over a connection of its own", quote(p.sql))
		for j := range rest {
			rest[j].tag = "afterwards"
		}
	}
	b.step(p)
	return true
}

// again says whether statements of nobody's repeat those of sessions, and write: the equivalent order.
func (b *scriptBuilder) again(rest []piece) bool {
	writes := false
	for _, p := range rest {
		k := sqltext.KindOf(p.sql)
		if k != sqltext.Select {
			writes = true
		}
		if k >= sqltext.Create || k == sqltext.Begin || k == sqltext.Commit || k == sqltext.Rollback || k == sqltext.Set {
			continue
		}
		if !slices.ContainsFunc(b.out, func(q piece) bool { return q.tag != "" && normalSQL(q.sql) == normalSQL(p.sql) }) {
			return false
		}
	}
	return writes
}

// promised notes the ends of transactions that only prose speaks of.
func (b *scriptBuilder) promised() {
	for _, v := range b.vows {
		for n, name := range b.s.Sessions {
			if known, ok := b.number[v.session]; (v.session == everyone || ok && known == n) && b.openAtEnd(n) {
				b.notes = append(b.notes, Note{v.line, fmt.Sprintf("the line speaks of the end of %s's transaction, and no statement makes it", name), true})
			}
		}
	}
}

// openAtEnd says whether a session's last transaction does not end.
func (b *scriptBuilder) openAtEnd(session int) (open bool) {
	for _, st := range b.s.Steps {
		if st.Session == session {
			switch sqltext.KindOf(st.SQL) {
			case sqltext.Begin:
				open = true
			case sqltext.Commit, sqltext.Rollback:
				open = false
			}
		}
	}
	return open
}

// inTurn notes that the transactions of a text's sessions run one after another.
func (b *scriptBuilder) inTurn() {
	var order []int
	open, begun := false, 0
	for _, st := range b.s.Steps {
		if n := len(order); n == 0 || order[n-1] != st.Session {
			if open || slices.Contains(order, st.Session) {
				return
			}
			order = append(order, st.Session)
		}
		switch sqltext.KindOf(st.SQL) {
		case sqltext.Begin:
			open = true
			begun++
		case sqltext.Commit, sqltext.Rollback:
			open = false
		}
	}
	if len(order) > 1 && begun > 1 {
		b.notes = append(b.notes, Note{b.s.Steps[0].Line, "the transactions run one after the other, as the text has them: it does not say how they overlap", false})
	}
}
