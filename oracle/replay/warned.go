package replay

import (
	"cmp"
	"regexp"
	"slices"

	"txweave/finding"
	"txweave/history"
)

// warningKind is what the plan has no part in of a warning: its level and code, and the column that it is about, ""
// where it names none.
type warningKind struct {
	level  string
	code   int
	column string
}

// ofColumn finds the column that a warning is about: "Field 'c' doesn't have …", "… for column `x`.`t`.`c` at row 1".
var ofColumn = regexp.MustCompile(`^(?:Field|Column) ['` + "`" + `](.*?)['` + "`" + `] |for column ['` + "`" +
	`](?:[^` + "`" + `]*` + "`" + `\.` + "`" + `)*(.*?)['` + "`" + `] at row \d+$`)

func kindOf(w history.Warning) warningKind {
	k := warningKind{level: w.Level, code: w.Code}
	if m := ofColumn.FindStringSubmatch(w.Message); m != nil {
		k.column = m[1] + m[2]
	}
	return k
}

// warned lists what one of two answers is warned of more often than the other, sorted: of each level and code what
// there is more of, one of each shape that its messages have. Where there are as many the plan may word them otherwise,
// but which columns they are about it does not decide: then those are listed, if each of them names one.
func warned(a, b []history.Warning) (out []finding.Warned) {
	type shape struct {
		warningKind
		message string
	}
	of := func(w history.Warning) shape { return shape{kindOf(w), finding.NormalizeError(w.Message)} }
	codes, kinds := map[warningKind]int{}, map[warningKind]int{}
	nameless := map[warningKind]bool{}
	shapes, said := map[shape]int{}, map[history.Warning]int{}
	count := func(w history.Warning, n int) {
		s := of(w)
		code := warningKind{level: s.level, code: s.code}
		codes[code] += n
		kinds[s.warningKind] += n
		shapes[s] += n
		said[w] += n
		nameless[code] = nameless[code] || s.column == ""
	}
	for _, w := range a {
		count(w, 1)
	}
	for _, w := range b {
		count(w, -1)
	}
	for _, w := range slices.Concat(a, b) {
		s := of(w)
		code := warningKind{level: s.level, code: s.code}
		n, side := shapes[s], codes[code]
		if side == 0 { // as many
			n, side = kinds[s.warningKind], kinds[s.warningKind]
		}
		if side == 0 || codes[code] == 0 && nameless[code] || cmp.Compare(n, 0) != cmp.Compare(side, 0) ||
			cmp.Compare(n, 0) != cmp.Compare(said[w], 0) {
			continue
		}
		shapes[s], kinds[s.warningKind] = 0, 0 // told
		out = append(out, finding.Warned{Warning: w, More: n})
	}
	slices.SortFunc(out, func(x, y finding.Warned) int {
		return cmp.Or(cmp.Compare(x.Code, y.Code), cmp.Compare(x.Level, y.Level), cmp.Compare(x.Message, y.Message))
	})
	return out
}
