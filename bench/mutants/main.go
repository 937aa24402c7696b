// Command mutants measures txweave on bugs of an engine: it copies SQLite's Go library out of the module cache, puts
// bugs of its own into it, builds txweave with that copy, and runs a campaign for each bug. README.md says how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		if errors.Is(err, flag.ErrHelp) || errors.As(err, new(usageError)) {
			os.Exit(64)
		}
		os.Exit(1)
	}
}

type usageError struct{ error }

const usage = `usage: mutants list                          what the mutants do
       mutants build                         build txweave with them, print its path
       mutants run [flags] [MUTANT[:WHEN]…]  a campaign for each, and a table
       mutants table FILE                    the table of what run --json wrote
       mutants matrix FILE                   the same, a line for each mutant and a column for each WHEN`

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usageError{errors.New(usage)}
	}
	switch args[0] {
	case "list":
		list(os.Stdout)
		return nil
	case "build":
		path, err := build(ctx)
		if err == nil {
			fmt.Println(path)
		}
		return err
	case "run":
		return runCampaigns(ctx, args[1:])
	case "table":
		return printed(args[1:], printTable)
	case "matrix":
		return printed(args[1:], printMatrix)
	}
	return usageError{errors.New(usage)}
}
