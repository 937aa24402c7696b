package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"txweave/campaign/bugs"
	"txweave/campaign/display"
	"txweave/campaign/replay"
	"txweave/campaign/verify"
	"txweave/campaign/worker"
	"txweave/internal/outcome"
)

// verifyFlags are the flags of the verify command.
type verifyFlags struct {
	targetFlags
	bugsFlags
	repeat int
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [BUG|FINDING|CASE.txw...]",
		Short: "Run the bugs that campaigns have found on another build and say which are still there",
		Long: `The smallest case of every open bug, or of those named, is run on another build. Bugs of another
DBMS are passed over. The outcome is noted in the store. Nothing is closed: that is for "txweave
bugs fixed-in".

Exit codes: 0 none shows any more; 1 at least one does; 2 nothing could be checked.`,
		Example: `  txweave verify --server /opt/mariadb-11.8/bin/mariadbd
  txweave verify --dsn 'user:password@tcp(127.0.0.1:3306)/' --repeat 20 B3`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			ids, err := f.parsed().Placed(ids)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), ids)
		},
	}
	f.targetFlags.add(cmd.Flags(), "")
	f.addInject(cmd.Flags())
	f.sourceFlags.add(cmd.Flags())
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json")
	cmd.Flags().IntVar(&f.repeat, "repeat", 5, "how many times to run each case")
	return cmd
}

func (f *verifyFlags) run(ctx context.Context, stdout, stderr io.Writer, ids []string) (err error) {
	if f.repeat < 1 {
		return usagef("--repeat must be at least 1")
	}
	if loose, err := f.loose(ctx, ids); loose || err != nil {
		return f.alone(ctx, stdout, ids, err)
	}
	kept, err := f.store(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	if ids, err = bugs.IDs(ctx, kept, ids); err != nil {
		return err
	}
	v := verify.Config{Store: kept, Repeat: f.repeat, Target: f.config(), Planted: f.targetFlags.flags.Changed("inject")}
	show := display.New(stderr)
	v.Target.Notes, v.Progress = show, show.Steps("bug", 0)
	out, err := v.Run(ctx, ids)
	show.End()
	if ctx.Err() != nil {
		return outcome.Stopped()
	}
	if err != nil {
		return err
	}
	if f.format == "json" {
		err = printJSON(stdout, out)
	} else {
		err = verify.Print(stdout, out)
		if i := slices.IndexFunc(out, (*verify.Verified).Gone); err == nil && i >= 0 {
			next(stderr, f.about("bugs", "fixed-in", out[i].ID, out[i].Version)...)
		}
	}
	there, checked := verify.Count(out)
	switch {
	case err != nil:
		return err
	case there > 0:
		return outcome.Found()
	case checked == 0:
		return outcome.Inconclusivef("there is no bug that could be checked")
	}
	return nil
}

// loose says whether the arguments are cases that no bug of a campaign has, or findings without a campaign around them.
func (f *verifyFlags) loose(ctx context.Context, args []string) (bool, error) {
	if len(args) == 0 {
		return false, nil
	}
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil {
			return false, nil
		}
	}
	s, err := f.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	_, err = bugs.IDs(ctx, s, args)
	return errors.Is(err, bugs.ErrNoBug), s.Close()
}

// alone runs cases that no bug has as replay does: whatever they show counts, and nothing is noted.
func (f *verifyFlags) alone(ctx context.Context, w io.Writer, paths []string, err error) error {
	if err != nil {
		return err
	}
	if f.format == "json" {
		return usagef("--format json is for the bugs of a campaign: %s is of none", paths[0])
	}
	x := replay.Config{Under: f.again(&f.sourceFlags), Checks: worker.Checks{Orders: 2, Precision: "match"},
		Repeat: f.repeat}
	return x.Each(ctx, paths, w)
}
