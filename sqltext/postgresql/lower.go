package postgresql

import (
	"errors"
	"strings"

	"txweave/sqltext"
)

// A lowered statement is one that means the same to the common grammar, which has no words for what PostgreSQL says: ON
// CONFLICT is written as ON DUPLICATE KEY UPDATE and IGNORE, UPDATE … FROM and DELETE … USING as joins, weak row locks as
// the strong ones, IS NOT DISTINCT FROM as <=>.
type lowered struct {
	text string
	// raise writes what the common grammar prints as PostgreSQL's again; nil where that cannot be.
	raise func(string) string
}

// lower reads what stands in PostgreSQL's grammar alone.
func lower(sql string) (lowered, error) {
	locks := words(sql).locks()
	w := words(locks.text)
	if len(w) == 0 {
		return locks, nil
	}
	switch {
	case w[0].Is("insert"):
		if at := w.find(0, "on", "conflict"); at >= 0 {
			l, err := w.conflict(at)
			return l.after(locks), err
		}
	case w[0].Is("update"):
		if from := w.find(0, "from"); from >= 0 {
			return w.updateFrom(from)
		}
	case w[0].Is("merge"):
		m, err := w.merge()
		if err != nil {
			return locks, err
		}
		return m.lower(w)
	case w[0].Is("delete"):
		if using := w.find(0, "using"); using >= 0 {
			return w.deleteUsing(using)
		}
	}
	return locks, nil
}

func same(sql string) string { return sql }

// after is what was lowered once before.
func (l lowered) after(first lowered) lowered {
	raise := l.raise
	if raise == nil || first.raise == nil {
		return lowered{text: l.text}
	}
	return lowered{text: l.text, raise: func(sql string) string { return first.raise(raise(sql)) }}
}

// word is a token with its place in the text and how many parentheses are open before it.
type word struct {
	sqltext.Token
	from, to, depth int
	text            string // the statement
}

// phrase is a statement as its words, white space and comments left out.
type phrase []word

func words(sql string) phrase {
	var out phrase
	at, depth := 0, 0
	for t := range sqltext.PostgreSQL.Tokens(sql) {
		from := at
		at += len(t.Text)
		if t.Kind == sqltext.Blank || t.Kind == sqltext.Comment {
			continue
		}
		if t.Text == ")" {
			depth--
		}
		out = append(out, word{Token: t, from: from, to: at, depth: depth, text: sql})
		if t.Text == "(" {
			depth++
		}
	}
	return out
}

// at returns word i; one that is nothing behind the last.
func (p phrase) at(i int) word {
	if i < 0 || i >= len(p) {
		return word{}
	}
	return p[i]
}

// find returns where words stand one after the other outside parentheses, from word i on; -1 if nowhere.
func (p phrase) find(i int, sequence ...string) int {
	for ; i < len(p); i++ {
		if p[i].depth == 0 && p.has(i, sequence...) && p.at(i-1).Text != "." {
			return i
		}
	}
	return -1
}

// has says whether words stand one after the other from word i on.
func (p phrase) has(i int, sequence ...string) bool {
	for j, s := range sequence {
		if !p.at(i + j).Is(s) {
			return false
		}
	}
	return true
}

// part is the text from word i up to word j.
func (p phrase) part(i, j int) string {
	if i >= len(p) || i >= j {
		return ""
	}
	return p[0].text[p[i].from:p[min(j, len(p))-1].to]
}

var errConflict = errors.New("ON CONFLICT is read with the columns of a key, and without conditions")

// conflict reads INSERT … ON CONFLICT [(columns)] DO NOTHING | DO UPDATE SET …
func (p phrase) conflict(at int) (lowered, error) {
	do := at + 2
	if p.at(do).Text == "(" {
		for do++; do < len(p) && p[do].depth > 0; do++ {
			if p[do].Is("where", "collate") {
				return lowered{}, errConflict
			}
		}
		do++
	}
	key := p.part(at+2, do)
	insert := p.part(1, at)
	switch {
	case p.has(do, "do", "nothing") && do+2 == len(p):
		tail := strings.TrimSpace("ON CONFLICT "+key) + " DO NOTHING"
		return lowered{text: "INSERT IGNORE " + insert, raise: func(sql string) string {
			return strings.Replace(sql, "INSERT IGNORE ", "INSERT ", 1) + " " + tail
		}}, nil
	case p.has(do, "do", "update", "set") && p.find(do, "where") < 0 && key != "":
		return lowered{text: "INSERT " + insert + " ON DUPLICATE KEY UPDATE " + p.excluded(do+3), raise: func(sql string) string {
			head, set, ok := strings.Cut(sql, " ON DUPLICATE KEY UPDATE ")
			if !ok {
				return sql
			}
			return head + " ON CONFLICT " + key + " DO UPDATE SET " + raiseExcluded(set)
		}}, nil
	}
	return lowered{}, errConflict
}

// excluded is the text from word i on, with VALUES(c) for EXCLUDED.c.
func (p phrase) excluded(i int) string {
	var b strings.Builder
	last := p.at(i).from
	for ; i < len(p); i++ {
		if p[i].Is("excluded") && p.at(i+1).Text == "." {
			b.WriteString(p[0].text[last:p[i].from] + "VALUES(" + p.at(i+2).Text + ")")
			i += 2
			last = p.at(i).to
		}
	}
	return b.String() + p[0].text[last:]
}

// raiseExcluded writes EXCLUDED.c for VALUES(c).
func raiseExcluded(set string) string {
	p := words(set)
	var b strings.Builder
	last := 0
	for i := 0; i < len(p); i++ {
		if p[i].Is("values") && p.at(i+1).Text == "(" && p.at(i+3).Text == ")" {
			b.WriteString(set[last:p[i].from] + "EXCLUDED." + p[i+2].Text)
			i += 3
			last = p[i].to
		}
	}
	return b.String() + set[last:]
}

// named reads a table with its alias at word i, and returns where it ends.
func (p phrase) named(i int) (table, alias string, next int) {
	table, alias = p.at(i).Text, p.at(i).Text
	if i++; p.at(i).Is("as") {
		return table, p.at(i + 1).Text, i + 2
	}
	if t := p.at(i); t.Kind == sqltext.Word && !t.Is("set", "using", "where") {
		return table, t.Text, i + 1
	}
	return table, alias, i
}

// updateFrom reads UPDATE t SET … FROM … [WHERE …]: the columns that are set are t's.
func (p phrase) updateFrom(from int) (lowered, error) {
	table, alias, set := p.named(1)
	where := p.find(from, "where")
	if where < 0 {
		where = len(p)
	}
	if !p.at(set).Is("set") {
		return lowered{}, errors.New("UPDATE … FROM is read as UPDATE table SET … FROM …")
	}
	list := p.assignments(set+1, from)
	if list == nil {
		return lowered{}, errors.New("UPDATE … FROM sets one column at a time")
	}
	for i := range list {
		list[i] = alias + "." + list[i]
	}
	text := "UPDATE " + table + " AS " + alias + ", " + p.part(from+1, where) + " SET " + strings.Join(list, ", ")
	return lowered{text: text + " " + p.part(where, len(p))}, nil
}

// deleteUsing reads DELETE FROM t USING … [WHERE …].
func (p phrase) deleteUsing(using int) (lowered, error) {
	table, alias, next := p.named(2)
	if next != using || !p.at(1).Is("from") {
		return lowered{}, errors.New("DELETE … USING is read as DELETE FROM table USING …")
	}
	return lowered{text: "DELETE FROM " + alias + " USING " + table + " AS " + alias + ", " + p.part(using+1, len(p))}, nil
}

// locks reads FOR NO KEY UPDATE and FOR KEY SHARE, and comparisons that know NULL.
func (p phrase) locks() lowered {
	if len(p) == 0 {
		return lowered{raise: same}
	}
	var b strings.Builder
	last, strong, weak, null := 0, 0, 0, false
	replace := func(i, n int, by string) {
		b.WriteString(p[0].text[last:p[i].from] + by)
		last = p[i+n-1].to
	}
	for i := range p {
		switch {
		case p.has(i, "for", "no", "key", "update"):
			replace(i, 4, "FOR UPDATE")
			weak++
		case p.has(i, "for", "key", "share"):
			replace(i, 3, "FOR SHARE")
			weak++
		case p.has(i, "for", "update"), p.has(i, "for", "share"):
			strong++
		case p.has(i, "is", "not", "distinct", "from"):
			replace(i, 4, "<=>")
			null = true
		}
	}
	if last == 0 {
		return lowered{text: p[0].text, raise: same}
	}
	out := lowered{text: b.String() + p[0].text[last:]}
	if weak > 0 && strong > 0 || weak > 1 {
		return out // which is which is not known when it is printed
	}
	noKey := p.find(0, "no", "key", "update") >= 0
	out.raise = func(sql string) string {
		if null {
			sql = raiseNull(sql)
		}
		switch {
		case weak > 0 && noKey:
			return strings.Replace(sql, "FOR UPDATE", "FOR NO KEY UPDATE", 1)
		case weak > 0:
			return strings.Replace(sql, "FOR SHARE", "FOR KEY SHARE", 1)
		}
		return sql
	}
	return out
}

// raiseNull writes IS NOT DISTINCT FROM for <=>.
func raiseNull(sql string) string {
	var b strings.Builder
	last := 0
	p := words(sql)
	for i := range p {
		if p[i].Text != "<" || p.at(i+1).Text != "=" || p.at(i+2).Text != ">" || p.at(i+2).to != p[i].to+2 {
			continue
		}
		b.WriteString(strings.TrimRight(sql[last:p[i].from], " ") + " IS NOT DISTINCT FROM ")
		last = p.at(i + 3).from
	}
	return b.String() + sql[last:]
}

// rowLock is the lock clause of the outermost block: none where there are several.
func (p phrase) rowLock() sqltext.RowLock {
	out := sqltext.NoRowLock
	for _, clause := range []struct {
		lock  sqltext.RowLock
		words []string
	}{
		{sqltext.ForUpdate, []string{"for", "update"}}, {sqltext.ForNoKeyUpdate, []string{"for", "no", "key", "update"}},
		{sqltext.ForShare, []string{"for", "share"}}, {sqltext.ForKeyShare, []string{"for", "key", "share"}},
	} {
		at := p.find(0, clause.words...)
		if at < 0 {
			continue
		}
		if next := at + len(clause.words); out != sqltext.NoRowLock || p.find(next, "for") >= 0 {
			return sqltext.NoRowLock
		}
		out = clause.lock
	}
	return out
}
