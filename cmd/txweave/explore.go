package main

import (
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/explore"
)

func exploreCommand() *cobra.Command {
	var f targetFlags
	var from sourceFlags
	var x explore.Config
	cmd := &cobra.Command{
		Use:   "explore CASE.txw|FINDING|BUG",
		Short: "Run every interleaving of a case's transactions, one of each class, and say which ones show something",
		Long: `Run a case under every order in which its transactions can interleave, and say under which ones it shows a difference.
Of orders that cannot be told apart one is run: those that differ by neighbours which do not depend on each other, by the tables that they
use and by the rows that runs have shown. The case's own order comes first. With --cases the first case of each kind of finding is written
to a directory, to be replayed and reduced.
Exit code 0: none shows a difference, 1: at least one does, 2: not all that there are were run, or could be checked.`,
		Example: `  txweave explore docs/hermitage/09-g-single.txw
  txweave explore B3 --limit 2000 --cases explored`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := x.Validate(); err != nil {
				return err
			}
			of := f.again(&from)
			c, _, err := of.CaseOf(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if len(c.Order) > 0 {
				return usagef(
					"%s says in which order its statements are to be run without transactions: that belongs to one interleaving",
					args[0])
			}
			on, err := of.For(cmd.Context(), c)
			if err != nil {
				return err
			}
			return x.Run(cmd.Context(), on, c, cmd.OutOrStdout())
		},
	}
	f.add(cmd.Flags(), "")
	f.addInject(cmd.Flags())
	from.add(cmd.Flags())
	cmd.Flags().IntVar(&x.Limit, "limit", 500, "interleavings to run, at most")
	cmd.Flags().DurationVar(&x.Duration, "duration", 5*time.Minute, "stop after this time")
	cmd.Flags().StringVar(&x.Cases, "cases", "",
		"a directory for the first case of each kind of finding, with its interleaving")
	cmd.Flags().StringVar(&x.Precision, "precision", "match", "exact, column or match")
	return cmd
}
