package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// combined prints one Markdown table from the JSON of several runs, read from files: a row for each planted bug, a
// column for each run, with the median of cases and the oracle.
func combined(w io.Writer, files []string) error {
	var runs []detection
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return usage(err)
		}
		var d detection
		if err := json.Unmarshal(text, &d); err != nil {
			return usagef("%s: %v", name, err)
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
		for _, f := range d.Faults {
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
func (d *detection) cell(name string) string {
	i := slices.IndexFunc(d.Faults, func(f detected) bool { return f.Name == name })
	if i < 0 {
		return ""
	}
	switch f := d.Faults[i]; {
	case !f.Applicable:
		return "not applicable"
	case f.Found:
		return fmt.Sprintf("%.0f %s", *f.Cases, f.Oracle)
	case f.Forbidden:
		return "**missed**"
	}
	return "allowed"
}
