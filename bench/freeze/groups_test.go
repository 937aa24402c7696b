package main

import (
	"maps"
	"slices"
	"testing"
)

// TestApart: a bug told is of two planted bugs if two of its findings have none in common.
func TestApart(t *testing.T) {
	of := map[string][]string{"1": {"a"}, "2": {"a", "b"}, "3": {"b"}, "4": nil}
	for _, tc := range []struct {
		dirs []string
		want string
	}{
		{[]string{"1", "2", "4"}, ""}, {[]string{"2", "3"}, ""}, {[]string{"1", "2", "3"}, "a and b"}, {[]string{"4"}, ""},
	} {
		var found []kept
		for _, dir := range tc.dirs {
			found = append(found, kept{dir: dir})
		}
		if got := apart(found, of); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.dirs, got, tc.want)
		}
	}
}

// TestPaired: as many planted bugs as can be get a bug of their own, whoever asks first.
func TestPaired(t *testing.T) {
	for _, tc := range []struct {
		edges map[string][]int
		owned int
	}{
		{map[string][]int{"a": {0}, "b": {0}}, 1},
		{map[string][]int{"a": {0, 1}, "b": {0}}, 2},
		{map[string][]int{"a": {0, 1}, "b": {0, 1}, "c": {0, 1}}, 2},
		{map[string][]int{"a": {0, 1}, "b": {1, 2}, "c": {0}}, 3},
		{map[string][]int{"b": {0}}, 1},
	} {
		n := 0
		for owned := range maps.Values(paired([]string{"a", "b", "c"}, tc.edges)) {
			n += once(owned)
		}
		if n != tc.owned {
			t.Errorf("%v: %d have one, want %d", slices.Sorted(maps.Keys(tc.edges)), n, tc.owned)
		}
	}
}
