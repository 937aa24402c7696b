package exec

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// lockWaits returns the numbers of the connections that wait for a row lock now. information_schema.INNODB_TRX
// and its kin are cached until nobody has read them for 100 ms, and so are never current when polled.
type lockWaits func(ctx context.Context, control *Session) (map[uint64]bool, error)

// findLockWaits picks the way that the server offers and the user may use.
func findLockWaits(ctx context.Context, control *Session) (lockWaits, error) {
	for _, ways := range []lockWaits{dataLockWaits, innodbStatus} {
		if _, err := ways(ctx, control); err == nil {
			return ways, nil
		} else if _, answered := err.(*AnswerError); !answered {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: cannot see lock waits: the user needs the PROCESS privilege (for SHOW ENGINE INNODB STATUS) or SELECT on performance_schema.data_lock_waits and threads", ErrUnavailable)
}

// dataLockWaits asks performance_schema, MySQL 8 and later.
func dataLockWaits(ctx context.Context, control *Session) (map[uint64]bool, error) {
	rows, err := control.Read(ctx, "SELECT t.PROCESSLIST_ID FROM performance_schema.data_lock_waits w"+
		" JOIN performance_schema.threads t ON t.THREAD_ID = w.REQUESTING_THREAD_ID")
	if err != nil {
		return nil, err
	}
	out := map[uint64]bool{}
	for i := range rows.Len() {
		if n, ok := rows.Row(i)[0].Int64(); ok {
			out[uint64(n)] = true
		}
	}
	return out, nil
}

// innodbStatus reads the list of transactions in SHOW ENGINE INNODB STATUS: MariaDB, and MySQL without
// performance_schema.
func innodbStatus(ctx context.Context, control *Session) (map[uint64]bool, error) {
	rows, err := control.Read(ctx, "SHOW ENGINE INNODB STATUS")
	if err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		return nil, fmt.Errorf("SHOW ENGINE INNODB STATUS: empty answer")
	}
	return parseInnodbStatus(rows.Row(0)[2].S), nil
}

// parseInnodbStatus finds the connections whose transaction is in LOCK WAIT. The section on the latest deadlock
// comes before the list and has the same form, so only what follows the heading counts.
func parseInnodbStatus(status string) map[uint64]bool {
	out := map[uint64]bool{}
	_, list, _ := strings.Cut(status, "\nTRANSACTIONS\n")
	for _, trx := range strings.Split(list, "\n---TRANSACTION ") {
		if !strings.Contains(trx, "\nLOCK WAIT ") {
			continue
		}
		_, rest, ok := strings.Cut(trx, " thread id ")
		if !ok {
			continue
		}
		number, _, _ := strings.Cut(rest, ",")
		if id, err := strconv.ParseUint(number, 10, 64); err == nil {
			out[id] = true
		}
	}
	return out
}
