package checker

import (
	"bytes"
	"cmp"
	"fmt"
	"html"

	"txweave/history"
	"txweave/internal/graph/draw"
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

func nameOf(from string) string { return cmp.Or(from, "nobody") }

// DOT prints the counterexample for Graphviz.
func (v *Verdict) DOT() []byte {
	d := draw.Diagram{Name: "counterexample", Label: string(v.Anomaly), Attributes: []string{"shape=box", "style=rounded"}}
	for _, e := range v.Counterexample {
		d.Edges = append(d.Edges, draw.LabelledEdge{From: nameOf(e.From), To: e.To, Label: e.Label(), Tooltip: e.Text})
	}
	var b bytes.Buffer
	_ = d.DOT(&b) // a buffer takes all
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
	circle := draw.Circle{N: len(names), X: width / 2, Y: margin + radius, R: radius}
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="sans-serif" font-size="14">
<style>
:root{color-scheme:light dark}svg{background:#fff}text{fill:#111}
.n{fill:#eef2f7;stroke:#345}.e{fill:none;stroke:#345;stroke-width:1.5}.rw{stroke:#b3261e;stroke-dasharray:5 3}.a{fill:#345}.k{font-size:12px;paint-order:stroke;stroke:#fff;stroke-width:4}
@media (prefers-color-scheme:dark){svg{background:#16181d}text{fill:#e6e6e6}.n{fill:#2a3340;stroke:#9bb}.e{stroke:#9bb}.rw{stroke:#ff8a80}.a{fill:#9bb}.k{stroke:#16181d}}
</style>
<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="a" d="M0 0L10 5L0 10z"/></marker></defs>
`, width, height, width, height)
	for i, e := range v.Counterexample {
		class := "e"
		if e.Kind == history.RW {
			class = "e rw"
		}
		arrow := circle.Arrow(index[nameOf(e.From)], index[e.To])
		fmt.Fprintf(&b,
			`<path class="%s" marker-end="url(#arrow)" d="%s"/><text class="k" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+
				"\n",
			class, arrow.Path, arrow.X, arrow.Y, html.EscapeString(fmt.Sprintf("%d. %s", i+1, e.Label())))
	}
	for i, name := range names {
		x, y := circle.At(i)
		w := 24 + 9*float64(len(name))
		fmt.Fprintf(&b,
			`<rect class="n" x="%.1f" y="%.1f" width="%.1f" height="30" rx="8"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			x-w/2, y-15, w, x, y+5, html.EscapeString(name))
	}
	fmt.Fprintf(&b, `<text x="20" y="%.0f" font-weight="bold">%s</text>`+"\n", top+line/2,
		html.EscapeString(fmt.Sprintf("%s: %s", v.Anomaly, v.Reason)))
	for i, e := range v.Counterexample {
		fmt.Fprintf(&b, `<text x="20" y="%.0f">%s</text>`+"\n", top+line*(float64(i)+1.5),
			html.EscapeString(fmt.Sprintf("%d. %s → %s (%s): %s", i+1, nameOf(e.From), e.To, e.Label(), e.Text)))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
