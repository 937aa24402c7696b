package export

import (
	"slices"
	"strings"

	"txweave/finding"
	"txweave/report/timeline"
)

// Unshown says of what the maintainers' program prints of a finding's test, as mtr, that it does not show the finding:
// an execution that the transactions are held against answers all that they answer, or the database complains of no
// table. What was seen may need the reads that are added between the statements, which a test has not.
func Unshown(f *timeline.Dossier, printed string) bool {
	if said := f.Said(); f.Complains() && said != "" {
		_, after, _ := strings.Cut(printed, "# "+checked+"\n")
		return !strings.Contains(after, said[strings.LastIndex(said, ": ")+1:])
	}
	if !Compares(f) {
		return false
	}
	sections := sectionsOf(printed)
	return len(sections) > 1 && slices.ContainsFunc(sections[1:], func(order map[string]string) bool {
		for name, answer := range order {
			if sections[0][name] != answer {
				return false
			}
		}
		return true
	})
}

// Compares says whether a finding's test has executions whose answers are to differ from those of the transactions.
func Compares(f *timeline.Dossier) bool {
	switch {
	case f.Searched() != nil:
		return false
	case f.Plain != nil:
		return len(f.Plain.Orders) > 0
	}
	return f.Record.Class == finding.ClassReplay || f.Record.Class == finding.ClassPlan
}

// sectionsOf divides what is printed of an mtr test at its headings, which stand between two lines of "#" alone. A
// section has what was printed below each line that names a statement or a table, but for the statements themselves.
func sectionsOf(printed string) (out []map[string]string) {
	lines := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	name, sent := "", false // whose answer comes; it has been sent
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		said, remark := strings.CutPrefix(line, "# ")
		switch {
		case line == "#" && i+2 < len(lines) && lines[i+2] == "#":
			out, name = append(out, map[string]string{}), ""
			i += 2
		case remark:
			name, _, sent = strings.Cut(said, " (")
			sent = sent && strings.HasSuffix(said, "(resumed)") // not (waits), (again)
		case strings.HasSuffix(line, ";") && (sent || strings.HasPrefix(line, "connect")): // somebody else's
			name = ""
		case strings.HasSuffix(line, ";"):
			sent = true
		case name != "" && len(out) > 0:
			out[len(out)-1][name] += line + "\n"
		}
	}
	return out
}
