package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/testcase"
)

// SessionFile is one of the files of a directory that holds a script for each session.
type SessionFile struct{ Name, Text string }

var (
	namedFile = lazily(`^T\d+\.sql$`)
	ownMoment = lazily(`(?i)^do release_lock\('txweave (\d+)'\)$`)
	ownPacing = lazily(`(?i)^(?:do\s+(?:get_lock|release_lock|sleep)\b|call\s+txweave_|(?:create|drop)\s+(?:table|procedure)\s+(?:if\s+exists\s+)?txweave_)`)
)

// IsSessions says whether files are the scripts that export writes for each session.
func IsSessions(names []string) bool {
	return slices.Contains(names, "setup.sql") && slices.ContainsFunc(names, namedFile.MatchString)
}

// Join makes one text of the scripts that export writes for each session: their statements in the order of the locks by which
// they keep each other's pace, each with its session in front.
func Join(files []SessionFile) (string, error) {
	type moment struct {
		at            int
		session, text string
	}
	var out strings.Builder
	var moments []moment
	for _, f := range files {
		s := &scanner{name: f.Name, text: normalise([]byte(f.Text))}
		if f.Name != "setup.sql" && !namedFile.MatchString(f.Name) {
			continue
		}
		if err := s.scan(); err != nil {
			return "", err
		}
		session := strings.TrimSuffix(f.Name, ".sql")
		waits, last := 0, -1 // moment of the statement that comes next; the one that has none yet
		for _, p := range s.out {
			flat := strings.Join(strings.Fields(p.sql), " ")
			m := ownMoment.FindStringSubmatch(flat)
			switch {
			case f.Name == "setup.sql":
				if !ownPacing.MatchString(flat) {
					fmt.Fprintf(&out, "/* init */ %s;\n", p.sql)
				}
			case m != nil && last >= 0 && moments[last].at < 0:
				moments[last].at, _ = strconv.Atoi(m[1])
			case m != nil:
				waits, _ = strconv.Atoi(m[1])
			case ownPacing.MatchString(flat):
			case word(p.sql, 0) == "SET" && last < 0:
				moments = append(moments, moment{0, session, p.sql})
			default:
				last = len(moments)
				moments = append(moments, moment{-1, session, p.sql})
				if waits > 0 { // it is sent once its moment is over: it answers only when it wakes
					moments[last].at, waits = waits, 0
				}
			}
		}
	}
	for _, m := range moments {
		if m.at < 0 {
			return "", &testcase.ParseError{Name: m.session + ".sql", Line: 1, Msg: fmt.Sprintf("no lock says when %s is sent", quote(m.text))}
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	for _, m := range moments {
		fmt.Fprintf(&out, "%s> %s;\n", m.session, m.text)
	}
	return out.String(), nil
}
