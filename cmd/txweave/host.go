package main

import (
	"os"

	"github.com/spf13/cobra"

	"txweave/dbms/registry"
)

// hostCommand is the child process that an embedded engine runs in where it is to be killed.
func hostCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "host DIRECTORY",
		Short:  "Serve the embedded engine's database in a directory (used by storm)",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE:   func(_ *cobra.Command, args []string) error { return registry.Host(args[0]) },
	}
}

// hostProcess is the command line of hostCommand.
func hostProcess(dir string) (binary string, args []string) {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return self, []string{"host", dir}
}
