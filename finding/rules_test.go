package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"txweave/fault"
)

// TestRules leaves the rules of grouping out one at a time, and prints how many bugs findings of planted bugs are then
// told as, how many of the planted bugs these are of, how many groups beside them are unreduced, and how many pairs of
// planted bugs would share a bug if both were there.
func TestRules(t *testing.T) {
	datadriven.RunTest(t, "testdata/planted", func(t *testing.T, d *datadriven.TestData) string {
		all := parsePlanted(t, d.Input)
		var b strings.Builder
		line := func(name string) {
			told, of, unreduced, shared := all.measure()
			fmt.Fprintf(&b, "%-40s %d bugs of %d planted, %d unreduced, %d pairs share one\n", name, told, of, unreduced, shared)
		}
		line("as it is")
		for _, rule := range []struct {
			name string
			list *[]string
		}{
			{"features that matter by chance count", &chance}, {"features that tell nothing count", &ordinary},
			{"kinds of wrong answers stay apart", &ofAnswers}, {"what trials put in counts", &put},
		} {
			before := *rule.list
			*rule.list = nil
			line(rule.name)
			*rule.list = before
		}
		var changed []*fault.CatalogueEntry
		for _, e := range fault.All() {
			if now := fault.Of(e.Kind); now.AnySyntax {
				now.AnySyntax, changed = false, append(changed, now)
			}
		}
		line("syntax counts for each cause")
		for _, e := range changed {
			e.AnySyntax = true
		}
		return b.String()
	})
}

// plantedBugs are the signatures that planted bugs were found as.
type plantedBugs struct {
	names []string
	of    map[string][]Signature
}

func parsePlanted(t *testing.T, text string) *plantedBugs {
	t.Helper()
	p := &plantedBugs{of: map[string][]Signature{}}
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, " | ")
		sig := Signature{Coarse: parts[1], Features: strings.Fields(parts[3]), Minimal: len(parts) == 4}
		if !sig.Minimal {
			sig.Whole = strings.Fields(parts[4])
		}
		if parts[2] != "" {
			if err := sig.Cause.UnmarshalText([]byte(parts[2])); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Contains(p.names, parts[0]) {
			p.names = append(p.names, parts[0])
		}
		p.of[parts[0]] = append(p.of[parts[0]], sig)
	}
	return p
}

// grouped are the bugs that findings of some planted bugs are counted to, and which of them are of the first one.
func (p *plantedBugs) grouped(names ...string) (b *Bugs, first []*Bug) {
	b = &Bugs{}
	for i, name := range names {
		for _, sig := range p.of[name] {
			if len(names) > 1 && !sig.Minimal {
				continue
			}
			g, fresh := b.Place(record("x", "1"), sig, time.Unix(1, 0))
			g.Kept = append(g.Kept, Kept{Signature: sig})
			if i == 0 && fresh {
				first = append(first, g)
			}
		}
	}
	b.Explain()
	return b, first
}

func (p *plantedBugs) measure() (told, of, unreduced, shared int) {
	for i, name := range p.names {
		b, _ := p.grouped(name)
		bugs, more := b.Told()
		told, unreduced = told+bugs, unreduced+more
		if bugs > 0 {
			of++
		}
		for _, other := range p.names[:i] {
			both, first := p.grouped(name, other)
			alone, _ := p.grouped(other, other)
			if len(both.Bugs) < len(first)+len(alone.Bugs) {
				shared++
			}
		}
	}
	return told, of, unreduced, shared
}
