package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/dbms"
	"txweave/exec"
	"txweave/weave"
)

// orphaned is how long a case may take after the input has ended. A worker whose campaign was killed in the midst of an
// engine's endless loop would else run for ever.
const orphaned = 2 * time.Minute

// incoming is a job, or why there is none.
type incoming struct {
	job campaign.Job
	err error
}

// receive decodes jobs as they come, ahead of the case that is being checked, so that the end of the input is noticed
// at once: late is called if the work is not done a grace period after it. Closing done ends it.
func receive(r io.Reader, grace time.Duration, late func(), done <-chan struct{}) <-chan incoming {
	out := make(chan incoming)
	go func() {
		in := json.NewDecoder(r)
		for {
			var next incoming
			next.err = in.Decode(&next.job)
			if next.err != nil {
				time.AfterFunc(grace, func() {
					select {
					case <-done:
					default:
						late()
					}
				})
			}
			select {
			case out <- next:
			case <-done:
				return
			}
			if next.err != nil {
				return
			}
		}
	}()
	return out
}

// tellEvery is how often a process says what it is at while a case takes long. A variable for tests.
var tellEvery = 10 * time.Second

// tell sends what a worker is at, every now and then, until quiet is called, after which nothing more is sent.
func tell(enc *json.Encoder, n int, doing *exec.Doing) (quiet func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for t := time.NewTicker(tellEvery); ; {
			select {
			case <-done:
				t.Stop()
				return
			case <-t.C:
				_ = enc.Encode(campaign.CaseResult{Case: n, Doing: doing.String()}) // if nobody reads it the result tells
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// Serve answers jobs on a reader, a JSON object a line, with results on a writer until its input ends; a Hello goes
// first.
func Serve(ctx context.Context, r io.Reader, w io.Writer, t exec.Target, p *dbms.Profile, src *casesource.Cases,
	o weave.Options) error {
	worker, err := New(ctx, t, p, src, o)
	if err != nil {
		return err
	}
	defer worker.Release()
	enc := json.NewEncoder(w)
	if err := enc.Encode(Hello{Description: t.Describe()}); err != nil {
		return err
	}
	done := make(chan struct{})
	defer close(done)
	in := receive(r, orphaned, func() { os.Exit(1) }, done)
	for {
		next := <-in
		if errors.Is(next.err, io.EOF) {
			return nil
		} else if next.err != nil {
			return fmt.Errorf("what the campaign sends is not a job: %w", next.err)
		}
		job := next.job
		quiet := tell(enc, job.Case, &worker.doing)
		res, err := worker.Check(ctx, job)
		quiet()
		if res == nil {
			res = &campaign.CaseResult{Case: job.Case}
		}
		if err != nil {
			res.Fatal, res.Unavailable = err.Error(), errors.Is(err, exec.ErrUnavailable)
		}
		if err := enc.Encode(res); err != nil {
			return err
		}
	}
}
