package importer

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	trocSchedule = regexp.MustCompile(`^[12](?:-[12])+$`)
	trocLevel    = regexp.MustCompile(`(?i)^(?:READ UNCOMMITTED|READ COMMITTED|REPEATABLE READ|SERIALIZABLE)$`)
)

// readTroc reads the form of Troc's cases: set-up, two lists of statements, each below its isolation level, the
// schedule as 1-1-2-2-1-2, END; a statement a line. ok says whether the text has this form.
func readTroc(text string) (out []piece, ok bool) {
	lists := make([][]piece, 3) // set-up, then the two transactions
	at := 0
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case trocLevel.MatchString(line):
			if at++; at > 2 {
				return nil, false
			}
			lists[at] = append(lists[at], piece{line: i + 1, sql: "SET SESSION TRANSACTION ISOLATION LEVEL " + line})
		case trocSchedule.MatchString(line):
			return interleave(lists, strings.Split(line, "-"))
		case isStatement(line):
			lists[at] = append(lists[at], piece{line: i + 1, sql: strings.TrimRight(line, "; ")})
		default:
			return nil, false
		}
	}
	return nil, false
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
