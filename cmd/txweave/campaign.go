package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign/database"
	"txweave/campaign/rotation"
	"txweave/campaign/running"
	"txweave/campaign/store"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/outcome"
	"txweave/internal/version"
)

// campaignOut is where campaigns of cells lie.
const campaignOut = "txweave-campaign"

func campaignCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "campaign",
		Short: "Run many cells, target by level by mode, for days, and go on where it was stopped",
		Long: `A campaign is a list of cells, each a target at a level in a mode: fuzz, storm or detect. They run in turn. What was done, counted
and found lies in a database in the campaign's directory, so that it goes on at its cursors whatever ended it (docs/campaigns.md).`,
		Example: `  txweave campaign run                              # SQLite, fuzz and storm in turn, until Ctrl-C
  txweave campaign init > campaign.toml             # … what this machine has
  txweave campaign run campaign.toml --out found
  txweave campaign status found --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(campaignInitCommand(), campaignRunCommand(), campaignStatusCommand(), campaignAuditCommand())
	return cmd
}

// campaignFlags are the flags of campaign run.
type campaignFlags struct {
	out      string
	duration time.Duration
	storeFlags
	shard     string
	artifacts string
	pageFlags
	ciFlags
}

func campaignRunCommand() *cobra.Command {
	var f campaignFlags
	cmd := &cobra.Command{
		Use:   "run [campaign.toml]",
		Short: "Run a campaign, or go on with it",
		Long: `Run the cells of a campaign.toml in turn, each from its cursor on. Without a file a directory's campaign goes on as it was; where there
is none, SQLite is fuzzed and stormed in turn. A directory is data: a server, an address or a command that it names is used only if
a campaign.toml of yours had it, or if it is shown and confirmed once (--trust).

A cell whose target cannot be had is tried again, ever more rarely, and shown as unavailable. Ctrl-C ends the campaign once the cases under way
have ended or three seconds have passed; a second one ends it at once. Either way, and after kill -9, the next run goes on.

Exit codes: 0 no open bug, 1 open bugs, 2 no case could be checked, with --ci not one of some cell, 64 usage, 70 internal error, or faults of
txweave's own and no open bug, 130 interrupted.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", campaignOut, "the campaign's directory")
	fs.DurationVar(&f.duration, "duration", 0, "stop after this time (default: campaign.toml's, or no limit)")
	f.storeFlags.add(fs)
	fs.StringVar(&f.shard, "shard", "", "i/n: do part i of n of every cell, the cases whose number is i modulo n; other processes do the others, with the same --store")
	fs.StringVar(&f.artifacts, "artifacts", "", "with --store: keep files of findings in an S3-compatible bucket, s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION, "+
		"with keys from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY); it is kept with the campaign (default: in the store)")
	f.pageFlags.add(fs, "")
	f.ciFlags.add(fs)
	return cmd
}

// storeFlags say where a campaign's database is.
type storeFlags struct{ store string }

func (f *storeFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.store, "store", "", "the campaign's database, where several machines share it: postgres://user:password@host/database or mysql://…, "+
		"@FILE that holds that, or env:NAME for an environment variable, which keep the password from who lists processes (default: an SQLite database in --out)")
}

// shorten gives the flag another text.
func (f *storeFlags) shorten(fs *pflag.FlagSet, text string) { fs.Lookup("store").Usage = text }

// open opens the campaign's database; with make one in a directory is made if it is not there.
func (f *storeFlags) open(ctx context.Context, dir string, make bool) (*database.DB, error) {
	if f.store == "" {
		db, err := database.Open(ctx, dir, make)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("%s holds no campaign: txweave campaign run --out makes one", dir)
		}
		return db, err
	}
	at, err := exec.ReadDSN(ctx, f.store)
	if err != nil {
		return nil, usagef("--store: %w", err)
	}
	return database.OpenShared(ctx, at, dir)
}

// part reads --shard.
func (f *campaignFlags) part() (s database.Shard, err error) {
	if f.shard == "" {
		return database.Shard{Index: 0, Count: 1}, nil
	}
	i, n, ok := strings.Cut(f.shard, "/")
	s.Index, err = strconv.ParseInt(i, 10, 32)
	if err == nil {
		s.Count, err = strconv.ParseInt(n, 10, 32)
	}
	if !ok || err != nil || s.Index < 0 || s.Count < 1 || s.Index >= s.Count {
		return s, usagef("--shard %q: want i/n, from 0/n to n-1/n", f.shard)
	}
	return s, nil
}

// defaultPlan is the campaign of somebody who has said nothing.
func defaultPlan() *rotation.CampaignPlan {
	return &rotation.CampaignPlan{Slice: rotation.Span(time.Minute), HTTP: anyPort, Parts: []rotation.Part{
		{Name: "sqlite-fuzz", Target: registry.Default, Mode: rotation.ModeFuzz, Weight: 3},
		{Name: "sqlite-storm", Target: registry.Default, Mode: rotation.ModeStorm, Slice: rotation.Span(20 * time.Second), Workload: "random-sql", Length: rotation.Span(5 * time.Second)},
	}}
}

// plan reads the campaign.toml, or makes the plan that there is without one.
func (f *campaignFlags) plan(ctx context.Context, args []string) (p *rotation.CampaignPlan, err error) {
	switch {
	case len(args) == 1:
		if p, err = rotation.Read(ctx, args[0]); err != nil {
			return nil, usage(err)
		}
	case f.store == "" && database.Exists(f.out):
		if p, err = storedPlan(ctx, f.out); err != nil {
			return nil, err
		}
		if err := f.book().Refuse(f.out, p.Ways()...); err != nil {
			return nil, usagef("%w; or give the campaign.toml", err)
		}
	default:
		p = defaultPlan()
	}
	if err := p.Check(); err != nil {
		return nil, usage(err)
	}
	if f.duration < 0 {
		return nil, usagef("--duration must not be negative")
	}
	if f.duration > 0 {
		p.Duration = rotation.Span(f.duration)
	}
	return p, nil
}

// storedPlan is the plan with which a directory's campaign ran last.
func storedPlan(ctx context.Context, dir string) (*rotation.CampaignPlan, error) {
	db, err := database.Open(ctx, dir, false)
	if err != nil {
		return nil, err
	}
	text, err := db.Meta(ctx, "campaign")
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	if text == "" { // killed before it had begun
		return defaultPlan(), nil
	}
	p, err := rotation.Parse(filepath.Join(dir, database.File), []byte(text))
	return p, usage(err)
}

// run runs the campaign and says at the end how it stands.
func (f *campaignFlags) run(ctx context.Context, stdout, stderr io.Writer, args []string) (err error) {
	plan, err := f.plan(ctx, args)
	if err != nil {
		return err
	}
	if err := f.check(ctx, plan.Finite()); err != nil {
		return err
	}
	tellGuides(plan, stderr)
	if err := f.readToken(ctx); err != nil {
		return err
	}
	shard, err := f.part()
	if err != nil {
		return err
	}
	r := &campaignRun{plan: plan, screen: newScreen(stderr)}
	life := &running.Life{Plan: plan, Display: r.screen, Configure: r.config}
	if err := life.CanTell(); err != nil {
		return usagef("notify: %w", err)
	}
	cells, err := r.cells(ctx)
	if err != nil {
		return err
	}
	if err := f.writable(); err != nil {
		return err
	}
	unlock, err := database.Lock(f.out)
	if errors.Is(err, database.ErrRunning) {
		return usagef("%s: %w", f.out, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if r.db, err = f.open(ctx, f.out, true); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.db.Close()) }()
	if f.artifacts != "" {
		if err := r.db.UseBucket(ctx, f.artifacts); err != nil {
			return err
		}
	}
	life.DB = r.db
	log, err := life.OpenLog()
	if err != nil {
		return outError(err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if n, err := r.db.TakeOver(ctx, life.Note); err != nil {
		return planError(err)
	} else if n > 0 {
		life.Note(fmt.Sprintf("%s of %s are taken over from bugs.json", finding.Count(n, "bug"), f.out))
	}
	made, err := r.db.Begin(ctx, shard, version.Full(), cells, freshSeed)
	if err != nil {
		return planError(err)
	}
	text, err := plan.Print()
	if err == nil {
		err = r.db.SetMeta(ctx, "campaign", string(text))
	}
	if err != nil {
		return err
	}
	if err := f.book().Name(plan.Ways()...); err != nil { // it was in a file that the user named, or known
		life.Note(fmt.Sprintf("without its campaign.toml the campaign will ask for what this names: it cannot be remembered: %s", err))
	}
	hide, err := f.present(ctx, r, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hide()) }()
	if err := life.Run(ctx, made); err != nil {
		return err
	}
	return f.conclude(ctx, life, stdout)
}

// present shows the campaign's page, if it is to have one, until hide is called.
func (f *campaignFlags) present(ctx context.Context, r *campaignRun, stderr io.Writer) (hide func() error, err error) {
	if f.http = cmp.Or(f.http, r.plan.HTTP); f.http == "" {
		return func() error { return nil }, nil
	}
	shown, cancel := context.WithCancel(context.WithoutCancel(ctx))
	address, wait, err := f.show(shown, r.db, stderr)
	if err != nil {
		cancel()
		return nil, err
	}
	r.screen.page = address
	return func() error {
		cancel()
		return wait()
	}, nil
}

// writable says what keeps the campaign from writing to its directory.
func (f *campaignFlags) writable() error {
	return outError(store.In(f.out).Check())
}

// outError makes what keeps files of a campaign's directory from being written a wrong --out, if it is not the disk that is full or broken.
func outError(err error) error {
	if err == nil || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EIO) {
		return err
	}
	return usagef("--out: %w", err)
}

// planError makes what does not go on where the campaign is the user's error.
func planError(err error) error {
	var wrong *database.PlanError
	if errors.As(err, &wrong) {
		return usage(err)
	}
	return err
}

// conclude prints how the campaign stands and turns it into an exit code.
func (f *campaignFlags) conclude(ctx context.Context, l *running.Life, stdout io.Writer) error {
	live := context.WithoutCancel(ctx)
	s, err := l.DB.Status(live)
	if err != nil {
		return err
	}
	s.Running = false // this was it
	if err := l.WriteStatus(s); err != nil {
		return err
	}
	b, err := l.DB.Bugs()
	if err != nil {
		return err
	}
	if err := printCampaign(stdout, s); err != nil {
		return err
	}
	checked := int64(0)
	for i := range s.Cells {
		checked += s.Cells[i].CasesChecked
	}
	fails, silent, err := f.tell(ctx, l.DB, s, b)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return errInterrupted()
	case fails:
		return &exitError{Code: exitFindings}
	case l.Faults() > 0:
		return ownFaults(l.Faults(), f.out)
	case checked == 0:
		return outcome.End(exitInconclusive, errors.New("inconclusive: no case could be checked"))
	case len(silent) > 0:
		return outcome.End(exitInconclusive, fmt.Errorf("inconclusive: cells that have checked nothing: %s", strings.Join(silent, ", ")))
	}
	return nil
}

func campaignStatusCommand() *cobra.Command {
	var format string
	var f storeFlags
	cmd := &cobra.Command{Use: "status [DIR]", Short: "Say how a campaign stands, while it runs and after", Args: cobra.MaximumNArgs(1), RunE: func(cmd *cobra.Command, args []string) (err error) {
		if format != "text" && format != "json" {
			return usagef("--format %q: want text or json", format)
		}
		dir := campaignOut
		if len(args) == 1 {
			dir = args[0]
		}
		db, err := f.open(cmd.Context(), dir, false)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		s, err := db.Status(cmd.Context())
		if err != nil {
			return err
		}
		if format == "json" {
			return printJSON(cmd.OutOrStdout(), s)
		}
		return printCampaign(cmd.OutOrStdout(), s)
	}}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	f.add(cmd.Flags())
	return cmd
}

func campaignAuditCommand() *cobra.Command {
	var f storeFlags
	cmd := &cobra.Command{Use: "audit [DIR]", Short: "Hold a campaign's counts, findings and files against each other", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			db, err := f.open(cmd.Context(), slices.Concat(args, []string{campaignOut})[0], false)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, db.Close()) }()
			wrong, cases, findings, err := db.Audit(cmd.Context())
			if err != nil {
				return err
			}
			for _, line := range wrong {
				if err := printf(cmd.OutOrStdout(), "%s\n", finding.Line(line)); err != nil {
					return err
				}
			}
			if len(wrong) > 0 {
				return outcome.End(exitInternal, fmt.Errorf("%d things that must not be", len(wrong)))
			}
			return printf(cmd.OutOrStdout(), "%d cases, each counted once; %d findings, each whole and counted to its bug once\n", cases, findings)
		}}
	f.add(cmd.Flags())
	return cmd
}

func campaignInitCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "init", Short: "Print a campaign.toml of what this machine has", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		p := initialPlan(cmd.Context())
		text, err := p.Print()
		if err != nil {
			return err
		}
		return printf(cmd.OutOrStdout(), "# A campaign of what this machine has: txweave campaign run campaign.toml --out DIR\n# What each key means is told in docs/campaigns.md.\n\n%s", text)
	}}
	return cmd
}

// initialPlan has a cell for each level and mode of the targets that are installed.
func initialPlan(ctx context.Context) *rotation.CampaignPlan {
	p := &rotation.CampaignPlan{Slice: rotation.Span(10 * time.Minute), Parallel: max(1, runtime.NumCPU()/4)}
	for _, name := range registry.Names() {
		d, err := registry.Lookup(name)
		if err != nil || !installed(d) || d.Server != nil && launchable(ctx, d) != nil {
			continue
		}
		for _, level := range d.Promises {
			level := level.Isolation
			part := rotation.Part{Name: strings.Join([]string{name, level, rotation.ModeFuzz}, "-"), Target: name, Isolation: level, Mode: rotation.ModeFuzz, Weight: 3, Workers: 1}
			p.Parts = append(p.Parts, part)
			part.Name, part.Mode, part.Weight, part.Workload = strings.Join([]string{name, level, rotation.ModeStorm}, "-"), rotation.ModeStorm, 1, "random-sql"
			p.Parts = append(p.Parts, part)
		}
	}
	return p
}

// launchable says what keeps an installed server from being started: its binary may be another DBMS's of that name.
func launchable(ctx context.Context, d *registry.DBMS) error {
	_, err := d.Launch(ctx, "", io.Discard)
	return err
}

// printCampaign prints for people how a campaign stands.
func printCampaign(w io.Writer, s *database.CampaignStatus) error {
	rows := [][]string{{"cell", "target", "level", "mode", "state", "checked", "next case", "a minute", "findings", "bugs", "what"}}
	for i := range s.Cells {
		c := &s.Cells[i]
		rows = append(rows, []string{c.Name, c.Target, c.Isolation, c.Mode, c.Shown(), fmt.Sprint(c.CasesChecked), fmt.Sprint(c.NextCase), c.ShownRate(),
			fmt.Sprint(c.Found), fmt.Sprint(c.BugsShown), c.Remark(time.Now())})
	}
	if err := printTable(w, rows); err != nil {
		return err
	}
	state := "it is not running"
	if s.Running {
		state = "it is running"
	}
	return printf(w, "%s, %s; %s\n", finding.Count(s.Bugs, "bug"), finding.Count(s.Findings, "finding"), state)
}
