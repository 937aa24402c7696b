package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Planted bugs by name: a build that does not know one of them cannot be compared with one that does.
var (
	// isolationBugs are what detect plants by itself.
	isolationBugs = strings.Fields(`thin-air-read aborted-read future-read not-my-last-write not-my-own-write intermediate-read dirty-read
		non-repeatable-read session-guarantee-violation non-monotonic-read fractured-read causality-violation long-fork phantom stale-snapshot
		g-sib weaker-level lost-update write-skew dirty-write no-row-lock two-versions update-other-rows rollback-has-effects
		wrong-own-aggregate crash-while-blocked lost-row lost-delete lost-insert resurrected-row stale-index skip-after-wait wrong-affected
		appearing-error vanished-error lost-commit other-final-state savepoint-keeps-write savepoint-undoes-all release-commits`)
	semanticBugs = strings.Fields(`left-join-own-write in-subquery-own-write exists-twice distinct-twice union-misses group-misses case-misses
		after-delete insert-select-lost delete-in-lost update-between-lost index-entry-missing victim-unsaid insert-rows-lost`)
	upheavals = strings.Fields(`commit-lost-in-crash commit-before-sync half-commit-after-crash lock-kept-by-killed write-kept-by-killed
		write-kept-by-lost-commit index-misses-concurrent-write purge-too-early write-lost-in-pause table-lock-ignored xa-forgotten-in-crash`)
	races = strings.Fields(`race-lost-write race-missing-row race-dirty-read race-no-lock race-lost-commit race-early-release`)
	// some are those of the short form: each needs another oracle, or another kind of statement.
	some = strings.Fields(`lost-row update-other-rows lost-commit stale-snapshot not-my-own-write long-fork write-skew
		stale-index savepoint-keeps-write exists-twice`)
)

// detected is what this reads of what detect prints.
type detected struct {
	Faults []struct {
		Name       string   `json:"name"`
		Applicable bool     `json:"applicable"`
		Forbidden  bool     `json:"forbidden"`
		Found      bool     `json:"found"`
		Cases      *float64 `json:"cases"`
	} `json:"faults"`
}

// planted compares how soon planted bugs are found, one at a time, and how they are grouped.
func (b *bench) planted() error {
	const seeds = 3
	bugs := pick(b, some, slices.Concat(isolationBugs, semanticBugs))
	budget, rarity := pick(b, 30, 200), pick(b, 10, 50)
	where := []cell{{"sqlite", "serializable", seeds, 1}}
	if b.full { // a server is started for each group of bugs
		where = append(where, cell{"mariadb", "repeatable-read", 1, 14}, cell{"postgresql", "serializable", 1, 14})
	}
	for _, c := range where {
		if slices.Contains(b.targets, c.target) {
			if c.target != "sqlite" { // where a case costs five times as much and more
				budget, rarity = 40, 10
			}
			if err := b.detect(c, bugs, budget, rarity); err != nil {
				return err
			}
		}
	}
	return b.oracles(bugs)
}

// oracles compares which oracles say something where bugs strike as often as they can: what one of them does not see any
// more another one may, as long as a bug is as plain as that.
func (b *bench) oracles(bugs []string) error {
	all := make([]casesPair, len(bugs))
	err := b.pairs("planted bugs by oracles", len(bugs), func(i, side int) error {
		return b.fuzz(side, &all[i][side], "--faults", bugs[i], "--cases", strconv.Itoa(pick(b, 8, 20)), "--seed", "5", "--flood", "0", "--max-logs-per-bug", "1000")
	})
	b.add(rarer("planted", "sqlite: oracles that find them", "findings", b.ended("planted", "sqlite: campaigns that came to their end", all), (*summary).oracles))
	return err
}

// detect plants bugs in a target, as many in one command as the cell has cases.
func (b *bench) detect(c cell, bugs []string, budget, rarity int) error {
	groups := slices.Collect(slices.Chunk(bugs, c.cases))
	all := make([][2]detected, len(groups)*c.seeds)
	cpu := make([][2]float64, len(all))
	lost := &measure{part: "planted", what: c.String() + ": commands that came to their end", says: unsure}
	err := b.pairs("planted bugs, "+c.target, len(all), func(i, side int) error {
		e, err := b.object(side, &all[i][side], "detect", "--target", c.target, "--isolation", c.level, "--only-planted", "--format", "json", "--seeds", "1",
			"--seed", strconv.Itoa(i/len(groups)+1), "--budget", strconv.Itoa(budget), "--rarity", strconv.Itoa(rarity), "--faults", strings.Join(groups[i%len(groups)], ","))
		if err != nil {
			return err
		}
		if cpu[i][side] = e.cpu; e.broken() {
			b.mu.Lock()
			lost.detail = append(lost.detail, fmt.Sprintf("%s, %s: %s", sideName(side), strings.Join(groups[i%len(groups)], ","), e.said))
			b.mu.Unlock()
		}
		e.forget()
		return nil
	})
	if err != nil {
		return err
	}
	var cases, seconds [][2]float64
	var found tally
	for i, p := range all {
		if len(p[0].Faults) == 0 || len(p[0].Faults) != len(p[1].Faults) {
			continue
		}
		seconds = append(seconds, cpu[i])
		for k, old := range p[0].Faults {
			now := p[1].Faults[k]
			if !old.Applicable || !old.Forbidden {
				continue
			}
			found.add(old.Name, old.Found, now.Found)
			pair := [2]float64{float64(budget), float64(budget)}
			if old.Found && old.Cases != nil {
				pair[0] = *old.Cases
			}
			if now.Found && now.Cases != nil {
				pair[1] = *now.Cases
			}
			cases = append(cases, pair)
		}
	}
	b.add(found.row("planted", fmt.Sprintf("%s: found, budget %d, rarity %d", c, budget, rarity)),
		lessIsBetter(averaged("planted", c.String()+": cases to the first", cases)), lessIsBetter(averaged("planted", c.String()+": cpu s to the first", seconds)))
	if len(lost.detail) > 0 {
		b.add(lost)
	}
	return nil
}

// listed is what this reads of a bug that bugs list prints.
type listed struct {
	ID   string `json:"id"`
	Kept []struct {
		Dir string `json:"dir"`
	} `json:"kept"`
}

// plantedGroups runs cases with bugs planted and returns what they are grouped to.
func (b *bench) plantedGroups(side int, bugs []string, cases int, reduce string) (groups []listed, dir string, err error) {
	e, err := b.run(side, "fuzz", "--faults", strings.Join(bugs, ","), "--cases", strconv.Itoa(cases), "--seed", "5", "--flood", "0", "--format", "json",
		"--reduce-time", reduce, "--out", "found")
	if err != nil || e.broken() || e.code == 0 {
		e.forget()
		return nil, "", err
	}
	dir = filepath.Join(e.dir, "found")
	list, err := b.run(side, "bugs", "list", "--out", dir, "--format", "json")
	if err != nil {
		return nil, "", err
	}
	defer list.forget()
	return groups, dir, json.Unmarshal(list.out, &groups)
}

// grouping compares into how many groups the findings of one bug fall, and how often those of several fall into one.
func (b *bench) grouping() error {
	bugs := pick(b, some[:3], slices.Concat(isolationBugs, semanticBugs))
	cases, reduce := pick(b, 4, 15), pick(b, "2s", "5s")
	bugs = slices.DeleteFunc(slices.Clone(bugs), func(s string) bool { return s == "crash-while-blocked" }) // it leaves transactions open
	one := make([][2]int, len(bugs))
	err := b.pairs("groups of one bug", len(bugs), func(i, side int) error {
		groups, dir, err := b.plantedGroups(side, bugs[i:i+1], cases, reduce)
		one[i][side] = len(groups)
		(&ended{dir: filepath.Dir(dir)}).forget()
		return err
	})
	if err != nil {
		return err
	}
	var pairs [][2]float64
	many := &measure{}
	for i, p := range one {
		if p[0] > 0 && p[1] > 0 {
			pairs = append(pairs, [2]float64{float64(p[0]), float64(p[1])})
		}
		if p[1] > p[0] {
			many.detail = append(many.detail, fmt.Sprintf("%s: %d groups, %d before", bugs[i], p[1], p[0]))
		}
	}
	m := lessIsBetter(averaged("groups", "sqlite: groups of one planted bug", pairs))
	m.detail = many.detail
	b.add(m)
	return b.merged(bugs, cases, reduce)
}

// merged plants three bugs at a time.
func (b *bench) merged(bugs []string, cases int, reduce string) error {
	threes := slices.Collect(slices.Chunk(bugs, 3))
	wrong, found := make([][2]int, len(threes)), make([][2]int, len(threes))
	err := b.pairs("groups of three bugs", len(threes), func(i, side int) (err error) {
		wrong[i][side], found[i][side], err = b.mergedOf(side, threes[i], cases, reduce)
		return err
	})
	if err != nil {
		return err
	}
	m := &measure{part: "groups", what: "sqlite: wrongly merged, three planted at a time", less: true}
	var sum, bugsFound [2]int
	for i, w := range wrong {
		for side := range 2 {
			sum[side], bugsFound[side] = sum[side]+w[side], bugsFound[side]+found[i][side]
		}
		if w[1] > w[0] {
			m.detail = append(m.detail, fmt.Sprintf("%s: %d, %d before", strings.Join(threes[i], ", "), w[1], w[0]))
		}
	}
	m.old, m.new = fmt.Sprintf("%d of %d found", sum[0], bugsFound[0]), fmt.Sprintf("%d of %d found", sum[1], bugsFound[1])
	m.ratio = func(doubt float64) (interval, bool) { return ofCounts(0, sum[0], sum[1], doubt) }
	b.add(m)
	return nil
}

// mergedOf counts the groups that are missing of bugs that were planted together, and those that hold findings of several of
// them. Which bug a finding is of is found out by replaying it with each of them alone.
func (b *bench) mergedOf(side int, bugs []string, cases int, reduce string) (wrong, found int, err error) {
	groups, dir, err := b.plantedGroups(side, bugs, cases, reduce)
	if err != nil || len(groups) == 0 {
		return 0, 0, err
	}
	defer (&ended{dir: filepath.Dir(dir)}).forget()
	shown := map[string]bool{}
	for _, g := range groups {
		var of []map[string]bool
		for _, k := range g.Kept {
			alone := map[string]bool{}
			for _, bug := range bugs {
				e, err := b.run(side, "replay", filepath.Join(dir, k.Dir), "--faults", bug)
				if err != nil {
					return 0, 0, err
				}
				if e.forget(); e.code == 1 {
					alone[bug], shown[bug] = true, true
				}
			}
			if len(alone) > 0 {
				of = append(of, alone)
			}
		}
		if apart(of) {
			wrong++
		}
	}
	return wrong + max(len(shown)-len(groups), 0), len(shown), nil
}

// apart says whether two sets have nothing in common.
func apart(sets []map[string]bool) bool {
	for i, a := range sets {
		for _, other := range sets[:i] {
			meet := false
			for name := range a {
				meet = meet || other[name]
			}
			if !meet {
				return true
			}
		}
	}
	return false
}

// storms compares which planted bugs storms find: each for a second, those that need an upheaval among upheavals.
func (b *bench) storms() error {
	bugs := pick(b, slices.Concat(some[:4], races[:2]), slices.Concat(isolationBugs, semanticBugs, upheavals, races))
	got := make([][2]int, len(bugs))
	err := b.pairs("storms", len(bugs), func(i, side int) error {
		args := []string{"storm", "--workload", "random-sql", "--keys", "40", "--seed", "1", "--format", "json", "--duration", "1s", "--faults", bugs[i]}
		if slices.Contains(upheavals, bugs[i]) {
			args = append(args, "--duration", "4s", "--nemesis", "kill,crash,ddl,pause,locks", "--every", "150ms")
		}
		e, err := b.run(side, args...)
		if err != nil {
			return err
		}
		got[i][side] = e.code
		e.forget()
		return nil
	})
	if err != nil {
		return err
	}
	var found tally
	for i, codes := range got {
		found.add(bugs[i], codes[0] == 1, codes[1] == 1)
	}
	b.add(found.row("storms", "sqlite: planted bugs found"))
	return nil
}

// rediscovered is what this reads of what rediscover prints.
type rediscovered struct {
	Bugs []struct {
		Name    string   `json:"name"`
		Seeds   int      `json:"seeds"`
		Seconds *float64 `json:"cpu_seconds"`
	} `json:"bugs"`
}

// known compares how soon the known bugs of servers are found again.
func (b *bench) known() error {
	cases := []cell{{"mariadb", "repeatable-read", 3, 25}}
	if b.full {
		cases = []cell{{"mariadb", "repeatable-read", 4, 300}, {"mariadb", "snapshot", 3, 200}, {"postgresql", "repeatable-read", 3, 150}}
	}
	for _, c := range cases {
		if !slices.Contains(b.targets, c.target) {
			continue
		}
		all := make([][2]rediscovered, c.seeds)
		cpu := make([][2]float64, c.seeds)
		err := b.pairs("known bugs, "+c.String(), c.seeds, func(i, side int) error {
			e, err := b.object(side, &all[i][side], "rediscover", "--target", c.target, "--isolation", c.level, "--format", "json", "--seeds", "1",
				"--seed", strconv.Itoa(i+1), "--cases", strconv.Itoa(c.cases), "--reduce-time", "5s", "--out", "found")
			if err == nil {
				cpu[i][side] = e.cpu
				e.forget()
			}
			return err
		})
		if err != nil {
			return err
		}
		b.addKnown(c, all, cpu)
	}
	return nil
}

// addKnown adds the rows of a cell.
func (b *bench) addKnown(c cell, all [][2]rediscovered, cpu [][2]float64) {
	var found tally
	var minutes [2]float64
	var seconds [][2]float64
	for i, p := range all {
		for k := range min(len(p[0].Bugs), len(p[1].Bugs)) {
			pair, has := cpu[i], [2]bool{}
			for side := range 2 {
				bug := p[side].Bugs[k]
				if has[side] = bug.Seeds > 0 && bug.Seconds != nil; has[side] {
					pair[side] = *bug.Seconds
				}
			}
			found.add(p[0].Bugs[k].Name, has[0], has[1])
			if has[0] || has[1] {
				seconds = append(seconds, pair)
			}
		}
		minutes[0], minutes[1] = minutes[0]+cpu[i][0]/60, minutes[1]+cpu[i][1]/60
	}
	m := found.row("known", fmt.Sprintf("%s: met, %d seeds, %d cases", c, c.seeds, c.cases))
	m.old += fmt.Sprintf(", %s a cpu min", short(float64(found.common+found.only[0])/max(minutes[0], 1e-3)))
	m.new += fmt.Sprintf(", %s a cpu min", short(float64(found.common+found.only[1])/max(minutes[1], 1e-3)))
	b.add(m)
	if len(seconds) > 1 {
		b.add(lessIsBetter(averaged("known", c.String()+": cpu s to each", seconds)))
	}
}
