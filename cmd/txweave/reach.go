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

	"txweave/dbms"
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

// searchedCases is in how many cases of a level a bug's features are looked for.
const searchedCases = 20000

// sought is a bug of a list that is looked for among generated cases.
type sought struct {
	bug
	covers map[string][]string
	lacks  []string // words that nothing generates for its target
	level  string   // of the case that holds all that it needs
	n      int      // number of that case of seed 0; -1 while there is none
}

// seek makes a bug ready to be looked for.
func seek(b bug) *sought {
	s := &sought{bug: b, covers: covering(targetOf(b.dbms)), n: -1}
	for _, word := range b.needs {
		if s.covers[word] == nil {
			s.lacks = append(s.lacks, word)
		}
	}
	return s
}

// within says whether a case that is made of these productions has all that the bug needs.
func (s *sought) within(uses map[string]bool) bool {
	return !slices.ContainsFunc(s.needs, func(word string) bool {
		return !slices.ContainsFunc(s.covers[word], func(name string) bool { return uses[name] })
	})
}

// search generates cases of a target at its levels, or at the one given, until each of the bugs has one that holds all that it needs,
// or there have been so many at each level.
func search(target, isolation string, bugs []*sought, cases int) error {
	d, err := registry.Lookup(target)
	if err != nil {
		return err
	}
	p, err := lookup(target, isolation)
	if err != nil {
		return err
	}
	levels := []string{p.Isolation}
	for _, l := range dbms.Levels(target) {
		if isolation == "" && l.Isolation != p.Isolation && len(d.Dialect.Levels) > 0 { // else there is nothing that some levels have and others not
			levels = append(levels, l.Isolation)
		}
	}
	for _, level := range levels {
		for n := 0; n < cases && slices.ContainsFunc(bugs, func(s *sought) bool { return s.n < 0 }); n++ {
			_, uses, err := gen.GenerateTold(gen.CaseSeed(0, n), d.Dialect, gen.Options{Isolation: level})
			if err != nil {
				return err
			}
			for _, s := range bugs {
				if s.n < 0 && s.within(uses) {
					s.level, s.n = level, n
				}
			}
		}
	}
	return nil
}

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
	s := seek(bugs[at])
	target := targetOf(s.dbms)
	if len(s.lacks) > 0 {
		return usagef("%s needs %q, which nothing generates for %s", id, s.lacks[0], target)
	}
	if err := search(target, isolation, []*sought{s}, searchedCases); err != nil {
		return err
	}
	if s.n < 0 {
		return fmt.Errorf("none of %d cases has all that %s needs", searchedCases, id)
	}
	d, err := registry.Lookup(target)
	if err != nil {
		return err
	}
	c, err := gen.Generate(gen.CaseSeed(0, s.n), d.Dialect, gen.Options{Isolation: s.level})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "# has what %s needs: %s\n", id, strings.Join(s.needs, ", "))
	_, err = w.Write(c.Print())
	return err
}

// showCases prints, for each bug of a list that the generator can express, a case which holds all that it needs, and fails where there
// is none.
func showCases(w io.Writer, path, isolation string) error {
	bugs, err := readBugs(path)
	if err != nil {
		return err
	}
	of := map[string][]*sought{}
	var all []*sought
	for _, b := range bugs {
		if s := seek(b); len(s.lacks) == 0 {
			all = append(all, s)
			of[targetOf(b.dbms)] = append(of[targetOf(b.dbms)], s)
		}
	}
	for _, target := range slices.Sorted(maps.Keys(of)) {
		if err := search(target, isolation, of[target], searchedCases); err != nil {
			return err
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "bug\tcase (txweave gen --seed 0 …)\tneeds")
	shown := 0
	for _, s := range all {
		where := fmt.Sprintf("none of %d", searchedCases)
		if s.n >= 0 {
			where = fmt.Sprintf("--target %s --isolation %s --case %d", targetOf(s.dbms), s.level, s.n)
			shown++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", s.id, where, strings.Join(s.needs, "; "))
	}
	fmt.Fprintf(t, "\n%d of %d bugs are expressible, %d of these shown\n", len(all), len(bugs), shown)
	if err := t.Flush(); err != nil || shown == len(all) {
		return err
	}
	return fmt.Errorf("%d bugs that should be expressible are in no case", len(all)-shown)
}
