package exec

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"txweave/history"
)

// lockWaits returns the numbers of the connections that wait for a row lock now. information_schema.INNODB_TRX
// and its kin are cached until nobody has read them for 100 ms, and so are never current when polled.
type lockWaits func(ctx context.Context, control *Session) (map[uint64]bool, error)

// waitSource is a way to see lock waits.
type waitSource struct {
	ask  lockWaits
	need string // what the user must be allowed to do
	// setting is a variable of the server that must be 1; "" for none.
	setting string
}

// findLockWaits returns the way that the server offers. Its version decides, not what the user may see: another way
// would lie.
func findLockWaits(ctx context.Context, control *Session, fl *flavor, version string) (lockWaits, error) {
	way := fl.waits(version)
	if way.setting != "" {
		on, err := control.Read(ctx, "SELECT @@"+way.setting)
		if err != nil {
			return nil, err
		}
		if on.Row(0)[0].String() != "1" {
			return nil, fmt.Errorf("%w: cannot see lock waits: the server must run with %s=ON", ErrUnavailable, way.setting)
		}
	}
	if _, err := way.ask(ctx, control); err != nil {
		return nil, fmt.Errorf("%w: cannot see lock waits: the user needs %s: %w", ErrUnavailable, way.need, err)
	}
	return way.ask, nil
}

// dataLocks asks performance_schema. A record lock is filed under the thread that made the lock object, which
// is another one when a page was reorganised under the waiter (MySQL 9.7: data_lock_waits then names the blocker
// as its own victim); the table lock that every waiter holds names it rightly. A join with the table that knows
// the connections' numbers takes ten times as long as the rest, so they are looked up once for each thread.
// It is the way of MySQL 8 and later, whose SHOW ENGINE INNODB STATUS leaves out transactions that have not written yet.
func dataLocks() *waitSource {
	connections := map[int64]uint64{} // by thread
	ask := func(ctx context.Context, control *Session) (map[uint64]bool, error) {
		rows, err := control.Read(ctx, "SELECT ENGINE_TRANSACTION_ID, LOCK_STATUS = 'WAITING', LOCK_TYPE = 'TABLE', THREAD_ID"+
			" FROM performance_schema.data_locks WHERE LOCK_STATUS = 'WAITING' OR LOCK_TYPE = 'TABLE'")
		if err != nil {
			return nil, err
		}
		waiting := map[history.Value]bool{}
		for i := range rows.Len() {
			if r := rows.Row(i); r[1].String() == "1" {
				waiting[r[0]] = true
			}
		}
		out := map[uint64]bool{}
		for i := range rows.Len() {
			r := rows.Row(i)
			if !waiting[r[0]] || r[2].String() != "1" {
				continue
			}
			thread, _ := r[3].Int64()
			if _, known := connections[thread]; !known {
				if err := learnThreads(ctx, control, connections); err != nil {
					return nil, err
				}
			}
			out[connections[thread]] = true
		}
		return out, nil
	}
	return &waitSource{ask, "SELECT on performance_schema.data_locks and performance_schema.threads", "performance_schema"}
}

func learnThreads(ctx context.Context, control *Session, connections map[int64]uint64) error {
	rows, err := control.Read(ctx, "SELECT THREAD_ID, PROCESSLIST_ID FROM performance_schema.threads WHERE PROCESSLIST_ID IS NOT NULL")
	if err != nil {
		return err
	}
	for i := range rows.Len() {
		thread, _ := rows.Row(i)[0].Int64()
		id, _ := rows.Row(i)[1].Int64()
		connections[thread] = uint64(id)
	}
	return nil
}

// innodbStatus is SHOW ENGINE INNODB STATUS: the way of MariaDB and MySQL 5.7.
var innodbStatus = &waitSource{ask: readInnodbStatus, need: "the PROCESS privilege (for SHOW ENGINE INNODB STATUS)"}

// readInnodbStatus reads the list of transactions in SHOW ENGINE INNODB STATUS.
func readInnodbStatus(ctx context.Context, control *Session) (map[uint64]bool, error) {
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
