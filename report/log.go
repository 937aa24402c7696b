package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// How much of a server's log a report has: lines, the characters of one, and those of all.
const (
	logLines = 120
	logLine  = 6000
	logSize  = 24000
)

// told is what two lines of a log that tell the same may differ in: numbers, and which statement it was.
var told = regexp.MustCompile(`(?i:sql)="(?:\\.|[^"\\])*"|\b[0-9a-f]{8,}\b|[0-9]+`)

// condensed is the end of a server's log as a report has it: a server that met its bug again and again while the case
// was made smaller says so each time, and its lines may hold a stack each. Whole says that nothing is left out.
func condensed(log string) (text string, whole bool) {
	all := strings.Split(strings.TrimRight(log, "\n"), "\n")
	var kept []string
	seen, size := map[string]bool{}, 0
	whole = true
	for _, line := range slices.Backward(all) {
		kind := told.ReplaceAllString(line, "0")
		if seen[kind] {
			whole = whole && strings.TrimSpace(kind) == ""
			continue
		}
		line = unfolded(line)
		if n := len(line); n > logLine {
			whole = false
			line = strings.ToValidUTF8(line[:logLine], "") + " … (" + strconv.Itoa(n-logLine) + " more)"
		}
		if len(kept) == logLines || len(kept) > 0 && size+len(line) > logSize {
			whole = false
			break
		}
		seen[kind] = true
		size += len(line)
		kept = append(kept, line)
	}
	slices.Reverse(kept)
	return strings.Join(kept, "\n"), whole
}

// unfolded puts the lines of a stack that a log has as one line under each other.
func unfolded(line string) string {
	if strings.Count(line, `\n\t`) < 3 {
		return line
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(line)
}
