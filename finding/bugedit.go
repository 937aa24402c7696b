package finding

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Label adds labels to a bug, or takes them off.
func (g *Bug) Label(labels []string, remove bool) {
	for _, l := range labels {
		if remove {
			g.Labels = slices.DeleteFunc(g.Labels, func(have string) bool { return have == l })
		} else {
			g.Labels = insert(g.Labels, l)
		}
	}
}

// Settle gives a bug a status that needs nothing but a word why.
func (g *Bug) Settle(s Status, note string) {
	g.Status, g.Of, g.FixedIn, g.Note = s, "", "", note
}

// Duplicate makes a bug a duplicate of another one, where its findings are counted from now on.
func (b *Bugs) Duplicate(id, of string) (*Bug, error) {
	g, err := b.Find(id)
	if err != nil {
		return nil, err
	}
	to, err := b.Find(of)
	if err != nil {
		return nil, err
	}
	if b.resolve(to) == g {
		return nil, fmt.Errorf("%s is a duplicate of %s already, or the same", of, id)
	}
	g.Settle(StatusDuplicate, "")
	g.Of = of
	return g, nil
}

// Merge makes several bugs one: into takes over the signatures, the findings and what is known of the others, which are
// no more.
func (b *Bugs) Merge(into string, ids []string) (*Bug, error) {
	g, err := b.Find(into)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		o, err := b.Find(id)
		if err != nil {
			return nil, err
		}
		if o == g || o.DBMS != g.DBMS {
			return nil, fmt.Errorf("%s and %s cannot be merged: they are the same, or of two DBMSs", into, id)
		}
		g.absorb(o)
		b.Bugs = slices.DeleteFunc(b.Bugs, func(x *Bug) bool { return x == o })
		for _, x := range b.Bugs {
			if x.Of == id {
				x.Of = into
			}
		}
	}
	b.Changed()
	return g, nil
}

// absorb takes over what is known of another bug.
func (g *Bug) absorb(o *Bug) {
	g.Also = append(append(g.Also, o.Signature), o.Also...)
	g.Count += o.Count
	g.Unconfirmed += o.Unconfirmed
	for _, s := range o.ShownAs {
		g.ShownAs = insert(g.ShownAs, s)
	}
	g.Kept = append(g.Kept, o.Kept...)
	g.Verified = append(g.Verified, o.Verified...)
	if o.First.Before(g.First) {
		g.First = o.First
	}
	if o.Last.After(g.Last) {
		g.Last = o.Last
	}
	for _, v := range o.Versions {
		g.Versions = insert(g.Versions, v)
	}
	for _, v := range o.Isolations {
		g.Isolations = insert(g.Isolations, v)
	}
	g.Label(o.Labels, false)
}

// Split makes a kept finding of a bug a bug of its own. If it brought in a signature by which other findings were
// merged, those to come go with it.
func (b *Bugs) Split(id, dir string) (*Bug, error) {
	g, err := b.Find(id)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(g.Kept, func(k Kept) bool { return k.Dir == dir })
	if at < 0 {
		return nil, fmt.Errorf("%s keeps no finding %s", id, dir)
	}
	if len(g.Kept) == 1 {
		return nil, errors.New("it is the bug's only finding")
	}
	k := g.Kept[at]
	g.Kept = slices.Delete(g.Kept, at, at+1)
	g.Count--
	g.Also = slices.DeleteFunc(g.Also, func(s Signature) bool { return s.Equal(k.Signature) })
	fresh := &Bug{ID: "B" + strconv.Itoa(b.Next), DBMS: g.DBMS, Status: StatusOpen, Class: g.Class, Signature: k.Signature,
		Title: k.Title, Summary: g.Summary, Count: 1, Planted: g.Planted, Origin: k.Origin,
		First: g.First, Last: g.Last, Versions: slices.Clone(g.Versions), Isolations: slices.Clone(g.Isolations),
		Kept: []Kept{k}}
	b.Next++
	b.Bugs = append(b.Bugs, fresh)
	b.Changed()
	return fresh, nil
}

// Open says whether the bug is one that nobody has settled, and is not another one as far as is known.
func (g *Bug) Open() bool { return g.Shown() == StatusOpen }
