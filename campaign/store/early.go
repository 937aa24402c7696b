package store

import (
	"reflect"
	"slices"
	"time"

	"txweave/finding"
)

// Waiting is a finding that no bug has.
type Waiting struct {
	Name      string
	Record    *finding.Record
	Signature finding.Signature
	Since     time.Time
	Kept      bool // its files lie in the store
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
