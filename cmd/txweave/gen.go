package main

import (
	"github.com/spf13/cobra"

	"txweave/campaign/casesource"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/finding/known"
	"txweave/internal/spelling"
)

func genCommand() *cobra.Command {
	var c target.Config
	var seed uint64
	var n, rows int
	var without []string
	cmd := &cobra.Command{
		Use:     "gen",
		Short:   "Print one case of a campaign",
		Example: "  txweave gen --target mariadb --isolation serializable --seed 7 --case 12 > case.txw",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n < 0 {
				return usagef("--case must not be negative")
			}
			p, err := target.Lookup(c.Target, c.Isolation)
			if err != nil {
				return err
			}
			src, err := casesource.NewCases(seed, p, append(known.Usually(p.DBMS), without...)...)
			if err != nil {
				return usage(err)
			}
			if err := src.WithRows(rows); err != nil {
				return usage(err)
			}
			made, err := src.Make(n)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(made.Print())
			return err
		},
	}
	cmd.Flags().StringVar(&c.Target, "target", registry.Default, spelling.Or(registry.Names()))
	cmd.Flags().StringVar(&c.Isolation, "isolation", "", "isolation level (default: the target's usual one)")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "seed of the campaign")
	cmd.Flags().IntVar(&n, "case", 0, "number of the case in the campaign")
	addWithout(cmd.Flags(), &without)
	addRows(cmd.Flags(), &rows)
	return cmd
}
