package rediscover

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"txweave/campaign"
	"txweave/campaign/shrink"
	"txweave/finding"
	"txweave/finding/known"
	"txweave/finding/signature"
)

// reduceTries is how many findings of one seed are reduced for a bug that only reduced ones tell of.
const reduceTries = 6

// looker looks through the findings of a campaign for the first one of each known bug.
type looker struct {
	*Result
	open    func(context.Context) (campaign.Reducer, error) // nil: nothing is reduced
	reducer campaign.Reducer
	bugs    known.List
	tries   map[string]int // by bug: findings that were reduced to see whether they are it
	met     map[string]int // by bug: the number of the first case
}

// through looks through the findings below a directory in the order of their cases, and counts those that are none of
// the bugs.
func (l *looker) through(ctx context.Context, dir string) error {
	found, err := filepath.Glob(filepath.Join(dir, "*", finding.RecordFile))
	if err != nil {
		return err
	}
	list := make([]*finding.Dir, len(found))
	for i, path := range found {
		if list[i], err = finding.Open(filepath.Dir(path)); err != nil {
			return err
		}
	}
	slices.SortStableFunc(list, func(a, b *finding.Dir) int {
		return cmp.Compare(a.Record.Environment.Case, b.Record.Environment.Case)
	})
	for _, d := range list {
		b, sig, err := l.bugOf(ctx, d)
		if err != nil {
			return err
		}
		switch {
		case b == nil && !sig.Minimal && slices.ContainsFunc(l.bugs.MayBe(&d.Record.Finding, sig), l.wasMet):
			l.Alike++
		case b == nil:
			l.other(sig.Coarse, d.Path)
		case !l.wasMet(b):
			l.met[b.Name] = d.Record.Environment.Case
		}
	}
	return nil
}

// wasMet says whether a finding before was a bug.
func (l *looker) wasMet(b *known.Entry) bool {
	_, was := l.met[b.Name]
	return was
}

// bugOf returns the bug that a finding is, as it was found or reduced; nil if it is none. Its signature is that of the
// smallest case.
func (l *looker) bugOf(ctx context.Context, d *finding.Dir) (*known.Entry, finding.Signature, error) {
	sig, err := signed(d)
	if err != nil {
		return nil, sig, err
	}
	if b := l.bugs.Match(&d.Record.Finding, sig); b != nil {
		return b, sig, nil
	}
	small, err := d.Reduced()
	if err != nil {
		return nil, sig, err
	}
	if small == nil && l.worth(l.bugs.MayBe(&d.Record.Finding, sig)) {
		if small, err = l.reduce(ctx, d); err != nil {
			return nil, sig, err
		}
	}
	if small == nil || small.Record == nil {
		return nil, sig, nil
	}
	if sig, err = signed(small); err != nil {
		return nil, sig, err
	}
	return l.bugs.Match(&small.Record.Finding, sig), sig, nil
}

// signed returns the signature of a finding as it lies in a directory.
func signed(d *finding.Dir) (sig finding.Signature, err error) {
	c, err := d.Case()
	if err != nil {
		return sig, err
	}
	sig = signature.Of(&d.Record.Finding, c)
	sig.Minimal, err = d.Minimal()
	return sig, err
}

// worth says whether a finding that may be one of some bugs is to be reduced: one of them was not met yet, nor tried
// for too often.
func (l *looker) worth(may known.List) bool {
	worth := false
	for _, b := range may {
		if l.open != nil && !l.wasMet(b) && l.tries[b.Name] < reduceTries {
			l.tries[b.Name]++
			worth = true
		}
	}
	return worth
}

// reduce makes the case of a finding smaller, and returns its directory; nil where it does not come back. A reduction
// that fails says nothing of the finding, which stays as it is.
func (l *looker) reduce(ctx context.Context, d *finding.Dir) (*finding.Dir, error) {
	text, err := d.Read(finding.CaseFile)
	if err != nil {
		return nil, err
	}
	if l.reducer == nil {
		opened, err := l.open(ctx)
		if err != nil {
			return nil, err // what came with it is none to be closed
		}
		l.reducer = opened
	}
	small, err := l.reducer.Reduce(ctx, d.Record, text)
	if err != nil {
		return nil, errors.Join(ctx.Err(), l.close()) // the next one has another database
	}
	if small == nil {
		return nil, nil
	}
	if err := shrink.Write(d.Path, small); err != nil {
		return nil, err
	}
	return d.Reduced()
}

func (l *looker) close() (err error) {
	if l.reducer != nil {
		err, l.reducer = l.reducer.Close(), nil
	}
	return err
}
