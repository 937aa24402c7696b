package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign/cells"
	"txweave/campaign/ci"
	"txweave/campaign/database"
	"txweave/campaign/display"
	"txweave/campaign/site"
	"txweave/finding"
	"txweave/internal/outcome"
)

func campaignCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "campaign",
		Short: "Run many cells, target by level by mode, for days, and go on where it was stopped",
		Long: `A campaign is a list of cells: a target at a level in a mode (fuzz, storm or detect). They run in
turn. All that was done lies in a database in the campaign's directory, so a campaign goes on
whatever ended it (docs/howto/campaign.md).`,
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
	c        cells.Config
	duration time.Duration
	shard    string
	pageFlags
	ci ci.Config
}

func campaignRunCommand() *cobra.Command {
	var f campaignFlags
	cmd := &cobra.Command{
		Use:   "run [campaign.toml]",
		Short: "Run a campaign, or go on with it",
		Long: `Without a file the campaign of --out goes on as it was; where there is none, SQLite is fuzzed and
stormed in turn. A server, an address or a command that only the directory names must be confirmed
once (--trust).

A cell whose target cannot be had is tried again later. Ctrl-C ends the campaign when the cases
under way have ended. A second one ends it at once.

Exit codes: 0 no open bug; 1 open bugs, as --fail-on counts them; 2 no case could be checked (--ci:
in some cell).`,
		Example: `  txweave campaign run
  txweave campaign run campaign.toml --out found --serve
  txweave campaign run campaign.toml --ci --duration 20m --junit junit.xml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.c.Out, "out", cells.DefaultOut, "the campaign's directory")
	fs.DurationVar(&f.duration, "duration", 0, "stop after this time (default: campaign.toml's, or no limit)")
	addStore(fs, &f.c.Store, sharedStore)
	fs.StringVar(&f.shard, "shard", "",
		"i/n: do part i of n of every cell; other processes with the same --store do the others")
	fs.StringVar(&f.c.Artifacts, "artifacts", "",
		"with --store: keep files in a bucket, s3://BUCKET/PREFIX?endpoint=URL (docs/howto/campaign.md)")
	f.pageFlags.add(fs, "")
	fs.StringVar(&f.HTTP, "serve", "", "show the campaign's page at this address of this machine, as --serve=ADDR")
	fs.Lookup("serve").NoOptDefVal = site.AnyPort
	fs.BoolVar(&f.ci.CI, "ci", false,
		"for continuous integration: there must be an end; --summary is $GITHUB_STEP_SUMMARY")
	fs.StringVar(&f.ci.FailOn, "fail-on", "any",
		"exit code 1 at open bugs: any, new (not in --baseline), crash (new crashes and hangs), none")
	fs.StringVar(&f.ci.Baseline, "baseline", "", "a file of known bugs, as txweave bugs list --format json prints them")
	fs.StringVar(&f.ci.JUnit, "junit", "", "write the outcome to this file, as JUnit's XML")
	fs.StringVar(&f.ci.SARIF, "sarif", "", "write the outcome to this file, as SARIF 2.1.0")
	fs.StringVar(&f.ci.Summary, "summary", "", "append the outcome to this file, as Markdown")
	return cmd
}

// addStore adds the flag that says where a campaign's database is.
func addStore(fs *pflag.FlagSet, store *string, text string) {
	fs.StringVar(store, "store", "", text)
}

// sharedStore is the text of the flag.
const sharedStore = "the database of several machines, postgres://… or mysql://…, @FILE, env:NAME (default: in --out)"

// run runs the campaign and says at the end how it stands.
func (f *campaignFlags) run(ctx context.Context, stdout, stderr io.Writer, args []string) (err error) {
	c, screen := &f.c, display.NewScreen(stderr)
	c.Book, c.Self, c.Notes = f.book(), self(), screen
	if err := c.ReadPlan(ctx, append(args, "")[0]); err != nil {
		return err
	}
	if err := c.Shorten(f.duration); err != nil {
		return err
	}
	if err := f.ci.Validate(ctx, c.Plan.Finite()); err != nil {
		return err
	}
	tellGuides(c.Plan, stderr)
	page, err := f.page(ctx)
	if err != nil {
		return err
	}
	if c.Shard, err = cells.ReadShard(f.shard); err != nil {
		return err
	}
	x, err := c.Open(ctx, screen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if page.HTTP = cmp.Or(page.HTTP, c.Plan.HTTP); page.HTTP != "" {
		shown, hide := context.WithCancel(context.WithoutCancel(ctx))
		address, wait, err := page.Show(shown, x.DB, stderr)
		if err != nil {
			hide()
			return err
		}
		screen.Page = address
		defer func() {
			hide()
			err = errors.Join(err, wait())
		}()
	} else if f.c.Store == "" {
		fmt.Fprintf(stderr, "txweave: the campaign lies in %s: txweave serve %s shows it in a browser\n", c.Out, c.Out)
	}
	if err := x.Run(ctx); err != nil {
		return err
	}
	return f.conclude(ctx, x, stdout, stderr)
}

// conclude prints how the campaign stands and turns it into an exit code.
func (f *campaignFlags) conclude(ctx context.Context, x *cells.Campaign, stdout, stderr io.Writer) error {
	s, b, err := x.Stand(ctx)
	if err != nil {
		return err
	}
	if err := display.PrintStatus(stdout, s); err != nil {
		return err
	}
	if len(b.Bugs) > 0 {
		next(stderr, append([]string{"bugs", "list", "--out", f.c.Out}, unless("", "store", f.c.Store)...)...)
	}
	checked := int64(0)
	for i := range s.Cells {
		checked += s.Cells[i].CasesChecked
	}
	fails, silent, err := f.ci.Tell(ctx, x.DB, s, b)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return outcome.Stopped()
	case fails:
		return outcome.Found()
	case x.Faults() > 0:
		return ownFaults(x.Faults(), f.c.Out)
	case checked == 0:
		return outcome.Inconclusivef("no case could be checked")
	case len(silent) > 0:
		return outcome.Inconclusivef("cells that have checked nothing: %s", strings.Join(silent, ", "))
	}
	return nil
}

func campaignStatusCommand() *cobra.Command {
	var format string
	var store string
	cmd := &cobra.Command{Use: "status [DIR]", Example: "  txweave campaign status found",
		Short: "Say how a campaign stands, while it runs and after",
		Args:  cobra.MaximumNArgs(1), RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := textOrJSON(format); err != nil {
				return err
			}
			db, err := database.At(cmd.Context(), store, append(args, cells.DefaultOut)[0], false)
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
			return display.PrintStatus(cmd.OutOrStdout(), s)
		}}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	addStore(cmd.Flags(), &store, sharedStore)
	return cmd
}

func campaignAuditCommand() *cobra.Command {
	var store string
	cmd := &cobra.Command{Use: "audit [DIR]", Example: "  txweave campaign audit found",
		Short: "Hold a campaign's counts, findings and files against each other",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			db, err := database.At(cmd.Context(), store, append(args, cells.DefaultOut)[0], false)
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
				return outcome.End(exitInternal, fmt.Errorf("%s, listed above",
					finding.Count(len(wrong), "contradiction")))
			}
			s, err := db.Status(cmd.Context())
			if err != nil {
				return err
			}
			return printf(cmd.OutOrStdout(),
				"%s, each counted once; %s of %s, each whole and counted once\n", finding.Count(cases, "case"),
				finding.Count(findings, "finding"), finding.CountBugs(s.Bugs, s.Unreduced))
		}}
	addStore(cmd.Flags(), &store, sharedStore)
	return cmd
}

func campaignInitCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "init", Example: "  txweave campaign init > campaign.toml",
		Short: "Print a campaign.toml of what this machine has", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := cells.InstalledPlan(cmd.Context())
			text, err := p.Print()
			if err != nil {
				return err
			}
			return printf(cmd.OutOrStdout(),
				"# A campaign of what this machine has: txweave campaign run campaign.toml --out DIR\n# What each key means is "+
					"told in docs/howto/campaign.md.\n\n%s", text)
		}}
	return cmd
}
