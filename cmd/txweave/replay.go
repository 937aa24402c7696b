package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"txweave/campaign/bugs"
	"txweave/campaign/replay"
	"txweave/finding"
)

func replayCommand() *cobra.Command {
	var f targetFlags
	var from sourceFlags
	var x replay.Config
	var format string
	cmd := &cobra.Command{
		Use:   "replay CASE.txw|FINDING|BUG...",
		Short: "Run one case again and say how often it shows a difference",
		Long: `The case runs on fresh tables, under what it was found under: target, level, --claim and planted
bugs. Flags say otherwise. Several cases need --format json.

Exit codes: 0 it never shows a difference; 1 it did at least once; 2 it could not be checked.`,
		Example: `  txweave replay txweave-out/B1 --repeat 10
  txweave replay case.txw --target mariadb --server /opt/mariadb-11.8/bin/mariadbd
  txweave replay case.txw --history h.jsonl --certificate c.jsonl && txweave check --certificate c.jsonl h.jsonl`,
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
			err := x.One(cmd.Context(), args[0], cmd.OutOrStdout())
			if err != nil && codeOf(err) == exitFindings {
				then := "reduce"
				if path, err := from.parsed().Named(cmd.Context(), args[0]); err == nil &&
					filepath.Base(bugs.Smallest(args[0], path)) == finding.ReducedDir {
					then = "report"
				}
				next(cmd.ErrOrStderr(), append([]string{then, args[0]}, unless(bugs.DefaultOut, "out", from.Out)...)...)
			}
			return err
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
		"write the certificate of that history to this file, for check --certificate")
	return cmd
}
