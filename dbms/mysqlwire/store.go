package mysqlwire

import (
	"context"

	"txweave/dbms"
	"txweave/exec"
)

// PrepareStore implements exec.StorePreparer: it makes the data directory of a shape.
func (t *target) PrepareStore(ctx context.Context, shape *dbms.StoreShape) error {
	if t.instance == nil {
		return exec.ErrOwnStore
	}
	return t.instance.PrepareShape(ctx, shape)
}

// Store implements exec.Storer.
func (t *target) Store() string {
	if t.instance == nil || t.instance.Shape() == nil {
		return ""
	}
	return t.instance.Shape().Name
}

// Reshape implements exec.Storer. Where the server does not come up in that shape, the next restart brings it up in the
// one that it had.
func (t *target) Reshape(ctx context.Context, shape *dbms.StoreShape) error {
	if t.instance == nil {
		return exec.ErrOwnStore
	}
	return t.restart(ctx, shape)
}
