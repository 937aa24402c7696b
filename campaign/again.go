package campaign

import (
	"slices"

	"txweave/finding"
	"txweave/finding/signature"
)

// again reduces one finding that no campaign had the time to reduce to the end, the first of a bug without a reduced
// case, and counts it to the bug that it then is. Each finding is tried once: what takes longer than ReduceTime, or
// comes back too seldom, must not take it from new findings in every turn.
func (q *reductions) again() error {
	r := q.run
	p, mayBe, err := r.unreduced()
	if p == nil || err != nil {
		return err
	}
	small, _ := q.tryAgain(*p) // why it is not reduced was said when it was found
	if small == nil && q.begins.Err() != nil {
		return nil // the campaign ended: another one tries it
	}
	if small != nil {
		p.sig = signature.OfText(&small.Finding, small.Files[finding.CaseFile])
		if small.Minimal {
			p.sig = p.sig.Reduced()
		}
		p.rec.Finding = small.Finding
		if err := r.cfg.Store.SaveReduced(p.name, p.rec, small.Files); err != nil {
			return err
		}
	}
	known := ""
	if small != nil && r.cfg.Known != nil {
		known = r.cfg.Known(&small.Finding, p.sig)
	}
	return r.recount(p, small != nil, mayBe, known)
}

// recount notes that a finding was reduced once more, and counts it to the bug that it is where its case is smaller.
// mayBe says that nobody was told of its bug, known names the known bug that it is.
func (r *run) recount(p *pending, smaller, mayBe bool, known string) error {
	var was, is *finding.Bug
	err := r.cfg.Store.Update(func(b *finding.Bugs) error {
		for _, g := range b.Bugs {
			for i := range g.Kept {
				g.Kept[i].Again = g.Kept[i].Again || g.Kept[i].Dir == p.name
			}
		}
		if smaller {
			was, is = b.Recount(p.name, p.rec, p.sig, known)
		}
		return nil
	})
	if err != nil || is == nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.see(is)
	if mayBe && is.ID == was.ID && is.Reduced() && is.Open() { // it was none of those that it might have been
		r.report(FindingRef{ID: p.rec.ID, Bug: is.ID, Class: p.rec.Class, Oracle: p.rec.Oracle, Signature: p.sig.String(),
			Dir: r.cfg.Store.Where(p.name)}, p.rec, false)
	}
	return nil
}

// unreduced is the first finding that again has not tried of an open bug without a reduced case, as it was found; nil
// where there is none that this campaign can run. mayBe says that its group may be another bug.
func (r *run) unreduced() (p *pending, mayBe bool, err error) {
	b, err := r.cfg.Store.Bugs()
	if err != nil {
		return nil, false, err
	}
	for _, g := range b.Bugs {
		if g.Status != finding.StatusOpen || g.Reduced() {
			continue
		}
		for _, k := range g.Kept {
			d, err := r.cfg.Store.Open(k.Dir)
			if !k.Again && err == nil && d.Record != nil && r.like(&d.Record.Environment) {
				return &pending{rec: d.Record, sig: k.Signature, name: k.Dir}, len(g.MayBe) > 0, nil
			}
		}
	}
	return nil, false, nil
}

// like says whether a finding was found under what this campaign tests.
func (r *run) like(e *finding.Environment) bool {
	return e.DBMS == r.env.DBMS && e.Isolation == r.env.Isolation && e.Claim == r.env.Claim &&
		slices.Equal(e.Planted, r.env.Planted)
}
