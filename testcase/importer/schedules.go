package importer

import (
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// readMarked, readTranscript, readTable and readPlain read texts whose sessions are told by marks and headings, by
// these and a client's prompts, by a table's columns too, and not at all.
func readMarked(s *source) ([]*part, error) { return readLines(s, signs{marks: true}) }
func readTranscript(s *source) ([]*part, error) {
	return readLines(s, signs{marks: true, prompts: true})
}
func readTable(s *source) ([]*part, error) {
	return readLines(s, signs{marks: true, prompts: true, tables: true})
}
func readPlain(s *source) ([]*part, error) { return readLines(s, signs{}) }

// isTableText says whether a text has a table of sessions with a statement in it.
func isTableText(s *source) bool {
	lines := s.lines()
	f := &fences{}
	for i, line := range lines {
		if strings.Contains(line, "|") && headerOf(line) != nil && (i == 0 ||
			!strings.HasPrefix(strings.TrimSpace(lines[i-1]), "+-") || f.tableAt(lines, i)) && f.tableAt(lines, i) {
			return true
		}
	}
	return false
}

// isTranscript says whether a line of a text begins with a client's prompt.
func isTranscript(s *source) bool {
	return slices.ContainsFunc(s.lines(),
		func(line string) bool { return promptOf(strings.TrimSpace(line)).length > 0 })
}

// isMarked says whether a line of a text has a session's mark, or is a heading.
func isMarked(s *source) bool {
	return slices.ContainsFunc(s.lines(), func(line string) bool {
		line = strings.TrimSpace(line)
		m := frontMark(line)
		return m.length > 0 && begins(line[m.length:]) || headingOf(line) != "" || markedBehind(line) &&
			strings.Contains(line, " ")
	})
}

// readLines reads such a text, and parts it into schedules.
func readLines(s *source, signs signs) ([]*part, error) {
	r := &reader{part: newPart("", 1), src: s, text: s.text, signs: signs, fences: s.fences, forced: s.forced}
	if signs.marks {
		r.text = continued(r.text)
	}
	r.loose = !strings.Contains(r.text, ";")
	if err := r.scan(); err != nil {
		return nil, err
	}
	if at := r.prompts.two; at > 0 {
		return nil, s.errorf(at,
			"another client's prompt, or another database's, and it is not clear in which terminal: put the session "+
				"on a line above each "+
				"terminal's lines (-- session 1)")
	}
	for i := range r.out {
		if r.out[i].ragged {
			r.out[i].printed = nil
		}
	}
	if err := s.fences.whose(s, r.part); err != nil {
		return nil, err
	}
	r.plainEnds()
	r.awaited()
	r.refused()
	r.tablesFirst()
	var out []*part
	for _, p := range r.byFence(s.fences) {
		for _, p := range p.anew() {
			if err := p.doubt(s); err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// plainEnds writes END and ABORT, where a database has them, as COMMIT and ROLLBACK.
func (r *reader) plainEnds() {
	if !r.src.ansi {
		return
	}
	for i := range r.out {
		switch w := words(r.out[i].sql, 3); {
		case len(w) == 0 || len(w) > 2 || len(w) == 2 && w[1] != "WORK" && w[1] != "TRANSACTION":
		case w[0] == "END":
			r.out[i].sql = "COMMIT"
		case w[0] == "ABORT":
			r.out[i].sql = "ROLLBACK"
		}
	}
}

// cut makes a part of some of the statements of another one.
func (p *part) cut(title string, list []piece) *part {
	out := newPart(title, list[0].line)
	out.names, out.format, out.hints, out.out = p.names, p.format, p.hints, list
	return out
}

// byFence parts a text whose fences have schedules of their own: each begins where all transactions of the one before
// have ended, and has its sessions' marks on its lines. Those that make no table are over one set-up.
func (p *part) byFence(f *fences) []*part {
	first := slices.IndexFunc(p.out, func(q piece) bool { return q.ofSession() })
	if f == nil || first < 0 || len(p.order) > 0 {
		return []*part{p}
	}
	starts := []int{first}
	for i := first + 1; i < len(p.out); i++ {
		start := starts[len(starts)-1]
		if p.out[i].fence > 0 && p.out[i].fence != p.out[i-1].fence && p.ownSessions(i) && p.ownSessions(start) &&
			ended(p.out[start:i]) {
			starts = append(starts, i)
		}
	}
	if len(starts) == 1 {
		return []*part{p}
	}
	var out []*part
	for n, from := range starts {
		to := len(p.out)
		if n+1 < len(starts) {
			to = starts[n+1]
		}
		list := p.out[from:to:to]
		if !slices.ContainsFunc(list, func(q piece) bool { return !q.ofSession() && word(q.sql, 0) == "CREATE" }) {
			list = slices.Concat(p.out[:first], list)
		}
		part := p.cut(f.leadOf(p.out[from].line), list)
		part.line = p.out[from].line
		out = append(out, part)
	}
	out[0].notes = p.notes
	return out
}

// ownSessions says whether the fence that begins there has sessions, and their marks on its lines.
func (p *part) ownSessions(at int) bool {
	for i := at; i < len(p.out) && p.out[i].fence == p.out[at].fence; i++ {
		if p.out[i].ofSession() {
			return p.out[i].own
		}
	}
	return false
}

// anew parts a text where its set-up begins again, once all transactions have ended: another experiment with the same
// tables.
func (p *part) anew() []*part {
	if len(p.order) > 0 {
		return []*part{p}
	}
	made, acted, from := map[string]bool{}, false, 0
	var out []*part
	for i := range p.out {
		q := &p.out[i]
		acted = acted || q.ofSession() || sqltext.KindOf(q.sql) <= sqltext.Rollback && !defines(q.sql)
		read := sqltext.Read(q.sql)
		if q.ofSession() || read.Creates() != "table" || read.Target == "" {
			continue
		}
		if begin := p.preparation(from, i); acted && made[read.Target] && ended(p.out[from:begin]) {
			out = append(out, p.cut("", p.out[from:begin:begin]))
			from, acted = begin, false
			clear(made)
		}
		made[read.Target] = true
	}
	if len(out) == 0 {
		return []*part{p}
	}
	out = append(out, p.cut("", p.out[from:]))
	for _, n := range p.notes {
		i := len(out) - 1
		for i > 0 && n.Line < out[i].line {
			i--
		}
		out[i].notes = append(out[i].notes, n)
	}
	return out
}

// preparation is where the set-up begins that a statement is of.
func (p *part) preparation(from, at int) int {
	for at > from && !p.out[at-1].ofSession() && slices.Contains([]string{"DROP", "SET", "USE", "CREATE", "INSERT"},
		word(p.out[at-1].sql, 0)) {
		at--
	}
	return at
}

// tablesFirst makes the tables and rows with which a text ends, after sessions have used them, its set-up.
func (r *reader) tablesFirst() {
	from := len(r.out)
	for from > 0 && !r.out[from-1].own && (defines(r.out[from-1].sql) || word(r.out[from-1].sql, 0) == "ALTER") {
		from--
	}
	for from < len(r.out) && word(r.out[from].sql, 0) != "CREATE" {
		from++
	}
	used := false
	for i := from; i < len(r.out) && from > 0; i++ {
		used = used || r.usedBefore(i)
	}
	if !used {
		return
	}
	last := slices.Clone(r.out[from:])
	for i := range last {
		last[i].tag = setupTag
	}
	r.note(last[0].line, false, "the tables and rows with which the text ends are its set-up")
	r.out = append(last, r.out[:from]...)
}

// usedBefore says whether a statement makes a table that sessions have used before and nothing has made.
func (r *reader) usedBefore(at int) bool {
	read := sqltext.Read(r.out[at].sql)
	if read.Kind != sqltext.Create || read.Target == "" {
		return false
	}
	used := false
	for i := range r.out[:at] {
		q := sqltext.Read(r.out[i].sql)
		if q.Kind == sqltext.Create && q.Target == read.Target {
			return false
		}
		used = used || slices.ContainsFunc(q.Tokens, func(t sqltext.Token) bool {
			name, ok := t.Ident()
			return ok &&
				name == read.Target
		})
	}
	return used
}

// awaited takes a statement that a transcript has twice as one: first where it was sent and printed nothing, as it
// waited, and again where its answer came.
func (r *reader) awaited() {
	for i := 0; i < len(r.out) && r.prompts.seen; i++ {
		p := &r.out[i]
		if !p.ofSession() || p.printed != nil && p.printed.Count >= 0 || sqltext.KindOf(p.sql) == sqltext.Begin ||
			!r.answeredAll(i) {
			continue
		}
		next := i + 1
		for next < len(r.out) && r.out[next].tag != p.tag {
			next++
		}
		if next == i+1 || next == len(r.out) {
			continue
		}
		q := &r.out[next]
		if q.printed == nil || q.printed.Count < 0 || normalSQL(q.sql) != normalSQL(p.sql) {
			continue
		}
		p.printed, p.comments = q.printed, append(p.comments, q.comments...)
		p.printed.Waited = true
		r.note(q.line, false, "%s stands here again with its answer: it is the one of line %d, which waited",
			quote(q.sql), p.line)
		r.out = slices.Delete(r.out, next, next+1)
	}
}

// answeredAll says whether all statements of sessions before one, and one at least, have their answers printed.
func (r *reader) answeredAll(at int) bool {
	n := 0
	for i := range r.out[:at] {
		if p := &r.out[i]; p.ofSession() {
			if n++; p.printed == nil {
				return false
			}
		}
	}
	return n > 0
}

// refused keeps what comes after a statement that its text shows to be refused after it has waited until it is: the
// next one is not sent before. Only where the text makes such waits short: nobody waits for the usual minute.
func (p *part) refused() {
	short := false
	for i := range p.out {
		q := &p.out[i]
		short = short || strings.Contains(strings.ToLower(q.sql), "lock_wait_timeout") &&
			sqltext.KindOf(q.sql) == sqltext.Set ||
			strings.Contains(strings.ToLower(q.sql), "lock_timeout") && sqltext.KindOf(q.sql) == sqltext.Set
		if short && q.ofSession() && q.printed != nil && q.printed.Err == gaveUpCode && i+1 < len(p.out) &&
			p.out[i+1].tag != q.tag &&
			!slices.Contains(p.out[i+1].idle, q.tag) {
			p.out[i+1].idle = append(p.out[i+1].idle, q.tag)
		}
	}
}
