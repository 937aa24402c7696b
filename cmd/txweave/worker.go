package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign/casesource"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/sdg"
	"txweave/weave"
)

// workerCommand is the child process that checks cases on an engine inside it.
func workerCommand() *cobra.Command {
	var f targetFlags
	var seed uint64
	var orders, integrity int
	var precision string
	var without []string
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Check the cases that come on standard input (used by fuzz and verify)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := context.WithoutCancel(cmd.Context()) // Ctrl-C reaches the parent, which closes our input
			p, err := f.resolve(ctx)
			if err != nil {
				return err
			}
			o, err := replayOptions(orders, precision)
			if err != nil {
				return err
			}
			o.Integrity = integrity
			src, err := casesource.NewCases(seed, p, without...)
			if err != nil {
				return err
			}
			greeted := false
			err = f.use(ctx, func(t exec.Target) error {
				greeted = true
				return worker.Serve(ctx, os.Stdin, os.Stdout, t, p, src, o)
			})
			if !greeted && err != nil {
				why := strings.TrimPrefix(err.Error(), exec.ErrUnavailable.Error()+": ")
				return errors.Join(err, json.NewEncoder(os.Stdout).Encode(worker.Hello{Error: why}))
			}
			return err
		},
	}
	f.add(cmd.Flags(), registry.Default)
	f.addFaults(cmd.Flags())
	cmd.Flags().StringSliceVar(&without, "without", nil, "what is not generated")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "the campaign's seed")
	cmd.Flags().IntVar(&orders, "orders", 0, "replay orders")
	cmd.Flags().IntVar(&integrity, "integrity", 0, "cases from one check of the tables to the next")
	cmd.Flags().StringVar(&precision, "precision", "exact", "precision")
	return cmd
}

// pool opens workers on the fleet's targets: a process of this same program where the engine would run inside ours.
func (fl *fleet) pool(p *dbms.Profile, src *casesource.Cases, o weave.Options, orders int, precision string) *worker.Pool {
	out := &worker.Pool{Profile: p, Cases: src, Options: o, Target: fl.open}
	if !fl.flags.embedded() {
		return out
	}
	f := fl.flags
	out.Command = func() *osexec.Cmd {
		self, err := os.Executable()
		if err != nil {
			self = os.Args[0]
		}
		cmd := osexec.Command(self, "worker", "--target", f.target, "--isolation", f.isolation, "--claim", f.claim,
			"--seed", strconv.FormatUint(out.Cases.Seed(), 10), "--orders", strconv.Itoa(orders), "--integrity", strconv.Itoa(o.Integrity), "--precision", precision,
			"--faults", strings.Join(f.faults, ","), "--without", strings.Join(out.Cases.Without(), ","))
		exec.OwnGroup(cmd)
		return cmd
	}
	return out
}

// replayOptions reads the flags that the replay oracle takes.
func replayOptions(orders int, precision string) (weave.Options, error) {
	o := weave.Options{Orders: orders}
	if orders < 0 {
		return o, usagef("--orders must be at least 0")
	}
	switch precision {
	case "exact":
		o.Precision = sdg.Exact
	case "column":
		o.Precision = sdg.Column
	case "match":
		o.Precision = sdg.Match
	default:
		return o, usagef("--precision %q: want exact, column or match", precision)
	}
	return o, nil
}
