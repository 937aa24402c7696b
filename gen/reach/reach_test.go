package reach_test

import (
	"strings"
	"testing"

	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/gen/reach"
)

const list = "id\tdbms\ttitle\tmissing\n" +
	"1\tMariaDB\ta savepoint\tg:SAVEPOINT\n" +
	"2\tmariadb\tnothing\t-\n" +
	"3\tMariaDB\ta machine of its own\ttime travel; g:savepoint\n"

// TestTally counts a list, and finds the cases that hold what its bugs need.
func TestTally(t *testing.T) {
	bugs, err := reach.Read(list, "list.tsv")
	if err != nil {
		t.Fatal(err)
	}
	d, err := registry.Lookup("mariadb")
	if err != nil {
		t.Fatal(err)
	}
	target := &reach.Aim{Name: "mariadb", Dialect: d.Dialect, Levels: []string{"repeatable-read"}}
	sought, err := reach.Seek(bugs, func(dbms string) (*reach.Aim, error) {
		if dbms != "mariadb" {
			t.Errorf("asked for the DBMS %q", dbms)
		}
		return target, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	of, missing := reach.Tally(sought)
	if want := (reach.Count{Bugs: 3, Before: 1, Now: 2}); *of["all"] != want || *of["mariadb"] != want {
		t.Errorf("counted %+v and %+v, want %+v", *of["all"], *of["mariadb"], want)
	}
	if len(missing) != 1 || missing[0] != (reach.Missing{Word: "time travel", By: 1, Alone: 1}) {
		t.Errorf("missing %+v", missing)
	}
	if err := reach.Find(sought[:2], 500); err != nil {
		t.Fatal(err)
	}
	c, err := gen.Generate(gen.CaseSeed(0, sought[0].Case), d.Dialect, gen.Options{Isolation: sought[0].Level})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(c.Print()); !strings.Contains(text, "SAVEPOINT") {
		t.Errorf("case %d has no savepoint:\n%s", sought[0].Case, text)
	}
	if sought[1].Case != 0 {
		t.Errorf("what needs nothing is in case %d, want the first", sought[1].Case)
	}
}

// TestReadRefuses: what is no list is refused with the place.
func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                       `list.tsv: the first line must name the columns "id", "dbms" and "missing"`,
		"id\tdbms\tmissing\n1\t": "list.tsv:2: 2 columns, want 3",
	} {
		if _, err := reach.Read(text, "list.tsv"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
