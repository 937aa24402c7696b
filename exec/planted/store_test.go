package planted

import (
	"context"
	"errors"
	"testing"

	"txweave/dbms"
	"txweave/exec"
)

// keeping is a target whose store is not for txweave to make.
type keeping struct {
	exec.Target
	says error
}

func (k keeping) Store() string { return "" }
func (k keeping) Reshape(context.Context, *dbms.StoreShape) error {
	return errors.New("it was to be asked first")
}
func (k keeping) PrepareStore(context.Context, *dbms.StoreShape) error { return k.says }

// TestStoreWrapped: a target with a planted bug says what the one says that it wraps before a case's store is made: a
// server of the user's keeps its own, with planted bugs, too.
func TestStoreWrapped(t *testing.T) {
	own := errors.New("its own")
	var wrapped exec.Target = Plant(keeping{says: own}, Faults()[0], 1)
	if err := wrapped.(exec.StorePreparer).PrepareStore(t.Context(), &dbms.StoreShape{Name: "pages-4k"}); !errors.Is(err,
		own) {
		t.Errorf("%v, want %v", err, own)
	}
	if err := Plant(struct{ exec.Target }{}, Faults()[0], 1).(exec.StorePreparer).PrepareStore(t.Context(),
		nil); err != nil {
		t.Error(err)
	}
}
