// Package said makes the steps of a difference of a sentence, for tests that write findings by hand.
package said

import (
	"regexp"
	"strconv"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/testcase"
)

// place finds what stands in the places of a sentence: statements, transactions, versions "(t, 1, 2)" and rows "row 1
// of t".
var place = regexp.MustCompile(`\bT\d+\.S\d+\b|\bT\d+\b|\(\w+, \d+(?:, \d+)?\)|\brow \d+ of \w+`)

// Steps are the steps that a text says, with semicolons between them.
func Steps(text string) finding.Sentences {
	var out finding.Sentences
	for sentence := range strings.SplitSeq(text, "; ") {
		var args []any
		form := place.ReplaceAllStringFunc(sentence, func(name string) string {
			args = append(args, argOf(name))
			return "%v"
		})
		out = append(out, finding.Say(form, args...))
	}
	return out
}

func argOf(name string) any {
	number := func(text string) int64 {
		n, _ := strconv.ParseInt(text, 10, 64)
		return n
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("(), ", r) })
	switch {
	case strings.HasPrefix(name, "(") && len(words) == 2:
		return history.Item{Table: words[0], PKey: number(words[1])}
	case strings.HasPrefix(name, "("):
		return history.Version{Item: history.Item{Table: words[0], PKey: number(words[1])}, VKey: number(words[2])}
	case strings.HasPrefix(name, "row "):
		return history.Item{Table: words[3], PKey: number(words[1])}
	}
	if _, ok := testcase.ParseRef(name); ok {
		return finding.StmtName(name)
	}
	return finding.TxnNumber(int(number(name[1:])))
}
