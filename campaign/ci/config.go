package ci

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"txweave/campaign/database"
	"txweave/finding"
	"txweave/internal/asked"
	"txweave/internal/input"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/internal/spelling"
)

// Config says what continuous integration is told. Errors call its fields by the flags that set them.
type Config struct {
	CI       bool   // the campaign must have an end, and every cell must have checked something
	FailOn   string // at which open bugs the outcome fails: new, any, crash or none
	Baseline string // a file of known bugs
	JUnit    string // file for the outcome as JUnit's XML
	SARIF    string // … as SARIF 2.1.0
	Summary  string // … as Markdown, at its end

	known Baseline
}

// Validate says which values there cannot be; finite says that the campaign has an end. It reads the baseline.
func (f *Config) Validate(ctx context.Context, finite bool) error {
	if on := []string{"new", "any", "crash", "none"}; !slices.Contains(on, f.FailOn) {
		return outcome.Misuse(spelling.NoneOf("--fail-on", f.FailOn, on...))
	}
	if f.CI && !finite {
		return outcome.Misusef("--ci: the campaign has no end: want --duration, or cases of every cell")
	}
	if f.CI && f.Summary == "" {
		f.Summary = os.Getenv("GITHUB_STEP_SUMMARY")
	}
	if err := asked.Writable(f.JUnit, f.SARIF, f.Summary); err != nil {
		return err
	}
	if f.Baseline == "" {
		return nil
	}
	text, err := input.Read(ctx, f.Baseline, input.Report)
	if err != nil {
		return outcome.Misusef("--baseline: %w", err)
	}
	if f.known, err = ReadBaseline(text); err != nil {
		return outcome.Misusef("--baseline %s: %w", f.Baseline, err)
	}
	return nil
}

// news are the open bugs that nobody knew of. A group that is not reduced is none as long as it may be one of these,
// for which the build fails anyway; where all that it may be is known, nothing else would tell of it.
func (f *Config) news(b *finding.Bugs) map[string]bool {
	out := map[string]bool{}
	for _, g := range b.Bugs {
		if g.Open() && !f.known.Has(g) {
			out[g.ID] = true
		}
	}
	for _, g := range b.Bugs {
		if g.Shown() == finding.StatusUnreduced && !f.known.Has(g) &&
			!slices.ContainsFunc(g.MayBe, func(id string) bool { return out[id] }) {
			out[g.ID] = true // no other group may be it: that asks for a reduced case
		}
	}
	return out
}

// Tell writes the outcome's files; it returns whether the outcome fails, and in continuous integration which cells say
// nothing.
func (f *Config) Tell(ctx context.Context, db *database.DB, s *database.CampaignStatus, b *finding.Bugs) (fails bool,
	silent []string, err error) {
	o := &BuildOutcome{Status: s, New: f.news(b)}
	for _, g := range b.Bugs {
		if g.Status == finding.StatusOpen {
			o.Bugs = append(o.Bugs, g)
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
	}{{f.JUnit, o.JUnit, false}, {f.SARIF, func(w io.Writer) error { return o.SARIF(w, where) }, false},
		{f.Summary, o.Markdown, true}} {
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
	if f.CI {
		silent = o.Silent()
	}
	return o.Fails(f.FailOn), silent, nil
}
