package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"txweave/history"
	"txweave/oracle/mechanism"
	"txweave/profile"
)

// The verdicts of a check.
const (
	verdictValid   = "valid"   // no violation, and all that the level claims was checked
	verdictInvalid = "invalid" // a certain violation
	verdictUnknown = "unknown" // nothing was found, and something could not be checked
)

// checkResult is what a check prints.
type checkResult struct {
	Oracle    string         `json:"oracle"`
	Against   string         `json:"against"` // what was checked: "mariadb read-committed"
	Verdict   string         `json:"verdict"`
	Reason    string         `json:"reason,omitempty"` // why unknown
	Findings  []checkFinding `json:"findings"`
	More      int            `json:"more,omitempty"` // findings beyond those listed
	Stats     any            `json:"stats,omitempty"`
	Unchecked []string       `json:"not_checked,omitempty"`
}

// checkFinding is one violation.
type checkFinding struct {
	Signature   string   `json:"signature"`
	Summary     string   `json:"summary"`
	Transaction []int64  `json:"transactions"`
	Explanation []string `json:"explanation"`
}

// checkFlags are the flags of check.
type checkFlags struct {
	oracle    string
	dbms      string
	isolation string
	format    string
	limit     int
}

// checkers are the oracles that judge recorded histories, by the value of --oracle.
var checkers = map[string]func(context.Context, *checkFlags, []string) (*checkResult, error){
	"mechanism": checkMechanism,
}

func checkCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check a recorded history",
		Long: `check judges a history that was recorded before.

--oracle mechanism reads an interval trace (docs/mechanism.md), or the JSON files of Leopard's (Pisco's) clients with
their initial rows in CSV beside them, and verifies consistent read, mutual exclusion, first updater wins and the
serialization certifier, as far as the DBMS claims them at the level.

Exit codes: 0 valid, 1 invalid, 2 unknown, 64 wrong flags or a file that cannot be read.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			check, ok := checkers[f.oracle]
			if !ok {
				return usagef("--oracle %q: want %s", f.oracle, strings.Join(slices.Sorted(maps.Keys(checkers)), ", "))
			}
			if f.format != "text" && f.format != "json" {
				return usagef("--format %q: want text or json", f.format)
			}
			res, err := check(cmd.Context(), f, files)
			if err != nil {
				return err
			}
			if err := res.print(cmd.OutOrStdout(), f.format); err != nil {
				return err
			}
			switch res.Verdict {
			case verdictInvalid:
				return &exitError{code: exitFindings}
			case verdictUnknown:
				return &exitError{code: exitInconclusive}
			}
			return nil
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.oracle, "oracle", "mechanism", "what to check with: mechanism")
	fs.StringVar(&f.dbms, "dbms", "", "DBMS whose claims are checked, e.g. mariadb, postgresql; default: the trace's own")
	fs.StringVar(&f.isolation, "isolation", "", "isolation level whose claims are checked; default: the trace's own")
	fs.StringVar(&f.format, "format", "text", "text or json")
	fs.IntVar(&f.limit, "limit", 20, "findings to print")
	return cmd
}

// print writes the result.
func (r *checkResult) print(w io.Writer, format string) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s\n", f.Summary)
		for _, line := range f.Explanation {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	if r.More > 0 {
		fmt.Fprintf(w, "… and %d more\n", r.More)
	}
	for _, u := range r.Unchecked {
		fmt.Fprintf(w, "not checked: %s\n", u)
	}
	reason := ""
	if r.Reason != "" {
		reason = ": " + r.Reason
	}
	_, err := fmt.Fprintf(w, "%s: %s%s\n", r.Against, r.Verdict, reason)
	return err
}

// checkMechanism checks interval traces with the mechanism oracle.
func checkMechanism(_ context.Context, f *checkFlags, files []string) (*checkResult, error) {
	file, err := os.Open(files[0])
	if err != nil {
		return nil, usage(err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	if first, err := in.Peek(1); len(files) > 1 || err == nil && first[0] == '[' {
		return f.checkLeopard(files)
	}
	sym := history.NewSymbols()
	r, err := history.NewOperationReader(in, sym)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", files[0], err))
	}
	claim, err := f.claim(r.Header.DBMS, r.Header.Isolation)
	if err != nil {
		return nil, err
	}
	rep, err := mechanism.CheckTrace(mechanism.Options{Claims: claim.Mechanisms, Symbols: sym, Limit: f.limit}, r)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", files[0], err))
	}
	return mechanismResult(claim, rep), nil
}

// checkLeopard checks the JSON files of Leopard's clients, with their tables' initial rows in CSV.
func (f *checkFlags) checkLeopard(files []string) (*checkResult, error) {
	var clients, initial []history.Source
	for _, name := range files {
		text, err := os.ReadFile(name)
		switch {
		case err != nil:
			return nil, usage(err)
		case strings.EqualFold(filepath.Ext(name), ".csv"):
			initial = append(initial, history.Source{Name: name, Text: text})
		default:
			clients = append(clients, history.Source{Name: name, Text: text})
		}
	}
	sym := history.NewSymbols()
	header, ops, err := history.ReadLeopard(clients, initial, sym)
	if err != nil {
		return nil, usage(err)
	}
	claim, err := f.claim("", header.Isolation)
	if err != nil {
		return nil, err
	}
	rep, err := mechanism.Check(mechanism.Options{Claims: claim.Mechanisms, Symbols: sym, Limit: f.limit, Initial: header.Initial}, ops)
	if err != nil {
		return nil, usage(err)
	}
	return mechanismResult(claim, rep), nil
}

// claim finds the claims by the flags, else by what the trace says of itself.
func (f *checkFlags) claim(dbms, isolation string) (*profile.Claim, error) {
	if f.dbms != "" {
		dbms = f.dbms
	}
	if f.isolation != "" {
		isolation = f.isolation
	}
	if dbms == "" {
		return nil, usagef("the trace does not say which DBMS it is from: --dbms is needed")
	}
	c, err := profile.LookupClaim(dbms, isolation)
	if err != nil {
		return nil, usage(err)
	}
	return c, nil
}

// mechanismResult is a report as check prints it.
func mechanismResult(claim *profile.Claim, rep *mechanism.Report) *checkResult {
	res := &checkResult{Oracle: "mechanism", Against: claim.DBMS + " " + claim.Isolation, Verdict: verdictValid,
		Findings: []checkFinding{}, More: rep.Dropped, Stats: rep.Stats, Unchecked: rep.NotChecked}
	for i := range rep.Violations {
		v := &rep.Violations[i]
		res.Findings = append(res.Findings, checkFinding{v.Finding().Signature, v.String(), v.Txns, v.Explanation})
	}
	switch {
	case len(rep.Violations) > 0:
		res.Verdict = verdictInvalid
	case rep.Stats.Committed == 0:
		res.Verdict, res.Reason = verdictUnknown, "no transaction committed"
	}
	return res
}
