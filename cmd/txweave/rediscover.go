package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"txweave/campaign/rediscover"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/internal/outcome"
)

func rediscoverCommand() *cobra.Command {
	var f targetFlags
	var unused retired
	var format string
	c := rediscover.Default()
	cmd := &cobra.Command{
		Use:   "rediscover",
		Short: "Measure how soon the known bugs of a server are found again",
		Long: `Run campaigns on a server with known bugs, which are not left out here, and say of each bug after how many cases, and how much
processor time (the campaign's and its servers', shared out over its cases), the first finding came that is it:
medians over the seeds. The list of bugs says how a finding of each is
told from others; it is as docs/howto/triage.md describes. Where that needs a reduced case, findings that have all of it are reduced behind the
campaign, the first ones first, until one is the bug: at most six for a bug and seed. All findings stay below --out; those that are none of
the list are listed: they may be bugs that nobody knows. Exit code 0: each bug was met with most seeds, 1: some were not.`,
		Example: "  txweave rediscover --target mariadb --isolation snapshot --cases 300 --seeds 3\n  txweave rediscover " +
			"--target tidb --server /opt/tidb-6.1.1 --bugs tidb-6.1.1.toml --cases 20000",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			if err := c.Validate(); err != nil {
				return err
			}
			if err := unused.check(cmd.Flags(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			c.Target, c.Command = f.config(), target.CommandLine(os.Args)
			c.Met = func(seed uint64, bug string, cases int) {
				fmt.Fprintf(cmd.ErrOrStderr(), "seed %d: %s after %d cases\n", seed, bug, cases)
			}
			r, err := c.Run(cmd.Context())
			if err != nil {
				return err
			}
			if format == "json" {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(r)
			} else {
				err = r.Table(cmd.OutOrStdout())
			}
			switch {
			case err != nil:
				return err
			case r.Missed > 0:
				return outcome.End(exitFindings, fmt.Errorf("%d of %d known bugs were not met with most seeds", r.Missed,
					len(r.Bugs)))
			case cmd.Context().Err() != nil:
				return outcome.Stopped()
			}
			return nil
		},
	}
	fs := cmd.Flags()
	f.add(fs, registry.Default)
	f.addFaults(fs)
	unused.add(fs, "guide")
	fs.StringVar(&c.Bugs, "bugs", c.Bugs, "a file of known bugs (default: those that txweave comes with)")
	fs.IntVar(&c.Cases, "cases", c.Cases, "cases for each seed")
	fs.DurationVar(&c.Duration, "duration", c.Duration, "stop a seed after this time, e.g. 1h (default: no limit)")
	fs.StringVar(&c.Out, "out", c.Out, "directory for findings: those of seed 7 in seed-7")
	fs.IntVar(&c.Seeds, "seeds", c.Seeds, "seeds to try, from --seed on")
	fs.Uint64Var(&c.Seed, "seed", c.Seed, "the first seed")
	fs.DurationVar(&c.ReduceTime, "reduce-time", c.ReduceTime, "at most this long to reduce one finding")
	fs.StringVar(&format, "format", "text", "text (a Markdown table) or json")
	addWithout(fs, &c.Without)
	return cmd
}
