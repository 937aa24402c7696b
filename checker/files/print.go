package files

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"txweave/checker"
	"txweave/checker/jepsen"
	"txweave/internal/output"
)

// printHistory prints the result of one file.
func (f *run) printHistory(w io.Writer, r *historyResult) error {
	if f.Out == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	if r.Verdict == unreadable {
		return nil // it was said where errors go
	}
	order := "with session order"
	if !r.SessionOrder {
		order = "without session order"
	}
	against := string(r.Level) + " " + order
	switch r.Workload {
	case "":
	case jepsen.Auto:
		against = "workload"
	default:
		against = string(r.Workload)
	}
	anomaly := r.Anomaly
	if r.Adya != "" {
		anomaly += " (" + r.Adya + ")"
	}
	about := r.Verdict
	reason, details, _ := strings.Cut(r.Reason, "\n")
	for _, more := range []string{anomaly, reason} {
		if more != "" {
			about += ": " + more
		}
	}
	count := fmt.Sprintf("%d transactions, %d operations", r.Transactions, r.Operations)
	if r.Workload != "" {
		count = fmt.Sprintf("%d operations", r.Operations)
	}
	fmt.Fprintf(w, "%s: %s: %s (%s, %s, read in %.2f s, checked in %.2f s, %.0f MiB)\n",
		r.File, against, about, r.Format, count, r.ParseS, r.CheckS, r.PeakMiB)
	printDetails(w, details)
	printEdges(w, r.Counterexample)
	if len(r.Not) > 0 {
		fmt.Fprintf(w, "  not %s\n", strings.Join(r.Not, ", not "))
	}
	if r.Second != nil {
		name := string(r.Second.Anomaly)
		if r.Second.Adya != "" {
			name += " (" + r.Second.Adya + ")"
		}
		fmt.Fprintf(w, "  and of other transactions: %s\n", name)
		printEdges(w, r.Second.Edges)
	}
	for _, text := range r.Involved {
		fmt.Fprintf(w, "  %s\n", text)
	}
	const listed = 10
	for i, text := range r.Errors {
		switch {
		case i == 0: // it is the reason
		case i == listed:
			fmt.Fprintf(w, "  … and %d more\n", len(r.Errors)-listed)
		case i < listed:
			first, details, _ := strings.Cut(text, "\n")
			fmt.Fprintf(w, "  also: %s\n", first)
			printDetails(w, details)
		}
	}
	for _, text := range r.Notes {
		fmt.Fprintf(w, "  note: %s\n", text)
	}
	var err error
	for _, path := range r.Pictures {
		_, err = fmt.Fprintf(w, "  drawn in %s\n", path)
	}
	return err
}

func printDetails(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "  %s\n", strings.TrimSuffix(line, "\n"))
	}
}

func printEdges(w io.Writer, edges []checker.ExplainedEdge) {
	for _, e := range edges {
		from := e.From
		if from == "" {
			from = "nobody"
		}
		fmt.Fprintf(w, "  %s -> %s (%s): %s\n", from, e.To, e.Label(), e.Text)
	}
}

// draw writes the counterexample as the flags ask.
func (f *run) draw(ctx context.Context, v *checker.Verdict, res *historyResult) error {
	if len(v.Counterexample) == 0 {
		return nil
	}
	if f.DOT+f.SVG == "" && f.Out == "text" && f.Undrawn != nil {
		f.Undrawn()
	}
	for _, p := range []struct {
		path string
		draw func() []byte
	}{{f.DOT, v.DOT}, {f.SVG, v.SVG}} {
		if p.path == "" {
			continue
		}
		path := f.picture(p.path, res.File)
		if err := output.File(ctx, path, p.draw()); err != nil {
			return err
		}
		if f.several {
			res.Pictures = append(res.Pictures, path)
		}
	}
	return nil
}

// picture names the picture of one history: of several, each has its own, named by its file.
func (f *run) picture(path, history string) string {
	if !f.several {
		return path
	}
	ext := filepath.Ext(path)
	name := strings.Trim(strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(filepath.Clean(history)), "-.")
	unique := strings.TrimSuffix(path, ext) + "-" + name + ext
	for n := 2; f.drawn[unique] != "" && f.drawn[unique] != history; n++ {
		unique = fmt.Sprintf("%s-%s-%d%s", strings.TrimSuffix(path, ext), name, n, ext)
	}
	if f.drawn == nil {
		f.drawn = map[string]string{}
	}
	f.drawn[unique] = history
	return unique
}
