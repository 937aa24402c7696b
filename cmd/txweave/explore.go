package main

import (
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/display"
	"txweave/campaign/explore"
)

func exploreCommand() *cobra.Command {
	var f targetFlags
	var from sourceFlags
	var x explore.Config
	cmd := &cobra.Command{
		Use:   "explore CASE.txw|FINDING|BUG",
		Short: "Run every interleaving of a case's transactions, one of each class, and say which ones show something",
		Long: `Of interleavings that cannot be told apart one is run. The case's own comes first. --cases keeps the
first case of each kind of finding.

Exit codes: 0 none shows a difference; 1 at least one does; 2 not all were run, or could be checked.`,
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
			show := display.New(cmd.ErrOrStderr())
			of.Target.Notes, x.Progress = show, show.Steps("interleaving", x.Duration)
			on, err := of.For(cmd.Context(), c)
			if err != nil {
				return err
			}
			err = x.Run(cmd.Context(), on, c, show.Before(cmd.OutOrStdout()))
			show.End()
			if err != nil && codeOf(err) == exitFindings && x.Cases == "" {
				next(cmd.ErrOrStderr(), again("--cases", "explored")...)
			}
			return err
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
