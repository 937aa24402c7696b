package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"txweave/campaign/phenomena"
	"txweave/campaign/replay"
	"txweave/dbms"
	"txweave/exec"
	"txweave/testcase"
)

func phenomenaCommand() *cobra.Command {
	var f targetFlags
	var reasons bool
	var format string
	cmd := &cobra.Command{
		Use:   "phenomena CASE.txw...",
		Short: "Say which phenomena happen in cases, allowed or not",
		Long: `Each case runs once at every level of the target, or at --isolation. Looked for are the phenomena
that the case names ("phenomenon: G2-item"), else all. Prints a table, with what waited and which
errors ended transactions in brackets.`,
		Example: "  txweave phenomena docs/hermitage/*.txw --target mariadb",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			var cases []*testcase.Case
			for _, path := range args {
				c, err := replay.ReadCase(cmd.Context(), path)
				if err != nil {
					return err
				}
				cases = append(cases, c)
			}
			if f.Claim != "" {
				return usagef("--claim says nothing here: phenomena are named whether they are allowed or not")
			}
			of := f.again(nil)
			on, err := of.For(cmd.Context(), &testcase.Case{Target: cases[0].Target})
			if err != nil {
				return err
			}
			levels := []*dbms.Profile{on.Profile}
			if f.Isolation == "" {
				levels = dbms.Levels(on.Target)
			}
			return on.Use(cmd.Context(), func(t exec.Target) error {
				rows, err := phenomena.In(cmd.Context(), t, levels, args, cases)
				if err != nil {
					return err
				}
				if format == "json" {
					return json.NewEncoder(cmd.OutOrStdout()).Encode(rows)
				}
				return phenomena.Print(levels, rows, reasons, cmd.OutOrStdout())
			})
		},
	}
	f.add(cmd.Flags(), "")
	cmd.Flags().StringVar(&format, "format", "text", "text (a Markdown table) or json")
	cmd.Flags().BoolVar(&reasons, "explain", false, "say of each phenomenon, below the table, why it is certain")
	return cmd
}
