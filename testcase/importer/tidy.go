package importer

import (
	"html"
	"regexp"
	"strings"
)

var (
	mailQuote  = regexp.MustCompile(`(?m)^>+ ?`)
	dashRemark = regexp.MustCompile(`(?m)^([ \t]*)[–—]+[ \t]|(;[ \t]*)[–—]+[ \t]`)
	slashes    = regexp.MustCompile(`(?m)^([ \t]*)//|(;[ \t]*)//`)
	endBar     = regexp.MustCompile(`;[ \t]*\|[ \t]*$`)
	innerBar   = regexp.MustCompile(`^[^|'"]*\|\s*[^|\s]`)
	serverLog  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\S+\s+(\d+)\s+(Query|Execute|Connect|Quit|Prepare|Close stmt|Reset stmt|Init DB|Field List|Ping|Statistics)\b[ \t]*(.*)$`)
	closing    = regexp.MustCompile(`(?i)^[ \t]*(?:exit|quit|\\q|\.quit|\.exit)[ \t]*;?[ \t]*$`)
	timing     = regexp.MustCompile(`^Time: [\d.]+ ms\b`)
)

// tidied takes out of a text what trackers, mails and clients have put in: marks of a quoted mail, characters that a page
// writes in words, the bar that a tracker's page leaves at the end of each line of code, dashes made of hyphens, remarks
// behind slashes, the end of a client, times. Lines stay where they are.
func tidied(text string) string {
	if strings.Contains(text, "&gt;") || strings.Contains(text, "&lt;") {
		text = html.UnescapeString(text)
	}
	lines := strings.Split(text, "\n")
	quoted, bars, logged, columns := 0, 0, 0, false
	for _, line := range lines {
		if strings.HasPrefix(line, ">") && (isStatement(withoutPrompt(mailQuote.ReplaceAllString(line, ""))) || commentTag.MatchString(mailQuote.ReplaceAllString(line, ""))) {
			quoted++
		}
		if trimmed := strings.TrimSpace(line); !strings.HasPrefix(trimmed, "|") {
			if endBar.MatchString(line) {
				bars++
			}
			columns = columns || innerBar.MatchString(strings.ReplaceAll(trimmed, "||", ""))
		}
		if serverLog.MatchString(line) {
			logged++
		}
	}
	if logged > 1 {
		lines = fromLog(lines)
	}
	for i, line := range lines {
		if quoted > 1 {
			line = mailQuote.ReplaceAllString(line, "")
		}
		if trimmed := strings.TrimSpace(line); bars > 1 && !columns && !strings.HasPrefix(strings.TrimPrefix(trimmed, "|"), "|") &&
			(trimmed == "|" || !strings.HasPrefix(trimmed, "|")) {
			line = strings.TrimSuffix(strings.TrimRight(line, " \t"), "|")
		}
		if closing.MatchString(line) || timing.MatchString(line) {
			line = ""
		}
		lines[i] = line
	}
	text = strings.Join(lines, "\n")
	text = dashRemark.ReplaceAllString(text, "$1$2-- ")
	return slashes.ReplaceAllString(text, "$1$2-- ")
}

// fromLog writes the lines of a server's general log as statements with their connection in front.
func fromLog(lines []string) []string {
	out := make([]string, len(lines))
	inside := false
	for i, line := range lines {
		m := serverLog.FindStringSubmatch(line)
		switch {
		case m == nil && inside:
			out[i] = line
			continue
		case m == nil:
			continue
		}
		if inside && i > 0 {
			out[i-1] += ";"
		}
		if inside = (m[2] == "Query" || m[2] == "Execute") && isStatement(m[3]); inside {
			out[i] = "/* connection " + m[1] + " */ " + m[3]
		}
	}
	if inside {
		out[len(out)-1] += ";"
	}
	return out
}

var inlineSQL = regexp.MustCompile("`([^`\n]+)`")

// fromSentences writes sentences that hold their statements as code ("In session 1 run `BEGIN`") as statements with the session
// in front that the sentence names. It leaves a text alone that has statements on lines of their own.
func fromSentences(text string) string {
	lines := strings.Split(text, "\n")
	found := 0
	for _, line := range lines {
		if isStatement(withoutPrompt(line)) && !inlineSQL.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "|") {
			return text
		}
		for _, m := range inlineSQL.FindAllStringSubmatch(line, -1) {
			if isStatement(m[1]) {
				found++
			}
		}
	}
	if found < 3 {
		return text
	}
	for i, line := range lines {
		var b strings.Builder
		mark := ""
		if all := speaksOf(inlineSQL.ReplaceAllString(line, " ")); len(all) == 1 {
			mark = "/* " + all[0] + " */ "
		}
		for _, m := range inlineSQL.FindAllStringSubmatch(line, -1) {
			for _, sql := range statements(m[1]) {
				b.WriteString(mark + sql + "; ")
			}
		}
		if b.Len() > 0 {
			lines[i] = b.String()
		}
	}
	return strings.Join(lines, "\n")
}
