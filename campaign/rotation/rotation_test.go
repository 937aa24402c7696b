package rotation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"txweave/campaign/database"
	_ "txweave/dbms/registry"
	"txweave/exec"
)

// rotation makes a rotation of cells with weights, without anything to run yet.
func rotation(t *testing.T, weights ...float64) *Rotation {
	t.Helper()
	db, err := database.Open(t.Context(), t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var plans []database.CellPlan
	for i := range weights {
		plans = append(plans, database.CellPlan{Name: fmt.Sprintf("c%d.x", i), Target: "sqlite", Isolation: "serializable",
			Mode: ModeFuzz, Seed: 1})
	}
	cells, err := db.Begin(t.Context(), database.Shard{Index: 0, Count: 1}, "test", plans, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &Rotation{}
	for i, c := range cells {
		r.Turns = append(r.Turns, &Turn{Part: &Part{Name: c.Name, Weight: Share(weights[i])}, Cell: c})
	}
	return r
}

// TestWeights: cells get time by their weights; one that is behind by days, since it is new or could not be run, does
// not get all of it.
func TestWeights(t *testing.T) {
	r := rotation(t, 3, 1)
	r.ready = sync.NewCond(&r.mu)
	run := func() map[string]int {
		turns := map[string]int{}
		for range 40 {
			x := r.take(t.Context())
			turns[x.Name]++
			x.running, x.spent, x.longest = false, x.spent+time.Second, time.Second
			r.level()
		}
		return turns
	}
	if turns := run(); turns["c0.x"] != 30 || turns["c1.x"] != 10 {
		t.Errorf("%v", turns)
	}
	r.Turns[0].spent += 48 * time.Hour
	if turns := run(); turns["c0.x"] < 25 {
		t.Errorf("after two days without the second cell: %v", turns)
	}
}

// TestStuck: a turn that does not end when it is told to is left to itself, and the others go on; it is not run twice
// at once.
func TestStuck(t *testing.T) {
	r := rotation(t, 1, 1)
	r.Patience = 500 * time.Millisecond // the other's turns write to a database, and end sooner
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	release := make(chan struct{})
	told := ""
	r.Dead = func(x *Turn, err error, _ int64) { told += x.Name + ": " + err.Error() + "\n" }
	stuck, others := 0, 0
	var mu sync.Mutex
	r.Run = func(_ context.Context, x *Turn, _ time.Duration) (bool, error) {
		mu.Lock()
		if x.Name == "c1.x" {
			if others++; others == 200 {
				cancel()
			}
			mu.Unlock()
			time.Sleep(time.Millisecond)
			return false, nil
		}
		stuck++
		mu.Unlock()
		<-release
		return true, nil
	}
	err := r.Go(ctx)
	close(release)
	mu.Lock()
	defer mu.Unlock()
	if err != nil || stuck != 1 || others < 200 || !strings.Contains(told, "c0.x: it has not ended") {
		t.Errorf("%v: stuck %d, others %d: %s", err, stuck, others, told)
	}
}

// TestClock: how long a cell has run is noted while it runs, and not twice.
func TestClock(t *testing.T) {
	r := rotation(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := time.Now()
	r.Run = func(ctx context.Context, x *Turn, _ time.Duration) (bool, error) {
		for range 2 {
			time.Sleep(20 * time.Millisecond)
			if err := r.Clock(ctx); err != nil {
				return false, err
			}
			if _, _, spent, err := x.Cell.Progress(ctx); err != nil || spent < 15*time.Millisecond || spent > time.Since(begun) {
				t.Errorf("%v of %v: %v", spent, time.Since(begun), err)
			}
		}
		return true, nil
	}
	if err := r.Go(ctx); err != nil {
		t.Fatal(err)
	}
	if _, _, spent, err := r.Turns[0].Cell.Progress(t.Context()); err != nil || spent < 35*time.Millisecond ||
		spent > time.Since(begun) {
		t.Errorf("%v of %v: %v", spent, time.Since(begun), err)
	}
}

// TestDead: a cell that cannot be run rests, panics included, and the others go on until they are done.
func TestDead(t *testing.T) {
	r := rotation(t, 1, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ran := 0
	var mu sync.Mutex
	dead := map[string]string{}
	r.Dead = func(x *Turn, err error, failures int64) { dead[x.Name] = err.Error() }
	r.Run = func(_ context.Context, x *Turn, _ time.Duration) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		switch x.Name {
		case "c0.x":
			return false, fmt.Errorf("%w: away", exec.ErrUnavailable)
		case "c1.x":
			panic("oops")
		}
		if ran++; ran == 5 {
			cancel()
		}
		return false, nil
	}
	if err := r.Go(ctx); err != nil || ran != 5 || !strings.Contains(dead["c0.x"], "away") ||
		!strings.Contains(dead["c1.x"], "oops") {
		t.Errorf("%v: %d, %v", err, ran, dead)
	}
	for _, x := range r.Turns[:2] {
		if failures, at, _, err := x.Cell.Progress(t.Context()); err != nil || failures == 0 || at.IsZero() {
			t.Errorf("%s: %d failures, tried again at %v: %v", x.Name, failures, at, err)
		}
	}
}

// TestComplete: a campaign whose cells are done ends.
func TestComplete(t *testing.T) {
	r := rotation(t, 1, 1)
	r.Parallel = 2
	r.Run = func(context.Context, *Turn, time.Duration) (bool, error) { return true, nil }
	if err := r.Go(t.Context()); err != nil {
		t.Error(err)
	}
	r = rotation(t, 1)
	r.Run = func(context.Context, *Turn, time.Duration) (bool, error) {
		return false, &database.StoreError{Reason: errors.New("full")}
	}
	var lost *database.StoreError
	if err := r.Go(t.Context()); !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
}

func TestBackOff(t *testing.T) {
	last := time.Duration(0)
	for n := int64(1); n < 100; n++ {
		d := backOff(n)
		if d < last || d > lastRetry || n == 1 && d != firstRetry {
			t.Fatalf("after %d failures %v", n, d)
		}
		last = d
	}
	if last != lastRetry {
		t.Errorf("at most %v", last)
	}
}

// TestPlan: what is wrong with a campaign.toml is said with its place.
func TestPlan(t *testing.T) {
	const cell = "[[cell]]\ntarget = \"sqlite\"\n"
	for text, want := range map[string]string{
		cell:                            "",
		"max_rss = \"4GiB\"\n" + cell:   "",
		"":                              "at least one [[cell]]",
		"slice = 3\n" + cell:            ":1",
		"slice = \"-3s\"\n" + cell:      "is negative",
		"max_rss = \"4 cows\"\n" + cell: "not a size",
		cell + cell:                     "two cells are called",
		cell + "mode = \"guess\"\n":     "want fuzz, storm or detect",
		cell + "mode = \"storm\"\nguide = \"coverage\"\n":                       "belong to mode fuzz",
		cell + "name = \"../x\"\n":                                              "small letters",
		cell + "name = \"x-1\"\n":                                               "must not end like 12-0",
		cell + "workload = \"mini\"\n":                                          "belong to mode storm",
		cell + "dsn = \"u:p@tcp(h)/\"\n":                                        "the dsn has a password",
		cell + "dsn = \"postgres://u:p@h/\"\n":                                  "the dsn has a password",
		cell + "dsn = \"u@tcp(h)/\"\nserver = \"x\"\n":                          "exclude each other",
		cell + "speed = 1\n":                                                    "cell.speed is not a key",
		cell + "weight = nan\n":                                                 "want one above 0",
		cell + "weight = -1\n":                                                  "want one above 0",
		"[notify]\nwebhook=\"https://u:p@h/\"\n" + cell:                         "the webhook has a password",
		"[notify]\nwebhook=\"https://h/?token=x\"\n" + cell:                     "the webhook has a password",
		"[notify]\nwebhook=\"https://hooks.slack.com/services/T/B/x\"\n" + cell: "the webhook has a password",
		"[notify]\n" + cell:                                                     "a command or a webhook",
		"[notify]\nwebhook=\"u\"\non=[\"rain\"]\n" + cell:                       "want bug, dead or end",
	} {
		p, err := Parse("campaign.toml", []byte(text))
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", text, err, want)
		case err == nil:
			again, perr := p.Print()
			if perr != nil {
				t.Fatal(perr)
			}
			if _, err := Parse("printed", again); err != nil {
				t.Errorf("%s: %v", again, err)
			}
		}
	}
}

// TestTheTurnHasAReason: whoever reads the log learns why a cell has the turn, as on a second start, where one that had
// less time before comes first.
func TestTheTurnHasAReason(t *testing.T) {
	r := rotation(t, 3, 1, 1, 1)
	r.ready = sync.NewCond(&r.mu)
	r.Turns[0].spent, r.Turns[1].spent = 60*time.Second, 10*time.Second
	r.Turns[2].complete = true
	r.Turns[3].retryAt = time.Date(2100, 1, 1, 12, 0, 0, 0, time.Local)
	const want = "it has had the least time for its weight: 10s of weight 1; c0.x 1m0s of weight 3, c2.x is done, c3.x cannot run until 12:00:00"
	if x := r.take(t.Context()); x.Name != "c1.x" || x.Why() != want {
		t.Errorf("%s: %s", x.Name, x.Why())
	}
}
