package store

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"txweave/finding"
	"txweave/finding/signature"
)

// findingsIn are the names of the findings in a directory.
func findingsIn(dir string) (out []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries { // sorted by name
		if e.IsDir() && isFinding(e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// Holds says whether the directory has findings: without bugs they wait to be reduced before they are counted to one.
func (d *Directory) Holds() bool {
	names, err := findingsIn(d.dir)
	return err == nil && len(names) > 0
}

func isFinding(name string) bool {
	return strings.HasPrefix(name, "finding-") || strings.HasPrefix(name, "suspect-")
}

// Early is a store as it stands before everything is reduced: findings that wait for that, or that a campaign which was killed has left, are grouped as they
// are. Nothing of it is written: the campaign, or the next one, counts them to their bugs when they are reduced.
type Early struct {
	BugStore
	dir string
}

// AsItStands returns a store whose findings lie in a directory, as it stands now.
func AsItStands(s BugStore, dir string) *Early { return &Early{s, dir} }

// Bugs reads the bugs, and those of findings that no bug has, which are called by their first finding.
func (e *Early) Bugs() (*finding.Bugs, error) {
	names, err := findingsIn(e.dir) // before the bugs: what is placed meanwhile is in them
	if err != nil {
		return nil, err
	}
	b, err := e.BugStore.Bugs()
	if err != nil {
		return nil, err
	}
	placed := slices.Clone(b.Gone)
	for _, g := range b.Bugs {
		for _, k := range g.Kept {
			placed = append(placed, k.Dir)
		}
	}
	slices.Sort(placed)
	for _, name := range names {
		if _, has := slices.BinarySearch(placed, name); !has {
			e.place(b, name)
		}
	}
	return b, nil
}

// place groups a finding as it is. One that cannot be read, or is gone, is of no bug: a campaign puts it aside, and says so.
func (e *Early) place(b *finding.Bugs, name string) {
	d, err := e.Open(name)
	if err != nil || d.Record == nil {
		return
	}
	text, err := d.Read(finding.CaseFile)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = d.Read(finding.StormFile) // a storm has no case
	}
	if err != nil {
		return
	}
	seen := time.Now()
	if st, err := os.Stat(d.Path); err == nil {
		seen = st.ModTime()
	}
	sig := signature.OfText(&d.Record.Finding, text)
	next := b.Next
	g, fresh := b.Place(d.Record, sig, seen.UTC().Truncate(time.Second))
	if fresh {
		g.ID, b.Next = name, next // its number is given when it is placed for good
	}
	g.Unreduced++
	g.Kept = append(g.Kept, finding.Kept{Dir: name, Signature: sig, Origin: d.Record.Origin()})
}
