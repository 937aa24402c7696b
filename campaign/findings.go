package campaign

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
	"txweave/finding"
	"txweave/finding/signature"

	"txweave/testcase"
)

// signatureOf returns the signature of a finding with its case.
func signatureOf(f *finding.Finding, text []byte) finding.Signature {
	c, err := testcase.Parse(caseFile, text)
	if err != nil { // the generator could not make it a second time
		return finding.Signature{Coarse: f.Signature, Features: []string{}}
	}
	return signature.Of(f, c)
}

// flooded tells that a cause is paused.
func (r *run) flooded(cause string, cases int) {
	r.note(fmt.Sprintf("set-up fault? %s shows in %d of the last %d cases: its findings are paused, and only counted until it is rarer",
		cause, cases, floodWindow))
	r.floods[cause] = true
	for _, b := range r.sum.Bugs {
		b.Paused = b.Paused || b.coarse == cause
	}
}

func (r *run) note(text string) {
	if r.cfg.Note != nil {
		r.cfg.Note(text)
	}
}

// found decides what becomes of a finding: held back, counted as a known bug, or kept until it is reduced and placed.
func (r *run) found(res *CaseResult, f *Found) error {
	if r.flood.holds(f.Signature) {
		return nil
	}
	p := pending{rec: r.record(res, f, "finding"), sig: signatureOf(&f.Finding, f.Files[caseFile]), files: f.Files}
	if known, err := r.known(&f.Finding, p.sig); known || err != nil {
		return err
	}
	if r.queue == nil {
		return r.place(p)
	}
	if !r.queue.room() {
		r.queue.postpone(p)
		return nil
	}
	var err error
	if p.dir, err = r.save(p.rec, p.files); err != nil {
		p.files = nil
		return errors.Join(err, r.place(p))
	}
	r.queue.add(p)
	return nil
}

// record is a finding's finding.json. Its name is unique in the campaign and tells the case.
func (r *run) record(res *CaseResult, f *Found, kind string) *finding.Record {
	rec := &finding.Record{ID: fmt.Sprintf("%s-%06d-%d", kind, res.Case, r.ids), Finding: f.Finding, Environment: r.env}
	rec.Environment.Case = res.Case
	r.ids++
	return rec
}

// known counts a finding that is a known bug.
func (r *run) known(f *finding.Finding, sig finding.Signature) (bool, error) {
	if r.cfg.Known == nil {
		return false, nil
	}
	name := r.cfg.Known(f, sig)
	if name == "" {
		return false, nil
	}
	r.sum.Known[name]++
	if r.cfg.Store == nil {
		return true, nil
	}
	return true, r.cfg.Store.Update(func(b *finding.Bugs) error { b.Known[name]++; return nil })
}

// save keeps a finding's files.
func (r *run) save(rec *finding.Record, files map[string][]byte) (dir string, err error) {
	if r.cfg.Store == nil {
		return "", nil
	}
	if dir, err = r.cfg.Store.Save(rec, files); err != nil {
		return "", fmt.Errorf("cannot keep %s, case %d of seed %d: %w", rec.ID, rec.Environment.Case, r.cfg.Seed, err)
	}
	return dir, nil
}

// place counts findings to their bugs and keeps the files of those whose bugs have few. A finding that cannot be kept is
// counted and reported all the same, without a directory.
func (r *run) place(list ...pending) error {
	bugs := make([]finding.Bug, len(list))
	fresh, kept := make([]bool, len(list)), make([]bool, len(list))
	var lost error
	err := r.update(func(b *finding.Bugs) error {
		now := time.Now().UTC().Truncate(time.Second)
		for i := range list {
			p := &list[i]
			g, isNew := b.Place(p.rec, p.sig, now)
			if p.dir != "" || p.files != nil {
				var kerr error
				kept[i], kerr = r.keep(g, p)
				lost = errors.Join(lost, kerr)
			}
			bugs[i], fresh[i] = *g, isNew
		}
		return nil
	})
	for i := range list {
		p := &list[i]
		if err != nil {
			bugs[i], kept[i] = finding.Bug{Status: finding.StatusOpen, Signature: p.sig, Summary: p.rec.Summary}, true
			lost = errors.Join(lost, fmt.Errorf("cannot count %s, case %d of seed %d: %w", p.rec.ID, p.rec.Environment.Case, r.cfg.Seed, err))
		}
		if !kept[i] && p.dir != "" {
			lost = errors.Join(lost, os.RemoveAll(p.dir))
		}
		ref := FindingRef{ID: p.rec.ID, Bug: bugs[i].ID, Class: p.rec.Class, Oracle: p.rec.Oracle, Signature: p.sig.String(), Dir: p.dir}
		if kept[i] {
			r.sum.Findings = append(r.sum.Findings, ref)
		} else {
			r.sum.Repeats++
		}
		r.count(&bugs[i], fresh[i], ref, &p.rec.Finding)
	}
	return lost
}

// keep keeps a finding's files if its bug wants them.
func (r *run) keep(g *finding.Bug, p *pending) (kept bool, err error) {
	gone, kept := g.Keep(finding.Kept{Signature: p.sig}, max(r.cfg.MaxKept, 1))
	if !kept {
		return false, nil
	}
	if p.dir == "" {
		p.dir, err = r.save(p.rec, p.files)
	}
	last := len(g.Kept) - 1
	if g.Kept[last].Dir = filepath.Base(p.dir); p.dir == "" {
		g.Kept = g.Kept[:last]
	}
	if gone != "" {
		err = errors.Join(err, os.RemoveAll(filepath.Join(r.cfg.Store.Dir, gone)))
		before := len(r.sum.Findings)
		r.sum.Findings = slices.DeleteFunc(r.sum.Findings, func(f FindingRef) bool { return filepath.Base(f.Dir) == gone })
		r.sum.Repeats += before - len(r.sum.Findings)
	}
	return true, err
}

// update changes the store's bugs; without a store they are the campaign's own.
func (r *run) update(change func(*finding.Bugs) error) error {
	if r.cfg.Store == nil {
		return change(&r.bugs)
	}
	return r.cfg.Store.Update(change)
}

// count adds a finding to the summary's bugs, and reports the bug when this campaign meets it for the first time.
func (r *run) count(g *finding.Bug, fresh bool, ref FindingRef, f *finding.Finding) {
	for _, b := range r.sum.Bugs {
		if b.ID == g.ID && g.ID != "" {
			b.Count++
			b.Status = g.Status
			return
		}
	}
	if r.cfg.Store != nil && len(g.Kept) > 0 {
		ref.Dir = filepath.Join(r.cfg.Store.Dir, g.Kept[0].Dir)
	}
	r.sum.Bugs = append(r.sum.Bugs, &BugRef{ID: g.ID, Status: g.Status, New: fresh, Count: 1, Signature: g.Signature.String(), Summary: g.Summary, Dir: ref.Dir,
		Paused: r.floods[g.Signature.Coarse], coarse: g.Signature.Coarse})
	if r.cfg.Report != nil && g.Status == finding.StatusOpen {
		r.cfg.Report(ref, f, false)
	}
}

// flaky keeps and reports a difference that did not come back each time: the first ones, by signature.
func (r *run) flaky(res *CaseResult, f *Found) error {
	rec := r.record(res, f, "flaky")
	r.sum.Flaky = append(r.sum.Flaky, rec.ID)
	if r.flakyKept[f.Signature]++; r.flakyKept[f.Signature] > max(r.cfg.MaxKept, 1) {
		return nil
	}
	dir, err := r.save(rec, f.Files)
	if r.cfg.Report != nil {
		r.cfg.Report(FindingRef{ID: rec.ID, Class: f.Class, Oracle: f.Oracle, Signature: f.Signature, Dir: dir}, &f.Finding, true)
	}
	return err
}

// adopt takes care of the findings that a killed campaign left in the store without a bug, so that nothing is lost.
// While another campaign uses the store they may be that one's, and stay.
func (r *run) adopt() error {
	if r.cfg.Store == nil {
		return nil
	}
	left, err := r.cfg.Store.orphans()
	if err != nil {
		return err
	}
	for _, dir := range left {
		rec, err := finding.ReadRecord(dir)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, caseFile))
		if err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(dir, ReducedDir)); err != nil { // it may have been killed while it wrote that
			return err
		}
		p := pending{rec: rec, sig: signatureOf(&rec.Finding, text), dir: dir, files: map[string][]byte{caseFile: text}}
		e := &rec.Environment
		if r.queue != nil && r.queue.room() && e.DBMS == r.env.DBMS && e.Isolation == r.env.Isolation && e.Claim == r.env.Claim {
			r.queue.add(p)
		} else if err := r.place(p); err != nil {
			return err
		}
	}
	return nil
}
