package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// cell is a target and a level, with how many cases of how many seeds are run there.
type cell struct {
	target, level string
	seeds, cases  int
}

func (c cell) String() string { return c.target + " " + c.level }

// cells are those of the targets that are measured: SQLite most of all, which costs a tenth of a server.
func (b *bench) cells() []cell {
	all := []cell{{"sqlite", "serializable", 10, 60}, {"mariadb", "repeatable-read", 6, 12}, {"postgresql", "serializable", 4, 6}}
	if b.full {
		all = []cell{{"sqlite", "serializable", 10, 500}}
		for _, l := range []string{"read-uncommitted", "read-committed", "repeatable-read", "snapshot", "serializable"} {
			all = append(all, cell{"mariadb", l, 10, 200})
		}
		for _, l := range []string{"read-committed", "repeatable-read", "serializable"} {
			all = append(all, cell{"postgresql", l, 10, 60}, cell{"mysql", l, 10, 200})
		}
		for _, l := range []string{"read-committed", "repeatable-read", "optimistic"} {
			all = append(all, cell{"tidb", l, 10, 100})
		}
	}
	return slices.DeleteFunc(all, func(c cell) bool { return !slices.Contains(b.targets, c.target) })
}

// summary is what this reads of the object that fuzz prints.
type summary struct {
	Checked     int            `json:"cases_checked"`
	Cases       int            `json:"cases"`
	Finding     int            `json:"cases_with_findings"`
	OverlapEdge int            `json:"overlap_edge_cases"`
	Edges       map[string]int `json:"cross_edges"`
	Features    map[string]int `json:"features"`
	Sent        float64        `json:"server_statements"`
	Known       map[string]int `json:"known"`
	Statements  struct {
		Generated float64  `json:"generated"`
		Errored   float64  `json:"errored"`
		Effective float64  `json:"effective"`
		Rows      *float64 `json:"rows"`
		Partial   float64  `json:"partial"`
		Survived  float64  `json:"survived"`
		Aborted   float64  `json:"dropped_aborted"`
	} `json:"statements"`
	Bugs []struct {
		Status    string `json:"status"`
		Signature string `json:"signature"`
		Count     int    `json:"count"`
	} `json:"bugs"`
	Findings []struct {
		Oracle string `json:"oracle"`
	} `json:"findings"`
	cpu  float64
	lost string // why there is nothing
}

// oracles counts the findings of each oracle.
func (s *summary) oracles() map[string]int {
	count := map[string]int{}
	for _, f := range s.Findings {
		count[f.Oracle]++
	}
	return count
}

// casesPair is what both sides did with the cases of one seed.
type casesPair [2]summary

// ran runs the cases of a cell, once for all parts that look at them.
func (b *bench) ran(c cell) ([]casesPair, error) {
	if done, ok := b.runs[c]; ok {
		return done, nil
	}
	all := make([]casesPair, c.seeds)
	err := b.pairs(fmt.Sprintf("%s, %d cases", c, c.cases), c.seeds, func(i, side int) error {
		return b.fuzz(side, &all[i][side], "--target", c.target, "--isolation", c.level, "--cases", strconv.Itoa(c.cases), "--seed", strconv.Itoa(i+1))
	})
	b.runs[c] = all
	return all, err
}

// fuzz runs a campaign.
func (b *bench) fuzz(side int, s *summary, args ...string) error {
	e, err := b.object(side, s, append([]string{"fuzz", "--format", "json", "--no-reduce", "--out", "found"}, args...)...)
	if err != nil {
		return err
	}
	if s.cpu = e.cpu; e.broken() {
		s.lost = fmt.Sprintf("fuzz %s of the %s build ended with %d: %s", strings.Join(args, " "), sideName(side), e.code, e.said)
	}
	e.forget()
	return nil
}

func sideName(side int) string { return []string{"old", "new"}[side] }

// complete returns the pairs of a cell.
func (b *bench) complete(part string, c cell) ([]casesPair, error) {
	all, err := b.ran(c)
	return b.ended(part, c.String()+": seeds that came to their end", all), err
}

// ended returns the pairs of which both sides came to their end; where that is not all, a row says so.
func (b *bench) ended(part, what string, all []casesPair) (whole []casesPair) {
	m := &measure{part: part, what: what, says: unsure}
	for _, p := range all {
		if p[0].lost == "" && p[1].lost == "" {
			whole = append(whole, p)
			continue
		}
		for _, s := range p {
			if s.lost != "" {
				m.detail = append(m.detail, s.lost)
			}
		}
	}
	if len(whole) < len(all) {
		m.old, m.new = fmt.Sprint(len(whole)), fmt.Sprint(len(whole))
		b.add(m)
	}
	return whole
}

// figure is something that is measured of the cases of each seed.
type figure struct {
	name string
	less bool
	of   func(*summary) float64
}

// apiece is a count for each checked case.
func apiece(n func(*summary) float64) func(*summary) float64 {
	return func(s *summary) float64 { return n(s) / float64(max(s.Checked, 1)) }
}

// share is a count for each of another one.
func share(n, of func(*summary) float64) func(*summary) float64 {
	return func(s *summary) float64 { return n(s) / max(of(s), 1) }
}

func generated(s *summary) float64 { return s.Statements.Generated }

// figures are what is compared of cases.
var figures = []figure{
	{"statements a case", false, apiece(generated)},
	{"rows a case", false, apiece(func(s *summary) float64 { return *s.Statements.Rows })},
	{"share checked", false, func(s *summary) float64 { return float64(s.Checked) / float64(max(s.Cases, 1)) }},
	{"survival", false, share(func(s *summary) float64 { return s.Statements.Survived }, func(s *summary) float64 { return s.Statements.Generated - s.Statements.Aborted })},
	{"effective", false, share(func(s *summary) float64 { return s.Statements.Effective }, generated)},
	{"some rows, not all", false, share(func(s *summary) float64 { return s.Statements.Partial }, generated)},
	{"errors", true, share(func(s *summary) float64 { return s.Statements.Errored }, generated)},
	{"aborted", true, share(func(s *summary) float64 { return s.Statements.Aborted }, generated)},
	{"edges a case", false, apiece(func(s *summary) float64 {
		sum := 0
		for _, n := range s.Edges {
			sum += n
		}
		return float64(sum)
	})},
	{"edges across overlapping", false, apiece(func(s *summary) float64 { return float64(s.OverlapEdge) })},
}

// pairsOf are the values of a figure.
func pairsOf(all []casesPair, of func(*summary) float64) (out [][2]float64) {
	for i := range all {
		out = append(out, [2]float64{of(&all[i][0]), of(&all[i][1])})
	}
	return out
}

// distributions compares what cases are made of and what becomes of them.
func (b *bench) distributions() error {
	for _, c := range b.cells() {
		all, err := b.complete("cases", c)
		if err != nil {
			return err
		}
		rows := !slices.ContainsFunc(all, func(p casesPair) bool { return p[0].Statements.Rows == nil || p[1].Statements.Rows == nil })
		for _, f := range figures {
			what := c.String() + ": " + f.name
			if f.name == "rows a case" && !rows {
				b.add(notTold("cases", what))
				continue
			}
			m := averaged("cases", what, pairsOf(all, f.of))
			m.less = f.less
			b.add(m)
		}
		b.add(rarer("cases", c.String()+": kinds of edges", "of edges", all, func(s *summary) map[string]int { return s.Edges }),
			rarer("cases", c.String()+": features", "of cases", all, func(s *summary) map[string]int { return s.Features }))
	}
	return nil
}

// rarer compares how often things of many kinds come: worse is what comes clearly more rarely, or not at all any more.
func rarer(part, what, of string, all []casesPair, counts func(*summary) map[string]int) *measure {
	var sum [2]map[string]int
	for side := range sum {
		sum[side] = map[string]int{}
		for i := range all {
			got := counts(&all[i][side])
			if got == nil {
				return notTold(part, what)
			}
			for name, n := range got {
				sum[side][name] += n
			}
		}
	}
	names := maps.Clone(sum[0])
	maps.Copy(names, sum[1])
	m := &measure{part: part, what: what, old: fmt.Sprintf("%d kinds", len(sum[0])), new: fmt.Sprintf("%d kinds", len(sum[1])), says: equal}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		pairs := pairsOf(all, func(s *summary) float64 { return float64(counts(s)[name]) })
		v, ok := kinds(pairs, family/float64(max(len(names), 1)))
		switch {
		case ok && v.high < 0.9:
			m.says = worse
			m.detail = append(m.detail, fmt.Sprintf("%s: %d %s, %d before (%s [%s, %s])", name, sum[1][name], of, sum[0][name], times(v.at), times(v.low), times(v.high)))
		case ok && v.low > 1.1:
			m.detail = append(m.detail, fmt.Sprintf("more often: %s: %d %s, %d before", name, sum[1][name], of, sum[0][name]))
		}
	}
	return m
}

// kinds is the ratio of how often a thing comes: seeds say how much that varies where it is frequent, counts where it is rare.
func kinds(pairs [][2]float64, doubt float64) (interval, bool) {
	v, ok := ofMeans(pairs, doubt)
	var sum [2]float64
	for _, p := range pairs {
		sum[0], sum[1] = sum[0]+p[0], sum[1]+p[1]
	}
	w, fine := ofCounts(0, int(sum[0]), int(sum[1]), doubt)
	if !ok {
		return w, fine && len(pairs) > 0
	}
	return interval{v.at, min(v.low, w.low), max(v.high, w.high)}, fine
}

// pace compares speeds: for each second of processor time, the tool's and the server's together.
func (b *bench) pace() error {
	for _, c := range b.cells() {
		all, err := b.complete("pace", c)
		if err != nil {
			return err
		}
		second := func(n func(*summary) float64) func(*summary) float64 {
			return func(s *summary) float64 { return n(s) / max(s.cpu, 1e-3) }
		}
		b.add(paced("pace", c.String()+": cases/cpu s", pairsOf(all, second(func(s *summary) float64 { return float64(s.Checked) }))),
			paced("pace", c.String()+": sent/cpu s", pairsOf(all, second(func(s *summary) float64 { return s.Sent }))),
			paced("pace", c.String()+": judged/cpu s", pairsOf(all, second(func(s *summary) float64 { return s.Statements.Survived }))),
			lessIsBetter(averaged("pace", c.String()+": sent/generated", pairsOf(all, share(func(s *summary) float64 { return s.Sent }, generated)))))
	}
	return nil
}

// alarms compares the findings of cases in which nothing is planted and which are no known bugs.
func (b *bench) alarms() error {
	for _, c := range b.cells() {
		all, err := b.complete("alarms", c)
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
					m.detail = append(m.detail, fmt.Sprintf("%s, seed %d: %s, %s, %d times", sideName(side), i+1, bug.Signature, bug.Status, bug.Count))
				}
			}
		}
		if v, ok := ofCounts(0, open[0], open[1], family); ok && v.low > 1 || c.target == "sqlite" && open[0] == 0 && open[1] > 0 {
			m.says = worse
		} else if open[0] == 0 && open[1] > 0 { // a server may have bugs that nobody knows
			m.says = unsure
		}
		m.what = fmt.Sprintf("%s: unknown findings, in %d and %d cases", c, cases[0], cases[1])
		m.old, m.new = strconv.Itoa(open[0]), strconv.Itoa(open[1])
		b.add(m)
	}
	return nil
}

// production is what this reads of what features prints.
type production struct {
	Name   string `json:"name"`
	Weight int    `json:"weight"`
}

// features compares the names of the generator's productions.
func (b *bench) features() error {
	tells, err := b.tells("features", "--format", "json")
	if err != nil {
		return err
	}
	for _, target := range []string{"sqlite", "mariadb", "mysql", "postgresql", "tidb"} {
		what := target + ": productions with a weight"
		if !tells {
			b.add(notTold("features", what))
			continue
		}
		var has [2]map[string]bool
		for side := range 2 {
			e, err := b.run(side, "features", "--target", target, "--format", "json")
			if err != nil {
				return err
			}
			var all []production
			if err := json.Unmarshal(e.out, &all); err != nil {
				return fmt.Errorf("features of the %s build: %w", sideName(side), err)
			}
			has[side] = map[string]bool{}
			for _, p := range all {
				if p.Weight > 0 {
					has[side][p.Name] = true
				}
			}
		}
		m := &measure{part: "features", what: what, old: fmt.Sprint(len(has[0])), new: fmt.Sprint(len(has[1])), says: equal}
		for _, name := range slices.Sorted(maps.Keys(has[0])) {
			if !has[1][name] {
				m.says = worse
				m.detail = append(m.detail, "gone: "+name)
			}
		}
		b.add(m)
	}
	return nil
}
