package importer

import (
	"fmt"
	"strconv"
	"strings"

	"txweave/testcase"
)

var (
	trocSchedule = lazily(`^[12](?:\s*-\s*[12])+$`)
	trocLevels   = map[string]string{"RU": "READ UNCOMMITTED", "RC": "READ COMMITTED", "RR": "REPEATABLE READ", "SER": "SERIALIZABLE"}
)

// trocLevel reads a line that is an isolation level, written out or as Troc's own cases have it.
func trocLevel(line string) (level string, ok bool) {
	line = strings.ToUpper(strings.ReplaceAll(strings.Join(strings.Fields(line), " "), "_", " "))
	for short, long := range trocLevels {
		if line == short || line == long {
			return long, true
		}
	}
	return "", false
}

// isTroc says whether a text has the form of Troc's cases: isolation levels and a schedule on lines of their own.
func isTroc(text string) bool {
	levels, schedules := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, ok := trocLevel(strings.TrimRight(line, ";:")); ok {
			levels++
		}
		if trocSchedule.MatchString(line) {
			schedules++
		}
	}
	return levels > 1 && schedules > 0
}

// readTrocs reads Troc's cases: set-up, two lists of statements, each below its isolation level, the schedule as 1-1-2-2-1-2,
// END; a statement a line. Another case may follow.
func readTrocs(s *scanner) (parts []*scanner, err error) {
	lists := make([][]piece, 3) // set-up, then the two transactions
	at := 0
	for i, line := range strings.Split(s.text, "\n") {
		line = strings.TrimSpace(line)
		level, isLevel := trocLevel(strings.TrimRight(line, ";:"))
		failed := func(format string, args ...any) ([]*scanner, error) {
			return nil, &testcase.ParseError{Name: s.name, Line: i + 1, Msg: fmt.Sprintf(format, args...)}
		}
		switch {
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "--") || strings.EqualFold(line, "END"):
		case isLevel:
			if at++; at > 2 {
				return failed("a third transaction: such a case has two")
			}
			lists[at] = append(lists[at], piece{line: i + 1, sql: "SET SESSION TRANSACTION ISOLATION LEVEL " + level})
		case trocSchedule.MatchString(line):
			if at != 2 {
				return failed("a schedule after %d of two transactions", at)
			}
			p := s.part("", i+1)
			p.names = map[string]string{}
			p.out, err = interleave(lists, strings.FieldsFunc(line, func(r rune) bool { return r == '-' || r == ' ' }))
			if err != nil {
				return failed("%v", err)
			}
			p.at = p.out[0].line
			parts = append(parts, p)
			lists, at = make([][]piece, 3), 0
		case isStatement(line):
			lists[at] = append(lists[at], piece{line: i + 1, sql: strings.TrimRight(line, "; ")})
		default:
			return failed("%s is no SQL statement, no isolation level and no schedule", quote(line))
		}
	}
	return parts, nil
}

// interleave puts the statements of two transactions in the order of a schedule, set-up and levels first.
func interleave(lists [][]piece, schedule []string) (out []piece, err error) {
	take := func(i int) {
		p := lists[i][0]
		lists[i] = lists[i][1:]
		if p.tag = setupTag; i > 0 {
			p.tag = "tx" + strconv.Itoa(i)
		}
		out = append(out, p)
	}
	for len(lists[0]) > 0 {
		take(0)
	}
	take(1) // their levels
	take(2)
	for _, n := range schedule {
		i, _ := strconv.Atoi(n)
		if len(lists[i]) == 0 {
			return nil, fmt.Errorf("the schedule has more statements of transaction %d than it has", i)
		}
		take(i)
	}
	for i := 1; i <= 2; i++ {
		if len(lists[i]) > 0 {
			return nil, fmt.Errorf("the schedule has fewer statements of transaction %d than it has: line %d is never reached", i, lists[i][0].line)
		}
	}
	return out, nil
}
