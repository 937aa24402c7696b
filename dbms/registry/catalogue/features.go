// Package catalogue prints what the generator can do on each DBMS, how many bugs of a list it can express, and what
// findings are called.
package catalogue

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/internal/outcome"
)

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

// Features prints the productions of a target.
func Features(w io.Writer, target string) error {
	d, err := registry.Lookup(target)
	if err != nil {
		return outcome.Misuse(err)
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

// FeaturesJSON prints the productions of a target as a list of objects.
func FeaturesJSON(w io.Writer, target string) error {
	type feature struct {
		Group    string `json:"group"`
		Optional bool   `json:"optional"`
		Name     string `json:"name"`
		Weight   int    `json:"weight"` // 0: not for this target
		Since    string `json:"since,omitempty"`
	}
	d, err := registry.Lookup(target)
	if err != nil {
		return outcome.Misuse(err)
	}
	var all []feature
	for _, f := range gen.Features(d.Dialect) {
		all = append(all, feature{f.Group, f.Optional, f.Name, f.Weight, f.Since})
	}
	return json.NewEncoder(w).Encode(all)
}

// Page prints the page of the documents.
func Page(w io.Writer) error {
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
			fmt.Fprintf(&b, "\n## %s\n\n| name | what | %s |\n|%s\n", title, strings.Join(names, " | "), strings.Repeat(" --- |",
				2+len(names)))
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
