package mysqlwire

import (
	"context"
	"errors"
	"fmt"

	"txweave/exec"
)

// WaitSource is a way to see lock waits.
type WaitSource struct {
	// Ask returns the connections that wait for a lock now, by their numbers.
	Ask  func(ctx context.Context, control *exec.Session) (map[uint64]exec.Wait, error)
	Need string // what the user must be allowed to do
	// Setting is a variable of the server that must be 1; "" for none.
	Setting string
}

// findLockWaits returns the way to see lock waits that the server offers. Its version decides, not what the user may
// see: another way would lie.
func findLockWaits(ctx context.Context, control *exec.Session, kind *DBMS, version string) (*WaitSource, error) {
	way := kind.Waits(version)
	if way.Setting != "" {
		on, err := control.Read(ctx, "SELECT @@"+way.Setting)
		if err != nil {
			return nil, err
		}
		if on.Cell(0, 0).String() != "1" {
			return nil, fmt.Errorf("%w: cannot see lock waits: the server must run with %s=ON", exec.ErrUnavailable, way.Setting)
		}
	}
	var refused *exec.AnswerError
	if _, err := way.Ask(ctx, control); errors.As(err, &refused) {
		return nil, fmt.Errorf("%w: cannot see lock waits: the user needs %s: %w", exec.ErrUnavailable, way.Need, err)
	} else if err != nil {
		return nil, fmt.Errorf("%w: cannot see lock waits: %w", exec.ErrUnavailable, err)
	}
	return way, nil
}
