package main

import (
	"github.com/spf13/cobra"

	"txweave/campaign/replay"
)

func replayCommand() *cobra.Command {
	var f targetFlags
	var from sourceFlags
	var x replay.Config
	var format string
	cmd := &cobra.Command{
		Use:   "replay CASE.txw|FINDING|BUG...",
		Short: "Run one case again and say how often it shows a difference",
		Long: `Run one case again, from its file alone, on fresh tables, and say how often it shows a difference.
It runs under what it was found under: target, level, --claim and planted bugs; flags say otherwise.
With --format json an object says what came of it and of each statement; several cases of one target and level then share a
server, and have an object each.
Exit code 0: never, 1: at least once, 2: it could not be checked, 64: it is not understood; of several cases that of the worst, 1 first.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			if format == "text" && len(args) > 1 {
				return usagef("several cases need --format json")
			}
			if format == "json" && x.History != "" {
				return usagef("--history and --format json do not go together")
			}
			x.Under = f.again(&from)
			if format == "json" {
				return x.All(cmd.Context(), cmd.OutOrStdout(), args)
			}
			return x.One(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	f.add(cmd.Flags(), "")
	f.addInject(cmd.Flags())
	from.add(cmd.Flags())
	cmd.Flags().IntVar(&x.Repeat, "repeat", 1, "how many times to check the case")
	cmd.Flags().IntVar(&x.Orders, "orders", 2, "topological orders to replay each time")
	cmd.Flags().StringVar(&x.Precision, "precision", "match", "exact, column or match")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().StringVar(&x.History, "history", "", "write one more run of the case as a history to this file, for check")
	cmd.Flags().StringVar(&x.Certificate, "certificate", "",
		"write that history's certificate to this file, for check --certificate: from the added reads, or TiDB's own timestamps")
	return cmd
}
