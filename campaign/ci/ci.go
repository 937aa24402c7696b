// Package ci writes what a campaign found as continuous integration reads it: JUnit's XML, SARIF, a Markdown summary.
package ci

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"txweave/campaign/database"
	"txweave/finding"
	"txweave/internal/strict"
	"txweave/internal/version"
)

// BuildOutcome is what a campaign found: its cells, and of its bugs the open ones, with which of them nobody knew.
// Those that may be others are among them.
type BuildOutcome struct {
	Status *database.CampaignStatus
	Bugs   []*finding.Bug
	New    map[string]bool // by their names
	// Shows says whether a cell has findings of a bug.
	Shows func(cell int64, bug string) bool
}

// Baseline are bugs that are known, as "txweave bugs list --format json" prints them.
type Baseline []*finding.Bug

// ReadBaseline reads one.
func ReadBaseline(text []byte) (b Baseline, err error) {
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("want what txweave bugs list --format json prints: %w", strict.Unread(text, err))
	}
	if slices.Contains(b, nil) {
		return nil, fmt.Errorf("one of its bugs is null")
	}
	return b, nil
}

// Has says whether a bug is one of the baseline's: one of its signatures is the same, or what it came down to.
func (b Baseline) Has(g *finding.Bug) bool {
	return slices.ContainsFunc(b, func(old *finding.Bug) bool {
		if old.DBMS != g.DBMS {
			return false
		}
		for _, s := range append([]finding.Signature{old.Signature}, old.Also...) {
			if s.Equal(g.Signature) || !s.Cause.IsZero() && s.Cause == g.Signature.Cause && s.Coarse == g.Signature.Coarse {
				return true
			}
		}
		return false
	})
}

// Fails says whether the outcome fails a build that asks for new bugs, for any, for crashes and hangs, or for none.
func (o *BuildOutcome) Fails(on string) bool {
	return slices.ContainsFunc(o.Bugs, func(g *finding.Bug) bool {
		switch on {
		case "any":
			return true
		case "none":
			return false
		case "crash":
			return o.New[g.ID] && (g.Class == finding.ClassCrash || g.Class == finding.ClassHang)
		}
		return o.New[g.ID]
	})
}

// Silent names the cells that have checked nothing, whether they could not be run or their turn did not come: that
// there is no bug says nothing of them.
func (o *BuildOutcome) Silent() (out []string) {
	for i := range o.Status.Cells {
		if c := &o.Status.Cells[i]; c.Active && c.CasesChecked == 0 {
			out = append(out, c.Name)
		}
	}
	return out
}

// title is a bug in a line, whatever a server wrote.
func title(g *finding.Bug) string {
	text := finding.Line(g.Title)
	if text == "" {
		text = finding.Line(g.Summary)
	}
	if g.Shown() == finding.StatusUnreduced {
		text += " (" + g.State() + ")"
	}
	return text
}

type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
		Skipped *junitProblem `xml:"skipped,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a suite for each cell, with a test for the cell and one for each bug that it shows: a new one is a
// failure, a known one is skipped. A cell that cannot be run is an error.
func (o *BuildOutcome) JUnit(w io.Writer) error {
	var out junitSuites
	for i := range o.Status.Cells {
		c := &o.Status.Cells[i]
		s := junitSuite{Name: c.Name, Time: fmt.Sprintf("%.3f", c.Spent.Seconds())}
		own := junitCase{Name: fmt.Sprintf("%s %s at %s", c.Mode, c.Target, c.Isolation), Class: "txweave." + c.Name}
		if c.State == string(database.Unavailable) || c.State == string(database.Failed) || c.CasesChecked == 0 {
			s.Errors++
			own.Error = &junitProblem{Message: "no case could be checked", Text: finding.Line(c.Detail)}
		}
		s.Cases = append(s.Cases, own)
		for _, g := range o.Bugs {
			if !o.Shows(c.ID, g.ID) {
				continue
			}
			t := junitCase{Name: g.ID + ": " + title(g), Class: own.Class}
			p := &junitProblem{Message: title(g), Text: fmt.Sprintf("%s\nfound %d times; %s, first in case %d of seed %d\n%s\n",
				finding.Line(g.Signature.String()), g.Count,
				finding.Line(strings.Join(g.Versions, ", ")), g.Origin.Case, g.Origin.Seed, finding.Line(g.Origin.Command))}
			if o.New[g.ID] {
				t.Failure = p
				s.Failures++
			} else {
				t.Skipped = p
				s.Skipped++
			}
			s.Cases = append(s.Cases, t)
		}
		s.Tests = len(s.Cases)
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(&out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// SARIF writes each bug as a result of the rule that is its class, in format 2.1.0. Where lies the case relative to the
// campaign's directory; "" if none is kept.
func (o *BuildOutcome) SARIF(w io.Writer, where func(*finding.Bug) string) error {
	type object = map[string]any
	var rules, results []object
	seen := map[string]bool{}
	for _, g := range o.Bugs {
		if !seen[g.Class] {
			seen[g.Class] = true
			rules = append(rules, object{"id": g.Class, "shortDescription": object{"text": g.Class}})
		}
		level, state := "warning", "unchanged"
		if o.New[g.ID] {
			level, state = "error", "new"
		}
		r := object{"ruleId": g.Class, "level": level, "baselineState": state,
			"message": object{"text": fmt.Sprintf("%s (%s %s)", title(g), g.DBMS,
				finding.Line(strings.Join(g.Versions, ", ")))},
			"partialFingerprints": object{"txweaveSignature/v1": finding.Line(g.DBMS + " " + g.Signature.String())}}
		if path := where(g); path != "" {
			r["locations"] = []object{{"physicalLocation": object{"artifactLocation": object{"uri": path}}}}
		}
		results = append(results, r)
	}
	if rules == nil {
		rules, results = []object{}, []object{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "txweave", "semanticVersion": version.Number,
			"rules": rules}}, "results": results}}})
}

// markdown makes a text one that no Markdown, and no HTML in it, does anything with.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range finding.Line(text) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_{}[]()#+-.!|~@:", r):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Markdown writes a summary for the page of a job.
func (o *BuildOutcome) Markdown(w io.Writer) error {
	var b strings.Builder
	known := 0
	for _, g := range o.Bugs {
		if !o.New[g.ID] && g.Shown() != finding.StatusUnreduced {
			known++
		}
	}
	fmt.Fprintf(&b,
		"## txweave: %d new bugs, %d known\n\n| cell | checked | a minute | findings | state |\n| --- | ---: | ---: | ---: "+
			"| --- |\n", len(o.New), known)
	for i := range o.Status.Cells {
		c := &o.Status.Cells[i]
		state := c.State
		if c.Detail != "" {
			state += ": " + c.Detail
		}
		fmt.Fprintf(&b, "| %s | %d | %.0f | %d | %s |\n", markdown(c.Name), c.CasesChecked, c.Rate(), c.Findings,
			markdown(state))
	}
	if len(o.Bugs) > 0 {
		b.WriteString("\n| bug | | found | what |\n| --- | --- | ---: | --- |\n")
	}
	for _, g := range o.Bugs {
		state := "known"
		switch {
		case o.New[g.ID]:
			state = "**new**"
		case g.Shown() == finding.StatusUnreduced:
			state = "unreduced"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", g.ID, state, g.Count, markdown(title(g)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
