package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"txweave/dbms/registry"
	"txweave/gen"
)

func featuresCommand() *cobra.Command {
	var target, reach, find, isolation, format string
	var markdown, show, faults bool
	cmd := &cobra.Command{
		Use:   "features",
		Short: "Print what the generator can do, and what findings are called",
		Long: `Print the productions of the generator for a target: their names (for --without), their weights among the
alternatives of their group or, where they are optional, how often they are there, and since which version of the
database they are. A weight of 0: not for this target.

With --reach FILE: how many of the bugs in a list the generator can express. The list is a table with tabs between its
columns and a first line that names them: "id", "dbms", and "missing" or "missing from generator", words with semicolons
between them; what a word means for txweave is said by the productions. --find ID then looks for a case that holds
what the bug needs, --show for one for each of them that should be in some, and fails where there is none.`,
		Example: "  txweave features --target mariadb\n  txweave features --reach bugs.tsv\n  txweave features --reach bugs.tsv --find MDEV-29400",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			switch {
			case faults && markdown:
				return printFaultsPage(out)
			case faults:
				return printFaults(out, format)
			case markdown:
				return printFeaturesPage(out)
			case reach != "" && find != "":
				return findCase(cmd.Context(), out, reach, find, isolation)
			case reach != "" && show:
				return showCases(cmd.Context(), out, reach, isolation)
			case reach != "":
				return printReach(cmd.Context(), out, reach)
			case show:
				return usagef("--show looks for the bugs of a list: name it with --reach")
			case find != "":
				return usagef("--find looks for a bug of a list: name it with --reach")
			}
			switch format {
			case "text":
				return printFeatures(out, target)
			case "json":
				return printFeaturesJSON(out, target)
			}
			return usagef("--format %q: want text or json", format)
		},
	}
	cmd.Flags().StringVar(&target, "target", registry.Default, registry.Or(registry.Names()))
	cmd.Flags().StringVar(&format, "format", "text", "of the productions, or of faults: text or json")
	cmd.Flags().BoolVar(&faults, "faults", false, "print the kinds of faults that findings name, and by which source each is one; with --markdown docs/faults.md")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print docs/features.md: all targets")
	cmd.Flags().StringVar(&reach, "reach", "", "a list of bugs and what each of them needs")
	cmd.Flags().StringVar(&find, "find", "", "print a generated case with all that this bug of the list needs")
	cmd.Flags().StringVar(&isolation, "isolation", "", "isolation level of these cases (default: the target's usual one, then those at which more is generated)")
	cmd.Flags().BoolVar(&show, "show", false, "name a generated case for each bug of the list that should be in some")
	return cmd
}

// share prints the weight of a feature: of an optional one in percent.
func share(f gen.Feature) string {
	text := fmt.Sprint(f.Weight)
	if f.Optional && f.Weight > 0 {
		text += " %"
	}
	if f.Weight > 0 && f.Since != "" {
		text += " from " + f.Since
	}
	return text
}

func printFeatures(w io.Writer, target string) error {
	d, err := registry.Lookup(target)
	if err != nil {
		return usage(err)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	group := ""
	for _, f := range gen.Features(d.Dialect) {
		if f.Group != group {
			fmt.Fprintf(t, "%s:\n", f.Group)
			group = f.Group
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", f.Name, share(f), f.What)
	}
	return t.Flush()
}

// printFeaturesJSON prints the productions of a target as a list of objects.
func printFeaturesJSON(w io.Writer, target string) error {
	type feature struct {
		Group    string `json:"group"`
		Optional bool   `json:"optional"`
		Name     string `json:"name"`
		Weight   int    `json:"weight"` // 0: not for this target
		Since    string `json:"since,omitempty"`
	}
	d, err := registry.Lookup(target)
	if err != nil {
		return usage(err)
	}
	var all []feature
	for _, f := range gen.Features(d.Dialect) {
		all = append(all, feature{f.Group, f.Optional, f.Name, f.Weight, f.Since})
	}
	return json.NewEncoder(w).Encode(all)
}

// printFeaturesPage prints the page of the documents.
func printFeaturesPage(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# What the generator can do

Printed by ` + "`txweave features --markdown`" + `. Of the productions of a group one is drawn by weight; where a group is
optional, each is there by itself in that share of the cases where it can be. In three of four cases a part of them is left
out and another part preferred. ` + "`fuzz --without NAME,…`" + ` leaves productions out; 0: not for this target.
`)
	names := registry.Names()
	var of [][]gen.Feature
	for _, name := range names {
		d, err := registry.Lookup(name)
		if err != nil {
			return err
		}
		of = append(of, gen.Features(d.Dialect))
	}
	group := ""
	for i, f := range of[0] {
		if f.Group != group {
			group = f.Group
			title := strings.ToUpper(group[:1]) + group[1:]
			if f.Optional {
				title += " (optional)"
			}
			fmt.Fprintf(&b, "\n## %s\n\n| name | what | %s |\n|%s\n", title, strings.Join(names, " | "), strings.Repeat(" --- |", 2+len(names)))
		}
		fmt.Fprintf(&b, "| `%s` | %s |", f.Name, strings.ReplaceAll(f.What, "|", "\\|"))
		for j := range names {
			fmt.Fprintf(&b, " %s |", share(of[j][i]))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
