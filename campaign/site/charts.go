package site

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"txweave/campaign/database"
)

// chart is a drawing of values over time, a line for each cell.
type chart struct {
	Title, Unit string
	Drawing     template.HTML
	Legend      []legend
	Empty       bool
}

// legend is a line's name, with what it looks like and its last value.
type legend struct {
	Class, Name, Last string
}

// series are the values of a cell.
type series struct {
	name   string
	points []point
}

type point struct {
	at time.Time
	v  float64
}

// The size of a drawing, in units of its own, and where its values lie in it.
const (
	chartWide, chartHigh = 640, 200
	left, right          = 76, 8
	top, bottom          = 10, 22
	styles               = 8  // looks of lines; more cells share them
	buckets              = 96 // values of a line
)

// draw lays a chart out. The texts in it are numbers and times.
func draw(title, unit string, list []series, format func(float64) string) chart {
	c := chart{Title: title, Unit: unit}
	var from, to time.Time
	high := 0.0
	for _, s := range list {
		for _, p := range s.points {
			if from.IsZero() || p.at.Before(from) {
				from = p.at
			}
			if p.at.After(to) {
				to = p.at
			}
			high = max(high, p.v)
		}
	}
	if c.Empty = from.IsZero() || !to.After(from); c.Empty {
		return c
	}
	high = nice(high)
	x := func(t time.Time) float64 {
		return left + (chartWide-left-right)*t.Sub(from).Seconds()/to.Sub(from).Seconds()
	}
	y := func(v float64) float64 { return chartHigh - bottom - (chartHigh-top-bottom)*v/high }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s"><g class="grid">`, chartWide, chartHigh,
		template.HTMLEscapeString(title+" over time; the values are in the list below"))
	for i := range 5 {
		v := high * float64(i) / 4
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" class="v">%s</text>`, left,
			chartWide-right, y(v), y(v), left-6, y(v)+4, template.HTMLEscapeString(format(v)))
	}
	clock := "15:04"
	switch span := to.Sub(from); {
	case span > 36*time.Hour:
		clock = "Jan 2 15h"
	case span < 10*time.Minute:
		clock = "15:04:05"
	}
	for i := range 5 {
		t := from.Add(to.Sub(from) * time.Duration(i) / 4)
		anchor := [5]string{"start", "middle", "middle", "middle", "end"}[i]
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="%s">%s</text>`, x(t), chartHigh-6, anchor, t.Format(clock))
	}
	b.WriteString("</g>")
	for i, s := range list {
		if len(s.points) == 0 {
			continue
		}
		class := fmt.Sprintf("c%d", i%styles)
		var at []string
		for _, p := range s.points {
			at = append(at, fmt.Sprintf("%.1f,%.1f", x(p.at), y(p.v)))
		}
		fmt.Fprintf(&b, `<polyline class="%s" points="%s"/>`, class, strings.Join(at, " "))
		c.Legend = append(c.Legend, legend{class, s.name, format(s.points[len(s.points)-1].v)})
	}
	b.WriteString("</svg>")
	c.Drawing = template.HTML(b.String())
	return c
}

// nice is a round number that is not less, and of whole numbers a fourth of it is one.
func nice(v float64) float64 {
	if v <= 0 {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 1.2, 2, 4, 6, 8, 10} {
		if high := m * step; high >= v && (v < 1 || math.Mod(high, 4) == 0) {
			return high
		}
	}
	return 12 * step
}

// number prints a value of an axis.
func number(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.3gk", v/1e3)
	}
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func percentage(v float64) string { return fmt.Sprintf("%.3g %%", v) }

// charts draws what the samples tell.
func charts(cells []database.CellStatus, samples []database.Sample) []chart {
	bySeries := func(value func(a, b database.Sample) (float64, bool)) (out []series) {
		for i := range cells {
			out = append(out, ofCell(&cells[i], samples, value))
		}
		return out
	}
	bugs := bySeries(func(_, b database.Sample) (float64, bool) { return float64(b.Bugs), true })
	for i := range bugs { // to the end of the drawing, where it is what the table says
		if s := &bugs[i]; len(s.points) > 0 {
			s.points = append(s.points, point{samples[len(samples)-1].At, float64(cells[i].BugsShown)})
		}
	}
	return []chart{
		draw("Cases", "a minute, while the cell ran", bySeries(func(a, b database.Sample) (float64, bool) {
			ran := (b.Spent - a.Spent).Minutes()
			return float64(b.Cases-a.Cases) / ran, ran > 0.01
		}), number),
		draw("Survival", "statements that were replayed", bySeries(func(a, b database.Sample) (float64, bool) {
			whole := (b.Generated - b.Aborted) - (a.Generated - a.Aborted)
			return 100 * float64(b.Survived-a.Survived) / float64(max(whole, 1)), whole > 0
		}), percentage),
		draw("Coverage", "cases with an edge between transactions that overlap",
			bySeries(func(a, b database.Sample) (float64, bool) {
				return 100 * float64(b.Edges-a.Edges) / float64(max(b.Cases-a.Cases, 1)), b.Cases > a.Cases &&
					b.Edges >= a.Edges && b.Edges > 0
			}), percentage),
		draw("Productions", "of the generator that cases were made of so far", bySeries(func(_, b database.Sample) (float64,
			bool) {
			return float64(b.Features), b.Features > 0
		}), number),
		draw("Bugs", "of which the cell has findings", bugs, number),
		draw("Memory", "MiB, of txweave and its servers", ofAll("txweave and its servers", samples,
			func(s database.Sample) int64 { return s.RSS }), number),
		draw("Disk", "MiB, of the campaign's directory", ofAll("findings and database", samples,
			func(s database.Sample) int64 { return s.Disk }), number),
	}
}

// ofCell is the series of a cell's values, each of two samples that follow each other; false where these tell none.
func ofCell(c *database.CellStatus, samples []database.Sample,
	value func(a, b database.Sample) (float64, bool)) series {
	s := series{name: c.Name}
	var last database.Sample
	for _, x := range thin(samples, c.ID) {
		if !last.At.IsZero() {
			if v, ok := value(last, x); ok {
				s.points = append(s.points, point{x.At, v})
			}
		}
		last = x
	}
	return s
}

// ofAll is the one series of what all cells share, in MiB of bytes.
func ofAll(name string, samples []database.Sample, bytes func(database.Sample) int64) []series {
	s := series{name: name}
	var at time.Time
	for _, x := range samples {
		if v := bytes(x); v > 0 && x.At.Sub(at) >= time.Second {
			s.points = append(s.points, point{x.At, float64(v) / (1 << 20)})
			at = x.At
		}
	}
	s.points = thinPoints(s.points)
	return []series{s}
}

// thin returns at most buckets+1 samples of a cell, spread evenly over time.
func thin(all []database.Sample, cell int64) (out []database.Sample) {
	of := slices.DeleteFunc(slices.Clone(all), func(s database.Sample) bool { return s.Cell != cell })
	step := max(1, (len(of)+buckets-1)/buckets)
	for i := 0; i < len(of); i += step {
		out = append(out, of[i])
	}
	if n := len(of); n > 0 && (n-1)%step != 0 {
		out = append(out, of[n-1])
	}
	return out
}

func thinPoints(of []point) (out []point) {
	step := max(1, (len(of)+buckets-1)/buckets)
	for i := 0; i < len(of); i += step {
		out = append(out, of[i])
	}
	return out
}
