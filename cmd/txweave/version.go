package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"txweave/internal/version"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and what it was built from",
		Example: "  txweave version",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return printVersion(cmd.OutOrStdout()) },
	}
}

// versionLine is what version and --version print.
func versionLine() string {
	return fmt.Sprintf("%s (%s, %s, %s/%s)\n", version.Tool, version.Revision(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}

func printVersion(w io.Writer) error {
	_, err := io.WriteString(w, versionLine())
	return err
}
