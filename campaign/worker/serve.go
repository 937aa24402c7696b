package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"txweave/campaign"
	"txweave/dbms"
	"txweave/exec"
	"txweave/weave"
)

// Serve answers jobs on a reader, a JSON object a line, with results on a writer until its input ends; a Hello goes first.
func Serve(ctx context.Context, r io.Reader, w io.Writer, t exec.Target, p *dbms.Profile, src *Cases, o weave.Options) error {
	worker, err := New(ctx, t, p, src, o)
	if err != nil {
		return err
	}
	defer worker.Release()
	enc := json.NewEncoder(w)
	if err := enc.Encode(Hello{Description: t.Describe()}); err != nil {
		return err
	}
	in := json.NewDecoder(r)
	for {
		var job campaign.Job
		if err := in.Decode(&job); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("the campaign sends what is no job: %w", err)
		}
		res, err := worker.Check(ctx, job)
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
