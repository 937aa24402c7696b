package sqlite

import (
	"errors"
	"regexp"
)

var position = regexp.MustCompile(`^[0-9]+$`)

// lowerNulls writes ORDER BY a NULLS LAST as ORDER BY a IS NULL, a. Where NULLs stand there anyhow, first in ascending order, nothing is
// left of it.
func lowerNulls(sql string) (string, error) {
	r := rewriteOf(sql)
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
		if text == "" || r.Words[from].From < r.last {
			return "", errors.New("NULLS FIRST and NULLS LAST are read behind what ORDER BY names")
		}
		if descends == r.At(i+1).Is("last") {
			r.drop(i, 2)
			continue
		}
		if position.MatchString(text) {
			return "", errors.New("NULLS FIRST and NULLS LAST are not read of a column by its number: write what it is")
		}
		if end-from > 1 && !(end-from == 3 && r.At(from+1).Text == ".") {
			text = "(" + text + ")"
		}
		item := text + " IS NULL, " + text
		if descends {
			item = text + " IS NULL DESC, " + text + " DESC"
		}
		r.put(from, i+2-from, item)
	}
	return r.done(), nil
}

// item is what ORDER BY names, from a word up to another one.
type item struct {
	from, to int
	null     bool // it is followed by IS NULL
	descends bool
}

// raiseNulls is the way back.
func raiseNulls(sql string) string {
	r := rewriteOf(sql)
	for i := 0; i < len(r.Words); i++ {
		if !r.Has(i, "order", "by") {
			continue
		}
		items := r.items(i + 2)
		for k := 0; k+1 < len(items); k++ {
			a, b := items[k], items[k+1]
			if !a.null || b.null || a.descends != b.descends || r.Part(a.from, a.to) != r.Part(b.from, b.to) {
				continue
			}
			from, to, end := a.from, a.to, b.to
			text := r.Part(from, to)
			if r.At(from).Text == "(" && r.Close(from) == to-1 {
				text = r.Part(from+1, to-1)
			}
			if b.descends {
				text, end = text+" DESC NULLS FIRST", end+1
			} else {
				text += " NULLS LAST"
			}
			r.put(from, end-from, text)
			k++
		}
	}
	return r.done()
}

// items are those of an ORDER BY from word i on, words that end it excluded.
func (r *rewrite) items(i int) (out []item) {
	depth := r.At(i).Depth
	for from := i; ; i++ {
		w := r.At(i)
		ends := w.Text == "" || w.Depth < depth || w.Depth == depth && w.Is("limit", "rows", "range", "groups", "union", "except", "intersect")
		if !ends && !(w.Depth == depth && w.Text == ",") {
			continue
		}
		it := item{from: from, to: i}
		if it.descends = r.At(i - 1).Is("desc"); it.descends {
			it.to--
		}
		if it.null = r.At(it.to-1).Is("null") && r.At(it.to-2).Is("is") && it.to-2 > from; it.null {
			it.to -= 2
		}
		out = append(out, it)
		if ends {
			return out
		}
		from = i + 1
	}
}
