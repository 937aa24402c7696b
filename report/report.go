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

	"txweave/report/export"
	"txweave/report/page"
	"txweave/report/timeline"
)

// section is one part of a report.
type section struct {
	heading string
	write   func(*doc)
}

// tracker is where a report goes: its parts in its order, and how it marks up text.
type tracker struct {
	name     string
	private  string // where a crash is reported in private
	title    string // before the title
	scripts  []string
	markup   markup
	sections []section
}

// markup is how headings and verbatim text are written.
type markup struct {
	heading     func(string) string
	open, close string // around verbatim text; empty: it is indented
}

// Trackers lists the names that For takes.
func Trackers() []string {
	var out []string
	for _, t := range trackers {
		out = append(out, t.name)
	}
	return out
}

// HTML is the report that is a page: not for a tracker, but to be read, printed or attached.
const HTML = "html"

// Write writes a finding as a report for a tracker, or as a page.
func Write(to string, f *timeline.Finding) (string, error) {
	if to == HTML {
		text, err := page.Write(f)
		return string(text), err
	}
	i := slices.IndexFunc(trackers, func(t *tracker) bool { return t.name == to })
	if i < 0 {
		return "", fmt.Errorf("unknown tracker %q: want %s", to, strings.Join(Trackers(), ", "))
	}
	if f.Record.Class == "" {
		return "", errors.New("there is no finding.json: what the finding is is not known")
	}
	d := &doc{tracker: trackers[i], f: f}
	if f.Run != nil {
		tl, err := f.Timeline()
		if err != nil {
			return "", err
		}
		d.t = tl
	} else if f.Record.Class != finding.ClassCrash {
		return "", errors.New("there is no trace.jsonl: what the statements answered is not known")
	}
	d.write()
	return strings.TrimRight(d.String(), "\n") + "\n", nil
}

// doc is a report being written.
type doc struct {
	strings.Builder
	tracker *tracker
	f       *timeline.Finding
	t       *timeline.Timeline // nil where the finding has no trace
}

func (d *doc) write() {
	fmt.Fprintf(d, "%s%s\n\n", d.tracker.title, d.f.Title(d.t))
	if d.f.Record.Class == finding.ClassCrash {
		d.text("PRIVATE: a crash can be a security problem. %s Do not post it in public before they say so.", d.tracker.private)
	}
	for _, s := range d.tracker.sections {
		if s.heading != "" {
			d.WriteString(d.tracker.markup.heading(s.heading) + "\n\n")
		}
		s.write(d)
	}
}

// text writes a paragraph.
func (d *doc) text(format string, args ...any) { fmt.Fprintf(d, format+"\n\n", args...) }

// item writes a line of a list.
func (d *doc) item(format string, args ...any) { fmt.Fprintf(d, "- "+format+"\n", args...) }

// verbatim writes text as it is.
func (d *doc) verbatim(text string) {
	text = strings.TrimRight(text, "\n")
	m := d.tracker.markup
	if m.open == "" {
		for line := range strings.SplitSeq(text, "\n") {
			d.WriteString(strings.TrimRight("    "+line, " ") + "\n")
		}
		d.WriteString("\n")
		return
	}
	fmt.Fprintf(d, "%s\n%s\n%s\n\n", m.open, text, m.close)
}

// script writes what repeats the finding: the tracker's own form or, where the finding does not allow it, the next.
func script(d *doc) {
	if d.t == nil {
		d.text("The case, statement by statement in the order of sending; the comments name the connections:")
		d.verbatim(planned(d.f.Case))
		d.text("`txweave replay case.txw` runs it, with case.txw:")
		d.verbatim(string(d.f.Case.Print()))
		return
	}
	var files []export.File
	for _, form := range d.tracker.scripts {
		var err error
		if files, err = export.Write(form, d.f); err == nil {
			if form == "sql" && !slices.ContainsFunc(files, func(f export.File) bool { return f.Name == "run.sh" }) {
				form = "sessions"
			}
			d.text("%s", scriptIntro[form])
			break
		}
	}
	for _, file := range files {
		if len(files) > 1 {
			d.text("%s:", file.Name)
		}
		d.verbatim(file.Text)
	}
	if d.f.Record.Oracle != "" && !d.f.ShowsProbes() {
		d.text("txweave also reads around the statements to see which versions of rows they work on; those reads are left out here.")
	}
}

var scriptIntro = map[string]string{
	"mtr":            "An mtr test; a statement that waits is sent and reaped, and nothing else is sent before it does wait:",
	"sql":            "Scripts for the command-line client. Save each under its name in one directory and run `sh run.sh CLIENT -u USER DATABASE`; the sessions keep each other's pace with user locks, every statement waits for the answer to the one before:",
	"sessions":       "Scripts, one for each connection; the comments say what each waits for. setup.sql comes first, final.sql last, serial.sql is the order without concurrency:",
	"tidb":           "One script; the comments name the connections, and what each statement answered follows it:",
	"isolation-spec": "A spec for src/test/isolation:",
}
