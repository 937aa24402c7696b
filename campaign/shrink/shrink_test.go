package shrink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"txweave/testcase"
)

// script is a shrinker that sees, run by run, what the entries say: a signature each, "" for none.
func script(k *shrinker, entries ...string) {
	k.look = func(context.Context, *testcase.Case) ([]string, int, error) {
		if len(entries) == 0 {
			return nil, 0, errors.New("run once too often")
		}
		e := entries[0]
		entries = entries[1:]
		switch e {
		case "":
			return nil, 0, nil
		case "refused":
			return nil, 0, fmt.Errorf("%w: refused", ErrRefused)
		case "a and error":
			return []string{"a"}, 1, nil
		case "both":
			return []string{"b", "a"}, 0, nil
		}
		return []string{e}, 0, nil
	}
}

// TestMeasure: how often a case shows its finding decides what a repetition is.
func TestMeasure(t *testing.T) {
	tests := []struct {
		given        string
		runs         []string
		want         string
		shown        int
		repeat, each int
	}{
		{"", []string{"a", "a", "a", "a", "a"}, "a", 5, 2, 1},
		{"", []string{"a", "", "a", "", "a"}, "a", 3, 3, 5},
		{"", []string{"", "", "", "", "a"}, "a", 1, 3, 18},
		{"", []string{"a", "b", "b", "a", "b"}, "b", 3, 3, 5},
		{"a", []string{"both", "both", "both", "both", "both"}, "a", 5, 2, 1},
		{"c", []string{"a", "a", "b", "a", "a"}, "a", 4, 3, 3},
		{"", []string{"", "", "", "", ""}, "", 0, 0, 0},
	}
	for _, test := range tests {
		k := &shrinker{repeat: 2, runs: 1, signature: test.given}
		script(k, test.runs...)
		shown, measured, err := k.measure(context.Background(), nil)
		if test.want == "" {
			if !errors.Is(err, ErrShowsNothing) {
				t.Errorf("%q: %v", test.runs, err)
			}
			continue
		}
		if err != nil || k.signature != test.want || shown != test.shown || measured != len(test.runs) || k.repeat != test.repeat || k.runs != test.each {
			t.Errorf("%q: %s %d/%d, %d repetitions of %d runs, %v", test.runs, k.signature, shown, measured, k.repeat, k.runs, err)
		}
	}
}

// TestHolds: every repetition must show the same signature; what is refused, or fails where the original did not, is
// no candidate.
func TestHolds(t *testing.T) {
	tests := []struct {
		repeat, runs int
		entries      []string // all of them must be used
		want         bool
	}{
		{2, 1, []string{"a", "a"}, true},
		{2, 1, []string{"both", "a"}, true},
		{2, 1, []string{"a", "b"}, false},
		{2, 1, []string{"b"}, false},
		{2, 1, []string{"a", ""}, false},
		{2, 1, []string{"refused"}, false},
		{2, 1, []string{"a and error"}, false},
		{3, 3, []string{"", "", "a", "a", "", "a"}, true},
		{3, 3, []string{"a", "", "", ""}, false},
	}
	for _, test := range tests {
		k := &shrinker{repeat: test.repeat, runs: test.runs, signature: "a"}
		script(k, append(slices.Clone(test.entries), "end")...)
		got, err := k.holds(context.Background(), nil)
		if err != nil || got != test.want {
			t.Errorf("%q: %v, %v", test.entries, got, err)
		}
		if rest, _, _ := k.look(context.Background(), nil); !slices.Equal(rest, []string{"end"}) {
			t.Errorf("%q: not all runs were made, or too many", test.entries)
		}
	}
	k := &shrinker{repeat: 1, runs: 1, signature: "a"}
	script(k)
	if _, err := k.holds(context.Background(), nil); err == nil {
		t.Error("an error of the environment counts as an answer")
	}
}
