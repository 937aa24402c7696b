// Package reducing makes the case of a file, a finding or a bug smaller while it shows the same finding.
package reducing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"txweave/campaign"
	"txweave/campaign/bugs"
	"txweave/campaign/replay"
	"txweave/campaign/shrink"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/reduce"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

// Config says what is reduced to what. Errors call its fields by the flags that set them.
type Config struct {
	replay.Under
	Output    string // where the reduced case is written; "": beside the case, or into the finding's directory
	Signature string // what the case must keep showing; "": the finding's, of a case what it shows most often
	Repeat    int    // how many times in a row a smaller case must show it
	Reduce    reduce.Options
	// Moved, unless nil, is told that the finding, and with it all of its bug, which is no more, is counted to another
	// one. was is "" where the finding alone is.
	Moved func(was, is string)
}

// reduction is a reduction under way.
type reduction struct {
	Config
	exact bool          // somebody has named the signature
	cause finding.Cause // of the finding that is to be reduced
}

// Run makes a case smaller and writes what is left to a place that it names. Where that cannot be written lost gets it,
// so that the work is not.
func (c Config) Run(ctx context.Context, arg string, lost io.Writer) (out *shrink.Result, written string, err error) {
	if c.Repeat < 1 {
		return nil, "", outcome.Misusef("--repeat must be at least 1")
	}
	f := &reduction{Config: c, exact: c.Signature != ""}
	path, in, dir, err := f.paths(ctx, arg)
	if err != nil {
		return nil, "", err
	}
	of, err := f.read(ctx, path, in)
	if err != nil {
		return nil, "", err
	}
	on, err := f.For(ctx, of)
	if err != nil {
		return nil, "", err
	}
	if _, err := weave.Prepare(of, on.Profile); err != nil { // where it stands is known here alone
		return nil, "", outcome.Misuse(worker.Refusal(err))
	}
	if dir == "" {
		if err := asked.Writable(f.Output); err != nil {
			return nil, "", err
		}
	}
	err = on.Use(ctx, func(t exec.Target) error {
		out, err = f.reduce(ctx, t, on, of, dir, lost)
		return err
	})
	return out, f.Output, err
}

// reduce reduces the case on a database.
func (f *reduction) reduce(ctx context.Context, t exec.Target, on *target.Chosen, c *testcase.Case, dir string,
	lost io.Writer) (*shrink.Result, error) {
	w := worker.On(t, on.Profile, weave.Options{Precision: sdg.Match})
	defer w.Release()
	out, err := shrink.Run(ctx, w, on.Profile, c, shrink.Options{Signature: f.Signature, Cause: f.cause, Exact: f.exact,
		Repeat: f.Repeat, Reduce: f.Reduce})
	if errors.Is(err, shrink.ErrShowsNothing) || errors.Is(err, reduce.ErrUnchecked) {
		return nil, outcome.End(outcome.Inconclusive, err)
	}
	if out == nil {
		return nil, err
	}
	if out.Signature != f.Signature && f.Signature != "" && !out.Told {
		fmt.Fprintf(on.Notes, "txweave: the case does not show %s here, so %s is what it must keep showing\n", f.Signature,
			out.Signature)
	}
	if werr := f.write(ctx, w, out, dir); werr != nil {
		_, perr := lost.Write(out.Case.Print())
		return out, errors.Join(err, werr, perr)
	}
	if dir != "" {
		was, is, cerr := f.Shelf.Recount(ctx, dir)
		if was != is && f.Moved != nil {
			f.Moved(was, is)
		}
		err = errors.Join(err, cerr)
	}
	return out, err
}

// read reads the case, as a file that the user names or as one of a finding's directory, which may be a stranger's.
func (f *reduction) read(ctx context.Context, path, of string) (*testcase.Case, error) {
	if of == "" {
		return replay.ReadCase(ctx, path)
	}
	d, err := finding.Open(of)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	c, err := d.Case()
	return c, outcome.Misuse(err)
}

// paths resolves the argument: the case's file, the finding's directory that it is of, if it is of one, and that whose
// reduced/ the result is to be ("" where it is only a case, or has another place to go to).
func (f *reduction) paths(ctx context.Context, arg string) (path, of, dir string, err error) {
	if arg, err = f.Shelf.Named(ctx, arg); err != nil {
		return "", "", "", err
	}
	st, err := os.Stat(arg)
	if err != nil {
		return "", "", "", outcome.Misuse(err)
	}
	if !st.IsDir() {
		if f.Shelf.Explicit {
			return "", "", "",
				outcome.Misusef(
					"--out is the campaign's directory, where bugs are looked up by name; --output says where to write the reduced " +
						"case")
		}
		if f.Output == "" {
			f.Output = strings.TrimSuffix(arg, filepath.Ext(arg)) + ".reduced.txw"
		}
		return arg, "", "", nil
	}
	arg = bugs.OfFinding(arg)
	r, err := finding.ReadRecord(arg)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is no finding: it has no %s", arg, finding.RecordFile)
		}
		return "", "", "", outcome.Misuse(err)
	}
	f.On(&r.Environment)
	f.Signature = finding.Renamed(f.Signature)
	if f.Signature == "" {
		f.Signature, f.cause = r.Signature, r.OwnCause()
	}
	if f.Target.Claim == "" {
		f.Target.Claim = r.Environment.Claim
	}
	if f.Output == "" {
		f.Output, dir = filepath.Join(arg, finding.ReducedDir), arg
	}
	return filepath.Join(arg, finding.CaseFile), arg, dir, nil
}

// write puts the reduced case into a file, or into its finding's directory.
func (f *reduction) write(ctx context.Context, w campaign.Worker, out *shrink.Result, dir string) error {
	if dir == "" {
		return testcase.WriteFile(ctx, f.Output, out.Case)
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
	return f.Shelf.Share(ctx, dir)
}
