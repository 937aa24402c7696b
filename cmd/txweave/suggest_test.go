package main

import "testing"

// TestSuggest: of a wrong word the right one is named, where one is close.
func TestSuggest(t *testing.T) {
	root := rootCommand()
	for text, want := range map[string]string{
		`unknown command "fuz" for "txweave"`:                                        `unknown command "fuz" for "txweave": did you mean fuzz?`,
		`unknown command "xyz" for "txweave"`:                                        `unknown command "xyz" for "txweave" (txweave help lists them)`,
		`unknown target "sqlit": want sqlite`:                                        `unknown target "sqlit": want sqlite: did you mean sqlite?`,
		`--faults: no planted bug "lost-comit" (there are lost-insert, lost-commit)`: `--faults: no planted bug "lost-comit" (there are lost-insert, lost-commit): did you mean lost-commit?`,
		`--for "oracle": want sqlite, mariadb or html`:                               `--for "oracle": want sqlite, mariadb or html`,
		`invalid argument "5" for "--duration" flag: missing unit in duration "5"`:   `invalid argument "5" for "--duration" flag: missing unit in duration "5"`,
		`no quoted word, sqlite`:                                                     `no quoted word, sqlite`,
	} {
		if got := suggest(root, text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
