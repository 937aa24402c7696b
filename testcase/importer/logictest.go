package importer

import (
	"regexp"
	"strings"
)

var (
	logicBlock = regexp.MustCompile(`^(?:statement (?:ok|error\b.*|count \d+)|query (?:[BDFIORT]+|error)\b.*)$`)
	logicUser  = regexp.MustCompile(`^user (\w+)`)
)

// isLogicTest says whether a text is a test of sqllogictest's kind, as CockroachDB and DuckDB write them.
func isLogicTest(text string) bool {
	n := 0
	for line := range strings.Lines(text) {
		if logicBlock.MatchString(strings.TrimSpace(line)) {
			n++
		}
	}
	return n > 1
}

// readLogicTest reads such a test: a line says what kind of statement follows, up to a blank line or to "----" and the rows that it must
// return. Its users are the sessions; "root" speaks first.
func readLogicTest(s *scanner) ([]*scanner, error) {
	lines := strings.Split(s.text, "\n")
	users, user := strings.Contains(s.text, "\nuser "), "root"
	s.names = map[string]string{}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if m := logicUser.FindStringSubmatch(line); m != nil {
			user = m[1]
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		from := i + 1
		for i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" && !strings.HasPrefix(lines[i+1], "----") {
			i++
		}
		sql := strings.TrimSpace(strings.Join(lines[min(from, len(lines)):i+1], "\n"))
		if !logicBlock.MatchString(line) || !isStatement(sql) {
			s.notes = append(s.notes, Note{from, "left out: " + quote(line) + " is no statement of a logic test", true})
		} else {
			p := piece{line: from + 1, sql: strings.TrimSuffix(sql, ";")}
			if users {
				p.tag = s.session("user " + user)
				s.names[p.tag] = user
			}
			s.out = append(s.out, p)
		}
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "----") || i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" {
			i++ // what it must return
		}
	}
	if len(s.out) == 0 {
		return nil, s.errorf(0, "a logic test without a statement")
	}
	return []*scanner{s}, nil
}
