package exec

import (
	"context"
	"errors"
	"fmt"
)

// findLockWaits returns the way to see lock waits that the server offers. Its version decides, not what the user may
// see: another way would lie.
func findLockWaits(ctx context.Context, control *Session, kind *Server, version string) (*WaitSource, error) {
	way := kind.Waits(version)
	if way.Setting != "" {
		on, err := control.Read(ctx, "SELECT @@"+way.Setting)
		if err != nil {
			return nil, err
		}
		if on.Cell(0, 0).String() != "1" {
			return nil, fmt.Errorf("%w: cannot see lock waits: the server must run with %s=ON", ErrUnavailable, way.Setting)
		}
	}
	var refused *AnswerError
	if _, err := way.Ask(ctx, control); errors.As(err, &refused) {
		return nil, fmt.Errorf("%w: cannot see lock waits: the user needs %s: %w", ErrUnavailable, way.Need, err)
	} else if err != nil {
		return nil, fmt.Errorf("%w: cannot see lock waits: %w", ErrUnavailable, err)
	}
	return way, nil
}
