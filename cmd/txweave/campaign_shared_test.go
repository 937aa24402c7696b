package main

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"txweave/campaign/database"
	"txweave/finding"
	"txweave/internal/testkit/effort"
)

// TestOneAndTwoProcesses: a campaign that two processes share, side by side, checks the same cases with the same
// outcome as one process alone: what was counted of each, of which productions they were made, the bugs with how often
// each was found.
func TestOneAndTwoProcesses(t *testing.T) {
	effort.Full(t)
	store := (&url.URL{Scheme: "mysql", User: url.UserPassword("store", secret), Host: "localhost", Path: "/halves",
		RawQuery: "socket=" + url.QueryEscape(userServer.Socket(t))}).String()
	t.Setenv("TXWEAVE_TEST_STORE", store)
	dir := t.TempDir()
	plan := filepath.Join(dir, "campaign.toml")
	const cases = 31 // the parts are not equal
	text := fmt.Sprintf(
		"[[cell]]\nname = \"both\"\ntarget = \"sqlite\"\nfaults = [\"lost-insert\", \"lost-delete\"]\ncases = %d\nseed = "+
			"7\nno_reduce = true\n", cases)
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	alone, _, said := command(t, "campaign", "run", plan, "--out", filepath.Join(dir, "alone"))
	if err := alone.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, alone); code != exitFindings {
		t.Fatalf("exit %d: %s", code, said)
	}
	var wait []func() (int, string)
	for part := range 2 {
		half, _, said := command(t, "campaign", "run", plan, "--out", filepath.Join(dir, fmt.Sprint("half", part)), "--store",
			"env:TXWEAVE_TEST_STORE", "--shard", fmt.Sprintf("%d/2", part))
		if err := half.Start(); err != nil {
			t.Fatal(err)
		}
		wait = append(wait, func() (int, string) { return exitCode(t, half), said.String() })
	}
	for _, w := range wait {
		if code, said := w(); code != exitFindings {
			t.Fatalf("exit %d: %s", code, said)
		}
	}
	one, err := database.Open(t.Context(), filepath.Join(dir, "alone"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := database.OpenShared(t.Context(), store, filepath.Join(dir, "look"))
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	a, b := whole(t, one), whole(t, two)
	if !slices.Equal(a, b) {
		t.Errorf("one process:\n%q\ntwo:\n%q", a, b)
	}
	if s, err := two.Status(t.Context()); err != nil || s.Cells[0].CasesChecked != cases || s.Findings < 8 || s.Bugs < 2 {
		t.Errorf("%+v %v", s, err)
	}
	if wrong, _, _, err := two.Audit(t.Context()); err != nil || len(wrong) > 0 {
		t.Error(wrong, err)
	}
	reducedForAll(t, two, store, dir)
}

// reducedForAll: what "reduce --store" makes smaller is there for whoever looks from another machine.
func reducedForAll(t *testing.T, db *database.DB, store, dir string) {
	t.Helper()
	bugs, err := db.Bugs()
	if err != nil {
		t.Fatal(err)
	}
	name := bugs.Bugs[0].Kept[0].Dir
	small, _, said := command(t, "reduce", name, "--store", "env:TXWEAVE_TEST_STORE", "--out",
		filepath.Join(dir, "brought"), "--attempts", "30", "--repeat", "1")
	if err := small.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, small); code != 0 {
		t.Fatalf("exit %d: %s", code, said)
	}
	other, err := database.OpenShared(t.Context(), store, filepath.Join(dir, "other machine"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	f, err := other.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(filepath.Join(finding.ReducedDir, finding.CaseFile)); err != nil {
		t.Error(err)
	}
}

// whole is what does not depend on who did which case when, on a line each.
func whole(t *testing.T, db *database.DB) (out []string) {
	t.Helper()
	s, err := db.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &s.Cells[0]
	// a process repeats the first findings of a signature more often than later ones
	c.Counts.Runs, c.Counts.Replays, c.Counts.Sent = 0, 0, 0
	out = append(out, fmt.Sprintf("%d %d %d %d %d %+v %v", s.Findings, c.Cases, c.CasesChecked, c.NextCase, c.Found,
		c.Counts, c.Skipped))
	uses, err := db.Features(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range uses {
		out = append(out, fmt.Sprintf("%s %d %d", u.Name, u.Cases, u.Found))
	}
	bugs, err := db.Bugs()
	if err != nil {
		t.Fatal(err)
	}
	// Findings that nothing reduces are grouped by the features of the first of them: into which groups those of one kind
	// go depends on who was first, their number does not.
	counts := map[string]int{}
	for _, g := range bugs.Bugs {
		counts[g.Signature.Coarse] += g.Count
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %d", kind, counts[kind]))
	}
	return out
}
