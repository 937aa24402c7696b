package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutated is what this reads of a line that bench/mutants writes of a mutant.
type mutated struct {
	Mutant string `json:"mutant"`
	First  int    `json:"first"` // 0: not found
	Struck uint64 `json:"struck"`
}

// mutantCases are how many cases each mutant is given.
const mutantCases = 25

// mutantsTable compares which bugs of an engine are found. It needs builds over that engine.
func (b *bench) mutantsTable() error {
	what := fmt.Sprintf("sqlite: mutants found, %d cases", mutantCases)
	if b.mutants[0] == "" || !b.full {
		b.add(&measure{part: "mutants", what: what + " (--full --mutants OLD,NEW)", says: untold})
		return nil
	}
	driver := filepath.Join(b.tmp, "mutants")
	specs, err := b.mutantSpecs(driver)
	if err != nil {
		return err
	}
	files := [2]string{driver + "-old.jsonl", driver + "-new.jsonl"}
	if b.old != nil { // what it holds is not run again
		digest, err := digestOf(b.mutants[0])
		if err != nil {
			return err
		}
		files[0] = b.old.path + ".mutants-" + digest[:12]
	}
	// Each side is one command, which takes its time; both at once meet the same load.
	ran, err := both(b, "mutants", 2, func(i, side int) (all map[string]mutated, err error) {
		if i != side {
			return nil, nil
		}
		args := []string{"run", "--program", b.mutants[side], "--cases", fmt.Sprint(mutantCases), "--reduce-time", "100ms",
			"--json", files[side]}
		e, err := b.command(side, "", driver, append(args, specs...)...)
		if err == nil && e.Code != 0 {
			err = fmt.Errorf("bench/mutants of the %s build: %s", sideName(side), e.Said)
		}
		if err == nil {
			all, err = readMutated(files[side])
		}
		return all, err
	})
	if err != nil {
		return err
	}
	b.add(mutantRows(what, [2]map[string]mutated{ran[0][0], ran[1][1]})...)
	return nil
}

// mutantSpecs builds the program that runs mutants and asks it which there are: each strikes once in 50, as those that
// strike always are found by any build.
func (b *bench) mutantSpecs(driver string) (specs []string, err error) {
	e, err := b.command(0, "", "go", "build", "-C", b.tree, "-o", driver, "./bench/mutants")
	if err == nil && e.Code == 0 {
		e, err = b.command(0, "", driver, "list")
	}
	if err != nil {
		return nil, err
	}
	if e.Code != 0 {
		return nil, fmt.Errorf("bench/mutants: %s", e.Said)
	}
	for line := range strings.Lines(string(e.Out)) {
		specs = append(specs, strings.Fields(line)[0]+":50")
	}
	return specs, nil
}

// mutantRows are the rows of both sides' mutants, of those that struck.
func mutantRows(what string, ran [2]map[string]mutated) []*measure {
	var found tally
	var pairs [][2]float64
	for _, name := range slices.Sorted(maps.Keys(ran[0])) {
		sides := [2]mutated{ran[0][name], ran[1][name]}
		if sides[0].Struck+sides[1].Struck == 0 {
			continue
		}
		pair, shows := [2]float64{mutantCases, mutantCases}, [2]int{}
		for side, m := range sides {
			if m.First > 0 {
				pair[side], shows[side] = float64(m.First), 1
			}
		}
		pairs = append(pairs, pair)
		found.add(name, 1, shows)
	}
	return []*measure{found.row("mutants", what), averaged("mutants", "sqlite: cases to the first", true, pairs)}
}

// readMutated reads the lines of a run.
func readMutated(path string) (map[string]mutated, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := map[string]mutated{}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var m mutated
		if err := d.Decode(&m); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all[m.Mutant] = m
	}
	return all, nil
}
