package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign/detect"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/planted"
)

// detectFlags are the flags of the detect command.
type detectFlags struct {
	targetFlags
	faults []string
	budget int
	seeds  int
	format string
	tables []string
}

func detectCommand() *cobra.Command {
	var f detectFlags
	cmd := &cobra.Command{
		Use:   "detect",
		Short: "Plant bugs in a correct engine and measure how soon they are found",
		Long: `Plant bugs, one at a time, between txweave and a correct engine, and count the cases and seconds until the first
confirmed finding: the median over several seeds. The same cases are checked with nothing planted, and every
finding there is a false alarm. Exit code 0 if every planted bug that the level forbids was found and there was
no false alarm, else 1.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.tables) > 0 {
				return usageOf(detect.Combined(cmd.OutOrStdout(), f.tables))
			}
			if f.budget < 1 || f.seeds < 1 {
				return usagef("--budget and --seeds must be at least 1")
			}
			if f.format != "text" && f.format != "json" {
				return usagef("--format %q: want text or json", f.format)
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
				o := detect.Options{Budget: f.budget, Seeds: f.seeds,
					Log: func(x *detect.FaultResult) { fmt.Fprintf(cmd.ErrOrStderr(), "%s: found %v\n", x.Name, x.Found) }}
				d, err := o.Run(cmd.Context(), t, p, faults)
				if err != nil {
					return err
				}
				return printDetection(cmd.OutOrStdout(), d, f.format)
			})
		},
	}
	f.add(cmd.Flags(), registry.Default)
	cmd.Flags().StringSliceVar(&f.faults, "faults", nil, "planted bugs, by name (default: all)")
	cmd.Flags().IntVar(&f.budget, "budget", 200, "cases to try for each planted bug and seed")
	cmd.Flags().IntVar(&f.seeds, "seeds", 3, "seeds to try, from 1 on")
	cmd.Flags().StringVar(&f.format, "format", "text", "text (a Markdown table) or json")
	cmd.Flags().StringSliceVar(&f.tables, "table", nil, "run nothing: print one table from these files, the JSON of earlier runs")
	return cmd
}

// pick returns the planted bugs that the flags name, all where they name none.
func (f *detectFlags) pick() ([]*planted.Fault, error) {
	if len(f.faults) == 0 {
		return planted.Faults(), nil
	}
	return pickFaults(f.faults)
}

// pickFaults returns planted bugs by their names.
func pickFaults(wanted []string) ([]*planted.Fault, error) {
	all := slices.Concat(planted.Semantic(), planted.Faults(), planted.Upheavals())
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
		err = &exitError{exitFindings, fmt.Errorf("%d forbidden bugs not found, %d false alarms", d.Missed(), d.FalseAlarms)}
	}
	return err
}

func printf(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}
