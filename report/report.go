// Package report writes findings as the bug reports that a database's maintainers ask for: a script that repeats the
// finding by itself, what happened statement by statement, what should have happened and why, the exact build and its
// settings, how often it came back. It prints; it never sends anything anywhere.
package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/internal/spelling"
	"txweave/report/page"
	"txweave/report/timeline"
)

// Section is one part of a report: its heading, and what writes it.
type Section struct {
	Heading string
	Write   func(*Doc)
}

// Tracker is where the reports of a DBMS go: its parts in its order, and how it marks up text.
type Tracker struct {
	Name     string // of the DBMS
	Unlisted bool   // Trackers leaves it out: it is only taken where it is the finding's own
	Private  string // where a crash is reported in private
	Title    string // before the title
	Test     string // format of the regression test that its project takes, see export.Formats
	Markup   Markup
	Sections []Section
}

// Markup is how headings and verbatim text are written.
type Markup struct {
	heading     func(string) string
	open, close string // around verbatim text; empty: it is indented
	// active are the beginnings of what the tracker would take for markup that does something: a tag, a link, an image.
	active []string
	rule   string // the line above what is only looked up
}

// escape takes the meaning from what a tracker would take for markup that does something.
func (m *Markup) escape(text string) string {
	for _, a := range m.active {
		text = strings.ReplaceAll(text, a, `\`+a)
	}
	return text
}

// Markdown, Jira and Plain are the markups that trackers read.
var (
	Markdown = Markup{func(s string) string { return s }, "```sql", "```", []string{"<", "![", "]("}, "---"}
	Jira     = Markup{func(s string) string { return "h3. " + s }, "{noformat}", "{noformat}",
		[]string{"{", "[", "!"}, "----"}
	Plain = Markup{func(s string) string { return s + ":" }, "", "", nil, "----"}
)

// trackers are the places that reports go to, in the order of help.
var trackers []*Tracker

// Register makes a tracker known. Package registry calls it before main begins.
func Register(t *Tracker) { trackers = append(trackers, t) }

// Trackers lists the names that For takes.
func Trackers() []string {
	var out []string
	for _, t := range trackers {
		if !t.Unlisted {
			out = append(out, t.Name)
		}
	}
	return out
}

// TestOf is the format of the regression test that a tracker's reports hold; "" where they hold none.
func TestOf(tracker string) string {
	for _, t := range trackers {
		if t.Name == tracker {
			return t.Test
		}
	}
	return ""
}

// HTML is the report that is a page: not for a tracker, but to be read, printed or attached.
const HTML = "html"

// Write writes a finding as a report for a tracker, or as a page.
func Write(to string, f *timeline.Dossier) (string, error) {
	if to == HTML {
		text, err := page.Write(f)
		return string(text), err
	}
	i := slices.IndexFunc(trackers, func(t *Tracker) bool { return t.Name == to })
	if i < 0 {
		return "", spelling.Meant(fmt.Errorf("unknown tracker %q: want %s", to, strings.Join(Trackers(), ", ")), to,
			Trackers()...)
	}
	if f.Record.Class == "" {
		return "", errors.New("there is no finding.json, which says what the finding is")
	}
	d := &Doc{tracker: trackers[i], f: f}
	if f.Run != nil {
		tl, err := f.Timeline()
		if err != nil {
			return "", err
		}
		d.t = tl
	} else if f.Record.OfStatement() {
		return "", errors.New("there is no trace.jsonl, which has what the statements answered: name its case.txw instead, " +
			"which is run once for that")
	}
	d.write()
	return strings.TrimRight(d.String(), "\n") + "\n", nil
}

// Doc is a report being written.
type Doc struct {
	strings.Builder
	tracker *Tracker
	f       *timeline.Dossier
	t       *timeline.Timeline // nil where the finding has no trace
}

func (d *Doc) write() {
	fmt.Fprintf(d, "%s%s\n\n", d.tracker.Title, finding.Line(d.f.Title(d.t)))
	if note := d.f.Record.Environment.PlantedNote(); note != "" {
		d.Text("%s", note)
	}
	if d.f.Record.Class == finding.ClassCrash {
		d.Text("PRIVATE: a crash can be a security problem. %s Do not post it in public before they say so.",
			d.tracker.Private)
	}
	for _, s := range d.tracker.Sections {
		if s.Heading != "" {
			d.WriteString(d.tracker.Markup.heading(s.Heading) + "\n\n")
		}
		s.Write(d)
	}
}

// Text writes a paragraph.
func (d *Doc) Text(format string, args ...any) { fmt.Fprintf(d, format+"\n\n", d.safe(args)...) }

// item writes a line of a list.
func (d *Doc) item(format string, args ...any) { fmt.Fprintf(d, "- "+format+"\n", d.safe(args)...) }

// safe makes texts fit to stand in a paragraph: on one line, and without what a browser or a tracker would run.
func (d *Doc) safe(args []any) []any {
	out := slices.Clone(args)
	for i, a := range out {
		if text, is := a.(string); is {
			out[i] = d.tracker.Markup.escape(finding.Line(text))
		}
	}
	return out
}

// verbatim writes text as it is, but for characters that cannot be shown. What ends verbatim text does not end it in
// the text.
func (d *Doc) verbatim(text string) {
	text = strings.TrimRight(text, "\n")
	m := d.tracker.Markup
	if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r < ' ' || r > '~' }) || len(text) > 4000 {
		var lines []string
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, finding.Line(line))
		}
		text = strings.Join(lines, "\n")
	}
	if m.close != "" {
		broken := m.close[:1] + "\u200b" + m.close[1:]
		text = strings.ReplaceAll(text, m.close, broken)
	}
	if m.open == "" {
		for line := range strings.SplitSeq(text, "\n") {
			d.WriteString(strings.TrimRight("    "+line, " ") + "\n")
		}
		d.WriteString("\n")
		return
	}
	fmt.Fprintf(d, "%s\n%s\n%s\n\n", m.open, text, m.close)
}
