package exec

import (
	"context"
	"errors"
	"fmt"

	"txweave/dbms"
	"txweave/testcase"
)

// Storer is a target whose store can be shaped.
type Storer interface {
	// Store names the shape that it has; "" is the usual one.
	Store() string
	// Reshape replaces the database by a new and empty one of a shape; nil: the usual one. A target whose store is not for txweave to make
	// returns errOwnStore.
	Reshape(ctx context.Context, shape *dbms.StoreShape) error
}

// errOwnStore says that a server of the user's keeps its tables as it does.
var errOwnStore = errors.New("a server that txweave did not start keeps its own store")

// Shape gives a target the store that a case names. release is called where its sessions have to be closed before: the database is
// made anew. A case that was written for another DBMS names nothing here. On a server of the user's, which cannot be started anew, the
// case no longer names a store that would need that. An error says that the case names what the DBMS has not, or that the database cannot be made.
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
	err := s.Reshape(ctx, shape)
	if errors.Is(err, errOwnStore) {
		c.SetOption(testcase.OptionStore, "")
		return nil
	}
	return err
}

// serverArguments are those that a shape of the store adds to a server's.
func serverArguments(shape *dbms.StoreShape) []string {
	if shape == nil {
		return nil
	}
	return shape.Server
}

// Store implements Storer.
func (t *mysqlTarget) Store() string {
	if t.instance == nil || t.instance.shape == nil {
		return ""
	}
	return t.instance.shape.Name
}

// Reshape implements Storer. A restart that does not come to its end is made up for by the next one, in the same shape.
func (t *mysqlTarget) Reshape(ctx context.Context, shape *dbms.StoreShape) error {
	if t.instance == nil {
		return errOwnStore
	}
	t.instance.shape = shape
	return t.Restart(ctx)
}

// ShapeError says that a case names a shape of the store that its DBMS has not.
type ShapeError struct{ DBMS, Name string }

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s: %s has no store %q", testcase.OptionStore, e.DBMS, e.Name)
}
