package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// historyLevels are those that histories are checked at.
var historyLevels = []string{"rc", "ra", "tcc", "si", "ser", "sser", "lin"}

// histories checks those that history/format reads, and those of cases and storms that the old build has recorded.
func (b *bench) histories() error {
	dir := filepath.Join(b.tmp, "histories")
	files, err := b.recorded(dir)
	if err != nil {
		return err
	}
	for _, level := range pick(b, []string{"rc", "si", "ser"}, historyLevels) {
		all, err := b.asked("histories at "+level, files, func(side int, files []string) ([]verdict, error) {
			return b.each(side, files, func(string) string { return "" }, "check", "--level", level, "--timeout", "20s")
		})
		if err != nil {
			return err
		}
		b.add(agreement("histories", fmt.Sprintf("%d at %s", len(files), level), all, false))
	}
	return nil
}

// recorded writes histories to a folder.
func (b *bench) recorded(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := b.formats(dir); err != nil {
		return nil, err
	}
	for _, workload := range []string{"blindw-w", "blindw-rw", "blindw-rw+", "smallbank", "ycsb-a", "mini", "cas"} {
		for _, bug := range pick(b, []string{"stale-snapshot"}, []string{"", "lost-commit", "stale-snapshot",
			"dirty-write"}) {
			e, err := b.command(0, "", b.programs[0], "storm", "--workload", workload, "--keys", "20", "--sessions", "4",
				"--duration", "60ms", "--faults", bug,
				"--history", filepath.Join(dir, "storm-"+workload+"-"+bug+".jsonl"))
			if err != nil {
				return nil, err
			}
			e.forget() // a workload that has no history leaves no file
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err == nil && len(files) == 0 {
		err = errors.New("no histories")
	}
	return files, err
}

// formats writes the histories of the formats' tests to a folder, or one in eight.
func (b *bench) formats(dir string) error {
	sources, err := filepath.Glob(filepath.Join(b.tree, "history", "format", "testdata", "read", "*"))
	if err != nil {
		return err
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		for i, part := range strings.Split("\n"+string(text), "\nread\n")[1:] { // each up to a line of dashes
			history, _, ok := strings.Cut(part, "\n----\n")
			if !ok || i%pick(b, 8, 1) != 0 {
				continue
			}
			name := filepath.Join(dir, filepath.Base(source)+"-"+strconv.Itoa(i))
			if err := os.WriteFile(name, []byte(history+"\n"), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
