package importer

import (
	"strconv"
	"strings"
)

var (
	// valueList are the values behind a statement, in whatever brackets a language has around them.
	valueList = lazily(`^\s*,\s*(?:\[\]\w+\{|new \w+\[\]\s*\{|\[|\(|\{)?\s*(.*?)[\])};,\s]*(?:(?:#|//|--)\s.*)?$`)
	// oneValue is a number, a text or nothing.
	oneValue = lazily(`^\s*(?:(-?\d+(?:\.\d+)?)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?i:none|null|nil|undefined))|((?i:true|false)))\s*(?:,|$)`)
	holder   = lazily(`'(?:[^']|'')*'|\?|%s|%d|\$(\d+)`)
)

// withValues writes the values that stand beside a statement into it; false where they are not all written out there.
func withValues(sql, rest string) (string, bool) {
	m := valueList.FindStringSubmatch(rest)
	if m == nil {
		return "", false
	}
	var values []string
	for left := m[1]; strings.TrimSpace(left) != ""; {
		v := oneValue.FindStringSubmatch(left)
		if v == nil {
			return "", false
		}
		switch left = left[len(v[0]):]; {
		case v[1] != "":
			values = append(values, v[1])
		case v[4] != "":
			values = append(values, "NULL")
		case v[5] != "":
			values = append(values, strings.ToUpper(v[5]))
		default:
			if strings.Contains(v[2]+v[3], "\\") {
				return "", false
			}
			values = append(values, "'"+strings.ReplaceAll(v[2]+v[3], "'", "''")+"'")
		}
	}
	next, fits := 0, true
	used := map[int]bool{}
	sql = holder.ReplaceAllStringFunc(sql, func(mark string) string {
		at := next
		switch {
		case mark[0] == '\'':
			return mark
		case mark[0] == '$':
			at, _ = strconv.Atoi(mark[1:])
			at--
		default:
			next++
		}
		if at < 0 || at >= len(values) {
			fits = false
			return mark
		}
		used[at] = true
		return values[at]
	})
	return sql, fits && len(used) == len(values) && len(values) > 0
}
