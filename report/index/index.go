// Package index writes what a campaign's directory holds as one HTML page: its bugs, with links to the pages of their
// findings. It has no script and names nothing outside the directory.
package index

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/report/timeline"
)

// File is the name of the page in a campaign's directory.
const File = "index.html"

//go:embed index.html.tmpl
var text string

var page = template.Must(template.New("index").Parse(text))

// BugRow is one bug.
type BugRow struct {
	ID, Status, Title, DBMS, Levels, Versions, First, Last, Page, Signature, Planted string
	Size                                                                             CaseSize // of the smallest case
	Faults                                                                           []string // all that were planted
	Count, Unconfirmed                                                               int
	Settled                                                                          bool
}

// CaseSize is how large a case is; zero where there is none.
type CaseSize struct{ Stmts, Txns int }

// String prints the size in short: statements in transactions.
func (s CaseSize) String() string {
	if s == (CaseSize{}) {
		return ""
	}
	return fmt.Sprintf("%d in %d", s.Stmts, s.Txns)
}

// Large prints the size in words.
func (s CaseSize) Large() string {
	if s == (CaseSize{}) {
		return ""
	}
	return finding.Count(s.Stmts, "statement") + " in " + finding.Count(s.Txns, "transaction")
}

// data is what the template prints.
type data struct {
	Rows, Settled []BugRow
	Known         []string
	Merges        []string
	Planted       []string
}

// Write returns the page of a directory's bugs.
func Write(dir string, b *finding.Bugs) ([]byte, error) {
	var d data
	for _, g := range b.Bugs {
		r := RowOf(dir, g)
		if r.Settled {
			d.Settled = append(d.Settled, r)
		} else {
			d.Rows = append(d.Rows, r)
		}
	}
	for _, name := range sortedKeys(b.Known) {
		d.Known = append(d.Known, fmt.Sprintf("%s %d", name, b.Known[name]))
	}
	d.Planted = Planted(slices.Concat(d.Rows, d.Settled))
	for _, m := range Merges(b) {
		d.Merges = append(d.Merges, m.String())
	}
	var out bytes.Buffer
	if err := page.Execute(&out, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", File, err)
	}
	return out.Bytes(), nil
}

// Planted lists what was planted where rows do not name it: each set of faults once.
func Planted(rows []BugRow) (out []string) {
	for _, r := range rows {
		if text := strings.Join(r.Faults, ", "); len(r.Faults) > 1 && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func sortedKeys(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// RowOf tells of a bug what a person wants to see first.
func RowOf(dir string, g *finding.Bug) BugRow {
	const day = "2006-01-02 15:04"
	r := BugRow{ID: g.ID, Status: g.State(), Title: g.Title, DBMS: g.DBMS, Count: g.Count,
		Unconfirmed: g.Unconfirmed,
		Signature:   g.Signature.String(),
		Versions:    strings.Join(g.Versions, ", "), First: g.First.Format(day), Last: g.Last.Format(day), Faults: g.Planted}
	switch n := len(g.Planted); {
	case n == 1:
		r.Planted = g.Planted[0]
	case n > 1: // nobody knows which of them it is
		r.Planted = fmt.Sprintf("one of %d", n)
	}
	if r.Title == "" { // found before findings had titles
		r.Title = g.Summary
	}
	var levels []string
	for _, l := range g.Isolations {
		levels = append(levels, timeline.LevelName(l))
	}
	r.Levels = strings.Join(levels, ", ")
	r.Settled = g.Status != finding.StatusOpen && g.Status != finding.StatusUnconfirmed
	r.Page, r.Size = smallest(dir, g)
	return r
}

// smallest finds the page to look at first, and how large its case is.
func smallest(dir string, g *finding.Bug) (page string, size CaseSize) {
	for _, below := range []string{finding.ReducedDir, ""} {
		for _, k := range g.Kept {
			if !finding.ValidName(k.Dir) {
				continue
			}
			in := finding.Dir{Path: filepath.Join(dir, k.Dir, below)}
			c, err := in.Case()
			if err != nil {
				continue
			}
			n := 0
			for i := range c.Txns {
				n += len(c.Txns[i].Stmts)
			}
			if _, err := os.Stat(filepath.Join(in.Path, finding.PageFile)); err == nil {
				page = filepath.ToSlash(filepath.Join(k.Dir, below, finding.PageFile))
			}
			return page, CaseSize{n, len(c.Txns)}
		}
	}
	return "", CaseSize{}
}

// Merge proposes that bugs are one: the same case shows them.
type Merge struct {
	Bugs   []string
	Origin finding.Origin
}

// String says it in a sentence, with the command that does it.
func (m Merge) String() string {
	return fmt.Sprintf("%s show in the same case (seed %d, case %d): if one cause explains them, txweave bugs merge %s",
		strings.Join(m.Bugs, ", "), m.Origin.Seed, m.Origin.Case, strings.Join(m.Bugs, " "))
}

// Merges lists the open bugs that one case shows, each set of bugs once.
func Merges(b *finding.Bugs) []Merge {
	type origin struct {
		seed uint64
		n    int
	}
	by := map[origin][]string{}
	var order []finding.Origin
	for _, g := range b.Bugs {
		if !g.Open() {
			continue
		}
		for _, k := range g.Kept {
			at := origin{k.Seed, k.Case}
			if len(by[at]) == 0 {
				order = append(order, k.Origin)
			}
			if !slices.Contains(by[at], g.ID) {
				by[at] = append(by[at], g.ID)
			}
		}
	}
	var out []Merge
	for _, o := range order {
		m := Merge{by[origin{o.Seed, o.Case}], o}
		if len(m.Bugs) > 1 && !slices.ContainsFunc(out, func(x Merge) bool { return slices.Equal(x.Bugs, m.Bugs) }) {
			out = append(out, m)
		}
	}
	return out
}
