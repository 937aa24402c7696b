package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign/database"
	"txweave/campaign/store"
	"txweave/finding"
	"txweave/report/index"
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
		Long: `List and settle the bugs in a campaign's --out. Findings are grouped to bugs by what their reduced cases need;
where that groups wrongly, merge and split set it right. A campaign may run at the same time.`,
		Example: `  txweave bugs list --status open
  txweave bugs show B3
  txweave bugs fixed-in B3 11.8.4      # found again in that version or a later one, it is open again
  txweave bugs merge B1 B4 B5`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f.sourceFlags.add(cmd.PersistentFlags())
	cmd.PersistentFlags().StringVar(&f.format, "format", "text", "text or json")
	cmd.AddCommand(f.listCommand(), f.showCommand(), f.labelCommand(), f.mergeCommand(),
		f.editCommand("dup BUG OF", "Say that a bug is a duplicate of another one, where its findings are counted from now on", cobra.ExactArgs(2),
			func(b *finding.Bugs, a []string) (*finding.Bug, error) { return b.Duplicate(a[0], a[1]) }),
		f.editCommand("invalid BUG [WHY]", "Say that it is no bug: its findings are counted and not reported", cobra.RangeArgs(1, 2), settle(finding.StatusInvalid)),
		f.editCommand("reopen BUG [WHY]", "Say that a bug is open again", cobra.RangeArgs(1, 2), settle(finding.StatusOpen)),
		f.editCommand("fixed-in BUG VERSION", "Say in which version a bug is fixed", cobra.ExactArgs(2), fixedIn),
		f.editCommand("split BUG FINDING", "Make one of a bug's findings a bug of its own", cobra.ExactArgs(2),
			func(b *finding.Bugs, a []string) (*finding.Bug, error) { return b.Split(a[0], filepath.Base(a[1])) }))
	for _, sub := range cmd.Commands() {
		run := sub.RunE
		sub.RunE = func(cmd *cobra.Command, a []string) error {
			a, err := f.placed(a, cmd.Flags().Changed("out"))
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
		if command == "show" || command == "split" && i == 1 || !isCase && !findingName.MatchString(arg) {
			continue
		}
		s, err := f.store(ctx)
		if err != nil {
			return nil, err
		}
		ids, err := bugIDs(ctx, s, []string{arg})
		if err = errors.Join(err, s.Close()); err != nil {
			return nil, err
		}
		if !bugName.MatchString(ids[0]) && slices.Contains([]string{"dup", "merge", "split"}, command) {
			return nil, usagef("%s is not reduced yet: %s is for bugs that a campaign has counted, and given a number", arg, command)
		}
		args[i] = ids[0]
	}
	return args, nil
}

// store opens the store for reading: one that is not there is a wrong --out.
func (f *bugsFlags) store(ctx context.Context) (store.BugStore, error) {
	if f.format != "text" && f.format != "json" {
		return nil, usagef("--format %q: want text or json", f.format)
	}
	s, err := f.open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%s holds no bugs: fuzz --out makes such a directory when it finds something", f.out)
	}
	return s, err
}

// openBugs opens the store in a directory: a campaign's database, or that of fuzz. Its error is fs.ErrNotExist where there is none.
func openBugs(dir string) (*store.Early, error) {
	if database.Exists(dir) {
		db, err := database.Open(context.Background(), dir, false)
		if err != nil {
			return nil, err
		}
		return store.AsItStands(db), nil
	}
	s := store.In(dir)
	if !s.Exists() && !s.Holds() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	return store.AsItStands(s), nil
}

// edit changes the store's bugs and prints the one that it is about.
func (f *bugsFlags) edit(ctx context.Context, w io.Writer, change func(*finding.Bugs) (*finding.Bug, error)) error {
	s, err := f.store(ctx)
	if err != nil {
		return err
	}
	var changed *finding.Bug
	wrong := false
	err = s.Update(func(b *finding.Bugs) (err error) {
		changed, err = change(b)
		wrong = err != nil
		return err
	})
	if wrong {
		return usage(err)
	}
	if err == nil {
		err = writeIndex(f.out)
	}
	if err != nil {
		return err
	}
	if f.format == "json" {
		return printJSON(w, changed)
	}
	return f.line(w, changed)
}

// editCommand is a command that changes one bug.
func (f *bugsFlags) editCommand(use, short string, args cobra.PositionalArgs, change func(*finding.Bugs, []string) (*finding.Bug, error)) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, a []string) error {
		return f.edit(cmd.Context(), cmd.OutOrStdout(), func(b *finding.Bugs) (*finding.Bug, error) { return change(b, a) })
	}}
}

func settle(s finding.Status) func(*finding.Bugs, []string) (*finding.Bug, error) {
	return func(b *finding.Bugs, a []string) (*finding.Bug, error) {
		g, err := b.Find(a[0])
		if err == nil {
			g.Settle(s, strings.Join(a[1:], " "))
		}
		return g, err
	}
}

func fixedIn(b *finding.Bugs, a []string) (*finding.Bug, error) {
	g, err := b.Find(a[0])
	if err != nil {
		return nil, err
	}
	if !finding.IsVersion(a[1]) {
		return nil, fmt.Errorf("%q is no version: want numbers with dots first, like 11.8.4", a[1])
	}
	g.Settle(finding.StatusFixed, "")
	g.FixedIn = a[1]
	return g, nil
}

func (f *bugsFlags) labelCommand() *cobra.Command {
	remove := false
	cmd := &cobra.Command{Use: "label BUG LABEL...", Short: "Label a bug", Args: cobra.MinimumNArgs(2), RunE: func(cmd *cobra.Command, a []string) error {
		return f.edit(cmd.Context(), cmd.OutOrStdout(), func(b *finding.Bugs) (*finding.Bug, error) {
			g, err := b.Find(a[0])
			if err == nil && slices.Contains(a[1:], "") {
				err = errors.New("a label must not be empty")
			}
			if err == nil {
				g.Label(a[1:], remove)
			}
			return g, err
		})
	}}
	cmd.Flags().BoolVar(&remove, "remove", false, "take the labels off")
	return cmd
}

func (f *bugsFlags) mergeCommand() *cobra.Command {
	return f.editCommand("merge BUG OTHER...", "Make several bugs one", cobra.MinimumNArgs(2),
		func(b *finding.Bugs, a []string) (*finding.Bug, error) { return b.Merge(a[0], a[1:]) })
}

// bugFilter says which bugs are wanted. Empty fields let everything through.
type bugFilter struct {
	status, dbms, class, label, match string
}

func (f *bugFilter) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.status, "status", "", "only these: open, suspect, duplicate, invalid, fixed")
	cmd.Flags().StringVar(&f.dbms, "dbms", "", "only bugs of this DBMS")
	cmd.Flags().StringVar(&f.class, "class", "", "only this class of finding")
	cmd.Flags().StringVar(&f.label, "label", "", "only those with this label")
	cmd.Flags().StringVar(&f.match, "match", "", "only those whose signature, title or summary matches this regular expression")
}

// any says whether anything is filtered.
func (f *bugFilter) any() bool { return *f != bugFilter{} }

// pick returns the bugs that are wanted.
func (f *bugFilter) pick(all []*finding.Bug) ([]*finding.Bug, error) {
	states := []finding.Status{finding.StatusOpen, finding.StatusSuspect, finding.StatusDuplicate, finding.StatusInvalid, finding.StatusFixed}
	if f.status != "" && !slices.Contains(states, finding.Status(f.status)) {
		return nil, usagef("--status %q: want open, suspect, duplicate, invalid or fixed", f.status)
	}
	re, err := regexp.Compile(f.match)
	if err != nil {
		return nil, usagef("--match: %w", err)
	}
	out := []*finding.Bug{}
	for _, g := range all {
		if (f.status == "" || string(g.Status) == f.status) && (f.dbms == "" || g.DBMS == f.dbms) && (f.class == "" || g.Class == f.class) &&
			(f.label == "" || slices.Contains(g.Labels, f.label)) && (re.MatchString(g.Signature.String()) || re.MatchString(g.Summary) || re.MatchString(g.Title)) {
			out = append(out, g)
		}
	}
	return out, nil
}

func (f *bugsFlags) listCommand() *cobra.Command {
	var filter bugFilter
	var signatures bool
	cmd := &cobra.Command{Use: "list", Short: "List bugs", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		s, err := f.store(cmd.Context())
		if err != nil {
			return err
		}
		b, err := s.Bugs()
		if err != nil {
			return err
		}
		list, err := filter.pick(b.Bugs)
		if err != nil {
			return err
		}
		if f.format == "json" {
			return printJSON(cmd.OutOrStdout(), list)
		}
		if err := f.table(cmd.OutOrStdout(), list, signatures); err != nil {
			return err
		}
		if merges := index.Merges(b); len(merges) > 0 && !filter.any() {
			const few = 5
			for _, m := range merges[:min(few, len(merges))] {
				if err := printf(cmd.OutOrStdout(), "%s\n", m); err != nil {
					return err
				}
			}
		}
		if len(b.Known) > 0 {
			return printf(cmd.OutOrStdout(), "known bugs: %s\n", printCounts(b.Known))
		}
		return nil
	}}
	filter.add(cmd)
	cmd.Flags().BoolVar(&signatures, "signature", false, "print the signatures by which findings are grouped, instead of titles")
	return cmd
}

// table prints bugs for people, a line each.
func (f *bugsFlags) table(w io.Writer, list []*finding.Bug, signatures bool) error {
	if len(list) == 0 {
		return nil
	}
	rows := [][]string{{"bug", "status", "found", "last seen", "case", "database", "level", "what"}}
	var all []index.BugRow
	waiting := 0
	for _, g := range list {
		r := index.RowOf(f.out, g)
		all = append(all, r)
		what := r.Title
		if signatures {
			what = r.Signature
		}
		if r.Planted != "" {
			what += "  (planted: " + r.Planted + ")"
		}
		if len(g.Labels) > 0 {
			what += "  [" + strings.Join(g.Labels, ", ") + "]"
		}
		if text := unreduced(g); text != "" {
			what += "  (" + text + ")"
		}
		waiting += g.Unreduced
		rows = append(rows, []string{r.ID, r.Status, fmt.Sprint(r.Count), r.Last, r.Size.String(), r.DBMS, r.Levels, finding.Line(what)})
	}
	if err := printTable(w, rows); err != nil {
		return err
	}
	for _, p := range index.Planted(all) {
		if err := printf(w, "planted: %s\n", finding.Line(p)); err != nil {
			return err
		}
	}
	if waiting > 0 {
		where := "--out " + quoteArg(f.out)
		if f.shared.store != "" {
			where = "this --store"
		}
		if err := printf(w, "%s not reduced yet, and grouped as they are: a campaign that goes on with %s reduces them, and numbers their bugs\n",
			finding.Count(waiting, "finding"), where); err != nil {
			return err
		}
	}
	return printf(w, "case: statements in transactions, of the smallest one\n")
}

// unreduced says which of a bug's findings are not reduced yet.
func unreduced(g *finding.Bug) string {
	switch g.Unreduced {
	case 0:
		return ""
	case g.Count:
		return "not reduced yet"
	}
	return fmt.Sprintf("%d of them not reduced yet", g.Unreduced)
}

// printTable prints rows in columns as wide as they need.
func printTable(w io.Writer, rows [][]string) error {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			c = finding.Line(c) // it may come from a server, or from a stranger's file
			r[i] = c
			width[i] = max(width[i], wide(c))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, c := range r {
			b.WriteString(c)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", width[i]-wide(c)+2))
			}
		}
		if err := printf(w, "%s\n", b.String()); err != nil {
			return err
		}
	}
	return nil
}

// writeIndex writes the page of a store's bugs. It is for people: where it cannot be written, nothing else is lost.
func writeIndex(out string) error {
	s, err := openBugs(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	b, err := s.Bugs()
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	text, err := index.Write(out, b)
	if err != nil {
		return err
	}
	path := filepath.Join(out, index.File)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (f *bugsFlags) showCommand() *cobra.Command {
	return &cobra.Command{Use: "show BUG|FINDING|CASE.txw", Short: "Show all that is known of a bug, with its smallest case", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, a []string) error {
		s, err := f.store(cmd.Context())
		if err != nil {
			return err
		}
		b, err := s.Bugs()
		if err != nil {
			return err
		}
		id, err := bugID(cmd.Context(), s, b, a[0])
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
		return f.show(cmd.OutOrStdout(), s, g)
	}}
}

// line prints a bug on one line.
func (f *bugsFlags) line(w io.Writer, g *finding.Bug) error {
	state := string(g.Status)
	switch g.Status {
	case finding.StatusDuplicate:
		state += " of " + g.Of
	case finding.StatusFixed:
		state += " in " + g.FixedIn
	}
	labels := ""
	if len(g.Planted) > 0 {
		labels = "  (planted: " + strings.Join(g.Planted, ", ") + ")"
	}
	if len(g.Labels) > 0 {
		labels += "  [" + strings.Join(g.Labels, ", ") + "]"
	}
	return printf(w, "%-4s %-10s %6d  %s  %s%s\n", g.ID, finding.Line(state), g.Count, finding.Line(g.DBMS), finding.Line(g.Signature.String()), finding.Line(labels))
}

func (f *bugsFlags) show(w io.Writer, s store.BugStore, g *finding.Bug) error {
	err := f.line(w, g)
	note := func(name, text string) {
		if text != "" {
			err = errors.Join(err, printf(w, "%-11s %s\n", name, finding.Line(text)))
		}
	}
	note("what", g.Title)
	note("summary", g.Summary)
	note("note", g.Note)
	note("reduced", unreduced(g))
	note("found", fmt.Sprintf("%s to %s, on %s at %s", g.First.Format("2006-01-02 15:04"), g.Last.Format("2006-01-02 15:04"),
		strings.Join(g.Versions, ", "), strings.Join(g.Isolations, ", ")))
	for _, s := range g.Also {
		note("also", s.String())
	}
	for _, v := range g.Verified {
		note("verified", fmt.Sprintf("%s: %d/%d on %s %s %s", v.Time.Format("2006-01-02 15:04"), v.Shown, v.Runs, v.DBMS, v.Version, v.Note))
	}
	for _, k := range g.Kept {
		note("finding", filepath.Join(f.out, k.Dir)+"  "+k.Signature.String())
	}
	path, text := s.SmallestCase(g)
	if text == nil {
		return err
	}
	note("case", path)
	note("page", filepath.Join(filepath.Dir(path), finding.PageFile))
	note("next", fmt.Sprintf("txweave report %s", filepath.Join(f.out, g.ID)))
	return errors.Join(err, printf(w, "\n%s", text))
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
