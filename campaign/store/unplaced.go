package store

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
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
	_, is := finding.CutKind(name)
	return is
}

// Waiting is a finding that no bug has.
type Waiting struct {
	Name      string
	Record    *finding.Record
	Signature finding.Signature
	Since     time.Time
	Kept      bool // its files lie in the store
}

// Waiting implements WaitingStore. A finding that cannot be read, or is gone, is of no bug: a campaign puts it aside,
// and says so.
func (d *Directory) Waiting() (b *finding.Bugs, list []Waiting, err error) {
	names, err := findingsIn(d.dir) // before the bugs: what is placed meanwhile is in them
	if err != nil {
		return nil, nil, err
	}
	if b, err = d.Bugs(); err != nil {
		return nil, nil, err
	}
	placed := b.Placed()
	for _, name := range names {
		if placed[name] {
			continue
		}
		if w, ok := d.waiting(name); ok {
			list = append(list, w)
		}
	}
	return b, list, nil
}

// waiting reads a finding.
func (d *Directory) waiting(name string) (w Waiting, ok bool) {
	in, err := d.Open(name)
	if err != nil || in.Record == nil {
		return w, false
	}
	text, err := in.Read(finding.CaseFile)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = in.Read(finding.StormFile) // a storm has no case
	}
	if err != nil {
		return w, false
	}
	w = Waiting{Name: name, Record: in.Record, Signature: signature.OfText(&in.Record.Finding, text),
		Since: time.Now(), Kept: true}
	if st, err := os.Stat(in.Path); err == nil {
		w.Since = st.ModTime()
	}
	return w, true
}

// WaitingStore is a store that knows which of its findings no bug has.
type WaitingStore interface {
	BugStore
	// Waiting reads the bugs, and the findings that no bug has, as of one moment.
	Waiting() (*finding.Bugs, []Waiting, error)
}

// Early is a store as it stands before everything is reduced: findings that wait for that, or that a campaign which was
// killed has left, are grouped as they are. Nothing of it is written but what somebody says of such a group: the
// campaign, or the next one, counts them to their bugs when they are reduced.
type Early struct{ WaitingStore }

// AsItStands returns a store as it stands now.
func AsItStands(s WaitingStore) *Early { return &Early{s} }

// Bugs reads the bugs, and those of findings that no bug has, which are called by their first finding.
func (e *Early) Bugs() (*finding.Bugs, error) {
	b, _, err := e.grouped()
	return b, err
}

// grouped returns the bugs, and which of them are none yet.
func (e *Early) grouped() (b *finding.Bugs, early []*finding.Bug, err error) {
	b, list, err := e.Waiting()
	if err != nil {
		return nil, nil, err
	}
	next := b.Next
	for i := range list {
		w := &list[i]
		g, fresh := b.Place(w.Record, w.Signature, w.Since.UTC().Truncate(time.Second))
		if fresh {
			g.ID = w.Name // its number is given when it is placed for good
			early = append(early, g)
		}
		g.Unreduced++
		if w.Kept {
			g.Kept = append(g.Kept, finding.Kept{Dir: w.Name, Signature: w.Signature, Title: w.Record.Title,
				Origin: w.Record.Origin()})
		}
	}
	for _, g := range early { // what is settled takes only its like
		b.Hear(g, g.ID, true)
	}
	b.Next = next
	b.Explain()
	return b, early, nil
}

// Update lets change alter also what are no bugs yet: it is kept with their first findings.
func (e *Early) Update(change func(*finding.Bugs) error) error {
	_, early, err := e.grouped()
	if err != nil {
		return err
	}
	return e.WaitingStore.Update(func(b *finding.Bugs) error {
		changed := map[*finding.Bug]*finding.Bug{}
		placed := b.Placed()
		for _, g := range early {
			if placed[g.ID] {
				continue // meanwhile
			}
			is := *g
			is.Labels = slices.Clone(g.Labels)
			changed[&is] = g
			b.Bugs = append(b.Bugs, &is)
		}
		if err := change(b); err != nil {
			return err
		}
		b.Bugs = slices.DeleteFunc(b.Bugs, func(is *finding.Bug) bool {
			g, has := changed[is]
			if has && !reflect.DeepEqual(is, g) {
				b.Say(g, is)
			}
			return has
		})
		b.Changed()
		return nil
	})
}
