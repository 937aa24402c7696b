package sqltext

import "strings"

// SplitList cuts the list in the parentheses that open at sql[open] at its commas, white space trimmed off; end is
// where the closing parenthesis is, -1 if there is none.
func SplitList(sql string, open int) (parts []string, end int) {
	if open < 0 {
		return nil, -1
	}
	at, depth, start := 0, 0, open+1
	for t := range Tokens(sql) {
		from := at
		at += len(t.Text)
		if from < open {
			continue
		}
		depth += t.Nesting()
		if depth == 1 && t.Text == "," || depth == 0 {
			parts = append(parts, strings.TrimSpace(sql[start:from]))
			start = at
		}
		if depth == 0 {
			return parts, from
		}
	}
	return nil, -1
}
