package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"txweave/campaign/store"
	"txweave/finding"
	"txweave/finding/signature"
)

// pausing tells that a cause is paused.
func (r *run) pausing(cause string, cases int) {
	r.note(fmt.Sprintf("%s shows in %d of the last %d cases: is the set-up right? Its findings are only counted "+
		"until it is rarer",
		cause, cases, pauseWindow))
	r.paused[cause] = true
	for _, b := range r.sum.Bugs {
		b.Paused = b.Paused || b.coarse == cause
	}
}

func (r *run) note(text string) {
	if r.cfg.Note != nil {
		r.cfg.Note(text)
	}
}

// found decides what becomes of a finding, or of one that did not come back each time: held back, counted as a
// known bug, or saved, and in the list of those that are to be reduced and placed. Number is the finding's in its case,
// those that came back each time first.
func (r *run) found(res *CaseResult, f *Found, number int, done *store.CaseDone, list *[]pending) error {
	if r.pauses.holds(f.Signature) {
		done.Held = append(done.Held, f.Signature)
		return nil
	}
	if text, has := f.Files[finding.CaseFile]; has {
		f.Files[finding.CaseFile] = finding.Mark(text, &r.env)
	}
	p := pending{rec: r.record(res, f, number), sig: signature.OfText(&f.Finding, f.Files[finding.CaseFile]),
		files: f.Files}
	if bug := r.knownAs(&f.Finding, p.sig); bug != "" {
		done.Known = append(done.Known, bug)
		return nil
	}
	defer func() { *list = append(*list, p) }()
	if r.queue != nil {
		switch waiting := r.queue.waiting(p.sig.Coarse); {
		case waiting >= maxLight:
			p.files = nil // it is counted
		case waiting >= maxAlike:
			p.files = map[string][]byte{finding.CaseFile: f.Files[finding.CaseFile]} // from which the rest can be had
		}
	}
	if p.files == nil {
		return nil
	}
	var err error
	if p.name, err = r.save(p.rec, p.files); err != nil {
		p.files, p.lost = nil, true
	}
	if p.rec.Unconfirmed { // the store may have given it another name
		r.sum.Unconfirmed[len(r.sum.Unconfirmed)-1] = p.rec.ID
	}
	return err
}

// counted counts a case that is done, in one step where the store can; but not if a finding could not be saved: the
// case is then run again, another time. It returns false where the case does not count.
func (r *run) counted(done *store.CaseDone, list []pending, lost error) (ok bool, err error) {
	if ledger, has := r.cfg.Store.(store.Ledger); has {
		if lost != nil {
			return false, nil
		}
		for i := range list {
			done.Waiting = append(done.Waiting, store.Placement{Record: list[i].rec, Signature: list[i].sig, Name: list[i].name})
		}
		return ledger.Done(done)
	}
	for _, bug := range done.Known {
		err = errors.Join(err, r.cfg.Store.CountKnown(bug, ""))
	}
	if done.Unchecked != nil {
		err = errors.Join(err, r.cfg.Store.Unchecked(*done.Unchecked))
	}
	return true, err
}

// accept lets a finding wait to be reduced, or places it.
func (r *run) accept(p pending) error {
	if r.queue == nil || p.lost {
		return r.place(p)
	}
	r.queue.add(p)
	return nil
}

// record is a finding's finding.json. Its name is unique in the campaign and tells the case; where several campaigns
// share a store it is the same whenever the case is run.
func (r *run) record(res *CaseResult, f *Found, number int) *finding.Record {
	kind, unconfirmed := finding.KindConfirmed, number >= len(res.Findings)
	if unconfirmed {
		kind = finding.KindUnconfirmed
	}
	if r.cfg.Name != "" {
		kind += "-" + r.cfg.Name
	} else {
		number = r.ids
	}
	rec := &finding.Record{ID: fmt.Sprintf("%s-%06d-%d", kind, res.Case, number), Finding: f.Finding,
		Unconfirmed: unconfirmed, Environment: r.env}
	rec.Environment.Case = res.Case
	r.ids++
	if unconfirmed {
		r.sum.Unconfirmed = append(r.sum.Unconfirmed, rec.ID)
	}
	return rec
}

// knownAs counts a finding that is a known bug, whose name it returns; "" if it is none.
func (r *run) knownAs(f *finding.Finding, sig finding.Signature) (bug string) {
	if r.cfg.Known != nil {
		if bug = r.cfg.Known(f, sig); bug != "" {
			r.sum.Known[bug]++
		}
	}
	return bug
}

// known counts a finding that turned out to be a known bug; its files in the store go.
func (r *run) known(f *finding.Finding, sig finding.Signature, name string) (bool, error) {
	bug := r.knownAs(f, sig)
	if bug == "" {
		return false, nil
	}
	return true, r.cfg.Store.CountKnown(bug, name)
}

// save keeps a finding's files.
func (r *run) save(rec *finding.Record, files map[string][]byte) (name string, err error) {
	if name, err = r.cfg.Store.Save(rec, files); err != nil {
		return "", fmt.Errorf("cannot keep %s, case %d of seed %d: %w", rec.ID, rec.Environment.Case, r.cfg.Seed, err)
	}
	return name, nil
}

// place counts findings to their bugs and keeps the files of those whose bugs have few. A finding that cannot be kept
// is counted and reported all the same, without a directory.
func (r *run) place(list ...pending) error {
	in := make([]store.Placement, len(list))
	for i := range list {
		p := &list[i]
		in[i] = store.Placement{Record: p.rec, Signature: p.sig, Name: p.name, Unconfirmed: r.cfg.Unconfirmed}
	}
	out, lost := r.cfg.Store.Place(in, r.cfg.MaxKept)
	for i := range list {
		p := &list[i]
		var o store.Placed
		if i < len(out) {
			o = out[i]
		}
		if o.Bug.ID == "" { // it is not even counted
			o = store.Placed{Bug: finding.Bug{Status: finding.StatusOpen, Signature: p.sig, Summary: p.rec.Summary},
				Name: p.name}
			if p.lost { // which was said
				lost = nil
			} else {
				lost = fmt.Errorf("cannot count %s, case %d of seed %d: %w", p.rec.ID, p.rec.Environment.Case, r.cfg.Seed, lost)
			}
		}
		if o.Gone != "" {
			before := len(r.sum.Findings)
			r.sum.Findings = slices.DeleteFunc(r.sum.Findings, func(f FindingRef) bool { return filepath.Base(f.Dir) == o.Gone })
			r.sum.Repeats += before - len(r.sum.Findings)
		}
		ref := FindingRef{ID: p.rec.ID, Bug: o.Bug.ID, Class: p.rec.Class, Oracle: p.rec.Oracle, Signature: p.sig.String()}
		if o.Name != "" {
			ref.Dir = r.cfg.Store.Where(o.Name)
		}
		if o.Name != "" || o.Bug.ID == "" || r.keepsNothing() && o.Fresh {
			r.sum.Findings = append(r.sum.Findings, ref)
		} else {
			r.sum.Repeats++
		}
		r.count(&o.Bug, o.Fresh, ref, p.rec)
	}
	return lost
}

// keepsNothing says whether the store is one that only counts.
func (r *run) keepsNothing() bool {
	_, memory := r.cfg.Store.(*store.Memory)
	return memory
}

// count adds a finding to the summary's bugs, and reports the bug when this campaign meets it for the first time.
func (r *run) count(g *finding.Bug, fresh bool, ref FindingRef, rec *finding.Record) {
	r.see(g)
	g.MayBe = g.Explained(r.reduced)
	for _, b := range r.sum.Bugs {
		if b.ID == g.ID && g.ID != "" {
			b.Count++
			if b.Status == finding.StatusUnconfirmed && g.Status == finding.StatusOpen {
				r.report(ref, rec, false) // there are enough of them now
			} else if b.untold != nil && g.Open() {
				r.report(ref, rec, false) // it is one of its own, and nobody was told
				b.untold = nil
			}
			b.Status, b.MayBe = g.Status, g.MayBe
			return
		}
	}
	if len(g.Kept) > 0 && g.Kept[0].Dir != "" {
		ref.Dir = r.cfg.Store.Where(g.Kept[0].Dir)
	}
	if fresh {
		r.sum.LastBug, r.sum.LastBugAt = g.ID, time.Now()
	}
	b := &BugRef{ID: g.ID, Status: g.Status, New: fresh, Count: 1,
		Signature: g.Signature.String(), Title: g.Title, Summary: g.Summary, Dir: ref.Dir,
		Paused: r.paused[g.Signature.Coarse], MayBe: g.MayBe, coarse: g.Signature.Coarse}
	r.sum.Bugs = append(r.sum.Bugs, b)
	switch {
	case g.Open() || g.Status == finding.StatusUnconfirmed:
		r.report(ref, rec, g.Status == finding.StatusUnconfirmed)
	case len(g.MayBe) > 0:
		b.untold = &untold{ref, rec}
	}
}

// see notes a bug as it is now, if its case is reduced: others may be it.
func (r *run) see(g *finding.Bug) {
	if !g.Reduced() {
		return
	}
	own := *g
	if at := slices.IndexFunc(r.reduced, func(b *finding.Bug) bool { return b.ID == g.ID }); at >= 0 {
		r.reduced[at] = &own
	} else {
		r.reduced = append(r.reduced, &own)
	}
}

// own says whether a finding can be none of the bugs whose cases are reduced.
func (r *run) own(p *pending) bool {
	return !slices.ContainsFunc(r.reduced, func(b *finding.Bug) bool { return b.Signature.Explains(p.sig) })
}

func (r *run) report(ref FindingRef, rec *finding.Record, unconfirmed bool) {
	if r.cfg.Report != nil {
		r.cfg.Report(ref, &rec.Finding, unconfirmed)
	}
}

// adopt takes care of the findings that a killed campaign left in the store without a bug, so that nothing is lost.
// While another campaign uses the store they may be that one's, and stay. One that cannot be read is put aside.
func (r *run) adopt() error {
	r.cfg.Store.Tell(r.note)
	left, err := r.cfg.Store.Enter()
	if err != nil {
		return err
	}
	for _, name := range left {
		p, err := r.orphan(name)
		if err != nil {
			where, qerr := r.cfg.Store.Quarantine(name)
			if qerr != nil {
				return errors.Join(err, qerr)
			}
			r.note(fmt.Sprintf("a finding of an earlier campaign cannot be read: %v: it lies in %s now", err, where))
			continue
		}
		if r.queue != nil && r.like(&p.rec.Environment) {
			r.queue.add(p)
		} else if err := r.place(p); err != nil {
			return err
		}
	}
	return nil
}

// orphan reads a finding that a killed campaign left.
func (r *run) orphan(name string) (p pending, err error) {
	d, err := r.cfg.Store.Open(name)
	if err != nil {
		return p, err
	}
	if d.Record == nil {
		return p, fmt.Errorf("%s has no %s", d.Path, finding.RecordFile)
	}
	text, err := d.Read(finding.CaseFile)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = d.Read(finding.StormFile) // a storm has no case
	}
	if err != nil {
		return p, err
	}
	if err := os.RemoveAll(filepath.Join(d.Path, finding.ReducedDir)); err != nil { // it is made again
		return p, err
	}
	return pending{rec: d.Record, sig: signature.OfText(&d.Record.Finding, text), name: name}, nil
}
