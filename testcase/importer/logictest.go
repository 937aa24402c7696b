package importer

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
)

// numberOf is a number in digits; 0 for another text.
func numberOf(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// logicBlock says whether a line says what kind of statement follows it: "statement ok", "query II rowsort".
func logicBlock(line string) bool {
	w := strings.Fields(line)
	if len(w) < 2 {
		return false
	}
	switch w[0] {
	case "statement":
		return slices.Contains([]string{"ok", "maybe", "error", "count"}, w[1])
	case "query":
		return w[1] == "error" || strings.Trim(w[1], "BDFIORT") == ""
	}
	return false
}

// isLogicTest says whether a text is a test of sqllogictest's kind: two lines at least say what kind of statement
// follows.
func isLogicTest(s *source) bool {
	n := 0
	for _, line := range s.lines() {
		if logicBlock(strings.TrimSpace(line)) {
			n++
		}
	}
	return n > 1
}

// rowOrders are the orders that a query's rows are compared in.
var rowOrders = []string{"nosort", "rowsort", "valuesort"}

// logicName is the last word of such a line, where it may be the connection that DuckDB's tests name; "" where it is
// none. What stands behind an error may be its text, and what stands behind the order of the rows their label: sure
// says that it is neither.
func logicName(line string) (name string, sure bool) {
	w := strings.Fields(line)
	labelled := len(w) == 4 && w[0] == "query"
	if name = w[len(w)-1]; len(w) != 3 && !labelled || w[1] == "count" || strings.HasPrefix(name, "<") ||
		slices.Contains(rowOrders, name) {
		return "", false
	}
	return name, !labelled && (isSession(name) || w[0] == "statement" && w[1] != "error")
}

// quietLogic are lines of such tests that change no answer.
var quietLogic = strings.Fields("hash-threshold subtest mode halt name description group load require")

// readLogicTest reads such a test: a line says what kind of statement follows, up to a blank line or to "----" and the
// rows that it must return. Its users are the sessions; "root" speaks first.
func readLogicTest(s *source) ([]*part, error) {
	p, lines := newPart("", 1), s.lines()
	user, connections := speakers(lines)
	blank := func(i int) bool { return i >= len(lines) || strings.TrimSpace(lines[i]) == "" }
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		w := append(strings.Fields(line), "", "")
		switch {
		case line == "" || strings.HasPrefix(line, "#") || slices.Contains(quietLogic, w[0]):
			continue
		case w[0] == "user" && w[1] != "":
			user = w[1]
			continue
		case !logicBlock(line):
			return nil, s.errorf(i+1,
				"%s: read here are statement ok, statement error, query with the types of its columns, and user",
				quote(line))
		}
		from := i + 1
		for !blank(i+1) && !strings.HasPrefix(lines[i+1], "----") {
			i++
		}
		sql := strings.TrimSuffix(strings.TrimSpace(strings.Join(lines[min(from, len(lines)):i+1], "\n")), ";")
		if !begins(sql) {
			return nil, s.errorf(from+1, "%s: no statement below %s", quote(sql), quote(line))
		}
		q := piece{line: from + 1, sql: sql, own: true}
		p.speak(&q, user, line, connections)
		p.out = append(p.out, q)
		for !blank(i + 1) {
			i++ // what it must return
		}
	}
	if len(p.out) == 0 {
		return nil, s.errorf(1, "a logic test without a statement")
	}
	return []*part{p}, nil
}

// speakers are the user that speaks first, where a test has users, and the connections that it names.
func speakers(lines []string) (user string, connections map[string]bool) {
	connections = map[string]bool{}
	for _, line := range lines {
		if w := strings.Fields(line); len(w) > 1 && w[0] == "user" {
			user = "root"
		} else if logicBlock(line) {
			if name, sure := logicName(line); sure {
				connections[name] = true
			}
		}
	}
	return user, connections
}

// speak gives a statement its session: the connection that its line names, or the user that speaks.
func (p *part) speak(q *piece, user, line string, connections map[string]bool) {
	name, _ := logicName(line)
	if !connections[name] {
		name = user
	}
	if name == "" && len(connections) > 0 {
		name = "default"
		makes := sqltext.KindOf(q.sql) >= sqltext.Create || word(q.sql, 0) == "INSERT"
		if len(p.tags()) == 0 && makes {
			return
		}
	}
	if name != "" {
		q.tag = p.session("user " + name)
		p.names[q.tag] = name
	}
}
