package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"txweave/campaign/ci"
	"txweave/campaign/database"
	"txweave/finding"
	"txweave/internal/input"
	"txweave/internal/output"
)

// ciFlags say what continuous integration is told.
type ciFlags struct {
	ci       bool
	failOn   string
	baseline string
	junit    string
	sarif    string
	summary  string

	known ci.Baseline
}

func (f *ciFlags) add(fs *pflag.FlagSet) {
	fs.BoolVar(&f.ci, "ci", false, "for continuous integration: the campaign must have an end (--duration, or cases of each cell), and --summary is $GITHUB_STEP_SUMMARY")
	fs.StringVar(&f.failOn, "fail-on", "any", "exit code 1 at open bugs that are new (not in --baseline), at any, at new ones that are a crash or a hang, or never: new, any, crash, none")
	fs.StringVar(&f.baseline, "baseline", "", "a file of known bugs, as txweave bugs list --format json prints them")
	fs.StringVar(&f.junit, "junit", "", "write the outcome to this file, as JUnit's XML")
	fs.StringVar(&f.sarif, "sarif", "", "… as SARIF 2.1.0")
	fs.StringVar(&f.summary, "summary", "", "… as Markdown, at its end")
}

func (f *ciFlags) check(ctx context.Context, finite bool) error {
	if !slices.Contains([]string{"new", "any", "crash", "none"}, f.failOn) {
		return usagef("--fail-on %q: want new, any, crash or none", f.failOn)
	}
	if f.ci && !finite {
		return usagef("--ci: the campaign has no end: want --duration, or cases of every cell")
	}
	if f.ci && f.summary == "" {
		f.summary = os.Getenv("GITHUB_STEP_SUMMARY")
	}
	if err := writable(f.junit, f.sarif, f.summary); err != nil {
		return err
	}
	if f.baseline == "" {
		return nil
	}
	text, err := input.Read(ctx, f.baseline, input.Report)
	if err != nil {
		return usagef("--baseline: %w", err)
	}
	if f.known, err = ci.ReadBaseline(text); err != nil {
		return usagef("--baseline %s: %w", f.baseline, err)
	}
	return nil
}

// tell writes the outcome's files; it returns whether the outcome fails, and in continuous integration which cells say nothing.
func (f *ciFlags) tell(ctx context.Context, db *database.DB, s *database.CampaignStatus, b *finding.Bugs) (fails bool, silent []string, err error) {
	o := &ci.BuildOutcome{Status: s, New: map[string]bool{}}
	for _, g := range b.Bugs {
		if g.Open() {
			o.Bugs = append(o.Bugs, g)
			if !f.known.Has(g) {
				o.New[g.ID] = true
			}
		}
	}
	shows, err := db.Shows(context.WithoutCancel(ctx))
	if err != nil {
		return false, nil, err
	}
	o.Shows = func(cell int64, bug string) bool { return shows[bug][cell] }
	where := func(g *finding.Bug) string {
		path, _ := db.SmallestCase(g)
		if rel, err := filepath.Rel(db.Dir(), path); path != "" && err == nil {
			return filepath.ToSlash(rel)
		}
		return ""
	}
	for _, x := range []struct {
		path   string
		write  func(io.Writer) error
		append bool
	}{{f.junit, o.JUnit, false}, {f.sarif, func(w io.Writer) error { return o.SARIF(w, where) }, false}, {f.summary, o.Markdown, true}} {
		if x.path == "" {
			continue
		}
		open := output.Create
		if x.append {
			open = output.Append
		}
		file, err := open(ctx, x.path)
		if err != nil {
			return false, nil, err
		}
		if err := errors.Join(x.write(file), file.Close()); err != nil {
			return false, nil, err
		}
	}
	if f.ci {
		silent = o.Silent()
	}
	return o.Fails(f.failOn), silent, nil
}
