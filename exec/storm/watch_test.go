package storm

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/gen/workload"
)

// small opens SQLite and makes a workload of a few keys.
func small(t *testing.T, name string, keys int) (exec.Target, *dbms.Profile, *workload.Workload) {
	t.Helper()
	db, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.New(name, workload.Config{Keys: keys, Distribution: workload.Uniform})
	if err != nil {
		t.Fatal(err)
	}
	return db, p, w
}

// locked is a target on which somebody else holds the write lock for a while once the storm's tables are there.
type locked struct {
	exec.Target
	t       *testing.T
	p       *dbms.Profile
	holder  *exec.Session
	release chan struct{}
}

func (l *locked) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	if l.holder == nil {
		s, err := l.Target.Open(ctx, node, p)
		if err == nil {
			err = s.Must(ctx, "BEGIN IMMEDIATE")
		}
		if err != nil {
			return nil, err
		}
		l.holder = s
		go func() {
			time.Sleep(700 * time.Millisecond)
			if err := s.Must(ctx, "ROLLBACK"); err != nil {
				l.t.Error(err)
			}
			close(l.release)
		}()
	}
	return l.Target.Open(ctx, node, p)
}

// A storm that stands still says so, with what every session is doing; it goes on, and the stall ends.
func TestStall(t *testing.T) {
	longer(t, 1200*time.Millisecond, func(d time.Duration) bool {
		ctx := context.Background()
		db, p, w := small(t, "blindw-w", 5)
		target := &locked{Target: db, t: t, p: p, release: make(chan struct{})}
		noticed := 0
		res, err := Run(ctx, target, p, Options{Workload: w, Sessions: 2, Duration: d, Seed: 1, WaitLimit: 5 * time.Minute,
			StallAfter: 300 * time.Millisecond, Stalled: func(*Stall) { noticed++ }, Sink: func(int) Sink {
				return &kept{t: t}
			}})
		if err != nil {
			t.Fatal(err)
		}
		<-target.release
		target.holder.Close()
		if res.StallCount == 0 || res.Committed == 0 {
			return false
		}
		if noticed != res.StallCount || res.StalledFor < 300*time.Millisecond || res.StalledFor > res.Elapsed {
			t.Fatalf("%d stalls of %s noticed, %d in the result; the storm took %s", noticed, res.StalledFor,
				res.StallCount, res.Elapsed)
		}
		if s := res.Stalls[0]; len(s.Sessions) != 2 || !strings.Contains(s.Sessions[1], ": UPDATE kv SET ") {
			t.Errorf("%q", s.Sessions)
		}
		return true
	})
}

// longer calls a test with longer and longer durations until it has met what it looks at: a machine may have no time
// for it in short ones.
func longer(t *testing.T, d time.Duration, met func(d time.Duration) bool) {
	t.Helper()
	for ; !met(d); d *= 2 {
		if d > time.Minute {
			t.Fatalf("not within %s", d)
		}
	}
}

// busy is a sink that takes its time before each transaction.
type busy struct{ kept }

func (b *busy) Ready(func() int64) { time.Sleep(300 * time.Millisecond) }

// Waiting for the verifier is a stall too.
func TestStallOfVerifier(t *testing.T) {
	longer(t, 400*time.Millisecond, func(d time.Duration) bool {
		db, p, w := small(t, "mini", 5)
		res, err := Run(t.Context(), db, p, Options{Workload: w, Sessions: 1, Duration: d, Seed: 1,
			StallAfter: 100 * time.Millisecond,
			Sink:       func(int) Sink { return &busy{kept{t: t}} }})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(res.Stalls, func(s Stall) bool {
			return strings.HasSuffix(s.Sessions[0], ": waits for the verifier")
		})
	})
}

// opened is a target that keeps the sessions it has opened.
type opened struct {
	exec.Target
	all []*exec.Session
}

func (o *opened) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	s, err := o.Target.Open(ctx, node, p)
	o.all = append(o.all, s)
	return s, err
}

// cutter is a sink that ends the connection of another session when its own has ended.
type cutter struct {
	kept
	target *opened
}

func (c *cutter) Close() {
	c.target.all[len(c.target.all)-1].Close()
	c.kept.Close()
}

// What looks at the database when all sessions have ended takes a new connection: a nemesis may have ended its own,
// last of all.
func TestLastLook(t *testing.T) {
	longer(t, 200*time.Millisecond, func(d time.Duration) bool {
		db, p, w := small(t, "blindw-w", 5)
		target := &opened{Target: db}
		res, err := Run(t.Context(), target, p, Options{Workload: w, Sessions: 2, Duration: d, Seed: 1,
			Nemeses: []Nemesis{"kill"}, Every: time.Hour,
			Sink: func(i int) Sink {
				if i == 1 {
					return &cutter{kept: kept{t: t}, target: target}
				}
				return &kept{t: t}
			}})
		if err != nil {
			t.Fatalf("%+v: %v", res, err)
		}
		return res.Committed > 0
	})
}
