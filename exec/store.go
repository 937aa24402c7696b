package exec

import (
	"context"
	"fmt"

	"txweave/dbms"
	"txweave/testcase"
)

// Storer is a target whose store can be shaped.
type Storer interface {
	// Store names the shape that it has; "" is the usual one.
	Store() string
	// Reshape replaces the database by a new and empty one of a shape; nil: the usual one.
	Reshape(ctx context.Context, shape *dbms.StoreShape) error
}

// Shape gives a target the store that a case names. release is called where its sessions have to be closed before: the database is
// made anew. A case that was written for another DBMS names nothing here. An error says that the case names what the DBMS has not,
// or that the database cannot be made.
func Shape(ctx context.Context, t Target, c *testcase.Case, p *dbms.Profile, release func()) error {
	name := c.Option(testcase.OptionStore)
	if c.Target != p.DBMS {
		name = ""
	}
	s, can := t.(Storer)
	shape := p.Store(name)
	switch {
	case name != "" && shape == nil:
		return &ShapeError{p.DBMS, name}
	case !can || s.Store() == name:
		return nil
	}
	release()
	return s.Reshape(ctx, shape)
}

// ShapeError says that a case names a shape of the store that its DBMS has not.
type ShapeError struct{ DBMS, Name string }

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s: %s has no store %q", testcase.OptionStore, e.DBMS, e.Name)
}
