package detect

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"txweave/internal/former"
	"txweave/internal/input"
	"txweave/internal/strict"
)

// Combined prints one Markdown table from the JSON of several runs, read from files: a row for each planted bug, a
// column for each run, with the median of cases and the oracle.
func Combined(ctx context.Context, w io.Writer, files []string) error {
	var runs []Result
	for _, name := range files {
		text, err := input.Read(ctx, name, input.Report)
		if err != nil {
			return err
		}
		var d Result
		if err := former.Detection.Unmarshal(text, &d); err != nil {
			return fmt.Errorf("%s: want what detect --format json prints: %w", name, strict.Unread(text, err))
		}
		if d.Target == "" {
			return fmt.Errorf("%s: want what detect --format json prints", name)
		}
		runs = append(runs, d)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprint(tw, "| planted bug\t|")
	for _, d := range runs {
		fmt.Fprintf(tw, " %s %s\t|", d.Target, d.Isolation)
	}
	fmt.Fprintf(tw, "\n| ---\t|%s\n", strings.Repeat(" ---\t|", len(runs)))
	var names []string
	for _, d := range runs {
		for _, f := range d.Planted {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	for _, name := range names {
		fmt.Fprintf(tw, "| %s\t|", name)
		for _, d := range runs {
			fmt.Fprintf(tw, " %s\t|", d.cell(name))
		}
		fmt.Fprintln(tw)
	}
	fmt.Fprint(tw, "| false alarms\t|")
	for _, d := range runs {
		fmt.Fprintf(tw, " %d\t|", d.FalseAlarms)
	}
	fmt.Fprintln(tw)
	return tw.Flush()
}

// cell says in a word or two what became of a planted bug.
func (d *Result) cell(name string) string {
	i := slices.IndexFunc(d.Planted, func(f FaultResult) bool { return f.Name == name })
	if i < 0 {
		return ""
	}
	switch f := d.Planted[i]; {
	case !f.Applicable:
		return "not applicable"
	case f.Found:
		return fmt.Sprintf("%.0f %s", *f.Cases, f.Oracle)
	case f.Forbidden:
		return "**missed**"
	}
	return "allowed"
}

// Table prints the planted bugs as a Markdown table, and what the cases show with nothing planted.
func (d *Result) Table(w io.Writer) error {
	if err := d.planted(w); err != nil {
		return err
	}
	medians := "medians; "
	if len(d.Planted) == 0 {
		medians = ""
	}
	if _, err := fmt.Fprintf(w, "%s at %s, %s%d false alarms with nothing planted\n", d.Target, d.Isolation, medians,
		d.FalseAlarms); err != nil {
		return err
	}
	for _, u := range d.Unplanted { // which are the server's own bugs is for somebody to say
		line := fmt.Sprintf("seed %d, case %d: %s: %s\n", u.Seed, u.Case, u.Signature, u.Title)
		if u.Again != "" {
			line += "  again: " + u.Again + "\n"
		}
		if u.Dir != "" && !u.Alone {
			line += "  its case by itself does not show it: " + u.Dir + "\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// planted prints the planted bugs, where there are any.
func (d *Result) planted(w io.Writer) error {
	if len(d.Planted) == 0 {
		return nil
	}
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(tw,
		"| planted bug\t| forbidden\t| found by\t| cases\t| seconds\t|\n| ---\t| ---\t| ---\t| ---\t| ---\t|\n")
	for _, f := range d.Planted {
		forbidden := "no"
		if f.Forbidden {
			forbidden = "yes"
		}
		switch {
		case !f.Applicable:
			fmt.Fprintf(tw, "| %s\t| %s\t| not applicable: %s\t| \t| \t|\n", f.Name, forbidden, f.Reason)
		case !f.Found:
			fmt.Fprintf(tw, "| %s\t| %s\t| -\t| \t| \t|\n", f.Name, forbidden)
		default:
			fmt.Fprintf(tw, "| %s\t| %s\t| %s\t| %.0f\t| %.1f\t|\n", f.Name, forbidden, f.Oracle, *f.Cases, *f.Seconds)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if d.Counted {
		total := 0
		for _, f := range d.Planted {
			total += f.Showing
		}
		if _, err := fmt.Fprintf(w, "\ncases that show the bug planted, all in all: %d\n", total); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}
