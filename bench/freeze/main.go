// Command freeze compares two builds of txweave: what they find, what they say of the same cases, and what their cases
// are made of. It runs their command lines alone and reads the JSON and the exit codes of these. CONTRIBUTING.md says
// how.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Exit codes.
const (
	exitWorse       = 1
	exitUnsure      = 2
	exitUsage       = 64
	exitMissing     = 69
	exitInternal    = 70
	exitInterrupted = 130
)

// exitError carries an exit code.
type exitError struct {
	code int
	error
}

func (e *exitError) Unwrap() error { return e.error }

// part is a part of the comparison.
type part struct {
	name string
	run  func(*bench) error
}

var parts = []part{
	{"verdicts", (*bench).verdicts}, {"phenomena", (*bench).phenomena}, {"histories", (*bench).histories},
	{"statements", (*bench).statements},
	{"features", (*bench).features}, {"cases", (*bench).distributions}, {"pace", (*bench).pace},
	{"alarms", (*bench).alarms},
	{"oracles", (*bench).oracles}, {"planted", (*bench).planted}, {"groups", (*bench).grouping},
	{"storms", (*bench).storms}, {"known", (*bench).known}, {"mutants", (*bench).mutantsTable},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := freeze(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if ctx.Err() != nil {
		code, err = exitInterrupted, errors.New("interrupted")
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "freeze:", err)
	}
	os.Exit(code)
}

// freeze compares and returns the exit code.
func freeze(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	b := &bench{ctx: ctx, progress: stderr, runs: map[cell][][2]summary{}}
	chosen, err := b.parse(args, stderr)
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		return exit.code, err
	case err != nil:
		return exitInternal, err
	}
	if b.tmp, err = os.MkdirTemp("", "txweave-freeze-"); err != nil {
		return exitInternal, err
	}
	defer os.RemoveAll(b.tmp)
	begun := time.Now()
	var took []string
	for _, p := range chosen {
		cpu, at := b.cpu, time.Now()
		if err := p.run(b); err != nil {
			return exitInternal, fmt.Errorf("%s: %w", p.name, err)
		}
		if err := b.old.save(); err != nil {
			return exitInternal, err
		}
		took = append(took, fmt.Sprintf("%s %.0f + %.0f s", p.name, b.cpu[0]-cpu[0], b.cpu[1]-cpu[1]))
		fmt.Fprintf(stderr, "freeze: %s: in %.0f s\n", took[len(took)-1], time.Since(at).Seconds())
	}
	fmt.Fprintf(stdout, "%s: %s, in %.0f s. Processor time, old and new: %s; in all %.0f + %.0f s.\n\n",
		pick(b, "short form", "full form"), strings.Join(b.targets, ", "), time.Since(begun).Seconds(),
		strings.Join(took, ", "), b.cpu[0], b.cpu[1])
	code, err := print(stdout, b.measures)
	switch {
	case err != nil:
		return exitInternal, err
	case code == exitUnsure && b.missing:
		return exitMissing, nil
	}
	return code, nil
}

// parse reads the command line and returns the parts that are to be run.
func (b *bench) parse(args []string, stderr io.Writer) ([]part, error) {
	flags := flag.NewFlagSet("freeze", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr,
			"usage: go run ./bench/freeze [flags] OLD NEW\n\nExit codes: 0 as good, 1 worse, 2 could not tell, 64 wrong "+
				"arguments, 69 something is missing.\n\n")
		flags.PrintDefaults()
	}
	var only, targets, mutants, old string
	flags.BoolVar(&b.full, "full", false, "the full form, some hours of processor time; else the short one, some minutes")
	flags.StringVar(&only, "only", "", "`parts` to run, with commas between them: "+strings.Join(names(), ", "))
	flags.StringVar(&targets, "targets", "sqlite,mariadb,postgresql", "`databases` that are here")
	flags.StringVar(&b.tree, "tree", ".", "the `checkout` whose cases and histories are run")
	flags.StringVar(&mutants, "mutants", "",
		"`OLD,NEW`: the same builds with the mutants of bench/mutants in their engine, for --full")
	flags.StringVar(&old, "old", "",
		"a `file` of what OLD has said, made where it is not there: what it holds is not asked again, but for pace")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, &exitError{0, err}
	} else if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if flags.NArg() != 2 {
		return nil, &exitError{exitUsage, fmt.Errorf("want two programs, got %d", flags.NArg())}
	}
	b.targets = strings.Split(targets, ",")
	chosen := parts
	err := among("--targets", b.targets, dialects)
	if only != "" {
		wanted := strings.Split(only, ",")
		chosen = slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !slices.Contains(wanted, p.name) })
		err = cmp.Or(err, among("--only", wanted, names()))
	}
	copy(b.programs[:], flags.Args())
	if mutants != "" && copy(b.mutants[:], strings.Split(mutants, ",")) != 2 {
		err = fmt.Errorf("--mutants %q: want OLD,NEW", mutants)
	}
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	for _, path := range []*string{&b.programs[0], &b.programs[1], &b.mutants[0], &b.mutants[1]} {
		if *path == "" {
			continue
		}
		if *path, err = exec.LookPath(*path); err != nil {
			return nil, &exitError{exitMissing, err}
		}
		if *path, err = filepath.Abs(*path); err != nil { // it is run elsewhere
			return nil, err
		}
	}
	if b.tree, err = filepath.Abs(b.tree); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(b.tree, "docs", "hermitage")); err != nil {
		return nil, &exitError{exitMissing, fmt.Errorf("--tree: no checkout of txweave: %w", err)}
	}
	if old != "" {
		if b.old, err = openRecord(old, b.programs[0]); err != nil {
			return nil, &exitError{exitUsage, fmt.Errorf("--old: %w", err)}
		}
	}
	return chosen, nil
}

// among says which of a list is none of all.
func among(flag string, list, all []string) error {
	for _, name := range list {
		if !slices.Contains(all, name) {
			return fmt.Errorf("%s: %q is none of %s", flag, name, strings.Join(all, ", "))
		}
	}
	return nil
}

// names are those of the parts.
func names() (all []string) {
	for _, p := range parts {
		all = append(all, p.name)
	}
	return all
}
