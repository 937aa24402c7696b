package tidb

import (
	"context"
	"time"

	"txweave/dbms/mysqlwire"
	"txweave/exec"
)

// trx is information_schema.TIDB_TRX; DATA_LOCK_WAITS there lags by a second.
var trx = &mysqlwire.WaitSource{Ask: lockWaits, Need: "the PROCESS privilege (for information_schema.TIDB_TRX)"}

// acquiring is how long a transaction is LockWaiting before it is believed to wait: TiDB says so of everyone who
// is about to be given locks, too. On a busy machine that lasts longer than two questions.
const acquiring = 5 * time.Millisecond

// young returns for how long a wait of some age is not to be believed yet; 0: it is. The age is a little below 0 where
// the wait began after the question, and far below where the server's time zone is not the session's: it says nothing
// then.
func young(age time.Duration) time.Duration {
	if age < -time.Second {
		return 0
	}
	return min(max(acquiring-age, 0), acquiring)
}

func lockWaits(ctx context.Context, control *exec.Session) (map[uint64]exec.Wait, error) {
	for {
		rows, err := control.Read(ctx, "SELECT SESSION_ID, TIMESTAMPDIFF(MICROSECOND, WAITING_START_TIME, NOW(6))"+
			" FROM information_schema.TIDB_TRX WHERE STATE = 'LockWaiting'")
		if err != nil {
			return nil, err
		}
		out, wait := map[uint64]exec.Wait{}, time.Duration(0)
		for i := range rows.Len() {
			id, ok := rows.Row(i)[0].Int64()
			since, known := rows.Row(i)[1].Int64()
			if left := young(time.Duration(since) * time.Microsecond); known && left > 0 {
				wait = max(wait, left)
			} else if ok {
				out[uint64(id)] = exec.SomeWait
			}
		}
		if wait == 0 {
			return out, nil
		}
		exec.Nap(wait)
	}
}
