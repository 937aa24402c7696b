package resources

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Leak is a process whose memory grows with what it does.
type Leak struct {
	Process
	From, To int64 // resident, in bytes, at the begin and the end of the part that was looked at
	Cases    int64 // that were counted meanwhile
	Over     time.Duration
	PerCase  float64 // bytes
	Points   []Point // all that was seen of it
}

// Point is what a process had resident when so many cases had been counted.
type Point struct {
	At    time.Time `json:"at"`
	Cases int64     `json:"cases"`
	RSS   int64     `json:"rss"`
}

// String says it on one line.
func (l *Leak) String() string {
	return fmt.Sprintf("%s (process %d) grows by %.0f KiB a case: from %d MiB to %d MiB over %d cases in %s",
		l.Name, l.PID, l.PerCase/1024, l.From>>20, l.To>>20, l.Cases, l.Over.Round(time.Second))
}

// LeakLimits are how much must have been seen of a process before it is said to leak.
type LeakLimits struct {
	Points int           // looked at, at least …
	Time   time.Duration // … over so long …
	Cases  int64         // … and so many cases
	Growth int64         // bytes that it has grown by, at least
}

// usualLimits are those of campaigns.
var usualLimits = LeakLimits{Points: 30, Time: 5 * time.Minute, Cases: 30, Growth: 128 << 20}

// What a leak is. A cache that fills grows, too, but ever more slowly; what a workload needs goes up and down.
const (
	leakShare  = 0.5  // of what the process had, at least, came on top
	leakFit    = 0.9  // share of the memory's variance that a line against the cases explains
	leakSteady = 0.85 // slope of the second half, against that of the first
	leakKept   = 360  // points kept of a process: every second one goes beyond
)

// LeakWatch watches the memory of processes against the cases that they check.
type LeakWatch struct {
	Limits LeakLimits // the zero value: the usual ones
	seen   map[processKey]*grown
	sound  []Process
}

// Sound returns, once, the processes that have ended since that was asked last, of which enough was seen and which did
// not leak.
func (w *LeakWatch) Sound() []Process {
	out := w.sound
	w.sound = nil
	return out
}

// processKey names a process: numbers are used again.
type processKey struct {
	pid     int
	started int64
}

type grown struct {
	last   Process
	points []Point
	skip   int // of the next looks: points are kept ever more rarely
	every  int
	told   bool
}

// Look adds what processes have now, when so many cases have been counted in all, and returns those that leak: each
// once.
func (w *LeakWatch) Look(at time.Time, cases int64, list []Process) (out []Leak) {
	if w.seen == nil {
		w.seen = map[processKey]*grown{}
	}
	limits := cmp.Or(w.Limits, usualLimits)
	live := map[processKey]bool{}
	for _, p := range list {
		key := processKey{p.PID, p.Started}
		live[key] = true
		g := w.seen[key]
		if g == nil {
			g = &grown{every: 1}
			w.seen[key] = g
		}
		g.last = p
		if g.skip++; g.skip < g.every || g.told {
			continue
		}
		g.skip = 0
		g.add(Point{at, cases, p.RSS})
		if l, is := limits.leaks(g.points); is {
			g.told = true
			l.Process, l.Points = p, slices.Clone(g.points)
			out = append(out, l)
		}
	}
	for key, g := range w.seen {
		if live[key] {
			continue
		}
		if _, enough := limits.enough(g.points); enough && !g.told {
			w.sound = append(w.sound, g.last)
		}
		delete(w.seen, key)
	}
	slices.SortFunc(w.sound, func(a, b Process) int { return cmp.Compare(a.PID, b.PID) })
	return out
}

// add adds a point, in the place of the last one where nothing was done since: that says nothing of what a case takes.
// Where there are too many, every second one stays.
func (g *grown) add(p Point) {
	if n := len(g.points); n > 0 && g.points[n-1].Cases == p.Cases {
		g.points = g.points[:n-1]
	}
	if g.points = append(g.points, p); len(g.points) <= leakKept {
		return
	}
	for i := range leakKept / 2 {
		g.points[i] = g.points[2*i]
	}
	g.points, g.every = g.points[:leakKept/2], 2*g.every
}

// enough says whether enough was seen of a process to tell whether it leaks, and what of it counts: the last two
// thirds, before which caches fill.
func (x *LeakLimits) enough(all []Point) ([]Point, bool) {
	points := all[len(all)/3:]
	if len(points) < x.Points || len(points) == 0 {
		return nil, false
	}
	first, last := points[0], points[len(points)-1]
	return points, last.At.Sub(first.At) >= x.Time && last.Cases-first.Cases >= x.Cases
}

// leaks says whether what was seen of a process is a leak, and which.
func (x *LeakLimits) leaks(all []Point) (l Leak, is bool) {
	points, enough := x.enough(all)
	if !enough {
		return l, false
	}
	first, last := points[0], points[len(points)-1]
	l = Leak{From: first.RSS, To: last.RSS, Cases: last.Cases - first.Cases, Over: last.At.Sub(first.At)}
	if grew := l.To - l.From; grew < x.Growth || float64(grew) < leakShare*float64(l.From) {
		return l, false
	}
	// Halves by cases, not by time.
	middle := slices.IndexFunc(points, func(p Point) bool { return 2*(p.Cases-first.Cases) >= l.Cases })
	const few = 5
	if middle < few || len(points)-middle < few {
		return l, false
	}
	slope, fit := line(points)
	before, _ := line(points[:middle])
	after, _ := line(points[middle:])
	l.PerCase = slope
	return l, slope > 0 && fit >= leakFit && after >= leakSteady*before
}

// line is the slope, in bytes a case, of the line nearest to points, and which share of their variance it explains.
func line(points []Point) (slope, fit float64) {
	n := float64(len(points))
	var mx, my float64
	for _, p := range points {
		mx, my = mx+float64(p.Cases)/n, my+float64(p.RSS)/n
	}
	var xx, xy, yy float64
	for _, p := range points {
		dx, dy := float64(p.Cases)-mx, float64(p.RSS)-my
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return 0, 0
	}
	return xy / xx, xy * xy / (xx * yy)
}
