package importer

import (
	"html"
	"slices"
	"strconv"
	"strings"
)

var (
	mailQuote = lazily(`(?m)^>+ ?`)
	endBar    = lazily(`;[ \t]*\|[ \t]*$`)
	innerBar  = lazily(`^[^|'"]*\|\s*[^|\s]`)
	serverLog = lazily(`^\d{4}-\d\d-\d\dT\S+\s+(\d+)\s+(Query|Execute|Connect|Quit|Prepare|Close stmt|Reset stmt|Init DB|Field List|Ping|Statistics)\b[ \t]*(.*)$`)
	// olderLog is the general log of older servers, whose lines of the same second have no time; postgresLog is PostgreSQL's.
	olderLog    = lazily(`^(?:\d{6}\s+\d{1,2}:\d\d:\d\d)?\s+(\d+)\s+(Query|Execute|Connect|Quit|Prepare|Close stmt|Reset stmt|Init DB|Field List|Ping|Statistics)\b[ \t]*(.*)$`)
	postgresLog = lazily(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*(?: \w+)? \[(\d+)\](?: \S+)*? (LOG|ERROR|DETAIL|HINT|STATEMENT|WARNING):\s+(?:(?:statement|execute \S+): )?(.*)$`)
	// programLog is a line of a program's log, with the thread that sent a statement; a thread is numbered as it comes.
	programLog = lazily(`^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,\dZ+]*\s+(?:[A-Z]{4,5}\s+)?(?:\d+ --- )?` +
		`\[\s*([\w.:-]{1,40})\]\s+(?:[A-Z]{4,5}\s+)?(?:[\w.$]+\s*)?[-:]+\s+(?:(?:executing|execute|sql|query|statement)\s*[:=]\s*)?(.*)$`)
	closing   = lazily(`(?i)^[ \t]*(?:exit|quit|\\q|\.quit|\.exit)[ \t]*;?[ \t]*$`)
	inWords   = lazily(`&[gl]t;`)
	quotes    = lazily(`'[^'\n]*'`)
	tableRow  = lazily(`(?is)<tr\b[^>]*>(.*?)</tr>`)
	tableCell = lazily(`(?i)<t[dh]\b[^>]*>`)
	tableMark = lazily(`(?i)</?(?:table|tbody|thead|tr|td|th|code|pre|b|strong|p)\b[^>]*>`)
)

// tidied takes out of a text what trackers and mails have put in: marks of a quoted mail, characters that a page writes in words,
// the bar that a tracker's page leaves at the end of each line of code, tables of HTML and of Jira. Lines stay where they are.
func tidied(text string) string {
	if !strings.ContainsAny(text, "<>") && inWords.MatchString(quotes.ReplaceAllString(text, "")) {
		text = html.UnescapeString(text)
	}
	text = tableRow.ReplaceAllStringFunc(text, func(row string) string {
		n := strings.Count(row, "\n")
		row = strings.Join(strings.Fields(tableMark.ReplaceAllString(tableCell.ReplaceAllString(row, "|"), " ")), " ")
		return row + " |" + strings.Repeat("\n|", n)
	})
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
		if logLine(line) != nil {
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
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "||") && strings.HasSuffix(trimmed, "||") {
			line = strings.ReplaceAll(trimmed, "||", "|")
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// logLine takes a line of a server's log apart: connection, kind, text.
func logLine(line string) []string {
	for _, re := range []*pattern{serverLog, olderLog, postgresLog} {
		if m := re.FindStringSubmatch(line); m != nil {
			return m
		}
	}
	if m := programLog.FindStringSubmatch(line); m != nil && isStatement(m[2]) {
		return []string{m[0], m[1], "Query", m[2]}
	}
	return nil
}

// fromLog writes the lines of a server's general log as statements with their connection in front.
func fromLog(lines []string) []string {
	out := make([]string, len(lines))
	inside := false
	var threads []string
	connection := func(name string) string {
		if wholeNumber.MatchString(name) {
			return name
		}
		if !slices.Contains(threads, name) {
			threads = append(threads, name)
		}
		return strconv.Itoa(1 + slices.Index(threads, name))
	}
	for i, line := range lines {
		m := logLine(line)
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
		if inside = (m[2] == "Query" || m[2] == "Execute" || m[2] == "LOG") && isStatement(m[3]); inside {
			out[i] = "/* connection " + connection(m[1]) + " */ " + m[3]
		}
	}
	if inside {
		out[len(out)-1] += ";"
	}
	return out
}

var wholeNumber = lazily(`^\d+$`)

var (
	bullet = lazily(`^\s*[-*+•]\s+`)
	// shortSession is a session as it is called in front of what it does, in sentences.
	shortSession = lazily(`\b(?:[STC]|[Tt]x|[Tt]xn|[Tt]rx|conn?|sess)[_#-]?\d{1,3}\b`)
)

// whoseSentence lists the sessions that a sentence names beside its statements, each once.
func whoseSentence(line string) []string {
	line = inlineSQL.ReplaceAllString(line, " ")
	out := speaksOf(line)
	for _, name := range shortSession.FindAllString(line, -1) {
		if !slices.ContainsFunc(out, func(o string) bool { return normal(o) == normal(name) }) {
			out = append(out, name)
		}
	}
	return out
}

// onLetter is a session by its letter or number alone, where a sentence says what it does: "On A: `BEGIN`".
var onLetter = lazily(`(?i)\b(?:on|in|from|at|by)\s+((?-i:[A-H])|\d)\s*[:,]`)

// lettered are the letters of sessions by which sentences with statements hand over; nil where there are not several.
func lettered(lines []string) (out []string) {
	for _, line := range lines {
		m := onLetter.FindStringSubmatch(inlineSQL.ReplaceAllString(line, " "))
		if m != nil && inlineSQL.MatchString(line) && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

var inlineSQL = lazily("`([^`\n]+)`")

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
	letters := lettered(lines)
	for i, line := range lines {
		var b strings.Builder
		mark, whose := "", whoseSentence(line)
		if len(whose) > 1 {
			continue
		}
		if m := onLetter.FindStringSubmatch(inlineSQL.ReplaceAllString(line, " ")); m != nil && letters != nil {
			mark = "/* session " + m[1] + " */ "
		} else if m := parenTag.FindStringSubmatch(strings.TrimSpace(strings.TrimPrefix(line, stepNumber.FindString(line)))); m != nil {
			if mark = "/* " + m[1] + " */ "; len(m[1]) == 1 {
				mark = "/* session " + m[1] + " */ "
			}
		} else if len(whose) == 1 {
			mark = "/* " + whose[0] + " */ "
		}
		if who, sql := deedOf(bullet.ReplaceAllString(line, "")); who != "" && !inlineSQL.MatchString(line) && wholeSession.MatchString(who) {
			b.WriteString("/* " + who + " */ " + sql + "; ")
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
