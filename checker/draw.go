package checker

import (
	"bytes"
	"fmt"
	"html"
	"math"

	"txweave/history"
)

// nodes lists the names of a counterexample's transactions, each once; a read that nobody wrote comes from "nobody".
func (v *Verdict) nodes() (names []string, index map[string]int) {
	index = map[string]int{}
	add := func(name string) {
		if _, ok := index[name]; !ok {
			index[name] = len(names)
			names = append(names, name)
		}
	}
	for _, e := range v.Counterexample {
		add(nameOf(e.From))
		add(e.To)
	}
	return names, index
}

func nameOf(from string) string {
	if from == "" {
		return "nobody"
	}
	return from
}

// DOT prints the counterexample for Graphviz.
func (v *Verdict) DOT() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "digraph counterexample {\n  label=%q;\n  node [shape=box, style=rounded];\n", string(v.Anomaly))
	for _, e := range v.Counterexample {
		fmt.Fprintf(&b, "  %q -> %q [label=%q, tooltip=%q];\n", nameOf(e.From), e.To, e.Label(), e.Text)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// SVG draws the counterexample: its transactions on a circle, the edges as arrows with their kinds, and below, line by
// line, why each edge is there. It needs no other file and follows the reader's light or dark mode.
func (v *Verdict) SVG() []byte {
	const line, margin = 22, 60
	names, index := v.nodes()
	radius := 70 + 22*float64(len(names))
	width, top := max(900, 2*(radius+margin)), 2*(radius+margin)
	height := top + line*float64(len(v.Counterexample)+2)
	at := func(i int) (x, y float64) {
		angle := 2*math.Pi*float64(i)/float64(len(names)) - math.Pi/2
		return width/2 + radius*math.Cos(angle), margin + radius + radius*math.Sin(angle)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="sans-serif" font-size="14">
<style>
:root{color-scheme:light dark}svg{background:#fff}text{fill:#111}
.n{fill:#eef2f7;stroke:#345}.e{fill:none;stroke:#345;stroke-width:1.5}.rw{stroke:#b3261e;stroke-dasharray:5 3}.a{fill:#345}.k{font-size:12px;paint-order:stroke;stroke:#fff;stroke-width:4}
@media (prefers-color-scheme:dark){svg{background:#16181d}text{fill:#e6e6e6}.n{fill:#2a3340;stroke:#9bb}.e{stroke:#9bb}.rw{stroke:#ff8a80}.a{fill:#9bb}.k{stroke:#16181d}}
</style>
<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="a" d="M0 0L10 5L0 10z"/></marker></defs>
`, width, height, width, height)
	for i, e := range v.Counterexample {
		v.svgEdge(&b, i, e, at, index)
	}
	for i, name := range names {
		x, y := at(i)
		w := 24 + 9*float64(len(name))
		fmt.Fprintf(&b, `<rect class="n" x="%.1f" y="%.1f" width="%.1f" height="30" rx="8"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			x-w/2, y-15, w, x, y+5, html.EscapeString(name))
	}
	fmt.Fprintf(&b, `<text x="20" y="%.0f" font-weight="bold">%s</text>`+"\n", top+line/2, html.EscapeString(fmt.Sprintf("%s: %s", v.Anomaly, v.Reason)))
	for i, e := range v.Counterexample {
		fmt.Fprintf(&b, `<text x="20" y="%.0f">%s</text>`+"\n", top+line*(float64(i)+1.5), html.EscapeString(fmt.Sprintf("%d. %s → %s (%s): %s", i+1, nameOf(e.From), e.To, e.Label(), e.Text)))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// svgEdge draws one arrow, bent to the outside so that two between the same transactions do not meet.
func (v *Verdict) svgEdge(b *bytes.Buffer, i int, e ExplainedEdge, at func(int) (x, y float64), index map[string]int) {
	from, to := index[nameOf(e.From)], index[e.To]
	x1, y1 := at(from)
	x2, y2 := at(to)
	class := "e"
	if e.Kind == history.RW {
		class = "e rw"
	}
	dx, dy := x2-x1, y2-y1
	length := math.Hypot(dx, dy)
	label := html.EscapeString(fmt.Sprintf("%d. %s", i+1, e.Label()))
	if length == 0 { // one transaction alone
		fmt.Fprintf(b, `<path class="%s" marker-end="url(#arrow)" d="M%.1f %.1fc-60 -50 60 -50 0 0"/><text class="k" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			class, x1, y1-15, x1, y1-52, label)
		return
	}
	ux, uy := dx/length, dy/length
	bend := 28.0
	mx, my := (x1+x2)/2+uy*bend, (y1+y2)/2-ux*bend
	fmt.Fprintf(b, `<path class="%s" marker-end="url(#arrow)" d="M%.1f %.1fQ%.1f %.1f %.1f %.1f"/><text class="k" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
		class, x1+ux*28, y1+uy*20, mx, my, x2-ux*34, y2-uy*22, mx, my, label)
}
