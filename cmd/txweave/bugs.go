package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign/bugs"
	"txweave/campaign/store"
	"txweave/finding"
)

// bugsFlags are the flags that the commands below "bugs" share.
type bugsFlags struct {
	sourceFlags
	format string
}

func bugsCommand() *cobra.Command {
	f := &bugsFlags{}
	cmd := &cobra.Command{
		Use:   "bugs",
		Short: "List and settle the bugs that campaigns have found",
		Long: `Findings are grouped into bugs by their causes and by what their reduced cases need. Where that
groups wrongly, merge and split set it right. A campaign may run at the same time.`,
		Example: `  txweave bugs list --status open
  txweave bugs show B3
  txweave bugs fixed-in B3 11.8.4      # found again in that version or a later one, it is open again
  txweave bugs merge B1 B4 B5`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f.sourceFlags.add(cmd.PersistentFlags())
	cmd.PersistentFlags().StringVar(&f.format, "format", "text", "text or json")
	cmd.AddCommand(f.listCommand(), f.showCommand(), f.labelCommand(),
		f.editCommand("merge BUG OTHER...", "merge B1 B4 B5", "Make several bugs one", cobra.MinimumNArgs(2), bugs.Merge),
		f.editCommand("dup BUG OF", "dup B4 B1",
			"Say that a bug is a duplicate of another one, where its findings are counted from now on", cobra.ExactArgs(2),
			bugs.Duplicate),
		f.editCommand("invalid BUG [WHY]", "invalid B2 'the manual says so'",
			"Say that it is not a bug: its findings are counted and not reported",
			cobra.MinimumNArgs(1), bugs.Invalid),
		f.editCommand("reopen BUG [WHY]", "reopen B2", "Say that a bug is open again", cobra.MinimumNArgs(1), bugs.Reopen),
		f.editCommand("fixed-in BUG VERSION", "fixed-in B3 11.8.4", "Say in which version a bug is fixed",
			cobra.ExactArgs(2), bugs.Fixed),
		f.editCommand("split BUG FINDING", "split B1 finding-000012-0",
			"Make one of a bug's findings a bug of its own", cobra.ExactArgs(2), bugs.Split))
	for _, sub := range cmd.Commands() {
		run := sub.RunE
		sub.RunE = func(cmd *cobra.Command, a []string) error {
			a, err := f.parsed().Placed(a)
			if err == nil {
				a, err = f.ofBugs(cmd.Context(), cmd.Name(), a)
			}
			if err != nil {
				return err
			}
			return run(cmd, a)
		}
	}
	return cmd
}

// ofBugs puts bugs in the place of findings and cases that name them, but of the finding that a bug is split by.
func (f *bugsFlags) ofBugs(ctx context.Context, command string, args []string) ([]string, error) {
	for i, arg := range args {
		isCase := filepath.Ext(arg) == filepath.Ext(finding.CaseFile)
		if command == "show" || command == "split" && i == 1 || !isCase && !bugs.IsFinding(arg) {
			continue
		}
		s, err := f.store(ctx)
		if err != nil {
			return nil, err
		}
		ids, err := bugs.IDs(ctx, s, []string{arg})
		if err = errors.Join(err, s.Close()); err != nil {
			return nil, err
		}
		if !finding.IsBugName(ids[0]) && slices.Contains([]string{"dup", "merge", "split"}, command) {
			return nil, usagef("%s has no number yet, as no campaign has reduced it: %s needs a bug such as B3",
				arg, command)
		}
		args[i] = ids[0]
	}
	return args, nil
}

// store opens the store for reading: one that is not there is a wrong --out.
func (f *bugsFlags) store(ctx context.Context) (store.BugStore, error) {
	if err := textOrJSON(f.format); err != nil {
		return nil, err
	}
	s, err := f.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%s holds no bugs: fuzz --out makes such a directory when it finds something", f.Out)
	}
	return s, err
}

// edit does something to a bug and prints it.
func (f *bugsFlags) edit(ctx context.Context, w io.Writer, do bugs.Deed, args []string) (err error) {
	s, err := f.store(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var changed *finding.Bug
	wrong := false
	err = s.Update(func(b *finding.Bugs) (err error) {
		changed, err = bugs.Edit(b, args[0], do, args[1:]...)
		wrong = err != nil
		return err
	})
	if wrong {
		return usage(err)
	}
	if err == nil {
		err = bugs.WriteIndex(f.Out)
	}
	if err != nil {
		return err
	}
	if f.format == "json" {
		return printJSON(w, changed)
	}
	return bugs.Line(w, changed)
}

// editCommand is a command that changes one bug.
func (f *bugsFlags) editCommand(use, example, short string, args cobra.PositionalArgs, do bugs.Deed) *cobra.Command {
	return &cobra.Command{Use: use, Example: "  txweave bugs " + example, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, a []string) error {
			if why := do == bugs.Invalid || do == bugs.Reopen; why && len(a) > 2 {
				a = []string{a[0], strings.Join(a[1:], " ")}
			}
			return f.edit(cmd.Context(), cmd.OutOrStdout(), do, a)
		}}
}

func (f *bugsFlags) labelCommand() *cobra.Command {
	remove := false
	cmd := f.editCommand("label BUG LABEL...", "label B1 upsert reported", "Label a bug",
		cobra.MinimumNArgs(2), bugs.Label)
	cmd.RunE = func(cmd *cobra.Command, a []string) error {
		do := bugs.Label
		if remove {
			do = bugs.Unlabel
		}
		return f.edit(cmd.Context(), cmd.OutOrStdout(), do, a)
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take the labels off")
	return cmd
}

// addFilter adds the flags of a filter.
func addFilter(cmd *cobra.Command, f *bugs.Filter) {
	cmd.Flags().StringVar(&f.Status, "status", "", "only these: open, unconfirmed, duplicate, invalid, fixed, unreduced")
	cmd.Flags().StringVar(&f.DBMS, "dbms", "", "only bugs of this DBMS")
	cmd.Flags().StringVar(&f.Class, "class", "", "only this class of finding")
	cmd.Flags().StringVar(&f.Label, "label", "", "only those with this label")
	cmd.Flags().StringVar(&f.Match, "match", "",
		"only those whose signature, title or summary matches this regular expression")
}

// about are the arguments of a command with the flags that say where the bugs are.
func (f *bugsFlags) about(args ...string) []string {
	return append(append(args, unless(bugs.DefaultOut, "out", f.Out)...), unless("", "store", f.Shared)...)
}

func (f *bugsFlags) listCommand() *cobra.Command {
	var filter bugs.Filter
	var signatures bool
	cmd := &cobra.Command{Use: "list", Example: "  txweave bugs list --status open --class snapshot-violation",
		Short: "List bugs", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command,
			_ []string) (err error) {
			s, err := f.store(cmd.Context())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			b, err := s.Bugs()
			if err != nil {
				return err
			}
			list, err := filter.Pick(b.Bugs)
			if err != nil {
				return err
			}
			if f.format == "json" {
				return printJSON(cmd.OutOrStdout(), list)
			}
			if err = f.List(cmd.OutOrStdout(), b, list, signatures, !filter.Any()); err != nil || len(list) == 0 {
				return err
			}
			next(cmd.ErrOrStderr(), f.about("bugs", "show", list[0].ID)...)
			if g := bugs.FirstUnreduced(list); g != nil {
				next(cmd.ErrOrStderr(), append([]string{"reduce", filepath.Join(f.Out, g.ID)},
					unless("", "store", f.Shared)...)...)
			}
			return nil
		}}
	addFilter(cmd, &filter)
	cmd.Flags().BoolVar(&signatures, "signature", false,
		"print the signatures by which findings are grouped, instead of titles")
	return cmd
}

func (f *bugsFlags) showCommand() *cobra.Command {
	return &cobra.Command{Use: "show BUG|FINDING|CASE.txw", Example: "  txweave bugs show B3 --out found",
		Short: "Show all that is known of a bug, with its smallest case", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) (err error) {
			s, err := f.store(cmd.Context())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			b, err := s.Bugs()
			if err != nil {
				return err
			}
			id, err := bugs.ID(cmd.Context(), s, b, a[0])
			if err != nil {
				return usage(err)
			}
			g, err := b.Find(id)
			if err != nil {
				return usage(err)
			}
			if f.format == "json" {
				return printJSON(cmd.OutOrStdout(), g)
			}
			if err := f.Show(cmd.OutOrStdout(), s, g); err != nil {
				return err
			}
			if path, _ := s.SmallestCase(g); path != "" {
				next(cmd.ErrOrStderr(), f.about("replay", g.ID, "--repeat", "10")...)
			}
			return nil
		}}
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
