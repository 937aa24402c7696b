package sqltext

import (
	"errors"
	"strings"
)

// JoinUpdate writes UPDATE t SET a = u.b FROM u WHERE … as UPDATE t JOIN u SET t.a = u.b WHERE ….
func (q Quoting) JoinUpdate(sql string) string {
	r := updating{q.Phrase(sql)}
	set, from, where, name, ok := r.update()
	if !ok || from < 0 {
		return sql
	}
	sources := r.Part(from+1, where)
	if r.joins(from+1, where) {
		sources = "(" + sources + ")"
	}
	var list []string
	for _, at := range r.assignments(set, from) {
		list = append(list, name+"."+r.Part(at[0], at[1]))
	}
	return strings.TrimRight(sql[:r.Words[set].From], Space) + " JOIN " + sources + " SET " + strings.Join(list, ", ") + sql[r.Words[where-1].To:]
}

// SpreadRows writes SET (a, b) = (1, 2) as SET a = 1, b = 2.
func (q Quoting) SpreadRows(sql string) (string, error) {
	r := q.Rewrite(sql)
	set, from, where, _, ok := updating{r.Phrase}.update()
	if !ok {
		return sql, nil
	}
	if from < 0 {
		from = where
	}
	for _, at := range (updating{r.Phrase}).assignments(set, from) {
		if r.At(at[0]).Text != "(" {
			continue
		}
		equals := r.Close(at[0]) + 1
		names, values := r.List(at[0]), r.List(equals+1)
		if r.At(equals).Text != "=" || r.Close(equals+1) != at[1]-1 || len(names) != len(values) {
			return "", errors.New("SET (…) = … is read with a list of as many values")
		}
		for i := range names {
			names[i] += " = " + values[i]
		}
		r.Put(at[0], at[1]-at[0], strings.Join(names, ", "))
	}
	return r.Done(), nil
}

// SplitUpdate is the way back.
func (q Quoting) SplitUpdate(sql string) string {
	r := updating{q.Phrase(sql)}
	set, _, where, name, ok := r.update()
	if !ok {
		return sql
	}
	join := r.Find(0, "join")
	head, sources := set, ""
	if join > 0 && join < set {
		head, sources = join, r.Part(join+1, set)
		if r.At(join - 1).Is("cross") {
			head--
		}
		if r.At(join+1).Text == "(" && r.Close(join+1) == set-1 && !r.At(join+2).Is("select", "with", "values") {
			sources = r.Part(join+2, set-1)
		}
	}
	var list []string
	for _, at := range r.assignments(set, where) {
		text := r.Part(at[0], at[1])
		if r.At(at[0]+1).Text == "." && strings.EqualFold(r.At(at[0]).Text, name) {
			text = r.Part(at[0]+2, at[1])
		}
		list = append(list, text)
	}
	if sources != "" {
		sources = " FROM " + sources
	}
	return r.Part(0, head) + " SET " + strings.Join(list, ", ") + sources + sql[r.Words[where-1].To:]
}

// updating is an UPDATE as its words.
type updating struct{ Phrase }

// update finds the words at which the parts of an UPDATE begin, and the name of what it writes: from is -1 where there is none, where that
// behind the last. ok is false for what is no UPDATE.
func (r updating) update() (set, from, where int, name string, ok bool) {
	at := r.Find(0, "update")
	if at < 0 || at > 0 && !r.At(0).Is("with") {
		return 0, 0, 0, "", false
	}
	if set = r.Find(at, "set"); set < 0 {
		return 0, 0, 0, "", false
	}
	from, where = r.Find(set, "from"), r.Find(set, "where")
	if where < 0 {
		where = len(r.Words)
	}
	if at++; r.At(at).Is("or") {
		at += 2
	}
	if name = r.At(at).Text; r.At(at + 1).Is("as") {
		name = r.At(at + 2).Text
	} else if w := r.At(at + 1); w.Kind == Word && !w.Is("set", "join", "cross", "force", "use") {
		name = w.Text
	}
	return set, from, where, name, true
}

// assignments are those behind SET, each from a word up to another one.
func (r updating) assignments(set, end int) (out [][2]int) {
	for start, at := set+1, set+1; at <= end; at++ {
		if at == end || r.Words[at].Text == "," && r.Words[at].Depth == 0 {
			out = append(out, [2]int{start, at})
			start = at + 1
		}
	}
	return out
}

// joins says whether there are several sources from word i up to word end.
func (r updating) joins(i, end int) bool {
	for ; i < end; i++ {
		if w := r.Words[i]; w.Depth == 0 && (w.Text == "," || w.Is("join")) {
			return true
		}
	}
	return false
}
