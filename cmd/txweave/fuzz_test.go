package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"txweave/campaign"
)

// summaryKeys are the keys of the object that fuzz --format json prints, as documented.
var summaryKeys = strings.Fields(
	`bugs cases cases_checked cases_clean cases_per_minute cases_with_findings cross_edges elapsed_s features findings
	isolation known overlap_edge_cases overlapping_cases paused repeats replays runs seed server_statements skipped statements
	target unconfirmed version`)

// statementKeys are those of its statements.
var statementKeys = strings.Fields(
	"dropped_aborted dropped_blamed dropped_blocked dropped_cyclic effective errored generated partial rows searches " +
		"survived")

// fuzzJSON runs a campaign and returns its summary, having checked what must hold of every one.
func fuzzJSON(t *testing.T, args ...string) *campaign.Summary {
	t.Helper()
	cmd, stdout, stderr := command(t, append([]string{"fuzz", "--format", "json"}, args...)...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, stdout, stderr)
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(stdout.String()), &object); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, stdout)
	}
	if keys := slices.Sorted(maps.Keys(object)); !slices.Equal(keys, summaryKeys) {
		t.Errorf("keys %v, want %v", keys, summaryKeys)
	}
	if keys := slices.Sorted(maps.Keys(object["statements"].(map[string]any))); !slices.Equal(keys, statementKeys) {
		t.Errorf("keys of statements %v, want %v", keys, statementKeys)
	}
	for _, list := range []string{"bugs", "findings", "unconfirmed"} {
		if _, ok := object[list].([]any); !ok {
			t.Errorf("%s is %v, not a list", list, object[list])
		}
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(stdout.String())))
	dec.DisallowUnknownFields()
	var sum campaign.Summary
	if err := dec.Decode(&sum); err != nil {
		t.Fatal(err)
	}
	st := sum.Statements
	if st.Generated != st.Survived+st.DroppedBlocked+st.DroppedCyclic+st.DroppedAborted+st.DroppedBlamed {
		t.Errorf("statements do not add up: %+v", st)
	}
	if sum.CasesChecked > sum.Cases || sum.OverlapEdgeCases > sum.OverlappingCases || sum.OverlappingCases >
		sum.CasesChecked {
		t.Errorf("cases do not add up: %+v", sum)
	}
	return &sum
}

func TestFuzzSummary(t *testing.T) {
	sum := fuzzJSON(t, "--cases", "20", "--seed", "5")
	if sum.Seed != 5 || sum.Target != "sqlite" || sum.Isolation != "serializable" || sum.Version == "" {
		t.Errorf("header: %+v", sum)
	}
	if sum.Cases != 20 || sum.CasesChecked != 20 || len(sum.Findings)+len(sum.Unconfirmed) > 0 ||
		len(sum.Skipped) > 0 {
		t.Errorf("outcome: %+v", sum)
	}
	if sum.Statements.Survived == 0 || sum.Runs < 20 || sum.Replays < 20 || sum.ServerStatements < 100 ||
		sum.OverlappingCases == 0 {
		t.Errorf("work: %+v", sum)
	}
}

// TestFuzzRepeats checks that a seed stands for the same cases and the same outcome, however many workers share
// them, and that the cases of a campaign can be had in parts.
func TestFuzzRepeats(t *testing.T) {
	first := fuzzJSON(t, "--cases", "8", "--seed", "11")
	same := func(a, b *campaign.Summary) {
		t.Helper()
		if a.Statements != b.Statements || a.Runs != b.Runs || a.CasesChecked != b.CasesChecked || !maps.Equal(a.CrossEdges,
			b.CrossEdges) {
			t.Errorf("two outcomes:\n%+v\n%+v", a, b)
		}
	}
	same(first, fuzzJSON(t, "--cases", "8", "--seed", "11"))
	same(first, fuzzJSON(t, "--cases", "8", "--seed", "11", "--workers", "2"))
	a := fuzzJSON(t, "--cases", "5", "--seed", "11")
	b := fuzzJSON(t, "--cases", "3", "--first", "5", "--seed", "11")
	if a.Statements.Generated+b.Statements.Generated != first.Statements.Generated {
		t.Errorf("two parts have %d + %d statements, the whole %d", a.Statements.Generated, b.Statements.Generated,
			first.Statements.Generated)
	}
}

// TestGenRepeats checks that gen prints the same text for the same seed, for each target, and another for another.
func TestGenRepeats(t *testing.T) {
	gen := func(target string, seed, n int) string {
		cmd, stdout, stderr := command(t, "gen", "--target", target, "--seed", strconv.Itoa(seed), "--case", strconv.Itoa(n))
		if err := cmd.Run(); err != nil || stderr.String() != "" {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr)
		}
		return stdout.String()
	}
	for _, target := range []string{"sqlite", "mariadb", "mysql"} {
		a := gen(target, 3, 1)
		if a != gen(target, 3, 1) {
			t.Errorf("%s: one seed, two cases", target)
		}
		if a == gen(target, 3, 2) || a == gen(target, 4, 1) {
			t.Errorf("%s: two seeds or numbers, one case", target)
		}
	}
}

// TestFuzzInconclusive checks that a campaign that checked nothing does not pass for a clean one.
func TestFuzzInconclusive(t *testing.T) {
	cmd, stdout, stderr := command(t, "fuzz", "--duration", "1ns")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exitInconclusive || !strings.Contains(stderr.String(),
		"inconclusive: none of 0 cases") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
