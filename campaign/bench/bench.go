// Package bench measures speed, and how close it is to a bare loop over the same statements.
package bench

import (
	"context"
	"fmt"
	"io"
	"time"

	"txweave/campaign/casesource"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding/known"
	"txweave/weave"
)

// Result is what is measured.
type Result struct {
	Target              string  `json:"target"`
	Version             string  `json:"version"`
	Isolation           string  `json:"isolation"`
	Cases               int     `json:"cases"`
	CasesPerMinute      float64 `json:"cases_per_minute"` // checked cases, one worker
	Statements          int     `json:"statements"`       // as recorded, resets included
	StatementsPerSecond float64 `json:"statements_per_s"` // waiting for locks left out
	BarePerSecond       float64 `json:"bare_statements_per_s"`
	Different           int     `json:"different"` // statements that the bare loop's database refused, for a lock
	Ratio               float64 `json:"ratio"`     // of the two rates
	LockWaitShare       float64 `json:"lock_wait_share"`
}

// waitsForNoLock is the production whose statements wait until others have ended, and are refused for no lock where
// they would have to: the bare loop, which has one statement under way at a time, would wait for ever.
const waitsForNoLock = "read-deferrable"

// Run times so many cases of a seed on a database, then the bare loop over what they sent.
func Run(ctx context.Context, t exec.Target, p *dbms.Profile, seed uint64, cases int) (*Result, error) {
	src, err := casesource.NewCasesFor(t.Describe().Version, seed, p, append(known.Usually(p.DBMS), waitsForNoLock)...)
	if err != nil {
		return nil, err
	}
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d := t.Describe()
	res := &Result{Target: d.Target, Version: d.Version, Isolation: p.Isolation, Cases: cases}
	var recorded []exec.BareStmt
	r.Record(&recorded)
	checked := 0
	start := time.Now()
	for n := range cases {
		c, err := src.Make(n)
		if err != nil {
			return nil, err
		}
		rep, err := weave.Check(r, c, p, weave.Options{})
		if err != nil {
			return nil, fmt.Errorf("case %d: %w", n, err)
		}
		if rep.Checked {
			checked++
		}
	}
	elapsed := time.Since(start)
	r.Record(nil)
	bare, err := r.Bare(ctx, recorded)
	if err != nil {
		return nil, err
	}
	res.CasesPerMinute = float64(checked) / elapsed.Minutes()
	res.Statements = len(recorded)
	res.StatementsPerSecond = float64(len(recorded)) / (elapsed - r.LockWait).Seconds()
	res.BarePerSecond = float64(bare.Statements) / bare.Elapsed.Seconds()
	res.Different = bare.Different
	res.Ratio = res.StatementsPerSecond / res.BarePerSecond
	res.LockWaitShare = r.LockWait.Seconds() / elapsed.Seconds()
	return res, nil
}

// Print prints it for people.
func (b *Result) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%s %s, %s, %d cases
checked cases a minute  %.0f
statements a second     %.0f (%.1f %% of the time spent on waiting for locks left out)
bare loop               %.0f (%d of %d statements not counted: refused for a lock)
ratio                   %.2f
`, b.Target, b.Version, b.Isolation, b.Cases, b.CasesPerMinute, b.StatementsPerSecond, 100*b.LockWaitShare,
		b.BarePerSecond, b.Different, b.Statements, b.Ratio)
	return err
}
