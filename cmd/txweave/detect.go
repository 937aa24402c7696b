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
		Long: `Plant bugs, one at a time, between txweave and a correct engine, and count the cases and seconds until the first
confirmed finding: the median over several seeds. The same cases are checked with nothing planted, and every
finding there is a false alarm, or a bug of the server itself; it is printed with the command that shows it again. Exit code 0 if every planted bug that the level forbids was found and there was
no false alarm, else 1.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.tables) > 0 {
				return usage(detect.Combined(cmd.Context(), cmd.OutOrStdout(), f.tables))
			}
			if err := f.check(cmd.Flags(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			d, err := f.c.Run(cmd.Context())
			if err != nil {
				return err
			}
			return printDetection(cmd.OutOrStdout(), d, f.format)
		},
	}
	fs, c := cmd.Flags(), &f.c
	f.add(fs, registry.Default)
	fs.StringSliceVar(&c.Faults, "faults", nil, "planted bugs, by name (default: all)")
	fs.Uint64Var(&f.rarity.Every, "rarity", 0,
		"strike one in so many of the statements that a bug would strike, and never the tool's own reads (0: as often as "+
			"it does by itself, those too)")
	fs.StringVar(&f.rarity.When, "when", "", "strike only under this condition: "+strings.Join(detect.Conditions(), ", "))
	fs.BoolVar(&f.rarity.Sometimes, "sometimes", false,
		"let it depend on the run whether a bug strikes: what showed need not come back")
	f.retired.add(fs, "guide")
	addWithout(fs, &c.Without)
	addRows(fs, &c.Rows)
	fs.BoolVar(&c.Count, "count", false,
		"check all cases of the budget, and count those that show the planted bug: that compares two builds with fewer "+
			"cases than how soon the first one comes")
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
		for _, name := range []string{"only-planted", "faults", "rarity", "when", "sometimes", "count"} {
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
	c.Log = func(x *detect.FaultResult) { fmt.Fprintf(stderr, "%s: found %v\n", x.Name, x.Found) }
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
