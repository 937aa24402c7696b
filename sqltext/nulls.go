package sqltext

import (
	"errors"
	"regexp"
)

var position = regexp.MustCompile(`^[0-9]+$`)

// PlaceNulls writes ORDER BY a NULLS LAST as ORDER BY a IS NULL, a, for a DBMS where NULL is the least (sqlite.org/lang_select.html#orderby): where it stands there anyhow,
// nothing is left of that.
func (q Quoting) PlaceNulls(sql string) (string, error) {
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
		if descends == r.At(i+1).Is("last") {
			r.Drop(i, 2)
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
		r.Put(from, i+2-from, item)
	}
	return r.Done(), nil
}
