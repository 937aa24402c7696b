package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
)

// known compares how often the known bugs of servers are met again: in cases that are made of those of docs/findings and, in the
// full form, in cases that nothing is known of.
func (b *bench) known() error {
	cells := []cell{{"mariadb", "repeatable-read", 18, 12, 1, false}}
	if b.full {
		cells = []cell{{"mariadb", "repeatable-read", 20, 40, 1, false}, {"mariadb", "read-committed", 10, 40, 1, false}}
	}
	for _, c := range b.among(cells) {
		all, err := objects(b, "known", "known bugs, "+c.String(), c.seeds, func(i, side int, s *summary) error {
			return b.fuzz(side, false, s, "--target", c.target, "--isolation", c.level, "--cases", strconv.Itoa(c.cases), "--seed", strconv.Itoa(c.first+i),
				"--guide", "coverage", "--corpus", "corpus", "--seeds", filepath.Join(b.tree, "docs", "findings"))
		})
		if err != nil {
			return err
		}
		b.add(met(c, all))
	}
	for _, c := range b.among([]cell{{"mariadb", "repeatable-read", 3, 300, 1, false}, {"mariadb", "snapshot", 3, 200, 1, false}, {"postgresql", "repeatable-read", 3, 100, 1, false}}) {
		if !b.full {
			b.add(&measure{part: "known", what: c.String() + ": met in cases that nothing is known of (--full)", says: untold})
			continue
		}
		all, err := objects(b, "known", "known bugs, "+c.String(), c.seeds, func(i, side int, r *rediscovered) error {
			return b.object(side, r, "rediscover", "--target", c.target, "--isolation", c.level, "--format", "json", "--seeds", "1",
				"--seed", strconv.Itoa(c.first+i), "--cases", strconv.Itoa(c.cases), "--reduce-time", "3s", "--out", "found")
		})
		if err != nil {
			return err
		}
		b.add(rediscoveries(c, all))
	}
	return nil
}

// met compares in how many cases of each seed something shows.
func met(c cell, all [][2]summary) *measure {
	var common int
	var only [2]int
	var names [2]map[string]int
	for side := range names {
		names[side] = map[string]int{}
	}
	for _, p := range all {
		both := min(p[0].Finding, p[1].Finding)
		common += both
		for side := range p {
			only[side] += p[side].Finding - both
			for name, n := range p[side].Known {
				names[side][name] += n
			}
		}
	}
	m := &measure{part: "known", what: fmt.Sprintf("%s: cases that show a bug, of %d seeds' %d made of docs/findings", c, len(all), c.cases),
		old: fmt.Sprint(common + only[0]), new: fmt.Sprint(common + only[1]),
		ratio: func(doubt float64) (interval, bool) { return ofCounts(common, only[0], only[1], doubt) }}
	for _, name := range slices.Sorted(maps.Keys(names[0])) {
		if was, is := names[0][name], names[1][name]; is < was {
			m.detail = append(m.detail, fmt.Sprintf("%s: %d times, %d before", name, is, was))
		}
	}
	return m
}

// rediscovered is what this reads of what rediscover prints.
type rediscovered struct {
	told
	Bugs []struct {
		Name  string `json:"name"`
		Seeds int    `json:"seeds"`
	} `json:"bugs"`
}

// rediscoveries compares which bugs are met with each seed.
func rediscoveries(c cell, all [][2]rediscovered) *measure {
	var found tally
	var minutes [2]float64
	for _, p := range all {
		met := [2]map[string]bool{{}, {}}
		for side := range p {
			minutes[side] += p[side].cpu / 60
			for _, bug := range p[side].Bugs {
				met[side][bug.Name] = bug.Seeds > 0
			}
		}
		for _, bug := range p[0].Bugs {
			found.add(bug.Name, met[0][bug.Name], met[1][bug.Name])
		}
	}
	m := found.row("known", fmt.Sprintf("%s: met, %d seeds, %d cases", c, c.seeds, c.cases))
	m.old += fmt.Sprintf(", %s a cpu min", short(float64(found.common+found.only[0])/max(minutes[0], 1e-3)))
	m.new += fmt.Sprintf(", %s a cpu min", short(float64(found.common+found.only[1])/max(minutes[1], 1e-3)))
	return m
}
