package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/fault"
)

// hermitageTable is the command that docs/hermitage/README.md names, and the table below it.
var hermitageTable = regexp.MustCompile(
	"(?m)^(`txweave phenomena docs/hermitage/\\*\\.txw --target mariadb`.*\n\n)((?:\\|.*\n)*)")

// TestHermitage runs the cases of docs/hermitage on the real databases: no phenomenon happens that the level forbids,
// and MariaDB's table is the one of docs/hermitage/README.md.
func TestHermitage(t *testing.T) {
	const page = "docs/hermitage/README.md"
	t.Run("sqlite", func(t *testing.T) { checkForbidden(t, "sqlite", hermitage(t, "sqlite")) })
	t.Run("mariadb", func(t *testing.T) {
		requireServer(t)
		got := hermitage(t, "mariadb")
		checkForbidden(t, "mariadb", got)
		text := doc(t, page)
		if !hermitageTable.MatchString(text) {
			t.Fatalf("%s does not name the command", page)
		}
		heldPage(t, page, hermitageTable.ReplaceAllString(text, "${1}"+got))
	})
}

// hermitage is what the command prints of the cases of docs/hermitage.
func hermitage(t *testing.T, target string) string {
	t.Helper()
	dir, err := filepath.Abs("../../docs/hermitage")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.txw"))
	if err != nil || len(paths) < 15 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	cmd, stdout, stderr := command(t, append([]string{"phenomena", "--target", target}, paths...)...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return stdout.String()
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
				"--inject", fault)
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
