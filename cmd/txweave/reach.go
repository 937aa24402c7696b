package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"txweave/dbms/registry"
	"txweave/gen"
)

// bug is one row of a list of bugs.
type bug struct {
	id, dbms string
	needs    []string // words of what it needs and what was missing when the list was written, in lower case
}

// readBugs reads a list of bugs with what each of them needs.
func readBugs(path string) ([]bug, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usage(err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	columns := strings.Split(lines[0], "\t")
	at := func(names ...string) int {
		return slices.IndexFunc(columns, func(c string) bool { return slices.Contains(names, c) })
	}
	id, dbms, missing := at("id"), at("dbms"), at("missing", "missing from generator")
	if id < 0 || dbms < 0 || missing < 0 {
		return nil, usagef(`%s: the first line must name the columns "id", "dbms" and "missing"`, path)
	}
	var bugs []bug
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != len(columns) {
			return nil, usagef("%s:%d: %d columns, want %d", path, i+2, len(cells), len(columns))
		}
		b := bug{id: cells[id], dbms: strings.ToLower(cells[dbms])}
		for _, word := range strings.Split(cells[missing], ";") {
			word = plainWord(word)
			if word != "" && word != "-" {
				b.needs = append(b.needs, word)
			}
		}
		bugs = append(bugs, b)
	}
	return bugs, nil
}

// plainWord is a word of a list as it is compared: in lower case, without the mark of what the generator lacks.
func plainWord(word string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(word)), "g:")
}

// covering returns the productions that a target draws, by the words that they cover.
func covering(target string) map[string][]string {
	d, err := registry.Lookup(target)
	if err != nil {
		return nil
	}
	out := map[string][]string{}
	for _, f := range gen.Features(d.Dialect) {
		if f.Weight == 0 {
			continue
		}
		for _, word := range f.Covers {
			word = plainWord(word)
			out[word] = append(out[word], f.Name)
		}
	}
	return out
}

// targetOf returns the target that generates for the DBMS of a bug: InnoDB's and other forks' bugs are tried on MariaDB.
func targetOf(dbms string) string {
	for _, name := range registry.Names() {
		if strings.Contains(dbms, name) {
			return name
		}
	}
	return registry.DefaultServer
}

// printReach prints how many bugs of a list the generator can express, and what is missing for the others.
func printReach(w io.Writer, path string) error {
	bugs, err := readBugs(path)
	if err != nil {
		return err
	}
	type count struct{ n, before, now int }
	of := map[string]*count{}
	missing, alone := map[string]int{}, map[string]int{}
	all := &count{}
	for _, b := range bugs {
		if of[b.dbms] == nil {
			of[b.dbms] = &count{}
		}
		covers := covering(targetOf(b.dbms))
		var left []string
		for _, word := range b.needs {
			if covers[word] == nil {
				left = append(left, word)
				missing[word]++
			}
		}
		if len(left) == 1 {
			alone[left[0]]++
		}
		for _, c := range []*count{of[b.dbms], all} {
			c.n++
			if len(b.needs) == 0 {
				c.before++
			}
			if len(left) == 0 {
				c.now++
			}
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "DBMS\tbugs\texpressible by the list\tnow")
	for _, dbms := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\n", dbms, of[dbms].n, of[dbms].before, of[dbms].now)
	}
	fmt.Fprintf(t, "all\t%d\t%d\t%d\n", all.n, all.before, all.now)
	fmt.Fprintln(t, "\nstill missing\tneeded by\tby nothing else missing")
	words := slices.SortedFunc(maps.Keys(missing), func(a, b string) int {
		return cmp.Or(cmp.Compare(alone[b], alone[a]), cmp.Compare(missing[b], missing[a]), cmp.Compare(a, b))
	})
	for _, word := range words {
		fmt.Fprintf(t, "%s\t%d\t%d\n", word, missing[word], alone[word])
	}
	return t.Flush()
}

// searchedCases is in how many cases a bug's features are looked for.
const searchedCases = 50000

// findCase prints the first generated case that is made of all that a bug needs.
func findCase(w io.Writer, path, id, isolation string) error {
	bugs, err := readBugs(path)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(bugs, func(b bug) bool { return b.id == id })
	if at < 0 {
		return usagef("%s has no bug %s", path, id)
	}
	b := bugs[at]
	target := targetOf(b.dbms)
	covers := covering(target)
	for _, word := range b.needs {
		if covers[word] == nil {
			return usagef("%s needs %q, which nothing generates for %s", id, word, target)
		}
	}
	p, err := lookup(target, isolation)
	if err != nil {
		return err
	}
	d, err := registry.Lookup(target)
	if err != nil {
		return err
	}
	for n := range searchedCases {
		c, uses, err := gen.GenerateTold(gen.CaseSeed(0, n), d.Dialect, gen.Options{Isolation: p.Isolation})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(b.needs, func(word string) bool {
			return !slices.ContainsFunc(covers[word], func(name string) bool { return uses[name] })
		}) {
			fmt.Fprintf(w, "# has what %s needs: %s\n", id, strings.Join(b.needs, ", "))
			_, err := w.Write(c.Print())
			return err
		}
	}
	return fmt.Errorf("none of %d cases has all that %s needs", searchedCases, id)
}
