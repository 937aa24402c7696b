package importer

import (
	"strings"

	"txweave/sqltext"
)

var (
	logicBlock = lazily(`^(?:statement (?:ok(?: \w+)?|maybe(?: \w+)?|error\b.*|count \d+)|query (?:[BDFIORT]+|error)\b.*)$`)
	// logicName is the connection that DuckDB's tests name behind what they want.
	logicName = lazily(`^(?:statement (?:ok|error|maybe)|query [BDFIORT]+(?: (?:nosort|rowsort|valuesort))?) (\w+)$`)
	logicUser = lazily(`^user (\w+)`)
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

// logicConnections are the connections that a test names, where it names several; nil where what stands there is a label.
func logicConnections(lines []string) map[string]bool {
	out := map[string]bool{}
	ok := false
	for _, line := range lines {
		if m := logicName.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			out[m[1]] = true
			ok = ok || strings.HasPrefix(strings.TrimSpace(line), "statement ok ")
		}
	}
	if !ok {
		return nil
	}
	return out
}

// readLogicTest reads such a test: a line says what kind of statement follows, up to a blank line or to "----" and the rows that it must
// return. Its users are the sessions; "root" speaks first.
func readLogicTest(s *scanner) ([]*scanner, error) {
	lines := strings.Split(s.text, "\n")
	users, user := strings.Contains(s.text, "\nuser "), "root"
	s.names = map[string]string{}
	connections := logicConnections(lines)
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
			} else if connections != nil {
				name := "default"
				if m := logicName.FindStringSubmatch(line); m != nil && connections[m[1]] {
					name = m[1]
				}
				if begins := sqltext.KindOf(p.sql) >= sqltext.Create || word(p.sql, 0) == "INSERT"; name != "default" || len(s.tags()) > 0 || !begins {
					p.tag = s.session("user " + name)
					s.names[p.tag] = name
				}
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
