package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"txweave/internal/former"
)

// Planted bugs by name: a build that does not know one of them cannot be compared with one that does.
var (
	// isolationBugs are what detect plants by itself.
	isolationBugs = strings.Fields(
		`thin-air-read aborted-read future-read not-my-last-write not-my-own-write intermediate-read dirty-read
		non-repeatable-read session-guarantee-violation non-monotonic-read fractured-read causality-violation long-fork phantom stale-snapshot
		g-sib weaker-level lost-update write-skew dirty-write no-row-lock two-versions update-other-rows rollback-has-effects
		wrong-own-aggregate crash-while-blocked lost-row lost-delete lost-insert resurrected-row stale-index skip-after-wait wrong-affected
		appearing-error vanished-error lost-commit other-final-state savepoint-keeps-write savepoint-undoes-all release-commits`)
	semanticBugs = strings.Fields(
		`left-join-own-write in-subquery-own-write exists-twice distinct-twice union-misses group-misses case-misses
		after-delete insert-select-lost delete-in-lost update-between-lost index-entry-missing victim-unsaid insert-rows-lost`)
	disruptions = strings.Fields(
		`commit-lost-in-crash commit-before-sync half-commit-after-crash lock-kept-by-killed write-kept-by-killed
		write-kept-by-lost-commit index-misses-concurrent-write purge-too-early write-lost-in-pause table-lock-ignored xa-forgotten-in-crash`)
	races = strings.Fields(
		`race-lost-write race-missing-row race-dirty-read race-no-lock race-lost-commit race-early-release`)
	// some are those of the short form: each needs another oracle, or another kind of statement.
	some = strings.Fields(`lost-row update-other-rows lost-commit stale-snapshot not-my-own-write long-fork write-skew
		stale-index savepoint-keeps-write exists-twice`)
	// plain are bugs that show often, and together to every oracle; only one shows to the third execution.
	plain = strings.Fields(`lost-row thin-air-read not-my-own-write lost-commit non-repeatable-read dirty-write future-read
		index-entry-missing index-entry-missing stale-index left-join-own-write wrong-own-aggregate appearing-error`)
	// grouped are bugs that show several times in a few cases.
	grouped = strings.Fields(
		`lost-row two-versions wrong-affected thin-air-read not-my-own-write not-my-last-write update-between-lost
		lost-commit other-final-state update-other-rows lost-insert appearing-error`)
)

// detected is what this reads of what detect prints.
type detected struct {
	told
	Planted []struct {
		Name       string   `json:"name"`
		Applicable bool     `json:"applicable"`
		Forbidden  bool     `json:"forbidden"`
		Found      bool     `json:"found"`
		Cases      *float64 `json:"cases"`
	} `json:"planted"`
}

// UnmarshalJSON reads it, also of a build whose keys are earlier ones.
func (d *detected) UnmarshalJSON(text []byte) error {
	type plain detected
	return former.Detection.Unmarshal(text, (*plain)(d))
}

// oracles compares what planted bugs show as. What one oracle does not see any more another one may, so that the bug is
// found all the same: each is looked at by itself.
func (b *bench) oracles() error {
	for _, c := range b.among([]cell{{"sqlite", "serializable", 1, pick(b, 24, 12), 1}, {"mariadb", "repeatable-read",
		1, 16, 1}}) {
		bugs := plain
		switch {
		case b.full && c.target == "sqlite":
			bugs = slices.Concat(isolationBugs, semanticBugs)
		case !b.full && c.target != "sqlite":
			continue
		}
		all, err := objects(b, "oracles", "planted bugs, "+c.String(), len(bugs), func(i, side int, s *summary) error {
			return b.fuzz(side, s, "--target", c.target, "--isolation", c.level, "--faults", bugs[i], "--cases",
				strconv.Itoa(c.cases), "--seed", strconv.Itoa(i+1),
				"--flood", "0", "--max-logs-per-bug", "1000")
		})
		if err != nil {
			return err
		}
		b.add(rarer("oracles", c.String()+": kinds of findings of planted bugs", "findings", all, (*summary).kinds))
	}
	return nil
}

// planted compares how soon planted bugs are found, one at a time, a few in one command.
func (b *bench) planted() error {
	bugs := pick(b, some, slices.Concat(isolationBugs, semanticBugs))
	budget, rarity := pick(b, 30, 200), pick(b, 10, 50)
	groups := slices.Collect(slices.Chunk(bugs, 5))
	const seeds = 3
	all, err := objects(b, "planted", "sqlite: planted bugs", len(groups)*seeds, func(i, side int, d *detected) error {
		return b.object(side, d, "detect", "--only-planted", "--format", "json", "--seeds", "1", "--seed",
			strconv.Itoa(i%seeds+1),
			"--budget", strconv.Itoa(budget), "--rarity", strconv.Itoa(rarity), "--faults", strings.Join(groups[i/seeds], ","))
	})
	if err != nil {
		return err
	}
	var cases, seconds [][2]float64
	var found tally
	for _, p := range all {
		seconds = append(seconds, [2]float64{p[0].cpu, p[1].cpu})
		for k := range min(len(p[0].Planted), len(p[1].Planted)) {
			first, shows := [2]float64{float64(budget), float64(budget)}, [2]int{}
			for side := range p {
				if f := p[side].Planted[k]; f.Found && f.Cases != nil {
					first[side], shows[side] = *f.Cases, 1
				}
			}
			if f := p[0].Planted[k]; f.Applicable && f.Forbidden {
				found.add(f.Name, 1, shows)
				cases = append(cases, first)
			}
		}
	}
	cpu := ratioRow("planted", "sqlite: cpu s, 5 bugs", true, seconds, ofPairs)
	cpu.timed = true
	b.add(found.row("planted", fmt.Sprintf("sqlite: found, budget %d, rarity %d", budget, rarity)),
		averaged("planted", "sqlite: cases to the first", true, cases), cpu)
	return nil
}

// listed is what this reads of a bug that bugs list prints.
type listed struct {
	Kept []struct {
		Dir       string `json:"dir"`
		Signature struct {
			Coarse  string `json:"coarse"`
			Minimal bool   `json:"minimal"`
		} `json:"signature"`
	} `json:"kept"`
	MayBe []string `json:"may_be"` // other bugs: it is none of its own
}

// kept is a finding that a run has kept.
type kept struct {
	dir       string // of its reduced case
	signature string // what it shows, without features
}

// group are the findings of a bug that a run lists whose cases are reduced to the end: how many others there are is a
// matter of the machine's load.
type group struct {
	found []kept
	other bool // it may be another bug of the list, and so is none of its own
}

// groups runs cases with bugs planted and returns the bugs that their findings are grouped to, and where they are. What
// is measured are groups of reduced cases: on an idle machine --reduce-time is enough for nearly all.
func (b *bench) groups(side int, bugs []string) (groups []group, dir string, err error) {
	e, err := b.run(side, true, "fuzz", "--faults", strings.Join(bugs, ","), "--cases", "6", "--seed", "5", "--flood", "0",
		"--format", "json", "--reduce-time", "40s", "--out", "found")
	if err != nil || e.broken() || e.Code == 0 {
		return nil, b.tmp, err
	}
	var all []listed
	if _, err := b.json(side, &all, "bugs", "list", "--out", filepath.Join(e.dir, "found"), "--format",
		"json"); err != nil {
		return nil, "", err
	}
	for _, l := range all {
		g := group{other: len(l.MayBe) > 0}
		for _, k := range l.Kept {
			if k.Signature.Minimal {
				g.found = append(g.found, kept{filepath.Join(e.dir, "found", k.Dir, "reduced"), k.Signature.Coarse})
			}
		}
		groups = append(groups, g)
	}
	return groups, e.dir, nil
}

// grouping compares into how many bugs the findings of one planted bug fall, and how many of several are told as one.
func (b *bench) grouping() error {
	bugs := pick(b, grouped, slices.Concat(isolationBugs, semanticBugs))
	// it leaves transactions open
	bugs = slices.DeleteFunc(slices.Clone(bugs), func(s string) bool { return s == "crash-while-blocked" })
	one, err := both(b, "groups of one bug", len(bugs), func(i, side int) (n int, err error) {
		groups, dir, err := b.groups(side, bugs[i:i+1])
		(&ended{dir: dir}).forget()
		for _, g := range groups {
			n += once(!g.other)
		}
		return n, err
	})
	if err != nil {
		return err
	}
	var pairs [][2]float64
	var more []string
	for i, p := range one {
		if p[0] > 0 && p[1] > 0 {
			pairs = append(pairs, [2]float64{float64(p[0]), float64(p[1])})
		}
		if p[1] > p[0] {
			more = append(more, fmt.Sprintf("%s: %d groups, %d before", bugs[i], p[1], p[0]))
		}
	}
	m := averaged("groups", fmt.Sprintf("sqlite: groups of one planted bug, %d bugs", len(bugs)), true, pairs)
	m.detail = more
	b.add(m)
	threes := slices.Collect(slices.Chunk(bugs, 3))
	three, err := both(b, "groups of three bugs", len(threes), func(i, side int) (merged, error) {
		return b.merged(side, threes[i])
	})
	if err != nil {
		return err
	}
	for _, of := range []struct {
		what  string
		count func(merged) []string
	}{
		{"sqlite: no bug of their own, three planted at a time", func(m merged) []string { return m.unowned }},
		{"sqlite: one bug with findings of two, three planted at a time", func(m merged) []string { return m.mixed }},
	} {
		var wrong tally
		var more []string
		for i, m := range three {
			old, now := of.count(m[0]), of.count(m[1])
			wrong.add("", len(threes[i]), [2]int{len(old), len(now)})
			if len(now) > len(old) {
				more = append(more, fmt.Sprintf("%s: %s; before: %s", strings.Join(threes[i], ", "), strings.Join(now, ", "),
					cmp.Or(strings.Join(old, ", "), "none")))
			}
		}
		m := wrong.row("groups", of.what)
		m.less, m.detail = true, more
		b.add(m)
	}
	return nil
}

// merged is what is wrong with the groups of several planted bugs.
type merged struct {
	unowned []string // planted bugs that findings show, and that are none of the bugs told by themselves
	mixed   []string // of each bug told with two findings that no single planted bug shows: which they are of
}

// merged plants bugs together and looks what they are told as. A finding is of a planted bug if its case shows it, by
// its signature, with that bug alone; one that only several show together is of none. What one planted bug hides of
// another one is not found, and so is not merged.
func (b *bench) merged(side int, bugs []string) (m merged, err error) {
	groups, dir, err := b.groups(side, bugs)
	if err != nil || len(groups) == 0 {
		return m, err
	}
	defer (&ended{dir: dir}).forget()
	of, err := b.attributed(side, groups, bugs)
	if err != nil {
		return m, err
	}
	found := map[string]bool{}
	edges := map[string][]int{} // planted bug -> bugs told that have a finding of it
	for i, g := range groups {
		for _, f := range g.found {
			for _, bug := range of[f.dir] {
				found[bug] = true
				if !g.other {
					edges[bug] = append(edges[bug], i)
				}
			}
		}
		if all := apart(g.found, of); all != "" && !g.other {
			m.mixed = append(m.mixed, all)
		}
	}
	owned := paired(bugs, edges)
	for _, bug := range bugs {
		if found[bug] && !owned[bug] {
			m.unowned = append(m.unowned, bug)
		}
	}
	return m, nil
}

// attributed are the planted bugs of each finding, by where its case lies.
func (b *bench) attributed(side int, groups []group, bugs []string) (map[string][]string, error) {
	of := map[string][]string{}
	for _, bug := range bugs {
		for _, g := range groups {
			shown, err := b.showing(side, g.found, bug)
			if err != nil {
				return nil, err
			}
			for _, dir := range shown {
				of[dir] = append(of[dir], bug)
			}
		}
	}
	return of, nil
}

// showing are the cases of those findings that a planted bug shows by itself.
func (b *bench) showing(side int, found []kept, bug string) (dirs []string, err error) {
	if len(found) == 0 {
		return nil, nil
	}
	for _, f := range found {
		dirs = append(dirs, f.dir)
	}
	said, err := b.replay(side, dirs, (*replayed).signatures, "--faults", bug)
	if err != nil {
		return nil, err
	}
	dirs = nil
	for i, f := range found {
		if slices.Contains(strings.Split(said[i].tells, "\n"), f.signature) {
			dirs = append(dirs, f.dir)
		}
	}
	return dirs, nil
}

// apart names the planted bugs of two findings that have none in common; "" where there are no such two.
func apart(found []kept, of map[string][]string) string {
	for i, f := range found {
		for _, g := range found[:i] {
			a, c := of[g.dir], of[f.dir]
			if len(a) > 0 && len(c) > 0 && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(c, s) }) {
				return strings.Join(a, "+") + " and " + strings.Join(c, "+")
			}
		}
	}
	return ""
}

// paired are those planted bugs that get one of their bugs told each where as many as can be do: a matching of the most
// edges (Kuhn, "The Hungarian Method for the Assignment Problem", 1955).
func paired(bugs []string, edges map[string][]int) map[string]bool {
	has := map[int]string{}
	var find func(bug string, seen map[int]bool) bool
	find = func(bug string, seen map[int]bool) bool {
		for _, g := range edges[bug] {
			if seen[g] {
				continue
			}
			seen[g] = true
			if other, taken := has[g]; !taken || find(other, seen) {
				has[g] = bug
				return true
			}
		}
		return false
	}
	owned := map[string]bool{}
	for _, bug := range bugs {
		owned[bug] = find(bug, map[int]bool{})
	}
	return owned
}

// storms compares which planted bugs storms find: each for a second, those that need an disruption among disruptions.
func (b *bench) storms() error {
	bugs := pick(b, slices.Concat(some, races), slices.Concat(isolationBugs, semanticBugs, disruptions, races))
	got, err := both(b, "storms", len(bugs), func(i, side int) (int, error) {
		args := []string{"storm", "--workload", "random-sql", "--keys", "40", "--seed", "1", "--format", "json", "--duration",
			"1s", "--faults", bugs[i]}
		if slices.Contains(disruptions, bugs[i]) {
			args = append(args, "--duration", "4s", "--nemesis", "kill,crash,power,network,ddl,pause,locks,pressure",
				"--every", "150ms")
		}
		e, err := b.run(side, false, args...)
		if err != nil {
			return 0, err
		}
		return e.Code, nil
	})
	if err != nil {
		return err
	}
	var found tally
	for i, p := range got {
		if p != [2]int{exitUsage, exitUsage} { // it cannot be planted there
			found.add(bugs[i], 1, [2]int{once(p[0] == 1), once(p[1] == 1)})
		}
	}
	b.add(found.row("storms", "sqlite: planted bugs found"))
	return nil
}
