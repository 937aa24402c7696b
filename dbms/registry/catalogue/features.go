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
	d, err := registry.Lookup(target)
	if err != nil {
		return outcome.Misuse(err)
	}
	return json.NewEncoder(w).Encode(gen.Features(d.Dialect))
}

// shares prints how often a feature is there on each DBMS: once where it is the same on all, else with the names; "" of
// those that do not have it.
func shares(names []string, of []gen.Feature) string {
	var texts []string
	has := map[string][]string{}
	for i, f := range of {
		if f.Weight == 0 {
			continue
		}
		text := share(f)
		if has[text] == nil {
			texts = append(texts, text)
		}
		has[text] = append(has[text], names[i])
	}
	if len(texts) == 1 && len(has[texts[0]]) == len(names) {
		return texts[0]
	}
	for i, text := range texts {
		who := strings.Join(has[text], ", ")
		if who == strings.Join(registry.Servers(), ", ") {
			who = "servers"
		}
		texts[i] = who + " " + text
	}
	return strings.Join(texts, "; ")
}

// Page prints the page of the documents.
func Page(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# What is generated

The productions of the case generator, as ` + "`txweave features --markdown`" + ` prints them: name, what it is, how often. That is its weight
among the productions of its group. In a group that is marked optional it is the share of cases that have the production, where they can have it. A
target that is not named does not have it; "servers" are all but SQLite. In three of four cases some productions are left out and others preferred.
` + "`fuzz --without NAME,…`" + ` leaves productions out by their names.
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
			fmt.Fprintf(&b, "\n## %s\n\n", title)
		}
		all := make([]gen.Feature, len(names))
		for j := range names {
			all[j] = of[j][i]
		}
		fmt.Fprintf(&b, "- `%s`: %s. %s\n", f.Name, f.What, shares(names, all))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
