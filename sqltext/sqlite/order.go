package sqlite

import "txweave/sqltext"

// item is what ORDER BY names, from a word up to another one.
type item struct {
	from, to int
	null     bool // it is followed by IS NULL
	descends bool
}

// raiseNulls writes ORDER BY a IS NULL, a as ORDER BY a NULLS LAST.
func raiseNulls(sql string) string {
	r := sqltext.ANSI.Rewrite(sql)
	for i := 0; i < len(r.Words); i++ {
		if !r.Has(i, "order", "by") {
			continue
		}
		items := orderItems(r.Phrase, i+2)
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
			r.Put(from, end-from, text)
			k++
		}
	}
	return r.Done()
}

// orderItems are those of an ORDER BY from word i on, words that end it excluded.
func orderItems(r sqltext.Phrase, i int) (out []item) {
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
