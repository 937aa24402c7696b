package postgresql

import (
	"context"
	"time"

	"txweave/exec"
)

// born is the query for when a server began, in microseconds: its first process was started, or, after a crash of one
// of its processes had ended all of them, its checkpointer was anew, which never ends by itself. Who may not see that
// sees when the counters of the server began, which a crash throws away (postgresql.org/docs, The Cumulative Statistics
// System).
const born = `SELECT (extract(epoch FROM greatest(pg_postmaster_start_time(), coalesce(
	(SELECT max(backend_start) FROM pg_stat_activity WHERE backend_type = 'checkpointer'), (SELECT stats_reset FROM pg_stat_bgwriter)))) * 1000000)::bigint`

// Born implements exec.Mortal.
func (t *target) Born(ctx context.Context) (exec.Birth, error) {
	rows, err := t.Connection.Read(ctx, born)
	if err != nil {
		return exec.Birth{}, err
	}
	at, ok := rows.Cell(0, 0).Int64()
	if !ok {
		return exec.Birth{}, nil
	}
	return exec.Birth{At: time.UnixMicro(at)}, nil
}
