package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// deadlockHead and deadlockPart begin what a server's monitor prints of its latest deadlock, deadlockEnd is its last
// line: SHOW ENGINE INNODB STATUS.
const (
	deadlockHead = "LATEST DETECTED DEADLOCK"
	deadlockPart = "*** (1) TRANSACTION:"
	deadlockEnd  = "*** WE ROLL BACK TRANSACTION"
)

// withoutDeadlock blanks a server's report of a deadlock, with the prose right above it: it shows the last statement of
// each transaction, and not what they sent before.
func (s *source) withoutDeadlock() (notes []Note) {
	lines := s.lines()
	for i := 0; i < len(lines); i++ {
		bare := strings.TrimSpace(lines[i])
		if bare != deadlockHead && !strings.HasPrefix(bare, deadlockPart) {
			continue
		}
		from, to := i, i+1
		for from > 0 && (isRule(lines[from-1]) || isProse(lines[from-1]) || strings.TrimSpace(lines[from-1]) == "") {
			from--
		}
		ends := slices.IndexFunc(lines[i:], func(line string) bool {
			return strings.HasPrefix(strings.TrimSpace(line), deadlockEnd)
		})
		for to < len(lines) && (to <= i+ends || ends < 0 && strings.TrimSpace(lines[to]) != "") {
			if mark, _, _ := fenceMark(lines[to]); mark != "" {
				break
			}
			to++
		}
		for n := from; n < to; n++ {
			lines[n] = ""
		}
		notes = append(notes, Note{Line: i + 1, Text: fmt.Sprintf("a server's report of a deadlock is not read (lines "+
			"%d-%d): it has the last statements of the transactions alone", from+1, to)})
		i = to - 1
	}
	s.text = strings.Join(lines, "\n")
	return notes
}

// isProse says whether a line is none of those that are read.
func isProse(line string) bool {
	line = strings.TrimSpace(line)
	mark, _, _ := fenceMark(line)
	return line != "" && mark == "" && !isRemark(line) && !holdsStatement(line) && headingOf(line) == "" &&
		!strings.HasSuffix(line, ";") && !strings.Contains(line, "|")
}

// programLog is how the lines of a program's log begin: a time, in brackets or behind the level. Those of servers' logs
// are read before.
var programLog = regexp.MustCompile(`^(?:[A-Z], )?\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d`)
