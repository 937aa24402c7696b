// Package reach says how much of a list of bugs the generator can express: which words of what a bug needs its
// productions cover, and which generated case holds all of them.
package reach

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/gen"
)

// ListedBug is one row of a list of bugs.
type ListedBug struct {
	ID, DBMS string   // the DBMS in lower case, as the list spells it
	Needs    []string // words of what it needs and what was missing when the list was written, in lower case
}

// Read reads a list of bugs: a table with tabs between its columns, whose first line names at least "id", "dbms" and
// "missing" or "missing from generator". Its errors begin with the list's name and, where one is at fault, the line.
func Read(text, name string) ([]ListedBug, error) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := strings.Split(lines[0], "\t")
	at := func(names ...string) int {
		return slices.IndexFunc(columns, func(c string) bool { return slices.Contains(names, c) })
	}
	id, dbms, missing := at("id"), at("dbms"), at("missing", "missing from generator")
	if id < 0 || dbms < 0 || missing < 0 {
		return nil, fmt.Errorf(`%s: the first line must name the columns "id", "dbms" and "missing"`, name)
	}
	var bugs []ListedBug
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != len(columns) {
			return nil, fmt.Errorf("%s:%d: %d columns, want %d", name, i+2, len(cells), len(columns))
		}
		b := ListedBug{ID: cells[id], DBMS: strings.ToLower(cells[dbms])}
		for word := range strings.SplitSeq(cells[missing], ";") {
			if word = plain(word); word != "" && word != "-" {
				b.Needs = append(b.Needs, word)
			}
		}
		bugs = append(bugs, b)
	}
	return bugs, nil
}

// plain is a word of a list as it is compared: in lower case, without the mark of what the generator lacks.
func plain(word string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(word)), "g:")
}

// Aim is what cases are generated for.
type Aim struct {
	Name    string
	Dialect *gen.Dialect
	Levels  []string // isolation levels to look at, in this order
	// Settings are the settings under which any case may be run, by the words that they cover.
	Settings map[string]string
}

// covering returns the productions that the target draws, by the words that they cover.
func (t *Aim) covering() map[string][]string {
	out := map[string][]string{}
	for _, f := range gen.Features(t.Dialect) {
		if f.Weight == 0 {
			continue
		}
		for _, word := range f.Covers {
			word = plain(word)
			out[word] = append(out[word], f.Name)
		}
	}
	return out
}

// sets says whether a setting covers a word.
func (t *Aim) sets(word string) bool { return t.Settings[word] != "" }

// Setting is the setting under which a case is to be run to have what the bug needs; "" where no word asks for one.
func (s *Sought) Setting() string {
	for _, word := range s.Needs {
		if name := s.Target.Settings[word]; name != "" {
			return name
		}
	}
	return ""
}

// Sought is a bug of a list that is looked for among the cases of a target.
type Sought struct {
	ListedBug
	Target *Aim
	Lacks  []string // words that nothing generates for the target
	Level  string   // of the case that holds all that it needs
	Case   int      // number of that case of seed 0; -1 while there is none
	covers map[string][]string
}

// Seek makes bugs ready to be counted and looked for; target says where the bugs of a DBMS are tried.
func Seek(bugs []ListedBug, target func(dbms string) (*Aim, error)) ([]*Sought, error) {
	var all []*Sought
	for _, b := range bugs {
		t, err := target(b.DBMS)
		if err != nil {
			return nil, err
		}
		s := &Sought{ListedBug: b, Target: t, covers: t.covering(), Case: -1}
		for _, word := range b.Needs {
			if s.covers[word] == nil && !t.sets(word) {
				s.Lacks = append(s.Lacks, word)
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// within says whether a case that is made of these productions has all that the bug needs.
func (s *Sought) within(uses map[string]bool) bool {
	return !slices.ContainsFunc(s.Needs, func(word string) bool {
		return !s.Target.sets(word) && !slices.ContainsFunc(s.covers[word], func(name string) bool { return uses[name] })
	})
}

// Find generates cases of seed 0 of the bugs' targets, so many at each level, until each of the bugs has one that holds
// all that it needs.
func Find(bugs []*Sought, cases int) error {
	of := map[string][]*Sought{}
	for _, s := range bugs {
		of[s.Target.Name] = append(of[s.Target.Name], s)
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if err := find(of[name], cases); err != nil {
			return err
		}
	}
	return nil
}

// find is Find for bugs of one target.
func find(bugs []*Sought, cases int) error {
	t := bugs[0].Target
	for _, level := range t.Levels {
		for n := 0; n < cases && slices.ContainsFunc(bugs, func(s *Sought) bool { return s.Case < 0 }); n++ {
			_, uses, err := gen.GenerateTold(gen.CaseSeed(0, n), t.Dialect, gen.Options{Isolation: level})
			if err != nil {
				return err
			}
			for _, s := range bugs {
				if s.Case < 0 && s.within(uses) {
					s.Level, s.Case = level, n
				}
			}
		}
	}
	return nil
}

// Count is how many bugs there are, how many the list says were expressible when it was written, and how many are now.
type Count struct{ Bugs, Before, Now int }

// Missing is a word that nothing generates: how many bugs need it, and how many of them need nothing else that is
// missing.
type Missing struct {
	Word      string
	By, Alone int
}

// Tally counts bugs by DBMS and in all ("all"), and lists what is missing, first what most bugs wait for.
func Tally(bugs []*Sought) (map[string]*Count, []Missing) {
	of := map[string]*Count{"all": {}}
	missing := map[string]*Missing{}
	for _, s := range bugs {
		if of[s.DBMS] == nil {
			of[s.DBMS] = &Count{}
		}
		for _, word := range s.Lacks {
			if missing[word] == nil {
				missing[word] = &Missing{Word: word}
			}
			missing[word].By++
			if len(s.Lacks) == 1 {
				missing[word].Alone++
			}
		}
		for _, c := range []*Count{of[s.DBMS], of["all"]} {
			c.Bugs++
			if len(s.Needs) == 0 {
				c.Before++
			}
			if len(s.Lacks) == 0 {
				c.Now++
			}
		}
	}
	words := make([]Missing, 0, len(missing))
	for _, m := range missing {
		words = append(words, *m)
	}
	slices.SortFunc(words, func(a, b Missing) int {
		return cmp.Or(cmp.Compare(b.Alone, a.Alone), cmp.Compare(b.By, a.By), cmp.Compare(a.Word, b.Word))
	})
	return of, words
}
