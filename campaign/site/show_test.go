package site

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"txweave/campaign/casesource"
	"txweave/campaign/database"
	"txweave/campaign/rotation"
	"txweave/internal/trust"
)

// TestPageRunsNoServerOfADirectorys: the page's button runs a finding again on a server that the user has named, and on
// none that only the campaign's directory names.
func TestPageRunsNoServerOfADirectorys(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	db, err := database.Open(t.Context(), t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, way := range map[string]string{"server": `server = "/tmp/evil"`, "dsn": `dsn = "root@tcp(10.0.0.1:3306)/"`,
		"file": `dsn_file = "/etc/shadow"`, "env": `dsn = "env:HOME"`} {
		spec := "[[cell]]\nname = \"" + name + "\"\ntarget = \"mariadb\"\nmode = \"fuzz\"\n" + way + "\n"
		plan, err := rotation.Parse("spec", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		cells := []database.CellPlan{{Name: name, Target: "mariadb", Isolation: "repeatable-read", Mode: "fuzz",
			Seed: 1, Spec: spec}}
		if _, err := db.Begin(t.Context(), database.Shard{Count: 1}, "test", cells, casesource.FreshSeed); err != nil {
			t.Fatal(err)
		}
		_, err = (&Config{Book: trust.Open(), Self: os.Args[0]}).repeater(db)(t.Context(), "finding-x-000001-0", name)
		if err == nil || !strings.Contains(err.Error(), "the cell "+name+" names what you have not named yourself") {
			t.Errorf("%s: %v", name, err)
		}
		gone, cancel := context.WithCancel(t.Context()) // so that nothing is run in this test
		cancel()
		for _, book := range []*trust.Book{trust.Open(plan.Ways()[0].Code()), trust.Open()} {
			if _, err := (&Config{Book: book, Self: os.Args[0]}).repeater(db)(gone, "finding-x-000001-0", name); !errors.Is(err,
				context.Canceled) {
				t.Errorf("%s was named: %v", name, err)
			}
		}
	}
}
