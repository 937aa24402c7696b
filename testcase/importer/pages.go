package importer

import (
	"html"
	"strings"
)

var (
	// pageCode is where a page of HTML has code, and pageMark are the marks that it has around lines.
	pageCode = lazily(`(?i)<(?:pre|code)\b[^>]*>`)
	pageMark = lazily(`(?i)</?(?:p|pre|code|div|span|br|ul|ol|li|h\d|b|i|em|strong|blockquote|hr)\b[^>]*>`)
	// clockTime is when a line was logged, where a mark or a statement follows.
	clockTime = lazily(`(?i)^(?:time:?\s*)?\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d:\d\d(?:[.,]\d+)?Z?\]?\s*[-|:]?\s+`)
	// caseRule is a line that says which part of a log begins.
	caseRule = lazily(`^-{5,}[^-].*-{5,}$`)
)

// withoutTags takes the marks of HTML out of a page that has code in it. Lines stay where they are.
func withoutTags(text string) string {
	if !pageCode.MatchString(text) {
		return text
	}
	return html.UnescapeString(pageMark.ReplaceAllString(text, ""))
}

// together are sessions in front of a statement that each of them sends.
var together = lazily(`(?im)^([ \t]*)((?:` + anySession + `)(?:\s*(?:,|and|&|\+)\s*(?:` + anySession + `))+)\s*:[ \t]+([^;\n]+);?[ \t]*((?:--|#)[^\n]*)?$`)

// apart writes "T1, T2: BEGIN;" as a statement of each.
func apart(text string) string {
	return together.ReplaceAllStringFunc(text, func(line string) string {
		m := together.FindStringSubmatch(line)
		if !isStatement(m[3]) {
			return line
		}
		var b strings.Builder
		b.WriteString(m[1])
		for _, name := range wholeName.FindAllString(m[2], -1) {
			b.WriteString(name + ": " + strings.TrimSpace(m[3]) + "; ")
		}
		return b.String() + m[4]
	})
}

var wholeName = lazily(`(?i)` + anySession)

// speaks says whether a line goes on with a session's mark, a prompt or a statement.
func (s *scanner) speaks(line string) bool {
	line = strings.TrimSpace(line)
	return isStatement(line) || isStatement(withoutPrompt(line))
}
