package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// says is what a row says of the new side.
type says string

const (
	equal   says = "same"
	better  says = "better"
	worse   says = "WORSE"
	changed says = "changed" // and not judged
	untold  says = "not told"
	unsure  says = "unsure" // it could not be measured
)

// measure is a row of the table.
type measure struct {
	part, what string
	old, new   string // as printed
	less       bool   // is better
	timed      bool   // it is processor time
	slack      float64
	// ratio returns the interval that holds but for a doubt; nil: the row says by itself what it says.
	ratio  func(doubt float64) (interval, bool)
	says   says
	detail []string // what differs, printed below the table
}

// family is the probability that any of the intervals of a table misses its ratio.
const family = 0.05

// judge fills in what rows with intervals say, each with its share of the doubt. The ratio of a side with nothing is
// not told.
func (m *measure) judge(doubt float64) (change string) {
	if m.ratio == nil {
		return "–"
	}
	v, ok := m.ratio(doubt)
	if !ok {
		m.says = unsure
		return "–"
	}
	low, high := v.low, v.high
	if m.less { // than one is better: seen as its inverse
		low, high = 1/v.high, 1/v.low
	}
	switch {
	case high < 1-m.slack:
		m.says = worse
	case low > 1:
		m.says = better
	default:
		m.says = equal
	}
	return fmt.Sprintf("%s [%s, %s]", times(v.at), times(v.low), times(v.high))
}

// times prints a ratio.
func times(v float64) string {
	if math.IsInf(v, 0) || v > 999 {
		return "∞"
	}
	return fmt.Sprintf("%.2f", v)
}

// tally counts what both sides find, and what one of them does.
type tally struct {
	common, all int
	only        [2]int
	fewer       []string
}

// add counts how often something was found of so many times.
func (t *tally) add(name string, of int, found [2]int) {
	both := min(found[0], found[1])
	t.all, t.common = t.all+of, t.common+both
	t.only[0], t.only[1] = t.only[0]+found[0]-both, t.only[1]+found[1]-both
	if found[1] < found[0] {
		t.fewer = append(t.fewer, fmt.Sprintf("%s: %d, %d before", name, found[1], found[0]))
	}
}

// once is 1 for what holds.
func once(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// row compares how much is found. Where neither finds anything nothing was measured, unless what is found should not be
// there.
func (t *tally) row(part, what string) *measure {
	of := func(n int) string { return fmt.Sprintf("%d of %d", t.common+n, t.all) }
	m := &measure{part: part, what: what, old: of(t.only[0]), new: of(t.only[1]), detail: t.fewer}
	m.ratio = func(doubt float64) (interval, bool) {
		v, ok := ofCounts(t.common, t.only[0], t.only[1], doubt)
		return v, ok && t.all > 0 && (m.less || t.common+t.only[0]+t.only[1] > 0)
	}
	return m
}

// averaged is a row for the mean of pairs.
func averaged(part, what string, less bool, pairs [][2]float64) *measure {
	return ratioRow(part, what, less, pairs, ofMeans)
}

// paced is a row for a speed, of which the ratio in each pair counts.
func paced(part, what string, pairs [][2]float64) *measure {
	return ratioRow(part, what, false, pairs, ofPairs)
}

func ratioRow(part, what string, less bool, pairs [][2]float64, ratio func([][2]float64, float64) (interval,
	bool)) *measure {
	sum, n := sums(pairs), float64(max(len(pairs), 1))
	return &measure{part: part, what: what, old: short(sum[0] / n), new: short(sum[1] / n), less: less, slack: 0.02,
		ratio: func(doubt float64) (interval, bool) { return ratio(pairs, doubt) }}
}

// short prints a number with as many digits as matter.
func short(v float64) string {
	switch {
	case v == math.Trunc(v) || math.Abs(v) >= 1000:
		return fmt.Sprintf("%.0f", v)
	case math.Abs(v) >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// print prints the table and what differs, and returns the exit code.
func print(w io.Writer, measures []*measure) (int, error) {
	judged := 0
	for _, m := range measures {
		if m.ratio != nil {
			judged++
		}
	}
	count := map[says]int{}
	var details strings.Builder
	columns := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	line := func(cells ...string) { fmt.Fprintf(columns, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	line("part", "what", "old", "new", "new / old", "says")
	line("---", "---", "---", "---", "---", "---")
	for _, m := range measures {
		change := m.judge(family / float64(max(judged, 1)))
		count[m.says]++
		line(m.part, m.what, cmp.Or(m.old, "–"), cmp.Or(m.new, "–"), change, string(m.says))
		if len(m.detail) > 0 {
			fmt.Fprintf(&details, "\n%s, %s:\n", m.part, m.what)
		}
		for _, d := range m.detail[:min(len(m.detail), 40)] {
			fmt.Fprintf(&details, "- %s\n", d)
		}
		if more := len(m.detail) - 40; more > 0 {
			fmt.Fprintf(&details, "- … and %d more\n", more)
		}
	}
	if err := columns.Flush(); err != nil {
		return 0, err
	}
	verdict, code := "The new build is as good as the old one, as far as this tells.", 0
	switch {
	case count[worse] > 0:
		verdict, code = fmt.Sprintf("The new build is worse in %d of %d rows.", count[worse], len(measures)), exitWorse
	case count[unsure] > 0 || len(measures) == 0:
		verdict, code = fmt.Sprintf("%d of %d rows could not be measured.", count[unsure], len(measures)), exitUnsure
	}
	_, err := fmt.Fprintf(w, "%s\n%s Same: %d, better: %d, changed and not judged: %d, not told: %d.\nIn brackets: "+
		"intervals that hold together with a probability of %.0f %%.\n",
		details.String(), verdict, count[equal], count[better], count[changed], count[untold], 100*(1-family))
	return code, err
}
