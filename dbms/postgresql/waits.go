package postgresql

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"txweave/exec"
)

// blockers returns which connections each of those that wait is waiting for. A reader that waits for a snapshot in
// which it cannot be part of an anomaly (SERIALIZABLE READ ONLY DEFERRABLE) waits for no lock: the second function
// tells, but where the connection has ended a transaction before of which the server still knows the locks. It looks at
// the first one of a process that it finds (GetSafeSnapshotBlockingPids), so what the connection waits for is asked,
// too.
func (t *target) blockers(ctx context.Context, sessions []*exec.Session) (map[uint64][]uint64, error) {
	ids := make([]uint64, len(sessions))
	for i, s := range sessions {
		ids[i] = s.ID()
	}
	return t.blocking(ctx, ids)
}

func (t *target) blocking(ctx context.Context, ids []uint64) (map[uint64][]uint64, error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = t.product.text(id)
	}
	rows, err := t.Connection.Read(ctx, fmt.Sprintf(t.product.waits, strings.Join(texts, ",")))
	if err != nil {
		return nil, err
	}
	out := map[uint64][]uint64{}
	for i := range rows.Len() {
		row := rows.Row(i)
		who := row[0].S
		if n, ok := row[0].Int64(); ok {
			who = strconv.FormatInt(n, 10)
		}
		p, err := t.product.parse(who)
		if err != nil {
			return nil, fmt.Errorf("who waits: %.80q", who)
		}
		for _, text := range strings.Split(strings.Trim(row[1].S, "{}"), ",") {
			b, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("who blocks %d: %q", p, row[1].S)
			}
			out[p] = append(out[p], b)
		}
	}
	return out, nil
}

// waits says whether a connection waits, and not in a circle. Who blocks the blockers is asked as far as it is not
// known.
func (t *target) waits(ctx context.Context, id uint64, blockers map[uint64][]uint64) (bool, error) {
	met := map[uint64]bool{}
	for front := []uint64{id}; len(front) > 0; {
		var unknown, next []uint64
		for _, b := range blockersOf(front, blockers) {
			if b == id {
				return false, nil
			}
			if met[b] {
				continue
			}
			met[b] = true
			next = append(next, b)
			if _, known := blockers[b]; !known && b != 0 { // 0 is a prepared transaction, or nobody knows who
				unknown = append(unknown, b)
			}
		}
		if len(unknown) > 0 {
			more, err := t.blocking(ctx, unknown)
			if err != nil {
				return false, err
			}
			learn(blockers, unknown, more)
		}
		front = next
	}
	return true, nil
}

// blockersOf are those of all of some connections.
func blockersOf(of []uint64, blockers map[uint64][]uint64) (out []uint64) {
	for _, p := range of {
		out = append(out, blockers[p]...)
	}
	return out
}

// learn notes who blocks some connections; nobody is an answer, too.
func learn(blockers map[uint64][]uint64, of []uint64, more map[uint64][]uint64) {
	for _, p := range of {
		blockers[p] = more[p]
	}
}
