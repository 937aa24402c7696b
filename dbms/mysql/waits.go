package mysql

import (
	"context"

	"txweave/dbms/mysqlwire"
	"txweave/exec"
	"txweave/history"
)

// dataLocks asks performance_schema. A record lock is filed under the thread that made the lock object, which
// is another one when a page was reorganised under the waiter (MySQL 9.7: data_lock_waits then names the blocker
// as its own victim); the table lock that every waiter holds names it rightly. A join with the table that knows
// the connections' numbers takes ten times as long as the rest, so they are looked up once for each thread.
// It is the way of MySQL 8 and later, whose SHOW ENGINE INNODB STATUS leaves out transactions that have not written
// yet.
func dataLocks() *mysqlwire.WaitSource {
	connections := map[int64]uint64{} // by thread
	ask := func(ctx context.Context, control *exec.Session) (map[uint64]exec.Wait, error) {
		rows, err := control.Read(ctx,
			"SELECT ENGINE_TRANSACTION_ID, LOCK_STATUS = 'WAITING', LOCK_TYPE = 'TABLE', THREAD_ID, ENGINE_LOCK_ID"+
				" FROM performance_schema.data_locks WHERE LOCK_STATUS = 'WAITING' OR LOCK_TYPE = 'TABLE'")
		if err != nil {
			return nil, err
		}
		waiting := map[history.Value]exec.Wait{}
		for i := range rows.Len() {
			if r := rows.Row(i); r[1].String() == "1" {
				waiting[r[0]] = exec.Wait(r[4].String())
			}
		}
		out := map[uint64]exec.Wait{}
		for i := range rows.Len() {
			r := rows.Row(i)
			if waiting[r[0]] == exec.NoWait || r[2].String() != "1" {
				continue
			}
			thread, _ := r[3].Int64()
			if _, known := connections[thread]; !known {
				if err := learnThreads(ctx, control, connections); err != nil {
					return nil, err
				}
			}
			out[connections[thread]] = waiting[r[0]]
		}
		return out, nil
	}
	return &mysqlwire.WaitSource{Ask: ask, Need: "SELECT on performance_schema.data_locks and performance_schema.threads",
		Setting: "performance_schema"}
}

func learnThreads(ctx context.Context, control *exec.Session, connections map[int64]uint64) error {
	rows, err := control.Read(ctx,
		"SELECT THREAD_ID, PROCESSLIST_ID FROM performance_schema.threads WHERE PROCESSLIST_ID IS NOT NULL")
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
