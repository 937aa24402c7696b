package main

import "testing"

// TestSuggest: of a wrong command the right one is named, where one is close.
func TestSuggest(t *testing.T) {
	root := rootCommand()
	for text, want := range map[string]string{
		`unknown command "fuz" for "txweave"`: `unknown command "fuz" for "txweave": did you mean fuzz?`,
		`unknown command "xyz" for "txweave"`: `unknown command "xyz" for "txweave" (txweave help lists them)`,
		`no "command", fuz`:                   `no "command", fuz`,
	} {
		if got := suggest(root, text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
