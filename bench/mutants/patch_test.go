package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEditsFit holds every edit against the library of go.mod, so that another version is noticed without a build.
func TestEditsFit(t *testing.T) {
	module, err := findModule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files, err := engineFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changed, err := patched(filepath.Join(module, "lib"), files, mutants)
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range changed {
		if _, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
	}
}

func TestMutantsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants {
		if m.Name == "" || m.Class == "" || m.What == "" || strings.Contains(m.Name, ":") || seen[m.Name] {
			t.Errorf("mutant %q: a name of its own, a class and what it does are needed", m.Name)
		}
		seen[m.Name] = true
		for _, state := range m.States {
			if !slices.Contains(engineStates, state) {
				t.Errorf("mutant %s: no column for %s", m.Name, state)
			}
		}
	}
	for _, state := range engineStates {
		if !strings.Contains(string(engineSwitch), `case "`+state+`":`) {
			t.Errorf("the switch knows no state %s", state)
		}
	}
	for _, spec := range short {
		if _, err := find(spec); err != nil {
			t.Error(err)
		}
	}
}

const fitting = `package p

func _f(a int) int {
	a++
	return a
}

func _g(a int) int {
	a++
	return a
}
`

func TestPatch(t *testing.T) {
	for _, c := range []struct {
		name string
		m    mutant
		want string // of function _f, or of the error
	}{
		{"before", mutant{Name: "m", Edits: []edit{{In: "_f", At: "return a", Before: "if STRIKE {\nreturn 0\n}"}}},
			"\ta++\nif mutantStrikes(0) {\nreturn 0\n}\n\treturn a\n"},
		{"after", mutant{Name: "m", Edits: []edit{{In: "_f", At: "a++", After: "if STRIKE {\na--\n}"}}},
			"\ta++\nif mutantStrikes(0) {\na--\n}\n\treturn a\n"},
		{"instead", mutant{Name: "m", Edits: []edit{{In: "_f", At: "a++", Instead: "if !STRIKE {\na++\n}"}}},
			"\tif !mutantStrikes(0) {\na++\n}\n\treturn a\n"},
		{"no function", mutant{Name: "m", Edits: []edit{{In: "_h", At: "a++", After: "STRIKE"}}}, "there is no function _h"},
		{"no place", mutant{Name: "m", Edits: []edit{{In: "_f", At: "b++", After: "STRIKE"}}}, `_f has "b++" 0 times`},
		{"two places", mutant{Name: "m", Edits: []edit{{In: "_f", At: "a", After: "STRIKE"}}}, "times, want 1"},
		{"overlap", mutant{Name: "m", Edits: []edit{{In: "_f", At: "a++", Instead: "STRIKE"}, {In: "_f", At: "a++\n",
			Instead: "b++\n"}}},
			"overlap"},
		{"never asks", mutant{Name: "m", Edits: []edit{{In: "_f", At: "a++", Instead: "a--"}}},
			"no edit has the word STRIKE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(fitting), 0o644); err != nil {
				t.Fatal(err)
			}
			saved := hooks
			hooks = nil
			defer func() { hooks = saved }()
			changed, err := patched(dir, []string{"p.go"}, []mutant{c.m})
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Fatalf("error %q, want %q", err, c.want)
				}
				return
			}
			got := string(changed["p.go"])
			want := "package p\n\nfunc _f(a int) int {\n" + c.want + "}\n\nfunc _g(a int) int {\n\ta++\n\treturn a\n}\n"
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if names := string(changed["mutant_names.go"]); !strings.Contains(names, `"m"`) {
				t.Errorf("names: %s", names)
			}
		})
	}
}
