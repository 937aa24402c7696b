package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"txweave/sdg"
)

// cell is a target and a level, with how many cases of how many seeds are run there.
type cell struct {
	target, level string
	seeds, cases  int
	first         int // seed
}

func (c cell) String() string { return c.target + " " + c.level }

// among leaves the cells of the targets that are here.
func (b *bench) among(all []cell) []cell {
	return slices.DeleteFunc(all, func(c cell) bool { return !slices.Contains(b.targets, c.target) })
}

// levels are those of a target whose cases are compared in the full form.
var levels = map[string][]string{
	"mariadb":    {"read-uncommitted", "read-committed", "repeatable-read", "snapshot", "serializable"},
	"mysql":      {"read-committed", "repeatable-read", "serializable"},
	"postgresql": {"read-committed", "repeatable-read", "serializable"},
	"tidb":       {"read-committed", "repeatable-read", "optimistic"},
}

// cells are those that are measured: SQLite most of all, which costs a tenth of a server. Each level has cases of its
// own.
func (b *bench) cells() []cell {
	all := []cell{{"sqlite", "serializable", 10, 60, 1}, {"mariadb", "repeatable-read", 6, 12, 1},
		{"postgresql", "serializable", 4, 6, 1}}
	if b.full {
		all = []cell{{"sqlite", "serializable", 10, 500, 1}}
		cases := map[string]int{"mariadb": 40, "mysql": 40, "postgresql": 16, "tidb": 30}
		for _, target := range dialects[1:] {
			for i, level := range levels[target] {
				all = append(all, cell{target, level, 10, cases[target], 100*i + 1})
			}
		}
	}
	return b.among(all)
}

// summary is what this reads of the object that fuzz prints.
type summary struct {
	told
	Checked     int                `json:"cases_checked"`
	Cases       int                `json:"cases"`
	Finding     int                `json:"cases_with_findings"`
	OverlapEdge int                `json:"overlap_edge_cases"`
	Edges       map[string]int     `json:"cross_edges"`
	Features    map[string]int     `json:"features"`
	Sent        float64            `json:"server_statements"`
	Known       map[string]int     `json:"known"`
	Statements  map[string]float64 `json:"statements"`
	Bugs        []struct {
		Status    string `json:"status"`
		Signature string `json:"signature"`
		Count     int    `json:"count"`
	} `json:"bugs"`
	Findings []struct {
		Oracle    string `json:"oracle"`
		Class     string `json:"class"`
		Signature string `json:"signature"`
	} `json:"findings"`
}

// kinds counts the findings of each oracle and class, with final contents by themselves.
func (s *summary) kinds() map[string]int {
	count := map[string]int{}
	for _, f := range s.Findings {
		kind := f.Oracle + " " + f.Class
		if what, _, _ := strings.Cut(f.Signature, " "); strings.HasSuffix(what, "/final") {
			kind += " of final contents"
		}
		count[kind]++
	}
	return count
}

// edges counts the edges of each label, by the names of now.
func (s *summary) edges() map[string]int {
	count := map[string]int{}
	for name, n := range s.Edges {
		count[sdg.LabelNamed(name)] += n
	}
	return count
}

// ran runs the cases of a cell, once for all parts that look at them.
func (b *bench) ran(part string, c cell) ([][2]summary, error) {
	if done, ok := b.runs[c]; ok {
		return done, nil
	}
	all, err := objects(b, part, c.String(), c.seeds, func(i, side int, s *summary) error {
		return b.fuzz(side, s, "--target", c.target, "--isolation", c.level, "--cases", strconv.Itoa(c.cases), "--seed",
			strconv.Itoa(c.first+i))
	})
	b.runs[c] = all
	return all, err
}

// fuzz runs a campaign.
func (b *bench) fuzz(side int, s *summary, args ...string) error {
	return b.object(side, s, append([]string{"fuzz", "--format", "json", "--no-reduce", "--out", "found"}, args...)...)
}

// figure is something that is measured of the cases of each seed: so much for each of something else.
type figure struct {
	name    string
	less    bool
	of, per func(*summary) float64
}

// statements counts those of which the summary says so.
func statements(what string) func(*summary) float64 {
	return func(s *summary) float64 { return s.Statements[what] }
}

func checked(s *summary) float64 { return float64(s.Checked) }
func sent(s *summary) float64    { return s.Sent }
func seconds(s *summary) float64 { return s.cpu }

var generated = statements("generated")

// figures are what is compared of cases, speeds what is compared of their pace.
var (
	figures = []figure{
		{"statements a case", false, generated, checked},
		{"rows a case", false, statements("rows"), checked},
		{"share checked", false, checked, func(s *summary) float64 { return float64(s.Cases) }},
		{"survival", false, statements("survived"), func(s *summary) float64 {
			return s.Statements["generated"] - s.Statements["dropped_aborted"]
		}},
		{"effective", false, statements("effective"), generated},
		{"some rows, not all", false, statements("partial"), generated},
		{"errors", true, statements("errored"), generated},
		{"aborted", true, statements("dropped_aborted"), generated},
		{"edges a case", false, func(s *summary) (sum float64) {
			for _, n := range s.Edges {
				sum += float64(n)
			}
			return sum
		}, checked},
		{"edges across overlapping", false, func(s *summary) float64 { return float64(s.OverlapEdge) }, checked},
	}
	speeds = []figure{{"cases/cpu s", false, checked, seconds}, {"sent/cpu s", false, sent, seconds},
		{"judged/cpu s", false, statements("survived"), seconds}}
)

// pairs are a figure's values.
func (f *figure) pairs(all [][2]summary) [][2]float64 {
	return pairsOf(all, func(s *summary) float64 { return f.of(s) / max(f.per(s), 1e-3) })
}

// pairsOf are the values of a figure.
func pairsOf(all [][2]summary, of func(*summary) float64) (out [][2]float64) {
	for i := range all {
		out = append(out, [2]float64{of(&all[i][0]), of(&all[i][1])})
	}
	return out
}

// distributions compares what cases are made of and what becomes of them.
func (b *bench) distributions() error {
	for _, c := range b.cells() {
		all, err := b.ran("cases", c)
		if err != nil {
			return err
		}
		for _, f := range figures {
			b.add(averaged("cases", c.String()+": "+f.name, f.less, f.pairs(all)))
		}
		b.add(rarer("cases", c.String()+": kinds of edges", "of edges", all, (*summary).edges),
			rarer("cases", c.String()+": features", "of cases", all, func(s *summary) map[string]int { return s.Features }))
	}
	return nil
}

// rarer compares how often things of many kinds come: worse is what comes clearly more rarely, or not at all any more.
func rarer(part, what, of string, all [][2]summary, counts func(*summary) map[string]int) *measure {
	var sum [2]map[string]int
	for side := range sum {
		sum[side] = map[string]int{}
		for i := range all {
			for name, n := range counts(&all[i][side]) {
				sum[side][name] += n
			}
		}
	}
	names := maps.Clone(sum[0])
	maps.Copy(names, sum[1])
	m := &measure{part: part, what: what, old: many(sum[0]), new: many(sum[1]), says: equal}
	if len(names) == 0 {
		m.says = unsure
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		pairs := pairsOf(all, func(s *summary) float64 { return float64(counts(s)[name]) })
		v, ok := kinds(pairs, family/float64(max(len(names), 1)))
		switch {
		case ok && v.high < 0.9:
			m.says = worse
			m.detail = append(m.detail, fmt.Sprintf("%s: %d %s, %d before (%s [%s, %s])", name, sum[1][name], of, sum[0][name],
				times(v.at), times(v.low), times(v.high)))
		case ok && v.low > 1.1:
			m.detail = append(m.detail, fmt.Sprintf("more often: %s: %d %s, %d before", name, sum[1][name], of, sum[0][name]))
		}
	}
	return m
}

// many says how many things of how many kinds came.
func many(counts map[string]int) string {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return fmt.Sprintf("%d of %d kinds", sum, len(counts))
}

// kinds is the ratio of how often a thing comes: seeds say how much that varies where it is frequent, counts where it
// is rare.
func kinds(pairs [][2]float64, doubt float64) (interval, bool) {
	v, ok := ofMeans(pairs, doubt)
	sum := sums(pairs)
	w, fine := ofCounts(0, int(sum[0]), int(sum[1]), doubt)
	if !ok {
		return w, fine && len(pairs) > 0
	}
	return interval{v.at, min(v.low, w.low), max(v.high, w.high)}, fine
}

// alarms compares the findings of cases in which nothing is planted and which are no known bugs.
func (b *bench) alarms() error {
	for _, c := range b.cells() {
		all, err := b.ran("alarms", c)
		if err != nil {
			return err
		}
		var open, cases [2]int
		m := &measure{part: "alarms", says: equal}
		for i := range all {
			for side := range 2 {
				s := &all[i][side]
				cases[side] += s.Checked
				for _, bug := range s.Bugs {
					if bug.Status == "open" {
						open[side] += bug.Count
					}
					m.detail = append(m.detail, fmt.Sprintf("%s, seed %d: %s, %s, %d times", sideName(side), c.first+i, bug.Signature,
						bug.Status, bug.Count))
				}
			}
		}
		m.says = moreAlarms(c.target, open)
		m.what = fmt.Sprintf("%s: unknown findings, in %d and %d cases", c, cases[0], cases[1])
		m.old, m.new = strconv.Itoa(open[0]), strconv.Itoa(open[1])
		b.add(m)
	}
	return nil
}

// moreAlarms says what numbers of unknown findings mean. A server may have bugs that nobody knows; SQLite has none
// here.
func moreAlarms(target string, open [2]int) says {
	v, ok := ofCounts(0, open[0], open[1], family)
	switch first := open[0] == 0 && open[1] > 0; {
	case ok && v.low > 1, first && target == "sqlite":
		return worse
	case first:
		return unsure
	}
	return equal
}

// production is what this reads of what features prints.
type production struct {
	Name   string `json:"name"`
	Weight int    `json:"weight"`
}

// features compares the names of the generator's productions.
func (b *bench) features() error {
	has, err := both(b, "features", len(dialects), func(i, side int) (names []string, err error) {
		var all []production
		_, err = b.json(side, &all, "features", "--target", dialects[i], "--format", "json")
		for _, p := range all {
			if p.Weight > 0 {
				names = append(names, p.Name)
			}
		}
		return names, err
	})
	if err != nil {
		return err
	}
	for i, p := range has {
		m := &measure{part: "features", what: dialects[i] + ": productions with a weight", old: fmt.Sprint(len(p[0])),
			new: fmt.Sprint(len(p[1])), says: equal}
		for _, name := range p[0] {
			if !slices.Contains(p[1], name) {
				m.says = worse
				m.detail = append(m.detail, "gone: "+name)
			}
		}
		b.add(m)
	}
	return nil
}
