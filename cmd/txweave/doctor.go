package main

import (
	"github.com/spf13/cobra"

	"txweave/campaign/cells"
	"txweave/campaign/doctor"
	"txweave/internal/outcome"
)

func doctorCommand() *cobra.Command {
	var c doctor.Config
	var format string
	cmd := &cobra.Command{
		Use:   "doctor [campaign.toml]",
		Short: "Say what this machine has, and what keeps a campaign from running well",
		Long: `It looks at disks, memory, limits and debuggers, and starts each target once. With a campaign.toml
the cells are tried in place of the targets. Each problem comes with what to do about it.

Exit codes: 0 all is well, or works somehow; 2 a cell, or every target, cannot run.`,
		Example: `  txweave doctor
  txweave doctor campaign.toml --out /var/lib/txweave`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			c.Self, c.Notes = self(), cmd.ErrOrStderr()
			list, cannot, err := c.Examine(cmd.Context(), append(args, "")[0])
			if err != nil {
				return err
			}
			if format == "json" {
				err = printJSON(cmd.OutOrStdout(), list)
			} else {
				err = doctor.Print(cmd.OutOrStdout(), list)
			}
			if err == nil && cannot {
				err = outcome.End(exitInconclusive, nil)
			} else if err == nil && format == "text" && len(args) == 0 {
				next(cmd.ErrOrStderr(), "campaign", "init")
			} else if err == nil && format == "text" {
				next(cmd.ErrOrStderr(), "campaign", "run", args[0], "--out", c.Out)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&c.Out, "out", cells.DefaultOut, "the directory in which the campaign is to lie")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&c.Quick, "quick", false, "start no server")
	return cmd
}
