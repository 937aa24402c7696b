package display

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/running"
	"txweave/finding"
	"txweave/report/tabular"
)

// statusLine says on one line how a campaign stands.
func statusLine(s *database.CampaignStatus, now time.Time) string {
	var checked, unchecked int64
	var running, away []string
	for i := range s.Cells {
		c := &s.Cells[i]
		checked += c.CasesChecked
		for _, n := range c.Skipped {
			unchecked += n
		}
		switch database.CellState(c.State) {
		case database.Running:
			running = append(running, c.Name)
		case database.Unavailable, database.Failed:
			away = append(away, c.Name)
		}
	}
	text := fmt.Sprintf("%s  %d cases checked  %s  %s  running: %s", now.Format("2006-01-02 15:04:05"), checked,
		finding.CountBugs(s.Bugs, s.Unreduced), finding.Count(s.Findings, "finding"),
		cmp.Or(strings.Join(running, ", "), "none"))
	if unchecked > 0 {
		text += fmt.Sprintf("  %d not checked", unchecked)
	}
	if len(away) > 0 {
		text += "  cannot run: " + strings.Join(away, ", ")
	}
	return text
}

// standingLines writes a campaign's screen, so many columns wide and in so many rows: cells that run first where there
// is not room for all.
func standingLines(s *database.CampaignStatus, x *running.Standing, page string, columns, rows int) (out []string) {
	var checked int64
	var order []*database.CellStatus
	for i := range s.Cells {
		checked += s.Cells[i].CasesChecked
		if s.Cells[i].Active {
			order = append(order, &s.Cells[i])
		}
	}
	bugs := finding.CountBugs(s.Bugs, s.Unreduced)
	if fresh := s.Bugs - x.BugsAtBeginning; fresh > 0 {
		bugs += fmt.Sprintf(" (%d new)", fresh)
	}
	head := []string{x.Now.Sub(x.Began).Truncate(time.Second).String(), fmt.Sprintf("%d cases checked", checked), bugs,
		finding.Count(s.Findings, "finding"), tabular.Shorten(x.Where, max(columns/3, 12))}
	var second []string
	if left := x.TurnEnds.Sub(x.Now); left > 0 {
		second = append(second, "next cell in "+left.Truncate(time.Second).String())
	}
	if x.Memory > 0 { // it has been looked at
		second = append(second, fmt.Sprintf("memory %d MiB", x.Memory>>20), fmt.Sprintf("servers %d MiB", x.Servers>>20))
	}
	if x.Disk > 0 {
		second = append(second, fmt.Sprintf("disk %.1f MiB", float64(x.Disk)/(1<<20)))
	}
	if page != "" {
		second = append(second, page)
	}
	lines := [][]string{head, second}
	if causes := causesOf(s); len(causes) > 0 {
		lines = append(lines, causes)
	}
	if room := max(rows-len(lines)-1, 1); len(order) > room {
		slices.SortStableFunc(order, func(a, b *database.CellStatus) int { return urgency(b.State) - urgency(a.State) })
		lines[1] = slices.Insert(second, 0, fmt.Sprintf("%d of %s", room, finding.Count(len(order), "cell")))
		order = order[:room]
	}
	for _, parts := range lines {
		for i := range parts {
			parts[i] = finding.Line(parts[i])
		}
		out = append(out, tabular.Fit(parts, columns))
	}
	return append(out, cellLines(order, x.Now, columns)...)
}

// causesOf says why cases were not checked, which findings were counted to bugs that were known before, or held back,
// and what happened to the cells' servers: the most frequent first.
func causesOf(s *database.CampaignStatus) (out []string) {
	sums := map[string]int64{}
	for i := range s.Cells {
		c := &s.Cells[i]
		for why, n := range c.Skipped {
			sums["not checked: "+why] += n
		}
		for _, n := range c.Known {
			sums["of known bugs"] += n
		}
		for _, n := range c.Held {
			sums["held back"] += n
		}
		for kind, n := range c.Faults {
			sums["× "+kind] += n
		}
	}
	for _, what := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	}) {
		out = append(out, fmt.Sprintf("%d %s", sums[what], what))
	}
	return out
}

// cellColumns are the columns of the table of cells after their names, and when each goes if there is not room for all:
// the highest first.
var cellColumns = []struct {
	name  string
	goes  int
	value func(c *database.CellStatus) string
}{
	{"state", 0, (*database.CellStatus).Shown},
	{"checked", 1, func(c *database.CellStatus) string { return fmt.Sprint(c.CasesChecked) }},
	{"a minute", 3, (*database.CellStatus).ShownRate},
	{"survival", 5, func(c *database.CellStatus) string {
		return portion(c.Counts.Survived, c.Counts.Generated-c.Counts.Aborted)
	}},
	{"with edges", 6, func(c *database.CellStatus) string { return portion(c.Counts.OverlapEdge, c.CasesChecked) }},
	{"findings", 4, func(c *database.CellStatus) string { return fmt.Sprint(c.Findings) }},
	{"bugs", 2, func(c *database.CellStatus) string { return fmt.Sprint(c.BugsShown) }},
}

// cellLines is the table of cells. Where it is wider than the screen names are shortened, then columns go; what is left
// is for the remarks.
func cellLines(cells []*database.CellStatus, now time.Time, columns int) []string {
	const gap, leastName, leastRemark = 2, 24, 24
	table := make([][]string, 1+len(cells))
	width := make([]int, 2+len(cellColumns)) // of the names, the columns, the remarks
	put := func(row, column int, text string) {
		text = finding.Line(text) // it may come from a server, or from a stranger's file
		table[row] = append(table[row], text)
		width[column] = max(width[column], tabular.Wide(text))
	}
	remarks := len(cellColumns) + 1
	put(0, 0, "cell")
	for k, c := range cellColumns {
		put(0, k+1, c.name)
	}
	put(0, remarks, "")
	for i, c := range cells {
		put(i+1, 0, c.Name)
		for k, column := range cellColumns {
			put(i+1, k+1, column.value(c))
		}
		put(i+1, remarks, c.Remark(now))
	}
	order := make([]int, len(cellColumns))
	rest := columns // what is left beside the columns
	for k, c := range cellColumns {
		order[c.goes] = k
		rest -= gap + width[k+1]
	}
	gone := make([]bool, len(width))
	for at := len(order) - 1; at >= 0 && rest < min(width[0], leastName); at-- {
		gone[order[at]+1] = true
		rest += gap + width[order[at]+1]
	}
	room := rest
	if width[remarks] > 0 && rest-gap-leastRemark >= leastName {
		room -= gap + min(width[remarks], leastRemark)
	}
	width[0] = min(width[0], room)
	var out []string
	for _, row := range table {
		row[0] = tabular.Shorten(row[0], width[0])
		line := cellLine(row, width, gone, strings.Repeat(" ", gap))
		out = append(out, strings.TrimRight(tabular.Cut(line, columns), " "))
	}
	return out
}

// cellLine is a row of a table without the columns that are gone.
func cellLine(row []string, width []int, gone []bool, gap string) string {
	line := ""
	for k, text := range row {
		if gone[k] {
			continue
		}
		if k > 0 {
			line += gap
		}
		line += text
		if k < len(row)-1 {
			line += strings.Repeat(" ", max(width[k]-tabular.Wide(text), 0))
		}
	}
	return line
}

// urgency says which cells are shown where there is not room for all.
func urgency(state string) int {
	return slices.Index([]string{string(database.Complete), string(database.Stopped), string(database.Waiting),
		string(database.Unavailable), string(database.Failed), string(database.Running)}, state)
}

// portion is a share in percent; "" where there is nothing to share.
func portion(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

// PrintStatus prints for people how a campaign stands.
func PrintStatus(w io.Writer, s *database.CampaignStatus) error {
	rows := [][]string{{"cell", "target", "level", "mode", "state", "checked", "next case", "a minute", "findings",
		"bugs", "what"}}
	for i := range s.Cells {
		c := &s.Cells[i]
		rows = append(rows, []string{c.Name, c.Target, c.Isolation, c.Mode, c.Shown(), fmt.Sprint(c.CasesChecked),
			fmt.Sprint(c.NextCase), c.ShownRate(),
			fmt.Sprint(c.Findings), fmt.Sprint(c.BugsShown), c.Remark(time.Now())})
	}
	if err := tabular.Table(w, rows); err != nil {
		return err
	}
	known := map[string]int{}
	for i := range s.Cells {
		for name, n := range s.Cells[i].Known {
			known[name] += int(n)
		}
	}
	if len(known) > 0 {
		if _, err := fmt.Fprintf(w, "known bugs: %s\n", tabular.Counts(known)); err != nil {
			return err
		}
	}
	state := "it does not run; campaign run goes on where it ended"
	switch {
	case s.Running:
		state = "it is running"
	case len(s.Cells) > 0 && !slices.ContainsFunc(s.Cells, func(c database.CellStatus) bool {
		return c.State != string(database.Complete)
	}):
		state = "all cases are checked"
	}
	_, err := fmt.Fprintf(w, "%s, %s; %s\n", finding.CountBugs(s.Bugs, s.Unreduced),
		finding.Count(s.Findings, "finding"), state)
	return err
}
