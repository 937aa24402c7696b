package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign/detect"
	"txweave/campaign/display"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/exec/planted"
	"txweave/internal/outcome"
)

// detectFlags are the flags of the detect command.
type detectFlags struct {
	targetFlags
	c       detect.Config
	rarity  planted.Rarity
	retired retired
	format  string
	tables  []string
}

func detectCommand() *cobra.Command { return new(detectFlags).command() }

// command is the command whose flags these are.
func (f *detectFlags) command() *cobra.Command {
	f.c = detect.Default()
	cmd := &cobra.Command{
		Use:   "detect",
		Short: "Plant bugs in a correct engine and measure how soon they are found",
		Long: `Bugs are planted one at a time between txweave and the database. The table says after how many cases
each is found: the median over the seeds. The same cases run with nothing planted, where every
finding is a false alarm, or a bug of the database itself.

Exit codes: 0 each planted bug was found, and nothing else; 1 one was missed, or there was another
finding.`,
		Example: `  txweave detect --inject lost-row,lost-delete --seeds 1
  txweave detect --rarity 12 --budget 80 --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.tables) > 0 {
				return usage(detect.Combined(cmd.Context(), cmd.OutOrStdout(), f.tables))
			}
			if err := f.check(cmd.Flags(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			show := display.New(cmd.ErrOrStderr())
			f.c.Target.Notes, f.c.Progress = show, show.Steps("run", 0)
			f.c.Log = func(x *detect.FaultResult) { fmt.Fprintf(show, "%s: found %v\n", x.Name, x.Found) }
			d, err := f.c.Run(cmd.Context())
			show.End()
			if err != nil {
				return err
			}
			return printDetection(cmd.OutOrStdout(), d, f.format)
		},
	}
	fs, c := cmd.Flags(), &f.c
	f.add(fs, registry.Default)
	fs.StringSliceVar(&c.Inject, "inject", nil, "planted bugs, by name (default: all)")
	fs.Uint64Var(&f.rarity.Every, "rarity", 0,
		"strike one in so many statements that qualify, never added reads (0: as often as it comes)")
	fs.StringVar(&f.rarity.When, "when", "", "only where: "+strings.Join(detect.Conditions(), ", "))
	fs.BoolVar(&f.rarity.Sometimes, "sometimes", false,
		"let it depend on the run whether a bug strikes: what showed need not come back")
	f.retired.add(fs, "guide")
	addWithout(fs, &c.Without)
	addRows(fs, &c.Rows)
	fs.BoolVar(&c.Count, "count", false,
		"check all cases of the budget, and count those that show the planted bug")
	fs.IntVar(&c.Budget, "budget", c.Budget, "cases to try for each planted bug and seed")
	fs.IntVar(&c.Seeds, "seeds", c.Seeds, "seeds to try, from --seed on")
	fs.Uint64Var(&c.First, "seed", c.First, "the first seed")
	fs.BoolVar(&c.OnlyPlanted, "only-planted", false, "do not check the cases with nothing planted first")
	fs.BoolVar(&c.Unplanted, "only-unplanted", false, "plant nothing: check the cases with nothing planted, and no more")
	fs.StringVar(&c.Out, "out", "", "a directory to keep what shows with nothing planted, as fuzz keeps findings")
	fs.StringVar(&f.format, "format", "text", "text (a Markdown table) or json")
	fs.StringSliceVar(&f.tables, "table", nil, "run nothing: print one table from these files, the JSON of earlier runs")
	return cmd
}

// check says what the flags have that cannot be, and makes them a Config.
func (f *detectFlags) check(fs *pflag.FlagSet, stderr io.Writer) error {
	c := &f.c
	if err := textOrJSON(f.format); err != nil {
		return err
	}
	if c.Unplanted {
		for _, name := range []string{"only-planted", "inject", "rarity", "when", "sometimes", "count"} {
			if fs.Changed(name) {
				return usagef("--only-unplanted and --%s exclude each other", name)
			}
		}
	}
	if f.rarity != (planted.Rarity{}) {
		c.Rarity = &f.rarity
	}
	if c.Target = f.config(); !fs.Changed("target") {
		c.Target.Target = "" // it need not be named for what is run again
	}
	c.Command = target.CommandLine(os.Args)
	if err := c.Validate(); err != nil {
		return err
	}
	return f.retired.check(fs, stderr)
}

func printDetection(w io.Writer, d *detect.Result, format string) error {
	var err error
	if format == "json" {
		err = json.NewEncoder(w).Encode(d)
	} else {
		err = d.Table(w)
	}
	if err == nil && d.Missed()+d.FalseAlarms > 0 {
		err = outcome.End(exitFindings, fmt.Errorf("%d forbidden bugs not found, %d false alarms", d.Missed(), d.FalseAlarms))
	}
	return err
}

func printf(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}
