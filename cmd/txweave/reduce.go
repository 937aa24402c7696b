package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"txweave/exec"
	"txweave/oracle"
	"txweave/oracle/replay"
	"txweave/profile"
	"txweave/reduce"
	"txweave/sdg"
	"txweave/testcase"
)

// reduceFlags are the flags of the reduce command.
type reduceFlags struct {
	targetFlags
	out      string
	repeat   int
	attempts int
	duration time.Duration
}

func reduceCommand() *cobra.Command {
	var f reduceFlags
	cmd := &cobra.Command{
		Use:   "reduce CASE.txw",
		Short: "Make a case smaller while it shows the same finding",
		Long: `Drop transactions, statements, rows and tables from a case and make its schedule more serial, as long as it
keeps showing a finding with the same signature each time it is checked. The original stays; the result goes to
--out, CASE.reduced.txw by default.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := readCase(args[0])
			if err != nil {
				return err
			}
			if f.repeat < 1 {
				return usagef("--repeat must be at least 1")
			}
			p, err := f.forCase(cmd.Context(), c)
			if err != nil {
				return err
			}
			if f.out == "" {
				f.out = strings.TrimSuffix(args[0], filepath.Ext(args[0])) + ".reduced.txw"
			}
			return f.use(cmd.Context(), func(t exec.Target) error { return f.reduce(cmd, t, p, c) })
		},
	}
	f.add(cmd.Flags(), "")
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "where to write the reduced case")
	cmd.Flags().IntVar(&f.repeat, "repeat", 2, "how many times in a row a smaller case must show the finding")
	cmd.Flags().IntVar(&f.attempts, "attempts", 2000, "stop after this many tries")
	cmd.Flags().DurationVar(&f.duration, "duration", 5*time.Minute, "stop after this time")
	return cmd
}

func (f *reduceFlags) reduce(cmd *cobra.Command, t exec.Target, p *profile.Profile, c *testcase.Case) error {
	ctx := cmd.Context()
	signature, err := signatureOf(ctx, t, p, c)
	if err != nil {
		return err
	}
	if signature == "" {
		return &exitError{exitInconclusive, errors.New("the case shows no finding: nothing to reduce")}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "reducing %s\n", signature)
	small, stats, err := reduce.Reduce(ctx, c, func(ctx context.Context, c *testcase.Case) (bool, error) {
		for range f.repeat {
			s, err := signatureOf(ctx, t, p, c)
			var coded *exitError
			if errors.As(err, &coded) && coded.code == exitUsage {
				return false, nil // a candidate that the database or the oracle refuses
			}
			if err != nil || s != signature {
				return false, err
			}
		}
		return true, nil
	}, reduce.Options{MaxAttempts: f.attempts, MaxTime: f.duration})
	if small == nil {
		return err
	}
	if werr := testcase.WriteFile(f.out, small); werr != nil {
		_, perr := cmd.OutOrStdout().Write(small.Print()) // so that the work is not lost
		return errors.Join(err, werr, perr)
	}
	if err != nil {
		return err
	}
	before, after := size(c), size(small)
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d transactions, %d statements, %d rows (were %d, %d, %d); %d tries in %.1f s, ended by %s\n",
		f.out, after[0], after[1], after[2], before[0], before[1], before[2], stats.Attempts, stats.Elapsed.Seconds(), stats.Stop)
	return err
}

// size counts transactions, target statements and initial rows.
func size(c *testcase.Case) [3]int {
	out := [3]int{len(c.Txns), 0, len(c.Rows)}
	for i := range c.Txns {
		out[1] += len(c.Txns[i].Stmts)
	}
	return out
}

// signatureOf checks a case and returns the signature of its finding, "" if it shows none.
func signatureOf(ctx context.Context, t exec.Target, p *profile.Profile, c *testcase.Case) (string, error) {
	rep, err := checkOnce(ctx, t, p, c, replay.Options{Precision: sdg.Match, Repeats: 1})
	var crash *exec.CrashError
	if errors.As(err, &crash) {
		return oracle.ClassCrash, t.Restart(ctx)
	}
	if err != nil || len(rep.Findings) == 0 {
		return "", err
	}
	return rep.Findings[0].Signature, nil
}
