// Package verify runs the bugs that campaigns have found again, on another build, and says which are still there.
package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"txweave/campaign"
	"txweave/campaign/store"
	"txweave/exec"
	"txweave/finding"
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

// Rerunner runs the cases of bugs again.
type Rerunner struct {
	Store  store.BugStore
	Repeat int // times to run each case
	// Open opens a worker for the bugs of a group, all of one DBMS and held to one claim.
	Open func(ctx context.Context, group []Task) (DescribedWorker, error)
}

// DescribedWorker is a campaign's worker that knows what it runs on.
type DescribedWorker interface {
	campaign.Worker
	Describe() exec.Description
}

// Run runs jobs on a target; "" is that of each bug. Bugs of another one are passed over. What was done before an error is
// in the result, and noted in the store.
func (v *Rerunner) Run(ctx context.Context, jobs []Task, target string) (out []*Verified, err error) {
	out = []*Verified{}
	for _, group := range groups(jobs, target, &out) {
		done, err := v.group(ctx, group)
		if out = append(out, done...); err != nil {
			return out, errors.Join(v.note(out), err)
		}
	}
	return out, v.note(out)
}

// group runs the cases of bugs of one DBMS that are held to one claim.
func (v *Rerunner) group(ctx context.Context, group []Task) (out []*Verified, err error) {
	w, err := v.Open(ctx, group)
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
	}
	return out, nil
}

// jobs lists the bugs to be verified with their cases.
// Jobs lists the bugs to be verified with their cases: those named, else all that are open.
func Jobs(store store.BugStore, ids []string) ([]Task, error) {
	b, err := store.Bugs()
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
		if len(ids) == 0 && g.Status != finding.StatusOpen && g.Status != finding.StatusSuspect || len(ids) > 0 && !slices.Contains(ids, g.ID) {
			continue
		}
		j := Task{Bug: g}
		if j.Path, j.Text = store.SmallestCase(g); j.Text != nil {
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
func (v *Rerunner) one(ctx context.Context, worker campaign.Worker, j Task) (*Verified, error) {
	out := &Verified{ID: j.Bug.ID, Signature: j.Bug.Signature.String(), Case: j.Path, Other: []string{}}
	if _, err := testcase.Read(j.Path, j.Text); err != nil {
		out.Skipped = err.Error()
		return out, nil
	}
	for range v.Repeat {
		res, err := worker.Check(ctx, campaign.Job{Text: j.Text, Repeats: 1, Bare: true})
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
		list, shown := append(res.Findings, res.Flaky...), false
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
func (v *Rerunner) note(list []*Verified) error {
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
