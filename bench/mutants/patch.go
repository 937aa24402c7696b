package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"txweave/internal/strict"
)

// engineModule is the module whose library is patched, and engineVersion the version that the edits are for: another
// one has other lines, so that every edit must be looked at again.
const (
	engineModule  = "modernc.org/sqlite"
	engineVersion = "v1.60.1"
	engineSQLite  = "3.53.4"
)

// mutant is one bug. The word STRIKE in its edits stands for the question whether it strikes now.
type mutant struct {
	Name, Class, What string
	States            []string // in which it is tried, beside always and one in 50
	Edits             []edit
}

// edit changes one place of one function of the library: the line that holds At gets lines Before or After it, or At
// itself (which may be of several lines) is replaced.
type edit struct {
	In, At                 string
	Before, After, Instead string
}

//go:embed engine/switch.go
var engineSwitch []byte

//go:embed engine/helpers.go.txt
var engineHelpers []byte

//go:embed mutants.toml
var mutantsText []byte

// mutants are all of them, by their number in the engine. hooks tell the switch what the engine is doing, and change
// nothing.
var mutants, hooks = func() ([]mutant, []edit) {
	var all struct {
		Mutants []mutant
		Hooks   []edit
	}
	if _, err := strict.TOML("mutants.toml", mutantsText, "mutants", &all, nil); err != nil {
		panic(err)
	}
	return all.Mutants, all.Hooks
}()

// patched returns the files of the library that the edits change, by name, and those that it needs besides.
func patched(lib string, files []string, all []mutant) (map[string][]byte, error) {
	p := &patcher{source: map[string]string{}, places: map[string][]place{}}
	for _, name := range files {
		b, err := os.ReadFile(filepath.Join(lib, name))
		if err != nil {
			return nil, err
		}
		p.source[name] = string(b)
	}
	var errs []error
	for _, e := range hooks {
		errs = append(errs, p.add("hook", e))
	}
	var names strings.Builder
	names.WriteString("package sqlite3\n\nvar mutantNames = []string{\n")
	for i, m := range all {
		fmt.Fprintf(&names, "\t%q,\n", m.Name)
		asks := false
		for _, e := range m.Edits {
			asks = asks || strings.Contains(e.Before+e.After+e.Instead, "STRIKE")
			strike := func(s string) string { return strings.ReplaceAll(s, "STRIKE", fmt.Sprintf("mutantStrikes(%d)", i)) }
			e.Before, e.After, e.Instead = strike(e.Before), strike(e.After), strike(e.Instead)
			errs = append(errs, p.add(m.Name, e))
		}
		if !asks {
			errs = append(errs, fmt.Errorf("mutant %s: no edit has the word STRIKE", m.Name))
		}
	}
	names.WriteString("}\n")
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("the edits are for %s %s (SQLite %s):\n%w", engineModule, engineVersion, engineSQLite, err)
	}
	out, err := p.apply()
	if err != nil {
		return nil, err
	}
	out["mutant_names.go"] = []byte(names.String())
	out["mutant_switch.go"] = engineSwitch
	out["mutant_helpers.go"] = engineHelpers
	return out, nil
}

// place is an edit whose place was found: bytes [from, to) of a file become text.
type place struct {
	from, to int
	text     string
	of       string
}

type patcher struct {
	source map[string]string
	places map[string][]place
}

// add finds the place of an edit, which must be the only one in its function.
func (p *patcher) add(of string, e edit) error {
	file, from, to, err := p.function(e.In)
	if err != nil {
		return fmt.Errorf("%s: %w", of, err)
	}
	body := p.source[file][from:to]
	if n := strings.Count(body, e.At); n != 1 {
		return fmt.Errorf("%s: %s has %q %d times, want 1", of, e.In, e.At, n)
	}
	i := from + strings.Index(body, e.At)
	at := place{from: i, to: i + len(e.At), text: e.Instead, of: of}
	switch {
	case e.Before != "":
		at.from = strings.LastIndexByte(p.source[file][:i], '\n') + 1
		at.to, at.text = at.from, e.Before+"\n"
	case e.After != "":
		at.from = i + strings.IndexByte(p.source[file][i:], '\n') + 1
		at.to, at.text = at.from, e.After+"\n"
	}
	p.places[file] = append(p.places[file], at)
	return nil
}

// function finds the text of a function, which must be in one file only.
func (p *patcher) function(name string) (file string, from, to int, err error) {
	head := "\nfunc " + name + "("
	for f, source := range p.source {
		n := strings.Count(source, head)
		if n == 0 {
			continue
		}
		if n > 1 || file != "" {
			return "", 0, 0, fmt.Errorf("function %s is there more than once", name)
		}
		file, from = f, strings.Index(source, head)+1
		to = from + strings.Index(source[from:], "\n}\n") + 3
	}
	if file == "" {
		return "", 0, 0, fmt.Errorf("there is no function %s", name)
	}
	return file, from, to, nil
}

// apply returns the changed files. Insertions at one place keep the order in which they were added.
func (p *patcher) apply() (map[string][]byte, error) {
	out := map[string][]byte{}
	for file, places := range p.places {
		slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.from, b.from) })
		var b strings.Builder
		source, done := p.source[file], 0
		last := ""
		for _, at := range places {
			if at.from < done {
				return nil, fmt.Errorf("%s: the edits of %s and %s overlap", file, last, at.of)
			}
			b.WriteString(source[done:at.from])
			b.WriteString(at.text)
			done, last = at.to, at.of
		}
		b.WriteString(source[done:])
		out[file] = []byte(b.String())
	}
	return out, nil
}
