package registry

import (
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

// TestMadeAsRead: what the generator makes as a tree is what a reader makes of its text, each node in its place, and nobody reads it for that.
func TestMadeAsRead(t *testing.T) {
	for _, d := range all {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			made, all := 0, 0
			for seed := range uint64(40) {
				c, err := gen.Generate(seed, d.Dialect, gen.Options{})
				if err != nil {
					t.Fatal(err)
				}
				stmts := slices.Concat(c.Schema, c.Rows)
				for _, txn := range c.Txns {
					stmts = append(stmts, txn.Stmts...)
				}
				for _, s := range stmts {
					m, r := asMade(t, d.Dialect.Tree, s)
					all++
					if m == nil {
						continue
					}
					made++
					if got, want := places(m), places(r); !slices.Equal(got, want) {
						at := 0
						for at < min(len(got), len(want)) && got[at] == want[at] {
							at++
						}
						t.Fatalf("seed %d: %s\nmade %v\nread %v", seed, s.SQL, got[min(at, len(got)-1)], want[min(at, len(want)-1)])
					}
				}
			}
			if made*10 < all*7 {
				t.Errorf("%d of %d statements were made as trees", made, all)
			}
		})
	}
}

// asMade returns the tree that is known of a statement's text, nil where none is, and the one that a reader makes of it.
func asMade(t *testing.T, d *sql.Dialect, s testcase.Stmt) (made, read sql.Stmt) {
	made, ok := d.Known(s.SQL)
	if !ok {
		return nil, nil
	}
	read, err := d.Parse(s.SQL + " ")
	if err != nil {
		t.Fatalf("%s: %v", s.SQL, err)
	}
	return made, read
}
