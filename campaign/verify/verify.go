// Package verify runs the bugs that campaigns have found again, on another build, and says which are still there.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/store"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/finding"
	"txweave/internal/outcome"
	"txweave/sdg"
	"txweave/testcase"
)

// Verified is what became of one bug: the objects that verify --format json prints, in a list.
type Verified struct {
	ID        string   `json:"id"`
	Signature string   `json:"signature"`
	Case      string   `json:"case"` // the file that was run
	DBMS      string   `json:"dbms"`
	Version   string   `json:"version"`
	Shown     int      `json:"shown"` // runs that showed it …
	Runs      int      `json:"runs"`  // … of this many
	Other     []string `json:"other"` // other signatures that it showed
	Skipped   string   `json:"skipped,omitempty"`
}

// Task is a bug to be verified.
type Task struct {
	Bug   *finding.Bug
	Path  string
	Text  []byte
	Claim string // that the finding was held to
	// Planted are the bugs that it was made with.
	Planted []string
}

// Config says which bugs are run again, how often and on what. Errors call its fields by the flags that set them.
type Config struct {
	Store  store.BugStore
	Repeat int           // times to run each case
	Target target.Config // bugs of another DBMS are passed over; without target and server each is run on its own
	// Planted says that the target's planted bugs, also none, take the place of those that findings were made with.
	Planted bool
	// Progress, unless nil, is told how many of how many bugs are done.
	Progress func(done, all int)
}

// only is the target that jobs are run on; "" is that of each bug.
func (v *Config) only(ctx context.Context, jobs []Task) (string, error) {
	if v.Target.DSN != "" || v.Target.Target != "" { // the target decides which bugs can be verified
		on, err := v.Target.Resolve(ctx)
		if err != nil {
			return "", err
		}
		return on.Target, nil
	}
	if v.Target.Server == "" {
		return "", nil
	}
	var names []string
	for _, j := range jobs {
		if !slices.Contains(names, j.Bug.DBMS) {
			names = append(names, j.Bug.DBMS)
		}
	}
	if len(names) != 1 {
		return "", outcome.Misusef("--server needs --target: the bugs are of %d kinds of server", len(names))
	}
	return names[0], nil
}

// pooled is a worker with the pool and the fleet that it is of.
type pooled struct {
	campaign.Worker
	*worker.Pool
	fleet *target.Fleet
}

func (w *pooled) Close() error { return errors.Join(w.Worker.Close(), w.fleet.Close()) }

// open opens a worker for bugs of one DBMS that are held to one claim.
func (v *Config) open(ctx context.Context, group []Task) (*pooled, error) {
	t := v.Target
	t.Target, t.Claim = group[0].Bug.DBMS, cmp.Or(t.Claim, group[0].Claim)
	if !v.Planted {
		t.Inject = group[0].Planted
	}
	on, err := t.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	fl, err := on.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	src, err := casesource.NewCases(0, on.Profile)
	if err != nil {
		return nil, errors.Join(err, fl.Close())
	}
	pool, err := worker.NewPool(fl, src, worker.Checks{Orders: 2, Precision: sdg.Match.String()})
	if err != nil {
		return nil, errors.Join(err, fl.Close())
	}
	w, err := pool.Open(ctx)
	if err != nil {
		return nil, errors.Join(err, fl.Close())
	}
	return &pooled{w, pool, fl}, nil
}

// Run runs the bugs of some names, all open ones where there are none. What was done before an error is in the result,
// and noted in the store.
func (v *Config) Run(ctx context.Context, ids []string) (out []*Verified, err error) {
	jobs, err := v.jobs(ids)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	target, err := v.only(ctx, jobs)
	if err != nil {
		return nil, err
	}
	out = []*Verified{}
	for _, group := range groups(jobs, target, &out) {
		done, err := v.group(ctx, group, func(done int) { v.told(len(out)+done, len(jobs)) })
		if out = append(out, done...); err != nil {
			return out, errors.Join(v.note(out), err)
		}
	}
	return out, v.note(out)
}

// group runs the cases of bugs of one DBMS that are held to one claim.
func (v *Config) group(ctx context.Context, group []Task, told func(done int)) (out []*Verified, err error) {
	w, err := v.open(ctx, group)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, j := range group {
		done, err := v.one(ctx, w, j)
		if err != nil {
			return out, fmt.Errorf("%s: %w", j.Bug.ID, err)
		}
		about := w.Describe()
		done.DBMS, done.Version = about.Target, about.Version
		out = append(out, done)
		told(len(out))
	}
	return out, nil
}

// told says how far it is.
func (v *Config) told(done, all int) {
	if v.Progress != nil {
		v.Progress(done, all)
	}
}

// jobs lists the bugs to be verified with their cases: those named, else all that are open.
func (v *Config) jobs(ids []string) ([]Task, error) {
	b, err := v.Store.Bugs()
	if err != nil {
		return nil, err
	}
	var out []Task
	for _, id := range ids {
		if _, err := b.Find(id); err != nil {
			return nil, err
		}
	}
	for _, g := range b.Bugs {
		if len(ids) == 0 && g.Status != finding.StatusOpen && g.Status != finding.StatusUnconfirmed || len(ids) > 0 &&
			!slices.Contains(ids, g.ID) {
			continue
		}
		j := Task{Bug: g}
		if j.Path, j.Text = v.Store.SmallestCase(g); j.Text != nil {
			if rec, err := finding.ReadRecord(filepath.Dir(j.Path)); err == nil {
				j.Claim, j.Planted = rec.Environment.Claim, rec.Environment.Planted
			}
		}
		out = append(out, j)
	}
	return out, nil
}

// groups puts together what one worker can verify; what none can goes to skipped.
func groups(jobs []Task, target string, skipped *[]*Verified) [][]Task {
	var out [][]Task
	index := map[string]int{}
	for _, j := range jobs {
		v := &Verified{ID: j.Bug.ID, Signature: j.Bug.Signature.String(), DBMS: j.Bug.DBMS, Other: []string{}}
		switch {
		case target != "" && target != j.Bug.DBMS:
			v.Skipped = "it is a bug of " + j.Bug.DBMS
		case j.Text == nil:
			v.Skipped = "its case is not kept"
		default:
			key := j.Bug.DBMS + "\x00" + j.Claim + "\x00" + strings.Join(j.Planted, ",")
			if _, has := index[key]; !has {
				index[key] = len(out)
				out = append(out, nil)
			}
			out[index[key]] = append(out[index[key]], j)
			continue
		}
		*skipped = append(*skipped, v)
	}
	return out
}

// one runs one bug's case.
func (v *Config) one(ctx context.Context, w campaign.Worker, j Task) (*Verified, error) {
	out := &Verified{ID: j.Bug.ID, Signature: j.Bug.Signature.String(), Case: j.Path, Other: []string{}}
	if _, err := testcase.Read(j.Path, j.Text); err != nil {
		out.Skipped = err.Error()
		return out, nil
	}
	for range v.Repeat {
		res, err := w.Check(ctx, campaign.Job{Text: j.Text, Repeats: 1, Bare: true})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if res.Refused != "" {
			out.Skipped = res.Refused
			return out, nil
		}
		out.Runs++
		list, shown := append(res.Findings, res.Unconfirmed...), false
		for i := range list {
			shown = shown || j.Bug.Shows(&list[i].Finding)
		}
		if shown {
			out.Shown++
		}
		for _, x := range list {
			if !j.Bug.Shows(&x.Finding) && !slices.Contains(out.Other, x.Signature) {
				out.Other = append(out.Other, x.Signature)
			}
		}
	}
	return out, nil
}

// note writes the outcome into the store.
func (v *Config) note(list []*Verified) error {
	notes := map[string]finding.Verification{}
	for _, x := range list {
		if x.Runs == 0 {
			continue
		}
		note := ""
		if len(x.Other) > 0 {
			note = "also " + strings.Join(x.Other, ", ")
		}
		notes[x.ID] = finding.Verification{Time: time.Now().UTC().Truncate(time.Second), DBMS: x.DBMS, Version: x.Version,
			Shown: x.Shown, Runs: x.Runs, Note: note}
	}
	return v.Store.Note(notes)
}
