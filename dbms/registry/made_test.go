package registry

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"txweave/gen"
	"txweave/sql"
	"txweave/testcase"
)

// place is a node's type, and where it stands.
type place struct {
	kind     reflect.Type
	from, to int
	known    bool
}

func places(n sql.Node) (out []place) {
	sql.Walk(n, func(n sql.Node) bool {
		from, to, ok := sql.Span(n)
		out = append(out, place{reflect.TypeOf(n), from, to, ok})
		return true
	})
	return out
}

// TestMadeAsRead: what the generator makes as a tree is what a reader makes of its text, each node in its place, and
// nobody reads it for that.
func TestMadeAsRead(t *testing.T) {
	for _, d := range all {
		t.Run(d.Name, func(t *testing.T) { // one after the other: a dialect keeps what was made last, and some share theirs
			for seed := range uint64(40) {
				c, err := gen.Generate(seed, d.Dialect, gen.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range slices.Concat(c.Schema, c.Rows) {
					if !asMade(t, d.Dialect.Tree, s) {
						t.Errorf("%s: it was not made as a tree", s.SQL)
					}
				}
				for _, txn := range c.Txns {
					for _, s := range txn.Stmts {
						asMade(t, d.Dialect.Tree, s)
					}
				}
			}
		})
	}
}

// asMade holds a statement against what a reader makes of its text, and says whether it was made as a tree. Queries and
// writes must have been.
func asMade(t *testing.T, d *sql.Dialect, s testcase.Stmt) bool {
	before := sql.Parsed.Load()
	made, err := d.Parse(s.SQL)
	known := sql.Parsed.Load() == before
	read, again := d.Parse(s.SQL + " ")
	if err = errors.Join(err, again); err != nil {
		t.Fatalf("%s: %v", s.SQL, err)
	}
	if !known {
		switch read.(type) {
		case *sql.Query, *sql.Insert, *sql.Update, *sql.Delete, *sql.DeleteJoined, *sql.Merge:
			t.Errorf("%s: it was not made as a tree", s.SQL)
		}
		return false
	}
	got, want := places(made), places(read)
	if slices.Equal(got, want) {
		return true
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.Errorf("%s\nmade %v\nread %v", s.SQL, got[min(at, len(got)-1)], want[min(at, len(want)-1)])
	return true
}
