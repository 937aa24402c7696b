package postgresql

import (
	"errors"
	"strings"

	"txweave/sqltext"
)

// A lowered statement is one that means the same to the common grammar, which has no words for what PostgreSQL says: ON
// CONFLICT is written as ON DUPLICATE KEY UPDATE and IGNORE, UPDATE … FROM and DELETE … USING as joins, weak row locks as
// the strong ones, IS NOT DISTINCT FROM as <=>, IS DISTINCT FROM as <=> BINARY, || as ^, which is no operator here, and what stands in the
// same words in more grammars than this one as package sqltext does: FILTER, NULLS FIRST and LAST, MATERIALIZED.
type lowered struct {
	text string
	// raise writes what the common grammar prints as PostgreSQL's again; nil where that cannot be.
	raise func(string) string
}

// lower reads what stands in PostgreSQL's grammar alone.
func lower(sql string) (lowered, error) {
	sql, err := lowerWords(sql)
	if err != nil {
		return lowered{}, err
	}
	locks := words(sql).locks()
	w := words(locks.text)
	if len(w.Words) == 0 {
		return locks, nil
	}
	switch {
	case w.Words[0].Is("insert"):
		if at := w.Find(0, "on", "conflict"); at >= 0 {
			l, err := w.conflict(at)
			return l.after(locks), err
		}
	case w.Words[0].Is("update"):
		if from := w.Find(0, "from"); from >= 0 {
			l, err := w.updateFrom(from)
			return l.after(locks), err
		}
	case w.Words[0].Is("merge"):
		m, err := w.merge()
		if err != nil {
			return locks, err
		}
		return m.lower(w)
	case w.Words[0].Is("delete"):
		if using := w.Find(0, "using"); using >= 0 {
			return w.deleteUsing(using)
		}
	}
	return locks, nil
}

// after is what was lowered once before.
func (l lowered) after(first lowered) lowered {
	raise := l.raise
	if raise == nil || first.raise == nil {
		return lowered{text: l.text}
	}
	return lowered{text: l.text, raise: func(sql string) string { return first.raise(raise(sql)) }}
}

// phrase is a statement as its words.
type phrase struct{ sqltext.Phrase }

func words(sql string) phrase { return phrase{sqltext.PostgreSQL.Phrase(sql)} }

var errConflict = errors.New("ON CONFLICT is read with the columns of a key, and without conditions")

// conflict reads INSERT … ON CONFLICT [(columns)] DO NOTHING | DO UPDATE SET …
func (p phrase) conflict(at int) (lowered, error) {
	do := at + 2
	if p.At(do).Text == "(" {
		for do++; do < len(p.Words) && p.Words[do].Depth > 0; do++ {
			if p.Words[do].Is("where", "collate") {
				return lowered{}, errConflict
			}
		}
		do++
	}
	key := p.Part(at+2, do)
	insert := p.Part(1, at)
	switch {
	case p.Has(do, "do", "nothing") && do+2 == len(p.Words):
		tail := strings.TrimSpace("ON CONFLICT "+key) + " DO NOTHING"
		return lowered{text: "INSERT IGNORE " + insert, raise: func(sql string) string {
			return strings.Replace(sql, "INSERT IGNORE ", "INSERT ", 1) + " " + tail
		}}, nil
	case p.Has(do, "do", "update", "set") && p.Find(do, "where") < 0 && key != "":
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
	last := p.At(i).From
	for ; i < len(p.Words); i++ {
		if p.Words[i].Is("excluded") && p.At(i+1).Text == "." {
			b.WriteString(p.Text[last:p.Words[i].From] + "VALUES(" + p.At(i+2).Text + ")")
			i += 2
			last = p.At(i).To
		}
	}
	return b.String() + p.Text[last:]
}

// raiseExcluded writes EXCLUDED.c for VALUES(c).
func raiseExcluded(set string) string {
	p := words(set)
	var b strings.Builder
	last := 0
	for i := 0; i < len(p.Words); i++ {
		if p.Words[i].Is("values") && p.At(i+1).Text == "(" && p.At(i+3).Text == ")" {
			b.WriteString(set[last:p.Words[i].From] + "EXCLUDED." + p.Words[i+2].Text)
			i += 3
			last = p.Words[i].To
		}
	}
	return b.String() + set[last:]
}

// named reads a table with its alias at word i, and returns where it ends.
func (p phrase) named(i int) (table, alias string, next int) {
	table, alias = p.At(i).Text, p.At(i).Text
	if i++; p.At(i).Is("as") {
		return table, p.At(i + 1).Text, i + 2
	}
	if t := p.At(i); t.Kind == sqltext.Word && !t.Is("set", "using", "where") {
		return table, t.Text, i + 1
	}
	return table, alias, i
}

// updateFrom reads UPDATE t SET … FROM … [WHERE …]: the columns that are set are t's.
func (p phrase) updateFrom(from int) (lowered, error) {
	_, _, set := p.named(1)
	if !p.At(set).Is("set") {
		return lowered{}, errors.New("UPDATE … FROM is read as UPDATE table SET … FROM …")
	}
	if p.assignments(set+1, from) == nil {
		return lowered{}, errors.New("UPDATE … FROM sets one column at a time")
	}
	return lowered{text: sqltext.PostgreSQL.JoinUpdate(p.Text), raise: sqltext.PostgreSQL.SplitUpdate}, nil
}

// deleteUsing reads DELETE FROM t USING … [WHERE …].
func (p phrase) deleteUsing(using int) (lowered, error) {
	table, alias, next := p.named(2)
	if next != using || !p.At(1).Is("from") {
		return lowered{}, errors.New("DELETE … USING is read as DELETE FROM table USING …")
	}
	return lowered{text: "DELETE FROM " + alias + " USING " + table + " AS " + alias + ", " + p.Part(using+1, len(p.Words))}, nil
}

// locks reads FOR NO KEY UPDATE and FOR KEY SHARE, and comparisons that know NULL.
func (p phrase) locks() lowered {
	if len(p.Words) == 0 {
		return lowered{raise: raiseWords}
	}
	var b strings.Builder
	last, strong, weak := 0, 0, 0
	replace := func(i, n int, by string) {
		b.WriteString(p.Text[last:p.Words[i].From] + by)
		last = p.Words[i+n-1].To
	}
	for i := range p.Words {
		switch {
		case p.Has(i, "for", "no", "key", "update"):
			replace(i, 4, "FOR UPDATE")
			weak++
		case p.Has(i, "for", "key", "share"):
			replace(i, 3, "FOR SHARE")
			weak++
		case p.Has(i, "for", "update"), p.Has(i, "for", "share"):
			strong++
		case p.Has(i, "is", "not", "distinct", "from"):
			replace(i, 4, "<=>")
		case p.Has(i, "is", "distinct", "from"):
			replace(i, 3, "<=> BINARY")
		case p.Symbol(i, "||"):
			replace(i, 2, "^")
		}
	}
	if last == 0 {
		return lowered{text: p.Text, raise: raiseWords}
	}
	out := lowered{text: b.String() + p.Text[last:]}
	if weak > 0 && strong > 0 || weak > 1 {
		return out // which is which is not known when it is printed
	}
	noKey := p.Find(0, "no", "key", "update") >= 0
	out.raise = func(sql string) string {
		sql = raiseWords(sql)
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

// lowerWords lowers what stands in the same words in several grammars.
func lowerWords(sql string) (string, error) {
	sql, err := sqltext.PostgreSQL.FoldMaterials(sql)
	if err != nil {
		return "", err
	}
	return sqltext.PostgreSQL.FoldFilters(sqltext.PostgreSQL.FoldNulls(sql)), nil
}

// raiseWords writes what is printed with the operators and the clauses that PostgreSQL has.
func raiseWords(sql string) string {
	r := sqltext.PostgreSQL.Rewrite(sql)
	for i := range r.Words {
		switch {
		case r.Passed(i):
		case r.Symbol(i, "<=>") && r.At(i+3).Is("binary"):
			r.Put(i, 4, "IS DISTINCT FROM")
		case r.Symbol(i, "<=>"):
			r.Put(i, 3, "IS NOT DISTINCT FROM")
		case r.Symbol(i, "^"):
			r.Put(i, 1, "||")
		}
	}
	text := sqltext.PostgreSQL.UnfoldMaterials(r.Done())
	if whole, ok := sqltext.PostgreSQL.UnfoldNulls(text); ok {
		text = whole
	}
	if whole, ok := sqltext.PostgreSQL.UnfoldFilters(text); ok {
		text = whole
	}
	return text // where a call is left that no DBMS has no server takes it
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
		at := p.Find(0, clause.words...)
		if at < 0 {
			continue
		}
		if next := at + len(clause.words); out != sqltext.NoRowLock || p.Find(next, "for") >= 0 {
			return sqltext.NoRowLock
		}
		out = clause.lock
	}
	return out
}
