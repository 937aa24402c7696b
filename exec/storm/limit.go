package storm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"txweave/exec"
)

// limitShare: the statements of one transaction in so many may take some milliseconds only, where a nemesis kills.
const limitShare = 8

// limited runs a transaction whose statements may end before they are done, now and then. A statement that did is one
// that was killed.
func (s *session) limited(ctx context.Context, run func() error) error {
	limits := exec.DisruptionOf(s.target).Limits
	if len(limits) == 0 || !slices.Contains(s.opt.Nemeses, Kill) || s.id >= s.opt.Sessions ||
		s.delays.rng.IntN(limitShare) > 0 {
		return run()
	}
	limit, conn, start := limits[s.delays.rng.IntN(len(limits))], s.conn, s.now()
	for _, sql := range limit.Do {
		a, err := conn.Exec(ctx, sql)
		if err != nil {
			return fmt.Errorf("%w: %w", errBroken, err)
		}
		if a.Err != nil { // a setting that the server does not have
			return run()
		}
	}
	act := s.began(Act{Nemesis: Kill, What: fmt.Sprintf("statements of session %d: %s", s.id, NameOf(limit)), Start: start,
		Killed: s.id + 1})
	err := run()
	s.noted(act, "statements of session %d: "+NameOf(limit))
	if s.conn != conn || errors.Is(err, errBroken) {
		return err
	}
	for _, sql := range limit.Undo {
		a, lerr := conn.Exec(ctx, sql)
		for tries := 0; lerr == nil && a.Err != nil && tries < 100; tries++ { // it may be too slow itself
			a, lerr = conn.Exec(ctx, sql)
		}
		if lerr != nil {
			return errors.Join(err, fmt.Errorf("%w: %w", errBroken, lerr))
		}
	}
	return err
}
