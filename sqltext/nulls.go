package sqltext

import (
	"errors"
	"regexp"
)

var position = regexp.MustCompile(`^[0-9]+$`)

// PlaceNulls writes ORDER BY a NULLS LAST as ORDER BY a IS NULL, a, for a DBMS where NULL is the least (sqlite.org/lang_select.html#orderby), or with greatest
// ORDER BY a NULLS FIRST as ORDER BY a IS NULL DESC, a (postgresql.org/docs, Sorting Rows): where it stands there anyhow, nothing is left of that.
func (q Quoting) PlaceNulls(sql string, greatest bool) (string, error) {
	r := q.Rewrite(sql)
	for i := range r.Words {
		if !r.Words[i].Is("nulls") || !r.At(i+1).Is("first", "last") {
			continue
		}
		from := i - 1
		for from >= 0 && (r.Words[from].Depth > r.Words[i].Depth || r.Words[from].Text != "," && !r.Words[from].Is("by")) {
			from--
		}
		from++
		end, descends := i, r.At(i-1).Is("desc")
		if r.At(i-1).Is("asc", "desc") {
			end--
		}
		text := r.Part(from, end)
		if text == "" || r.Passed(from) {
			return "", errors.New("NULLS FIRST and NULLS LAST are read behind what ORDER BY names")
		}
		last := r.At(i + 1).Is("last")
		if descends == (last != greatest) {
			r.Drop(i, 2)
			continue
		}
		if position.MatchString(text) {
			return "", errors.New("NULLS FIRST and NULLS LAST are not read of a column by its number: write what it is")
		}
		if end-from > 1 && !(end-from == 3 && r.At(from+1).Text == ".") {
			text = "(" + text + ")"
		}
		item := text + " IS NULL"
		if !last {
			item += " DESC"
		}
		item += ", " + text
		if descends {
			item += " DESC"
		}
		r.Put(from, i+2-from, item)
	}
	return r.Done(), nil
}

// orderItem is what ORDER BY names, from a word up to another one.
type orderItem struct {
	from, to int
	null     bool // it is followed by IS NULL
	descends bool
}

// NameNulls is the way back.
func (q Quoting) NameNulls(sql string, greatest bool) string {
	r := q.Rewrite(sql)
	for i := 0; i < len(r.Words); i++ {
		if !r.Has(i, "order", "by") {
			continue
		}
		items := r.orderItems(i + 2)
		for k := 0; k+1 < len(items); k++ {
			a, b := items[k], items[k+1]
			if !a.null || b.null || (a.descends == b.descends) == greatest || r.Part(a.from, a.to) != r.Part(b.from, b.to) {
				continue
			}
			from, to, end := a.from, a.to, b.to
			text := r.Part(from, to)
			if r.At(from).Text == "(" && r.Close(from) == to-1 {
				text = r.Part(from+1, to-1)
			}
			if b.descends {
				text, end = text+" DESC", end+1
			}
			if a.descends {
				text += " NULLS FIRST"
			} else {
				text += " NULLS LAST"
			}
			r.Put(from, end-from, text)
			k++
		}
	}
	return r.Done()
}

// orderItems are those of an ORDER BY from word i on, words that end it excluded.
func (p Phrase) orderItems(i int) (out []orderItem) {
	depth := p.At(i).Depth
	for from := i; ; i++ {
		w := p.At(i)
		ends := w.Text == "" || w.Depth < depth || w.Depth == depth && w.Is("limit", "rows", "range", "groups", "union", "except", "intersect")
		if !ends && !(w.Depth == depth && w.Text == ",") {
			continue
		}
		it := orderItem{from: from, to: i}
		if it.descends = p.At(i - 1).Is("desc"); it.descends {
			it.to--
		}
		if it.null = p.At(it.to-1).Is("null") && p.At(it.to-2).Is("is") && it.to-2 > from; it.null {
			it.to -= 2
		}
		out = append(out, it)
		if ends {
			return out
		}
		from = i + 1
	}
}
