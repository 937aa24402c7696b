// Package phenomena says which phenomena happen in cases, allowed or not.
package phenomena

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"txweave/campaign/replay"
	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/history"
	"txweave/internal/outcome"
	"txweave/oracle/isolation"
	"txweave/testcase"
	"txweave/weave"
)

// phenomenonOption is the header field of a case that names the phenomenon which it is about.
const phenomenonOption = "phenomenon"

// OfCase is what happened in a case: of the list that phenomena --format json prints.
type OfCase struct {
	Case   string    `json:"case"`
	About  string    `json:"about"` // the phenomenon that it names, or "all"
	Levels []AtLevel `json:"levels"`
}

// AtLevel is what happened in it at one level.
type AtLevel struct {
	Isolation string   `json:"isolation"`
	Happened  []string `json:"happened"`
	Waited    bool     `json:"waited"`
	Aborts    []string `json:"aborts"` // the errors that ended transactions
	shown     []isolation.Occurrence
}

// In runs each case, as its path names it, at each level.
func In(ctx context.Context, t exec.Target, levels []*dbms.Profile, paths []string, cases []*testcase.Case) (
	[]OfCase, error) {
	rows := []OfCase{}
	for i, c := range cases {
		asked, err := askedPhenomena(c)
		if err != nil {
			return nil, outcome.Misusef("%s: %w", paths[i], err)
		}
		row := OfCase{Case: strings.TrimSuffix(filepath.Base(paths[i]), ".txw"), About: "all"}
		if len(asked) == 1 {
			row.About = string(asked[0])
		}
		for _, p := range levels {
			v, err := phenomenaOf(ctx, t, p, c, asked)
			if err != nil {
				return nil, fmt.Errorf("%s at %s: %w", paths[i], p.Isolation, err)
			}
			at := AtLevel{Isolation: p.Isolation, Happened: []string{}, Waited: v.Waited, Aborts: []string{}, shown: v.Anomalies}
			for _, a := range v.Anomalies {
				at.Happened = append(at.Happened, string(a.Phenomenon))
			}
			for _, code := range v.Aborts {
				at.Aborts = append(at.Aborts, history.ErrorName(code))
			}
			row.Levels = append(row.Levels, at)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Print prints a table for people, with a row for each case and a column for each level; reasons says of each
// phenomenon why it is certain.
func Print(levels []*dbms.Profile, rows []OfCase, reasons bool, w io.Writer) error {
	var b, why strings.Builder
	b.WriteString("| case | about |")
	for _, p := range levels {
		fmt.Fprintf(&b, " %s |", p.Isolation)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(levels)) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s | %s |", row.Case, row.About)
		for _, at := range row.Levels {
			fmt.Fprintf(&b, " %s |", at.cell())
			for _, a := range at.shown {
				fmt.Fprintf(&why, "\n%s at %s: %s\n", row.Case, at.Isolation, a.Phenomenon)
				for _, line := range a.Explanation {
					fmt.Fprintf(&why, "  %s\n", line)
				}
			}
		}
		b.WriteByte('\n')
	}
	if reasons {
		b.WriteString(why.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// askedPhenomena are the phenomena to look for in a case.
func askedPhenomena(c *testcase.Case) ([]fault.Kind, error) {
	for _, o := range c.Options {
		if o.Key != phenomenonOption {
			continue
		}
		for _, ph := range dbms.Phenomena {
			if string(ph) == o.Value {
				return []fault.Kind{ph}, nil
			}
		}
		return nil, fmt.Errorf("%s %q is not one of %v", phenomenonOption, o.Value, dbms.Phenomena)
	}
	return dbms.Phenomena, nil
}

// phenomenaOf runs a case over connections of its own.
func phenomenaOf(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case,
	asked []fault.Kind) (*weave.Exhibited, error) {
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	v, err := weave.Phenomena(r, c, p, asked)
	if err != nil {
		return nil, replay.Explain(ctx, t, err)
	}
	return v, nil
}

// cell prints a verdict for a table.
func (p *AtLevel) cell() string {
	text := "–"
	if len(p.Happened) > 0 {
		text = strings.Join(p.Happened, " ")
	}
	var besides []string
	if p.Waited {
		besides = append(besides, "waits")
	}
	for _, name := range p.Aborts {
		besides = append(besides, "error "+name)
	}
	if len(besides) > 0 {
		text += " (" + strings.Join(besides, ", ") + ")"
	}
	return text
}
