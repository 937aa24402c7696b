package importer

import (
	"slices"
	"strings"

	"txweave/sqltext"
)

// statementEnd returns where the statement that starts there ends, and how long the mark behind it is. Executable comments in
// it become part of it. It ends with its semicolon, with another delimiter that the text has set, with \g or \G, or where a
// line begins that is somebody else's: a session's mark, a printed result, a fence.
func (s *scanner) statementEnd(start int) (end, mark int) {
	body := sqltext.Body{}
	for at := start; at < len(s.text); {
		s.pos = at
		if s.executable() {
			continue
		}
		if s.delimiter != "" && strings.HasPrefix(s.text[at:], s.delimiter) {
			return at, len(s.delimiter)
		}
		t := lexer.Next(s.text, at)
		if t.Text[0] == '$' && sqltext.SyntaxOf(s.target).Quoting == sqltext.PostgreSQL {
			if quoted := sqltext.PostgreSQL.Next(s.text, at); quoted.Kind == sqltext.Literal && !quoted.Open {
				t = quoted // $$ … $$
			}
		}
		switch {
		case t.Kind == sqltext.Symbol && t.Text == ";" && s.delimiter == "" && body.Ends():
			return at, 1
		case t.Text == `\` && at+1 < len(s.text) && (s.text[at+1] == 'G' || s.text[at+1] == 'g'):
			return at, 2
		case t.Kind == sqltext.Blank && strings.Contains(t.Text, "\n"):
			if next := at + len(t.Text); s.foreign(start, at, next) || strings.Count(t.Text, "\n") > 1 && s.begins(next) || s.loose && s.follows(start, next) ||
				!body.Holds() && alone.MatchString(strings.TrimRight(lineOf(s.text[next:]), "; \t")) {
				return s.beforeRemark(start, at), 0
			} else if alone.MatchString(s.text[start:at]) && (strings.Count(t.Text, "\n") > 1 || !slices.Contains(behindThose, word(lineOf(s.text[next:]), 0))) {
				return s.beforeRemark(start, at), 0
			}
		}
		body.Take(t)
		at += len(t.Text)
	}
	return len(s.text), 0
}

// beforeRemark is where a statement that is whole at the end of its line ends, with a remark behind it.
func (s *scanner) beforeRemark(start, end int) int {
	if m := alone.FindStringSubmatchIndex(s.text[start:end]); m != nil && m[2] >= 0 {
		return start + m[2]
	}
	return end
}

// alone are statements that are whole at the end of their line, with or without a semicolon.
var alone = lazily(`(?i)^\s*(?:begin(?:\s+(?:work|pessimistic|optimistic|transaction))?|start\s+transaction|commit|rollback)\s*((?:--|#|//).*)?$`)

func lineOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// foreign says whether the line that begins there is no part of the statement from start to end.
func (s *scanner) foreign(start, end, at int) bool {
	line, _, _ := strings.Cut(s.text[at:], "\n")
	line = strings.TrimSpace(line)
	if line == "" {
		return false
	}
	if head := line[:min(len(line), longestMark)]; strings.ContainsAny(head, ">:#") && (promptTag.MatchString(line) || barePrompt.MatchString(line)) ||
		line[0] == '/' && commentTag.MatchString(line) || line[0] == '[' && bracketTag.MatchString(line) || executed.MatchString(line) || caseRule.MatchString(line) {
		return true
	}
	if s.stepped && stepNumber.MatchString(line) && isStatement(withoutPrompt(line)) {
		return true
	}
	if m := clockTime.FindString(line); m != "" && s.speaks(line[len(m):]) {
		return true
	}
	if labelled(line) != "" || s.loose && caseHeading.MatchString(line) {
		return true
	}
	if m := stepLabel.FindString(line); m != "" {
		for _, re := range []*pattern{commentTag, promptTag, bracketTag, parenTag} {
			if next := re.FindString(line[len(m):]); next != "" && isStatement(strings.TrimSpace(line[len(m)+len(next):])) {
				return true
			}
		}
	}
	if s.loose && colon.MatchString(line) && plain.MatchString(line) {
		return true
	}
	if _, n := s.counted(line[:min(len(line), longestMark)]); n > 0 {
		return true
	}
	return fence.MatchString(line) || resultLine.MatchString(line) && !strings.HasPrefix(line, "||") || isHeading(line) && !needs(s.text[start:end], line)
}

// unfinished are the words after which a statement goes on, whatever the next line looks like.
var unfinished = strings.Fields("select distinct from into update join table set where and or not by having values in like between as union all using")

// needs says whether a line that reads like a session's name is a part of the statement before it: "FROM t1".
func needs(before, line string) bool {
	if strings.HasSuffix(line, ":") {
		return false
	}
	var last, other sqltext.Token
	queries := 0 // that have no FROM yet
	for _, t := range lexer.Significant(before, -1) {
		switch {
		case t.Is("select", "delete"):
			queries++
		case t.Is("from"):
			queries--
		}
		last, other = t, last
	}
	switch {
	case last.Is("update"):
		return !other.Is("for", "key") // FOR UPDATE, FOR NO KEY UPDATE
	case last.Is(unfinished...):
		return true
	case last.Is("on"):
		return other.Text != "="
	case last.Kind == sqltext.Symbol && strings.ContainsAny(last.Text, ",=<>+(/"):
		return true
	}
	return queries > 0 && strings.EqualFold(sqltext.FirstWord(line), "from")
}

// longestMark is how long what stands in front of a statement may be, in bytes; longestHeading a line that is nothing but a
// session's name.
const (
	longestMark    = 200
	longestHeading = 200
	longestProse   = 4000
)

// isHeading says whether a line is a session's name and nothing else.
func isHeading(line string) bool { return len(line) <= longestHeading && heading.MatchString(line) }

// begins says whether a statement begins there.
func (s *scanner) begins(at int) bool {
	line, _, _ := strings.Cut(s.text[at:], "\n")
	switch word(line, 0) {
	case "BEGIN", "START", "COMMIT", "ROLLBACK", "CREATE", "DROP", "INSERT", "UPDATE", "DELETE":
		return true
	}
	return false
}

// follows says, in a text without semicolons, whether a line begins another statement than the one that starts there.
func (s *scanner) follows(start, at int) bool {
	if s.begins(at) {
		return true
	}
	line, _, _ := strings.Cut(s.text[at:], "\n")
	before := strings.TrimSpace(s.text[start:at])
	first := word(before, 0)
	switch word(line, 0) {
	case "SELECT":
		unfinished := strings.HasSuffix(before, "(") || strings.HasSuffix(before, ",") || strings.HasSuffix(strings.ToUpper(before), "UNION") ||
			strings.HasSuffix(strings.ToUpper(before), "ALL") || strings.HasSuffix(strings.ToUpper(before), "AS")
		return first != "WITH" && !unfinished && !((first == "INSERT" || first == "REPLACE" || first == "CREATE") && !strings.Contains(strings.ToUpper(before), "VALUES") &&
			!strings.HasSuffix(before, ")"))
	case "SET":
		return first != "UPDATE" && first != "INSERT"
	case "REPLACE", "ALTER", "SAVEPOINT", "RELEASE", "TRUNCATE", "SHOW", "LOCK", "UNLOCK":
		return true
	}
	return false
}
