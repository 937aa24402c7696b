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
	// Reshape replaces the database by a new and empty one of a shape; nil: the usual one.
	Reshape(ctx context.Context, shape *dbms.StoreShape) error
}

// StoreKeeper is a Storer that may keep the databases of other shapes: Reshape comes back to the one that a shape had,
// and its sessions are as good as they were.
type StoreKeeper interface {
	KeepsStores() bool
}

// KeepsStores says whether a target is one that does.
func KeepsStores(t Target) bool {
	k, ok := t.(StoreKeeper)
	return ok && k.KeepsStores()
}

// StorePreparer is a Storer that makes ready what a shape needs, where that is not there yet, before its database is
// given up for it: one that cannot goes on with the store that it has. The error is ErrOwnStore where the store is not
// for txweave to make.
type StorePreparer interface {
	PrepareStore(ctx context.Context, shape *dbms.StoreShape) error
}

// ErrOwnStore says that a server of the user's keeps its tables as it does.
var ErrOwnStore = errors.New("a server that txweave did not start keeps its own store")

// Shape gives a target the store that a case names. release is called where its sessions have to be closed before, as
// the database is made anew: those of a target that keeps its stores are good again when it comes back to this one. A
// case that was written for another DBMS names nothing here. On a server of the user's, which cannot be started anew,
// the case no longer names a store that would need that. An error says that the case names what the DBMS has not, or
// that the database cannot be made.
func Shape(ctx context.Context, t Target, c *testcase.Case, p *dbms.Profile, release func()) error {
	name := c.Option(testcase.OptionStore)
	if c.Target != p.DBMS {
		name = ""
	}
	s, can := t.(Storer)
	shape := p.Store(name)
	switch {
	case name != "" && shape == nil:
		return &ShapeError{DBMS: p.DBMS, Name: name}
	case !can || s.Store() == name:
		return nil
	}
	if m, prepares := t.(StorePreparer); prepares && shape != nil {
		switch err := m.PrepareStore(ctx, shape); {
		case errors.Is(err, ErrOwnStore):
			c.SetOption(testcase.OptionStore, "")
			return nil
		case err != nil && ctx.Err() == nil:
			return &ShapeError{p.DBMS, name, err}
		case err != nil:
			return err
		}
	}
	if !KeepsStores(t) {
		release()
	}
	return s.Reshape(ctx, shape)
}

// serverArguments are those that a shape of the store adds to a server's.
func serverArguments(shape *dbms.StoreShape) []string {
	if shape == nil {
		return nil
	}
	return shape.Server
}

// ShapeError says that a case names a shape of the store that its DBMS has not, or that the server at hand cannot be
// made in: Why.
type ShapeError struct {
	DBMS, Name string
	Why        error // nil: there is none of that name
}

// Unwrap returns why the server cannot be made so.
func (e *ShapeError) Unwrap() error { return e.Why }

func (e *ShapeError) Error() string {
	if e.Why != nil {
		return fmt.Sprintf("%s %q: %v", testcase.OptionStore, e.Name, e.Why)
	}
	return fmt.Sprintf("%s: %s has no store %q", testcase.OptionStore, e.DBMS, e.Name)
}
