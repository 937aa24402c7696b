package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// known compares how often the known bugs of servers are met again: in cases that are made of those of docs/findings
// and, in the full form, in cases that nothing is known of. PostgreSQL has none that are known.
func (b *bench) known() error {
	cells := []cell{{"mariadb", "repeatable-read", 18, 12, 1}}
	if b.full {
		cells = []cell{{"mariadb", "repeatable-read", 20, 20, 1}, {"mariadb", "read-committed", 10, 20, 1}}
	}
	for _, c := range b.among(cells) {
		all, err := objects(b, "known", "known bugs, "+c.String(), c.seeds, func(i, side int, s *summary) error {
			// The builds before guidance by coverage was dropped change no case of --seeds without it.
			return b.fuzz(side, s, "--target", c.target, "--isolation", c.level, "--cases", strconv.Itoa(c.cases), "--seed",
				strconv.Itoa(c.first+i),
				"--guide", "coverage", "--corpus", "corpus", "--seeds", filepath.Join(b.tree, "docs", "findings"))
		})
		if err != nil {
			return err
		}
		var met tally
		for i, p := range all {
			met.add(fmt.Sprintf("pair %d, %v before", i+1, p[0].Known), c.cases, [2]int{p[0].Finding, p[1].Finding})
		}
		b.add(met.row("known", fmt.Sprintf("%s: cases that show a bug, made of those of docs/findings", c)))
	}
	return b.rediscoveries()
}

// rediscovered is what this reads of what rediscover prints.
type rediscovered struct {
	told
	Bugs []met `json:"bugs"`
}

type met struct {
	Name  string `json:"name"`
	Seeds int    `json:"seeds"` // with which it was met
}

// rediscoveries compares which bugs are met with each seed in cases that nothing is known of.
func (b *bench) rediscoveries() error {
	const what = "mariadb: met in cases that nothing is known of"
	var found tally
	var minutes [2]float64
	for _, c := range b.among([]cell{{"mariadb", "snapshot", 3, 300, 1}}) {
		if !b.full {
			b.add(&measure{part: "known", what: what + " (--full)", says: untold})
			return nil
		}
		all, err := objects(b, "known", "known bugs, "+c.String(), c.seeds, func(i, side int, r *rediscovered) error {
			return b.object(side, r, "rediscover", "--target", c.target, "--isolation", c.level, "--format", "json",
				"--seeds", "1",
				"--seed", strconv.Itoa(c.first+i), "--cases", strconv.Itoa(c.cases), "--reduce-time", "3s", "--out", "found")
		})
		if err != nil {
			return err
		}
		for _, p := range all {
			minutes[0], minutes[1] = minutes[0]+p[0].cpu/60, minutes[1]+p[1].cpu/60
			for _, bug := range p[0].Bugs {
				seeds := [2]int{bug.Seeds}
				if k := slices.IndexFunc(p[1].Bugs, func(other met) bool { return other.Name == bug.Name }); k >= 0 {
					seeds[1] = p[1].Bugs[k].Seeds
				}
				found.add(bug.Name, 1, seeds)
			}
		}
	}
	if found.all > 0 {
		m := found.row("known", what)
		m.old += fmt.Sprintf(", %s a cpu min", short(float64(found.common+found.only[0])/max(minutes[0], 1e-3)))
		m.new += fmt.Sprintf(", %s a cpu min", short(float64(found.common+found.only[1])/max(minutes[1], 1e-3)))
		b.add(m)
	}
	return nil
}
