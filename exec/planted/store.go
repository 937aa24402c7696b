package planted

import (
	"context"

	"txweave/dbms"
	"txweave/exec"
)

// Born implements exec.Mortal as the target does that is wrapped.
func (t *faultyTarget) Born(ctx context.Context) (exec.Birth, error) {
	if m, can := t.Target.(exec.Mortal); can {
		return m.Born(ctx)
	}
	return exec.Birth{}, nil
}

// Store implements exec.Storer as the target does that is wrapped.
func (t *faultyTarget) Store() string {
	if s, can := t.Target.(exec.Storer); can {
		return s.Store()
	}
	return ""
}

// PrepareStore implements exec.StorePreparer.
func (t *faultyTarget) PrepareStore(ctx context.Context, shape *dbms.StoreShape) error {
	if s, can := t.Target.(exec.StorePreparer); can {
		return s.PrepareStore(ctx, shape)
	}
	return nil
}

// Reshape implements exec.Storer.
func (t *faultyTarget) Reshape(ctx context.Context, shape *dbms.StoreShape) error {
	s, can := t.Target.(exec.Storer)
	if !can {
		return nil
	}
	t.unplant()
	return s.Reshape(ctx, shape)
}
