package resources

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLeakWatch: what grows with every case is told once; caches that fill, noise, a step, growth without cases and one
// that levels off are no leaks.
func TestLeakWatch(t *testing.T) {
	const mib = 1 << 20
	rng := rand.New(rand.NewPCG(1, 2))
	for name, one := range map[string]struct {
		rss    func(i int) float64 // MiB, every ten seconds
		cases  func(i int) int64
		perSec bool
		leak   bool
	}{
		"leak":            {rss: func(i int) float64 { return 300 + 2*float64(i) }, leak: true},
		"leak with noise": {rss: func(i int) float64 { return 300 + 2*float64(i) + 8*rng.Float64() }, leak: true},
		"leak after a cache filled": {rss: func(i int) float64 {
			return 100 + 200*(1-math.Exp(-float64(i)/10)) + 2*float64(i)
		}, leak: true},
		"slow at first":  {rss: func(i int) float64 { return 300 + float64(i*i)/100 }, leak: true},
		"cache":          {rss: func(i int) float64 { return 100 + 600*(1-math.Exp(-float64(i)/60)) }},
		"flat":           {rss: func(i int) float64 { return 400 + 30*rng.Float64() }},
		"steps":          {rss: func(i int) float64 { return 200 + 300*float64(i/100) }},
		"saw":            {rss: func(i int) float64 { return 200 + 5*float64(i%40) }},
		"without a case": {rss: func(i int) float64 { return 300 + 2*float64(i) }, cases: func(int) int64 { return 7 }},
		"a little":       {rss: func(i int) float64 { return 5000 + 0.5*float64(i) }},
	} {
		t.Run(name, func(t *testing.T) {
			var w LeakWatch
			told := 0
			start := time.Unix(1_700_000_000, 0)
			for i := range 400 {
				cases := int64(3 * i)
				if one.cases != nil {
					cases = one.cases(i)
				}
				list := []Process{{PID: 10, Name: "serverd", Started: 5, RSS: int64(one.rss(i) * mib)}, {PID: 11, Name: "other",
					RSS: 50 * mib}}
				for _, l := range w.Look(start.Add(time.Duration(i)*10*time.Second), cases, list) {
					told++
					if l.PID != 10 || l.PerCase < 100<<10 || l.PerCase > 4*mib || !strings.HasPrefix(l.String(),
						"serverd (process 10) grows by ") || len(l.Points) < usualLimits.Points {
						t.Errorf("%s", &l)
					}
				}
			}
			if want := map[bool]int{true: 1}[one.leak]; told != want {
				t.Errorf("told %d times, want %d", told, want)
			}
			if sound := w.Sound(); len(sound) > 0 {
				t.Errorf("%v have ended", sound)
			}
			w.Look(start, 1200, nil)
			sound := w.Sound()
			watched := name != "without a case"
			if at := slices.IndexFunc(sound, func(p Process) bool { return p.PID == 10 }); (at >= 0) != (watched && !one.leak) ||
				len(w.Sound()) > 0 {
				t.Errorf("sound are %v", sound)
			}
		})
	}
}

// TestLeakOfAnother: a process that has the number of one that is gone begins anew.
func TestLeakOfAnother(t *testing.T) {
	var w LeakWatch
	start := time.Unix(1_700_000_000, 0)
	for i := range 400 { // each lives for twenty looks
		if out := w.Look(start.Add(time.Duration(i)*10*time.Second), int64(i),
			[]Process{{PID: 10, Started: int64(i / 20), RSS: int64(i) << 22}}); len(out) > 0 {
			t.Fatalf("%s", &out[0])
		}
	}
	if len(w.seen) != 1 {
		t.Errorf("%d processes are remembered", len(w.seen))
	}
}

// TestProcesses: this process is among its own.
func TestProcesses(t *testing.T) {
	list := Processes()
	for _, p := range list {
		if p.PID == os.Getpid() && p.RSS > 1<<20 && p.Name != "" && p.Started > 0 {
			return
		}
	}
	t.Errorf("%+v", list)
}
