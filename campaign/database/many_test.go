package database

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"txweave/campaign/store"
	"txweave/finding"
)

var manyShards = flag.Int("database.shards", 16, "parts that TestManyShards has of a campaign on one store")

// TestManyShards: a store bears many parts of a campaign, of which each begins, counts cases and a finding, and ends;
// all of it is counted once, and the bug that all of them find is one.
func TestManyShards(t *testing.T) {
	const cases, atOnce = 10, 8
	for name, at := range stores(t) {
		t.Run(name, func(t *testing.T) {
			look, err := OpenShared(t.Context(), at, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer look.Close()
			empty(t, look)
			defer empty(t, look)
			part := func(shard int64) error {
				d, err := OpenShared(t.Context(), at, t.TempDir())
				if err != nil {
					return err
				}
				defer d.Close()
				cells, err := d.Begin(t.Context(), Shard{shard, int64(*manyShards)}, "test",
					[]CellPlan{{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz", Seed: 7}}, nil)
				if err != nil {
					return err
				}
				c := cells[0]
				if err := c.Resume(t.Context()); err != nil {
					return err
				}
				for i := range cases {
					n, _ := c.Next()
					done := &store.CaseDone{Case: n, Outcome: finding.Clean}
					if i == 0 {
						rec, sig := found(n, "crash/everywhere")
						done.Outcome, done.Waiting = finding.Found, []store.Placement{{Record: rec, Signature: sig}}
					}
					if fresh, err := c.Done(done); err != nil || !fresh {
						return fmt.Errorf("case %d: %v, %w", n, fresh, err)
					}
					if _, err := c.Place(done.Waiting, 1); err != nil {
						return err
					}
				}
				return d.End(t.Context())
			}
			var next atomic.Int64
			var wg sync.WaitGroup
			begun := time.Now()
			for range atOnce {
				wg.Go(func() {
					for shard := next.Add(1) - 1; shard < int64(*manyShards); shard = next.Add(1) - 1 {
						if err := part(shard); err != nil {
							t.Errorf("part %d: %v", shard, err)
							return
						}
					}
				})
			}
			wg.Wait()
			took := time.Since(begun)
			s := status(t, look)
			if want := int64(*manyShards * cases); s.Cells[0].Cases != want || s.Findings != *manyShards || s.Bugs != 1 {
				t.Errorf("%d cases of %d, %d findings, %d bugs", s.Cells[0].Cases, want, s.Findings, s.Bugs)
			}
			if wrong, _, _, err := look.Audit(t.Context()); err != nil || len(wrong) > 0 {
				t.Errorf("%q: %v", wrong, err)
			}
			begun = time.Now()
			status(t, look)
			t.Logf("%d parts, %d at once: %d cases and %d findings in %v, %.0f a second; the status takes %v", *manyShards,
				atOnce, *manyShards*cases, *manyShards, took.Round(time.Millisecond),
				float64(*manyShards*(cases+1))/took.Seconds(), time.Since(begun).Round(time.Millisecond))
		})
	}
}
