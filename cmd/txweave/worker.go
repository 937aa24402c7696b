package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/dbms/registry"
)

// workerCommand is the child process that checks cases on an engine inside it.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    worker.Command + " CONFIG",
		Short:  "Check the cases that come on standard input (used by fuzz and verify)",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var c worker.Config
			if err := json.Unmarshal([]byte(args[0]), &c); err != nil {
				return usage(err)
			}
			c.Target.Notes = cmd.ErrOrStderr()
			// Ctrl-C reaches the parent, which closes our input
			return c.Serve(context.WithoutCancel(cmd.Context()), os.Stdin, os.Stdout)
		},
	}
}

// hostCommand is the child process that an embedded engine runs in where it is to be killed.
func hostCommand() *cobra.Command {
	return &cobra.Command{
		Use:    target.HostCommand + " DATABASE DIRECTORY",
		Short:  "Serve an embedded engine's database in a directory (used by storm)",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE:   func(_ *cobra.Command, args []string) error { return registry.Host(args[0], args[1]) },
	}
}
