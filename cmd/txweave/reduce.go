package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/campaign/bugs"
	"txweave/campaign/display"
	"txweave/campaign/replay"
	"txweave/campaign/shrink"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/reduce"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

// reduceFlags are the flags of the reduce command.
type reduceFlags struct {
	targetFlags
	from      sourceFlags
	output    string
	signature string
	cause     finding.Cause // of the finding that is to be reduced
	repeat    int
	attempts  int
	duration  time.Duration
	format    string
}

func reduceCommand() *cobra.Command {
	var f reduceFlags
	cmd := &cobra.Command{
		Use:   "reduce CASE.txw|FINDING|BUG",
		Short: "Make a case smaller while it shows the same finding",
		Long: `Make a case smaller as long as it keeps showing a finding with the same signature each time it is checked:
transactions, statements, a more serial schedule, rows, tables, columns, indexes, values, the SQL itself, then keys
and names. How often the case shows its finding is measured first; one that does not always show it is given more
runs. The original stays. The result of CASE.txw goes to --output, CASE.reduced.txw by default; that of a finding's
directory to reduced/ in it, with its own evidence and reduction.json: what was tried, and what the finding needs; with
--store it is put where the other machines see it, too.`,
		Example: `  txweave reduce txweave-out/finding-000001-0
  txweave reduce case.txw --duration 30m --repeat 5 -o small.txw`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.repeat < 1 {
				return usagef("--repeat must be at least 1")
			}
			if err := textOrJSON(f.format); err != nil {
				return err
			}
			path, of, dir, err := f.paths(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			c, err := f.read(cmd.Context(), path, of)
			if err != nil {
				return err
			}
			p, err := f.forCase(cmd.Context(), c)
			if err != nil {
				return err
			}
			if _, err := weave.Prepare(c, p); err != nil { // where it stands is known here alone
				return usage(worker.Refusal(err))
			}
			if dir == "" {
				if err := asked.Writable(f.output); err != nil {
					return err
				}
			}
			return f.use(cmd.Context(), func(t exec.Target) error { return f.reduce(cmd, t, p, c, dir) })
		},
	}
	f.add(cmd.Flags(), "")
	f.addFaults(cmd.Flags())
	f.from.add(cmd.Flags())
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "where to write the reduced case")
	cmd.Flags().StringVar(&f.signature, "signature", "", "what the case must keep showing (default: the finding's; of a case, what it shows most often)")
	cmd.Flags().IntVar(&f.repeat, "repeat", 2, "how many times in a row a smaller case must show the finding")
	cmd.Flags().IntVar(&f.attempts, "attempts", 20000, "stop after this many tries")
	cmd.Flags().DurationVar(&f.duration, "duration", 5*time.Minute, "stop after this time")
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

// read reads the case, as a file that the user names or as one of a finding's directory, which may be a stranger's.
func (f *reduceFlags) read(ctx context.Context, path, of string) (*testcase.Case, error) {
	if of == "" {
		return replay.ReadCase(ctx, path)
	}
	d, err := finding.Open(of)
	if err != nil {
		return nil, usage(err)
	}
	c, err := d.Case()
	return c, usage(err)
}

// paths resolves the argument: the case's file, the finding's directory that it is of, if it is of one, and that whose reduced/ the result
// is to be ("" where it is only a case, or has another place to go to).
func (f *reduceFlags) paths(ctx context.Context, arg string) (path, of, dir string, err error) {
	if arg, err = f.from.parsed().Named(ctx, arg); err != nil {
		return "", "", "", err
	}
	st, err := os.Stat(arg)
	if err != nil {
		return "", "", "", usage(err)
	}
	if !st.IsDir() {
		if f.flags.Changed("out") {
			return "", "", "", usagef("--out is the campaign's directory, where bugs are looked up by name; --output says where to write the reduced case")
		}
		if f.output == "" {
			f.output = strings.TrimSuffix(arg, filepath.Ext(arg)) + ".reduced.txw"
		}
		return arg, "", "", nil
	}
	arg = bugs.OfFinding(arg)
	r, err := finding.ReadRecord(arg)
	if err != nil {
		return "", "", "", usage(fmt.Errorf("%s is no finding's directory: %w", arg, err))
	}
	f.signature = finding.Renamed(f.signature)
	if f.signature == "" {
		f.signature, f.cause = r.Signature, r.OwnCause()
	}
	if f.Claim == "" {
		f.Claim = r.Environment.Claim
	}
	if f.output == "" {
		f.output, dir = filepath.Join(arg, finding.ReducedDir), arg
	}
	return filepath.Join(arg, finding.CaseFile), arg, dir, nil
}

func (f *reduceFlags) reduce(cmd *cobra.Command, t exec.Target, p *dbms.Profile, c *testcase.Case, dir string) error {
	show := newReduceProgress(cmd.ErrOrStderr())
	w := worker.On(t, p, weave.Options{Precision: sdg.Match})
	defer w.Release()
	out, err := shrink.Run(cmd.Context(), w, p, c, shrink.Options{Signature: f.signature, Cause: f.cause, Exact: cmd.Flags().Changed("signature"), Repeat: f.repeat,
		Reduce: reduce.Options{MaxAttempts: f.attempts, MaxTime: f.duration, Progress: show.progress}})
	show.End()
	if errors.Is(err, shrink.ErrShowsNothing) || errors.Is(err, reduce.ErrUnchecked) {
		return outcome.End(exitInconclusive, err)
	}
	if out == nil {
		return err
	}
	if out.Signature != f.signature && f.signature != "" && !out.Told {
		fmt.Fprintf(cmd.ErrOrStderr(), "txweave: the case does not show %s here: reduced by %s\n", f.signature, out.Signature)
	}
	if werr := f.write(cmd.Context(), w, out, dir); werr != nil {
		_, perr := cmd.OutOrStdout().Write(out.Case.Print()) // so that the work is not lost
		return errors.Join(err, werr, perr)
	}
	if err != nil {
		return err
	}
	return f.print(cmd.OutOrStdout(), out)
}

// write puts the reduced case into a file, or into its finding's directory.
func (f *reduceFlags) write(ctx context.Context, w campaign.Worker, out *shrink.Result, dir string) error {
	if dir == "" {
		return testcase.WriteFile(ctx, f.output, out.Case)
	}
	small, err := shrink.Evidence(ctx, w, out)
	if err != nil {
		return err
	}
	if small == nil {
		return errors.New("the reduced case did not show its finding once more")
	}
	if err := shrink.Write(dir, small); err != nil {
		return err
	}
	return f.from.parsed().Share(ctx, dir)
}

// print says what became of the case.
func (f *reduceFlags) print(w io.Writer, out *shrink.Result) error {
	if f.format == "json" {
		return json.NewEncoder(w).Encode(out)
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n%s: %s, %d of %d runs of the original\n", f.output, out.Summary(), f.output, out.Signature, out.Shown, out.Measured); err != nil {
		return err
	}
	for _, n := range out.Conditions {
		if _, err := fmt.Fprintf(w, "  %s\n", n.Text); err != nil {
			return err
		}
	}
	return nil
}

// reduceProgress shows on a terminal how far a reduction is.
type reduceProgress struct{ *display.Console }

func newReduceProgress(w io.Writer) *reduceProgress { return &reduceProgress{display.New(w)} }

func (r *reduceProgress) progress(p reduce.Progress) {
	if !r.Live() || !r.Due() {
		return
	}
	s := shrink.SizeOf(p.Case)
	r.Show([]string{fmt.Sprintf("%.0fs", p.Elapsed.Seconds()), finding.Count(s.Statements, "statement") + " in " + finding.Count(s.Transactions, "transaction"), finding.Count(s.Rows, "row"),
		fmt.Sprintf("%d tries", p.Attempts), fmt.Sprintf("round %d, %s", p.Round, p.Pass), fmt.Sprintf("%d bytes of SQL", s.Bytes)})
}
