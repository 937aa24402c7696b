package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"txweave/campaign/bench"
	"txweave/dbms/registry"
	"txweave/exec"
)

func benchCommand() *cobra.Command {
	var f targetFlags
	var cases int
	var seed uint64
	var format string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure speed, and how close it is to a bare loop over the same statements",
		Long: `Cases are checked with one worker, and every statement is recorded. Then the same statements are
sent again in a bare loop. The ratio of the two rates says how much of the time is the database's.`,
		Example: `  txweave bench
  txweave bench --cases 1000 --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			if cases < 1 {
				return usagef("--cases must be at least 1")
			}
			on, err := f.config().Resolve(cmd.Context())
			if err != nil {
				return err
			}
			return on.Use(cmd.Context(), func(t exec.Target) error {
				res, err := bench.Run(cmd.Context(), t, on.Profile, seed, cases)
				if err != nil {
					return err
				}
				if format == "json" {
					return json.NewEncoder(cmd.OutOrStdout()).Encode(res)
				}
				return res.Print(cmd.OutOrStdout())
			})
		},
	}
	f.add(cmd.Flags(), registry.DefaultServer)
	cmd.Flags().IntVar(&cases, "cases", 300, "cases to check")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the cases")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}
