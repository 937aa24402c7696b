package importer

import (
	"slices"
	"strconv"
	"strings"

	"txweave/testcase"
)

var (
	gridRule    = lazily(`^\+[-+]+\+$`)
	rowsInSet   = lazily(`(?i)^(\d+) rows? in set`)
	emptySet    = lazily(`(?i)^empty set\b`)
	queryOK     = lazily(`(?i)^query ok, (\d+) rows? affected`)
	errorAnswer = lazily(`(?i)^(?:--+\s*)?\(?ERROR:?\s*(?:code\s*)?\(?(\d{3,5})\b`)
	errorRemark = lazily(`(?i)\berror:?\s*(?:code:?\s*)?(\d{4})\b|^E(\d{4}):`)
	// logged is what a session was answered, as a log has it below the statement: "t1 >> blocked".
	logged      = lazily(`(?i)^(` + anySession + `)\s*>>\s*(\S.*)$`)
	waitsRemark = lazily(`(?i)^[(\[<=>*← -]*(?:blocks?|blocked|waits?|waiting|hangs?|is blocked|will block|this blocks|blocking)\b`)
)

// print files a line that a client printed under the last statement.
func (s *scanner) print(line string) {
	list := s.list()
	if len(*list) == 0 {
		if strings.HasPrefix(line, "|") && slices.ContainsFunc(cellsOf(line, false), statementCell) {
			s.celled = append(s.celled, s.lineOf(s.pos))
		}
		return
	}
	p := &(*list)[len(*list)-1]
	for i := len(*list) - 1; i >= 0 && s.sticky != "" && p.tag != s.sticky; i-- { // below its session's heading: it had waited
		if q := &(*list)[i]; q.tag == s.sticky {
			p = q
		}
	}
	if p.printed == nil {
		p.printed = &testcase.Printed{Count: -1}
	}
	a := p.printed
	switch {
	case gridRule.MatchString(line):
	case strings.HasPrefix(line, "|"):
		if behind := strings.TrimSpace(line[strings.LastIndexByte(line, '|')+1:]); behind != "" && statementCell(behind) {
			s.celled = append(s.celled, s.lineOf(s.pos))
		}
		cells := cellsOf(line[:strings.LastIndexByte(line, '|')+1], false) // what stands behind it is a remark
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			if statementCell(cells[i]) {
				s.celled = append(s.celled, s.lineOf(s.pos))
			}
		}
		if a.Columns == nil {
			a.Columns, a.Rows = cells, [][]string{}
		} else {
			p.ragged = p.ragged || len(cells) != len(a.Columns)
			a.Rows = append(a.Rows, cells)
		}
	case rowsInSet.MatchString(line):
		a.Count, _ = strconv.Atoi(rowsInSet.FindStringSubmatch(line)[1])
	case emptySet.MatchString(line):
		a.Rows, a.Count = [][]string{}, 0
	case queryOK.MatchString(line):
		a.Count, _ = strconv.Atoi(queryOK.FindStringSubmatch(line)[1])
		a.Affected = true
	case errorAnswer.MatchString(line):
		a.Err, _ = strconv.Atoi(errorAnswer.FindStringSubmatch(line)[1])
	default:
		if a.Columns == nil && a.Count < 0 && a.Err == 0 {
			p.printed = nil
		}
	}
}

// statementCell says whether a cell of what looks printed holds a statement.
func statementCell(cell string) bool {
	cell = strings.Trim(strings.TrimSpace(cell), "`")
	return isStatement(withoutPrompt(cell)) && (strings.HasSuffix(cell, ";") || alone.MatchString(withoutPrompt(cell)))
}

// remarked takes from a remark behind a statement what it says of its answer.
func (p *piece) remarked(text string) {
	waits, code := waitsRemark.MatchString(text), errorRemark.FindStringSubmatch(text)
	if !waits && code == nil {
		return
	}
	if p.printed == nil {
		p.printed = &testcase.Printed{Count: -1}
	}
	p.printed.Waited = p.printed.Waited || waits
	if code != nil && p.printed.Err == 0 {
		p.printed.Err, _ = strconv.Atoi(code[1] + code[2])
	}
}

// answers takes what stands behind a session's mark and is no statement: what became of its last one ("T2: ERROR 1213", "T2: goes on").
func (s *scanner) answers() bool {
	line := strings.TrimSpace(s.rest())
	if s.tag == "" || !errorRemark.MatchString(line) && (strings.Contains(line, ";") || likeSQL.MatchString(line)) {
		return false
	}
	for i := len(s.out) - 1; i >= 0; i-- {
		if p := &s.out[i]; p.tag == s.tag {
			for i++; i < len(s.out) && s.out[i].tag == ""; i++ { // what comes without a mark is its session's, too
				p = &s.out[i]
			}
			p.comments = append(p.comments, strings.Clone(line))
			p.remarked(line)
			s.tag = ""
			s.pos += len(s.rest())
			return true
		}
	}
	return false
}
