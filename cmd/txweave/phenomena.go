package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/isolation"
	"txweave/testcase"
	"txweave/weave"
)

// phenomenonOption is the header field of a case that names the phenomenon which it is about.
const phenomenonOption = "phenomenon"

func phenomenaCommand() *cobra.Command {
	var f targetFlags
	var reasons bool
	var format string
	cmd := &cobra.Command{
		Use:   "phenomena CASE.txw...",
		Short: "Say which phenomena happen in cases, allowed or not",
		Long: `Run each case once at every level of the target, or at --isolation, and say which phenomena happened, whether the
level allows them or not: those that the case's header names ("phenomenon: G2-item"), else all. Prints a table in
Markdown; in brackets is what the database did besides: statements that waited, errors that ended transactions.`,
		Example: "  txweave phenomena docs/hermitage/*.txw --target mariadb",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			var cases []*testcase.Case
			for _, path := range args {
				c, err := readCase(cmd.Context(), path)
				if err != nil {
					return err
				}
				cases = append(cases, c)
			}
			if f.Claim != "" {
				return usagef("--claim says nothing here: phenomena are named whether they are allowed or not")
			}
			p, err := f.forCase(cmd.Context(), &testcase.Case{Target: cases[0].Target})
			if err != nil {
				return err
			}
			levels := []*dbms.Profile{p}
			if f.Isolation == "" {
				levels = dbms.Levels(p.DBMS)
			}
			return f.use(cmd.Context(), func(t exec.Target) error {
				rows, err := phenomenaIn(cmd.Context(), t, levels, args, cases)
				if err != nil {
					return err
				}
				if format == "json" {
					return json.NewEncoder(cmd.OutOrStdout()).Encode(rows)
				}
				return printPhenomena(levels, rows, reasons, cmd.OutOrStdout())
			})
		},
	}
	f.add(cmd.Flags(), "")
	cmd.Flags().StringVar(&format, "format", "text", "text (a Markdown table) or json")
	cmd.Flags().BoolVar(&reasons, "explain", false, "say of each phenomenon, below the table, why it is certain")
	return cmd
}

// phenomenaOfCase is what happened in a case: of the list that phenomena --format json prints.
type phenomenaOfCase struct {
	Case   string             `json:"case"`
	About  string             `json:"about"` // the phenomenon that it names, or "all"
	Levels []phenomenaAtLevel `json:"levels"`
}

type phenomenaAtLevel struct {
	Isolation string   `json:"isolation"`
	Happened  []string `json:"happened"`
	Waited    bool     `json:"waited"`
	Aborts    []string `json:"aborts"` // the errors that ended transactions
	shown     []isolation.Occurrence
}

// phenomenaIn runs each case at each level.
func phenomenaIn(ctx context.Context, t exec.Target, levels []*dbms.Profile, paths []string, cases []*testcase.Case) ([]phenomenaOfCase, error) {
	rows := []phenomenaOfCase{}
	for i, c := range cases {
		asked, err := askedPhenomena(c)
		if err != nil {
			return nil, usage(fmt.Errorf("%s: %w", paths[i], err))
		}
		row := phenomenaOfCase{Case: strings.TrimSuffix(filepath.Base(paths[i]), ".txw"), About: "all"}
		if len(asked) == 1 {
			row.About = string(asked[0])
		}
		for _, p := range levels {
			v, err := phenomenaOf(ctx, t, p, c, asked)
			if err != nil {
				return nil, fmt.Errorf("%s at %s: %w", paths[i], p.Isolation, err)
			}
			at := phenomenaAtLevel{Isolation: p.Isolation, Happened: []string{}, Waited: v.Waited, Aborts: []string{}, shown: v.Anomalies}
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

// printPhenomena prints a table with a row for each case and a column for each level.
func printPhenomena(levels []*dbms.Profile, rows []phenomenaOfCase, reasons bool, w io.Writer) error {
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
		return nil, explain(ctx, t, err)
	}
	return v, nil
}

// cell prints a verdict for a table.
func (p *phenomenaAtLevel) cell() string {
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
