package bugs

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"txweave/campaign/store"
	"txweave/campaign/target"
	"txweave/finding"
	"txweave/report/index"
	"txweave/report/tabular"
)

// List prints some of the bugs for people, a line each, with signatures in place of titles; merges says that those
// which may be one are named, too.
func (f *Shelf) List(w io.Writer, b *finding.Bugs, list []*finding.Bug, signatures, merges bool) error {
	if err := f.table(w, list, signatures); err != nil {
		return err
	}
	if merges {
		const few = 5
		all := index.Merges(b)
		for _, m := range all[:min(few, len(all))] {
			fmt.Fprintln(w, m)
		}
	}
	if len(b.Known) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "known bugs: %s\n", tabular.Counts(b.Known))
	return err
}

// table prints bugs for people, a line each.
func (f *Shelf) table(w io.Writer, list []*finding.Bug, signatures bool) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "no bugs")
		return err
	}
	rows := [][]string{{"bug", "status", "found", "last seen", "case", "database", "level", "what"}}
	var all []index.BugRow
	waiting := 0
	for _, g := range list {
		r := index.RowOf(f.Out, g)
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
		rows = append(rows, []string{r.ID, r.Status, fmt.Sprint(r.Count), r.Last, r.Size.String(), r.DBMS, r.Levels,
			finding.Line(what)})
	}
	if err := tabular.Table(w, rows); err != nil {
		return err
	}
	for _, p := range index.Planted(all) {
		if _, err := fmt.Fprintf(w, "planted: %s\n", finding.Line(p)); err != nil {
			return err
		}
	}
	if waiting > 0 {
		where := "--out " + target.QuoteArg(f.Out)
		if f.Shared != "" {
			where = "this --store"
		}
		if _, err := fmt.Fprintf(w, "%s not reduced yet, and grouped as they are: a campaign that goes on with %s reduces "+
			"them and gives their bugs numbers\n",
			finding.Count(waiting, "finding"), where); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "case: statements in transactions, of the smallest one\n")
	return err
}

// FirstUnreduced is the first bug of a list that nobody has settled and none of whose kept findings has a case that is
// reduced to the end: that says which bug it is. nil where each has one.
func FirstUnreduced(list []*finding.Bug) *finding.Bug {
	i := slices.IndexFunc(list, func(g *finding.Bug) bool {
		return g.Status == finding.StatusOpen && !g.Reduced() && len(g.Kept) > 0
	})
	if i < 0 {
		return nil
	}
	return list[i]
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

// Line prints a bug on one line.
func Line(w io.Writer, g *finding.Bug) error {
	labels := ""
	if len(g.Planted) > 0 {
		labels = "  (planted: " + strings.Join(g.Planted, ", ") + ")"
	}
	if len(g.Labels) > 0 {
		labels += "  [" + strings.Join(g.Labels, ", ") + "]"
	}
	_, err := fmt.Fprintf(w, "%-4s %-10s %6d  %s  %s%s\n", g.ID, finding.Line(g.State()), g.Count, finding.Line(g.DBMS),
		finding.Line(g.Signature.String()), finding.Line(labels))
	return err
}

// Show prints all that is known of a bug, with its smallest case.
func (f *Shelf) Show(w io.Writer, s store.BugStore, g *finding.Bug) error {
	if err := Line(w, g); err != nil {
		return err
	}
	note := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-11s %s\n", name, finding.Line(text))
		}
	}
	note("what", g.Title)
	note("summary", g.Summary)
	note("note", g.Note)
	note("reduced", unreduced(g))
	note("found", fmt.Sprintf("%s to %s, on %s at %s", g.First.Format("2006-01-02 15:04"),
		g.Last.Format("2006-01-02 15:04"),
		strings.Join(g.Versions, ", "), strings.Join(g.Isolations, ", ")))
	for _, s := range g.Also {
		note("also", s.String())
	}
	for _, v := range g.Verified {
		note("verified", fmt.Sprintf("%s: %d/%d on %s %s %s", v.Time.Format("2006-01-02 15:04"), v.Shown, v.Runs, v.DBMS,
			v.Version, v.Note))
	}
	for _, k := range g.Kept {
		note("finding", filepath.Join(f.Out, k.Dir)+"  "+k.Signature.String())
	}
	path, text := s.SmallestCase(g)
	if text == nil {
		return nil
	}
	note("case", path)
	note("page", filepath.Join(filepath.Dir(path), finding.PageFile))
	note("next", fmt.Sprintf("txweave report %s", filepath.Join(f.Out, g.ID)))
	_, err := fmt.Fprintf(w, "\n%s", text)
	return err
}
