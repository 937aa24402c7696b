package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"txweave/finding"
	"txweave/weave"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/sdg"
	"txweave/testcase"
)

// verifyFlags are the flags of the verify command.
type verifyFlags struct {
	targetFlags
	bugsFlags
	repeat int
}

// verified is what became of one bug: the objects that verify --format json prints, in a list.
type verified struct {
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

func verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [BUG...]",
		Short: "Run the bugs that campaigns have found on another build and say which are still there",
		Long: `Run the smallest case of every open bug, or of those named, on another build and say how often it still shows the
bug. Bugs of another DBMS than the target are passed over. The outcome is noted in the store; closing a bug is left
to "txweave bugs fixed-in".
Exit code 0: none was seen again, 1: at least one was, 2: nothing could be checked.`,
		Example: `  txweave verify --server /opt/mariadb-11.8/bin/mariadbd
  txweave verify --dsn 'user:password@tcp(127.0.0.1:3306)/' --repeat 20 B3`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), ids)
		},
	}
	f.targetFlags.add(cmd.Flags(), "")
	f.addFaults(cmd.Flags())
	cmd.Flags().StringVar(&f.out, "out", "txweave-out", "the campaign's directory")
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json")
	cmd.Flags().IntVar(&f.repeat, "repeat", 5, "how many times to run each case")
	return cmd
}

// job is a bug to be verified.
type job struct {
	bug   *finding.Bug
	path  string
	text  []byte
	claim string // that the finding was held to
}

func (f *verifyFlags) run(ctx context.Context, stdout io.Writer, ids []string) error {
	if f.repeat < 1 {
		return usagef("--repeat must be at least 1")
	}
	store, err := f.store()
	if err != nil {
		return err
	}
	jobs, err := f.jobs(store, ids)
	if err != nil {
		return err
	}
	if f.dsn != "" || f.target != "" { // the target decides which bugs can be verified
		probe := f.targetFlags
		if _, err := probe.resolve(ctx); err != nil {
			return err
		}
		f.target = probe.target
	} else if f.server != "" {
		if f.target, err = onlyServer(jobs); err != nil {
			return err
		}
	}
	out := []*verified{}
	for _, group := range groups(jobs, f.target, &out) {
		done, err := f.verify(ctx, group)
		out = append(out, done...)
		if err != nil {
			return errors.Join(f.note(store, out), err)
		}
	}
	if err := f.note(store, out); err != nil {
		return err
	}
	return f.print(stdout, out)
}

// jobs lists the bugs to be verified with their cases.
func (f *verifyFlags) jobs(store *campaign.Store, ids []string) ([]job, error) {
	b, err := store.Bugs()
	if err != nil {
		return nil, err
	}
	var out []job
	for _, id := range ids {
		if _, err := b.Find(id); err != nil {
			return nil, usage(err)
		}
	}
	for _, g := range b.Bugs {
		if len(ids) == 0 && g.Status != finding.StatusOpen || len(ids) > 0 && !slices.Contains(ids, g.ID) {
			continue
		}
		j := job{bug: g}
		if j.path, j.text = smallestCase(f.out, g); j.text != nil {
			if rec, err := finding.ReadRecord(filepath.Dir(j.path)); err == nil {
				j.claim = rec.Environment.Claim
			}
		}
		out = append(out, j)
	}
	return out, nil
}

// onlyServer is the target of --server alone: the one DBMS that the bugs are of.
func onlyServer(jobs []job) (string, error) {
	var names []string
	for _, j := range jobs {
		if !slices.Contains(names, j.bug.DBMS) {
			names = append(names, j.bug.DBMS)
		}
	}
	if len(names) != 1 {
		return "", usagef("--server needs --target: the bugs are of %d kinds of server", len(names))
	}
	return names[0], nil
}

// groups puts together what one worker can verify; what none can goes to skipped.
func groups(jobs []job, target string, skipped *[]*verified) [][]job {
	var out [][]job
	index := map[string]int{}
	for _, j := range jobs {
		v := &verified{ID: j.bug.ID, Signature: j.bug.Signature.String(), DBMS: j.bug.DBMS, Other: []string{}}
		switch {
		case target != "" && target != j.bug.DBMS:
			v.Skipped = "it is a bug of " + j.bug.DBMS
		case j.text == nil:
			v.Skipped = "its case is not kept"
		default:
			key := j.bug.DBMS + "\x00" + j.claim
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

// verify runs the cases of bugs of one DBMS that are held to one claim.
func (f *verifyFlags) verify(ctx context.Context, group []job) (out []*verified, err error) {
	t := f.targetFlags
	t.target = group[0].bug.DBMS
	if t.claim == "" {
		t.claim = group[0].claim
	}
	p, err := t.resolve(ctx)
	if err != nil {
		return nil, err
	}
	fl, err := newFleet(ctx, &t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fl.close()) }()
	src, err := newCaseSource(0, p)
	if err != nil {
		return nil, err
	}
	w := &workers{fleet: fl, profile: p, source: src, options: weave.Options{Precision: sdg.Match}, orders: 2, precision: "match"}
	worker, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, worker.Close()) }()
	for _, j := range group {
		v, err := f.one(ctx, worker, j)
		if err != nil {
			return out, fmt.Errorf("%s: %w", j.bug.ID, err)
		}
		about := w.describe()
		v.DBMS, v.Version = about.Target, about.Version
		out = append(out, v)
	}
	return out, nil
}

// one runs one bug's case.
func (f *verifyFlags) one(ctx context.Context, worker campaign.Worker, j job) (*verified, error) {
	v := &verified{ID: j.bug.ID, Signature: j.bug.Signature.String(), Case: j.path, Other: []string{}}
	if _, err := testcase.Parse(j.path, j.text); err != nil {
		v.Skipped = err.Error()
		return v, nil
	}
	for range f.repeat {
		res, err := worker.Check(ctx, campaign.Job{Text: j.text, Repeats: 1, Bare: true})
		if err == nil {
			err = res.Err()
		}
		if ctx.Err() != nil {
			return nil, &exitError{exitInterrupted, errors.New("interrupted")}
		}
		if err != nil {
			return nil, err
		}
		if res.Refused != "" {
			v.Skipped = res.Refused
			return v, nil
		}
		v.Runs++
		if findBySignature(res, j.bug.Signature.Coarse) != nil {
			v.Shown++
		}
		for _, x := range append(res.Findings, res.Flaky...) {
			if x.Signature != j.bug.Signature.Coarse && !slices.Contains(v.Other, x.Signature) {
				v.Other = append(v.Other, x.Signature)
			}
		}
	}
	return v, nil
}

// note writes the outcome into the store.
func (f *verifyFlags) note(store *campaign.Store, list []*verified) error {
	return store.Update(func(b *finding.Bugs) error {
		for _, v := range list {
			g, err := b.Find(v.ID)
			if err != nil || v.Runs == 0 {
				continue // merged away meanwhile, or not run
			}
			note := ""
			if len(v.Other) > 0 {
				note = "also " + strings.Join(v.Other, ", ")
			}
			g.Verified = append(g.Verified, finding.Verification{Time: time.Now().UTC().Truncate(time.Second), DBMS: v.DBMS, Version: v.Version,
				Shown: v.Shown, Runs: v.Runs, Note: note})
		}
		return nil
	})
}

// print prints the outcome and turns it into an exit code.
func (f *verifyFlags) print(w io.Writer, list []*verified) (err error) {
	there, checked := 0, 0
	for _, v := range list {
		if v.Runs > 0 {
			checked++
		}
		if v.Shown > 0 {
			there++
		}
	}
	if f.format == "json" {
		err = printJSON(w, list)
	} else {
		for _, v := range list {
			err = errors.Join(err, v.print(w))
		}
		err = errors.Join(err, printf(w, "%d of %d bugs are still there, %d were not checked\n", there, checked, len(list)-checked))
	}
	switch {
	case err != nil:
		return err
	case there > 0:
		return &exitError{code: exitFindings}
	case checked == 0:
		return &exitError{exitInconclusive, errors.New("inconclusive: there is no bug that could be checked")}
	}
	return nil
}

func (v *verified) print(w io.Writer) error {
	if v.Skipped != "" {
		return printf(w, "%-4s not checked: %s  %s\n", v.ID, v.Skipped, v.Signature)
	}
	state := "gone"
	if v.Shown > 0 {
		state = "still there"
	}
	other := ""
	if len(v.Other) > 0 {
		other = "; it shows " + strings.Join(v.Other, ", ")
	}
	return printf(w, "%-4s %s, %d/%d on %s %s  %s%s\n", v.ID, state, v.Shown, v.Runs, v.DBMS, v.Version, v.Signature, other)
}
