package importer

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	trocSchedule = regexp.MustCompile(`^[12](?:\s*-\s*[12])+$`)
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

// readTroc reads the form of Troc's cases: set-up, two lists of statements, each below its isolation level, the schedule as
// 1-1-2-2-1-2, END; a statement a line. Another case may follow. ok says whether the text has this form.
func readTroc(text string) (cases [][]piece, ok bool) {
	lists := make([][]piece, 3) // set-up, then the two transactions
	at := 0
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		level, isLevel := trocLevel(strings.TrimRight(line, ";:"))
		switch {
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "--") || strings.EqualFold(line, "END") && len(cases) > 0:
		case isLevel:
			if at++; at > 2 {
				return nil, false
			}
			lists[at] = append(lists[at], piece{line: i + 1, sql: "SET SESSION TRANSACTION ISOLATION LEVEL " + level})
		case trocSchedule.MatchString(line):
			out, ok := interleave(lists, strings.FieldsFunc(line, func(r rune) bool { return r == '-' || r == ' ' }))
			if !ok {
				return nil, false
			}
			cases = append(cases, out)
			lists, at = make([][]piece, 3), 0
		case isStatement(line):
			lists[at] = append(lists[at], piece{line: i + 1, sql: strings.TrimRight(line, "; ")})
		default:
			return nil, false
		}
	}
	return cases, len(cases) > 0
}

// interleave puts the statements of two transactions in the order of a schedule, set-up and levels first.
func interleave(lists [][]piece, schedule []string) (out []piece, ok bool) {
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
	for i := 1; i <= 2; i++ {
		if len(lists[i]) == 0 {
			return nil, false
		}
		take(i) // its level
	}
	for _, n := range schedule {
		i, _ := strconv.Atoi(n)
		if len(lists[i]) == 0 {
			return nil, false
		}
		take(i)
	}
	return out, len(lists[1]) == 0 && len(lists[2]) == 0
}
