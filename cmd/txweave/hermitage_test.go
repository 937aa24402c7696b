package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/fault"
)

var update = flag.Bool("update", false, "write generated tables into the documents")

// hermitageTable finds a command that docs/hermitage.md names and the table below it.
var hermitageTable = regexp.MustCompile(
	"(?m)^`txweave (phenomena docs/hermitage/\\*\\.txw --target (\\w+))`.*\n\n((?:\\|.*\n)*)")

// TestHermitage runs the commands that docs/hermitage.md names on the real databases: each must print the table that
// stands there, and no phenomenon that the level forbids.
func TestHermitage(t *testing.T) {
	dir, err := filepath.Abs("../../docs/hermitage")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.txw"))
	if err != nil || len(paths) < 15 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	text := doc(t, "docs/hermitage.md")
	commands := hermitageTable.FindAllStringSubmatch(text, -1)
	if len(commands) != 2 {
		t.Fatalf("docs/hermitage.md names %d commands", len(commands))
	}
	for _, c := range commands {
		block, target, table := c[0], c[2], c[3]
		t.Run(target, func(t *testing.T) {
			if target != "sqlite" {
				requireServer(t)
			}
			cmd, stdout, stderr := command(t, append([]string{"phenomena", "--target", target}, paths...)...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			got := stdout.String()
			checkForbidden(t, target, got)
			if *update {
				if head := strings.TrimSuffix(block, table); table == "" {
					text = strings.Replace(text, block, head+got+"\n", 1)
				} else {
					text = strings.Replace(text, block, head+got, 1)
				}
			} else if got != table {
				t.Errorf("docs/hermitage.md does not show what the command prints:\n%s", got)
			}
		})
	}
	if *update {
		if err := os.WriteFile("../../docs/hermitage.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlantedHermitage: a planted bug shows in the scenario of its phenomenon, and not in that of the other one: what
// two transactions write of one table are two rows, or one.
func TestPlantedHermitage(t *testing.T) {
	for name, want := range map[string]string{"08-p4": "lost-update", "13-g2-item": "write-skew", "14-g2": "write-skew",
		"15-g2-two-edges": "write-skew"} {
		path, err := filepath.Abs("../../docs/hermitage/" + name + ".txw")
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range []string{"lost-update", "write-skew"} {
			cmd, stdout, stderr := command(t, "replay", path, "--target", "sqlite", "--isolation", "serializable",
				"--faults", fault)
			_ = cmd.Run() // the code says what the output does
			if shows := strings.Contains(stdout.String(), " 1/1 showed"); shows != (fault == want) || !shows &&
				!strings.Contains(stdout.String(), " 0/1 showed") {
				t.Errorf("%s with %s:\n%s%s", name, fault, stdout, stderr)
			}
		}
	}
}

// checkForbidden checks that no cell names a phenomenon that its level forbids, and that MariaDB shows each of them at
// some level, save G0, which every level forbids.
func checkForbidden(t *testing.T, target, table string) {
	t.Helper()
	happened := map[fault.Kind]bool{}
	rows := strings.Split(strings.TrimSpace(table), "\n")
	levels := strings.Split(rows[0], "|")[3:]
	for _, row := range rows[2:] {
		cells := strings.Split(row, "|")
		about := fault.Kind(strings.TrimSpace(cells[2]))
		happened[about] = happened[about] || about == fault.G0
		for i, cell := range cells[3 : len(cells)-1] {
			p, err := dbms.Lookup(target, strings.TrimSpace(levels[i]))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(cell, string(about)) {
				continue
			}
			happened[about] = true
			if slices.Contains(p.Guarantees.Forbidden, about) {
				t.Errorf("%s happened at %s, which forbids it: %s", about, p.Isolation, row)
			}
		}
	}
	for about, shown := range happened {
		if !shown && target == "mariadb" {
			t.Errorf("%s happened at no level", about)
		}
	}
}
