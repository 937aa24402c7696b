package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
)

// printWarnings prints warnings sorted and without their messages, whose row numbers depend on the plan.
func printWarnings(ws []history.Warning) string {
	parts := make([]string, len(ws))
	for i, w := range ws {
		parts[i] = fmt.Sprintf("%s %d", w.Level, w.Code)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// warned lists what one of two answers is warned of more often than the other, by level and code, sorted.
func warned(a, b []history.Warning) (out []finding.Warned) {
	type kind struct {
		level string
		code  int
	}
	of := func(w history.Warning) kind { return kind{w.Level, w.Code} }
	more := map[kind]int{}
	said := map[history.Warning]int{} // by message, too
	count := func(w history.Warning, n int) {
		more[of(w)] += n
		said[w] += n
	}
	for _, w := range a {
		count(w, 1)
	}
	for _, w := range b {
		count(w, -1)
	}
	for _, w := range slices.Concat(a, b) { // those that there are more of, and have a message of which there are more
		n := more[of(w)]
		if n == 0 || cmp.Compare(n, 0) != cmp.Compare(said[w], 0) {
			continue
		}
		delete(more, of(w))
		out = append(out, finding.Warned{Warning: w, More: n})
	}
	slices.SortFunc(out, func(x, y finding.Warned) int {
		return cmp.Or(cmp.Compare(x.Code, y.Code), cmp.Compare(x.Level, y.Level))
	})
	return out
}
