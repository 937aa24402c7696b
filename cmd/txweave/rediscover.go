package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/display"
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
		Long: `Known bugs are not left out here. For each one it says after how many cases and how much processor
time the first finding came: medians over the seeds. docs/howto/triage.md says what is in the list
of bugs.
Findings that are none of the list are listed: they may be new bugs.

Exit codes: 0 each bug was found with most seeds; 1 some were not.`,
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
			show := display.New(cmd.ErrOrStderr())
			c.Target.Notes = show
			c.Progress = show.Steps("case", time.Duration(c.Seeds)*c.Duration)
			c.Found = func(seed uint64, bug string, cases int) {
				fmt.Fprintf(show, "seed %d: %s found after %d cases\n", seed, bug, cases)
			}
			r, err := c.Run(cmd.Context())
			show.End()
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
				return outcome.End(exitFindings, fmt.Errorf("%d of %d known bugs were not found with most seeds", r.Missed,
					len(r.Bugs)))
			case cmd.Context().Err() != nil:
				return outcome.Stopped()
			}
			return nil
		},
	}
	fs := cmd.Flags()
	f.add(fs, registry.Default)
	f.addInject(fs)
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
