package strict

import (
	"strings"
	"testing"
)

type plan struct {
	Slice string `toml:"slice"`
	Tell  *struct {
		Command []string `toml:"command,omitempty"`
		Plain   int
	} `toml:"tell"`
	Cells []struct {
		Name   string `toml:"name"`
		Hidden int    `toml:"-"`
	} `toml:"cell"`
}

// TestTOML: a key that there is not is named with those that there are in its place.
func TestTOML(t *testing.T) {
	for text, want := range map[string]string{
		"slice = \"1m\"\n[tell]\nplain = 2\n[[cell]]\nname = \"a\"": "",
		"slise = \"1m\"":                           `f: slise is not a key of a plan: no "slise" (there are slice, tell, cell)`,
		"[[cell]]\nnam = \"a\"":                    `f: cell.nam is not a key of a plan: no "nam" (there are name)`,
		"[tell]\ncomand = [\"mail\"]":              `f: tell.comand is not a key of a plan: no "comand" (there are command, plain)`,
		"[cel]\nname = \"a\"":                      `f: cel is not a key of a plan: no "cel" (there are slice, tell, cell)`,
		"piece = \"1m\"\n[[cell]]\ncalled = \"a\"": "",
		"slice = 1":                                `f: toml: line 1 (last key "slice"): incompatible types`,
		"slice":                                    "f:1: ",
	} {
		var p plan
		_, err := TOML("f", []byte(text), "a plan", &p, map[string]string{"piece": "slice", "called": "name"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if strings.Contains(text, "piece") && (p.Slice != "1m" || len(p.Cells) != 1 || p.Cells[0].Name != "a") {
			t.Errorf("%q: %+v: earlier names are not understood", text, p)
		}
	}
}
