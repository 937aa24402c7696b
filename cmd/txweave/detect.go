package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign/detect"
	"txweave/campaign/store"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/internal/outcome"
)

// detectFlags are the flags of the detect command.
type detectFlags struct {
	targetFlags
	retired     retired
	faults      []string
	rarity      uint64
	when        string
	sometimes   bool
	without     []string
	count       bool
	budget      int
	seeds       int
	first       uint64
	onlyPlanted bool
	unplanted   bool // only
	out         string
	format      string
	tables      []string
}

func detectCommand() *cobra.Command { return new(detectFlags).command() }

// command is the command whose flags these are.
func (f *detectFlags) command() *cobra.Command {
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
			if err := f.check(cmd.Flags()); err != nil {
				return err
			}
			if err := f.retired.check(cmd.Flags(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			p, err := f.resolve(cmd.Context())
			if err != nil {
				return err
			}
			if p.NoReplay != "" { // what most planted bugs are is not forbidden there
				return usagef("%s: %s", p.Isolation, p.NoReplay)
			}
			faults, err := f.pick()
			if err != nil {
				return err
			}
			return f.use(cmd.Context(), func(t exec.Target) error {
				o := detect.Options{Budget: f.budget, Seeds: f.seeds, First: f.first, OnlyPlanted: f.onlyPlanted, Rarity: f.rare(), Count: f.count, Without: f.without,
					Out: f.out, Command: commandLine(os.Args),
					Log: func(x *detect.FaultResult) { fmt.Fprintf(cmd.ErrOrStderr(), "%s: found %v\n", x.Name, x.Found) }}
				d, err := o.Run(cmd.Context(), t, p, faults)
				if err != nil {
					return err
				}
				for i := range d.Unplanted {
					d.Unplanted[i].Again = f.again(&d.Unplanted[i])
				}
				return printDetection(cmd.OutOrStdout(), d, f.format)
			})
		},
	}
	f.add(cmd.Flags(), registry.Default)
	cmd.Flags().StringSliceVar(&f.faults, "faults", nil, "planted bugs, by name (default: all)")
	cmd.Flags().Uint64Var(&f.rarity, "rarity", 0, "strike one in so many of the statements that a bug would strike, and never the tool's own reads (0: as often as it does by itself, those too)")
	cmd.Flags().StringVar(&f.when, "when", "", "strike only under this condition: "+conditionNames())
	cmd.Flags().BoolVar(&f.sometimes, "sometimes", false, "let it depend on the run whether a bug strikes: what showed need not come back")
	f.retired.add(cmd.Flags(), "guide")
	addWithout(cmd.Flags(), &f.without)
	cmd.Flags().BoolVar(&f.count, "count", false, "check all cases of the budget, and count those that show the planted bug: that compares two builds with fewer cases than how soon the first one comes")
	cmd.Flags().IntVar(&f.budget, "budget", 200, "cases to try for each planted bug and seed")
	cmd.Flags().IntVar(&f.seeds, "seeds", 3, "seeds to try, from --seed on")
	cmd.Flags().Uint64Var(&f.first, "seed", 1, "the first seed")
	cmd.Flags().BoolVar(&f.onlyPlanted, "only-planted", false, "do not check the cases with nothing planted first")
	cmd.Flags().BoolVar(&f.unplanted, "only-unplanted", false, "plant nothing: check the cases with nothing planted, and no more")
	cmd.Flags().StringVar(&f.out, "out", "", "a directory to keep what shows with nothing planted, as fuzz keeps findings")
	cmd.Flags().StringVar(&f.format, "format", "text", "text (a Markdown table) or json")
	cmd.Flags().StringSliceVar(&f.tables, "table", nil, "run nothing: print one table from these files, the JSON of earlier runs")
	return cmd
}

// check says what the flags have that cannot be.
func (f *detectFlags) check(fs *pflag.FlagSet) error {
	if f.budget < 1 || f.seeds < 1 {
		return usagef("--budget and --seeds must be at least 1")
	}
	if f.format != "text" && f.format != "json" {
		return usagef("--format %q: want text or json", f.format)
	}
	if f.when != "" && !slices.Contains(strings.Split(conditionNames(), ", "), f.when) {
		return usagef("--when %q: want one of %s", f.when, conditionNames())
	}
	if f.unplanted {
		for _, name := range []string{"only-planted", "faults", "rarity", "when", "sometimes", "count"} {
			if fs.Changed(name) {
				return usagef("--only-unplanted and --%s exclude each other", name)
			}
		}
	}
	if f.out != "" && f.onlyPlanted {
		return usagef("--out keeps what shows with nothing planted: --only-planted leaves that out")
	}
	if f.out == "" {
		return nil
	}
	return usage(store.In(f.out).Check())
}

// again is the command that shows a finding with nothing planted again: its case by itself where that does, else those of its seed up to it.
func (f *detectFlags) again(u *detect.Unplanted) string {
	if u.Alone {
		return f.sameServer("replay", u.Dir)
	}
	args := []string{"detect", "--only-unplanted", "--seed", fmt.Sprint(u.Seed), "--seeds", "1", "--budget", fmt.Sprint(u.Case + 1)}
	for _, name := range []string{"target", "isolation", "claim"} {
		if f.flags.Changed(name) {
			args = append(args, "--"+name, f.flags.Lookup(name).Value.String())
		}
	}
	if len(f.without) > 0 {
		args = append(args, "--without", strings.Join(f.without, ","))
	}
	return f.sameServer(args...)
}

// sameServer is a command line of txweave for the server of these flags.
func (f *detectFlags) sameServer(args ...string) string {
	for _, name := range []string{"dsn", "server"} {
		if f.flags.Changed(name) {
			args = append(args, "--"+name, f.flags.Lookup(name).Value.String())
		}
	}
	return commandLine(append([]string{"txweave"}, args...))
}

// rare is how rare the planted bugs are made; nil: they are not.
func (f *detectFlags) rare() *planted.Rarity {
	if f.rarity == 0 && f.when == "" && !f.sometimes {
		return nil
	}
	return &planted.Rarity{Every: f.rarity, When: f.when, Sometimes: f.sometimes}
}

// conditionNames lists the circumstances under which rare bugs strike.
func conditionNames() string {
	var names []string
	for _, c := range planted.Conditions() {
		names = append(names, c[0])
	}
	return strings.Join(names, ", ")
}

// pick returns the planted bugs that the flags name, all where they name none.
func (f *detectFlags) pick() ([]*planted.Fault, error) {
	if f.unplanted {
		return nil, nil
	}
	if len(f.faults) == 0 {
		return planted.Faults(), nil
	}
	return pickFaults(f.faults)
}

// pickFaults returns planted bugs by their names.
func pickFaults(wanted []string) ([]*planted.Fault, error) {
	all := slices.Concat(planted.Semantic(), planted.Faults(), planted.Upheavals(), planted.Races())
	var out []*planted.Fault
	for _, name := range wanted {
		i := slices.IndexFunc(all, func(x *planted.Fault) bool { return x.Name == name })
		if i < 0 {
			var names []string
			for _, x := range all {
				names = append(names, x.Name)
			}
			return nil, usagef("--faults: no planted bug %q (there are %s)", name, strings.Join(names, ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
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
