package innodb

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"txweave/dbms/mysqlwire"
	"txweave/exec"
)

// Status is SHOW ENGINE INNODB STATUS: the way of MariaDB and MySQL 5.7.
var Status = &mysqlwire.WaitSource{Ask: readStatus, Need: "the PROCESS privilege (for SHOW ENGINE INNODB STATUS)"}

// readStatus reads the list of transactions in SHOW ENGINE INNODB STATUS. information_schema.INNODB_TRX and its kin are
// cached until nobody has read them for 100 ms, and so are never current when polled.
func readStatus(ctx context.Context, control *exec.Session) (map[uint64]exec.Wait, error) {
	rows, err := control.Read(ctx, "SHOW ENGINE INNODB STATUS")
	if err != nil {
		return nil, err
	}
	if rows.Len() == 0 || len(rows.Row(0)) < 3 { // what came is not what the server sent
		return nil, &exec.LostError{Statement: "SHOW ENGINE INNODB STATUS", Err: errors.New("an answer without a status")}
	}
	return parseStatus(rows.Cell(0, 2).S), nil
}

// parseStatus finds the connections whose transaction is in LOCK WAIT. The section on the latest deadlock
// comes before the list and has the same form, so only what follows the heading counts. A wait is named by how many
// locks the transaction has, and by the one that it waits for.
func parseStatus(status string) map[uint64]exec.Wait {
	out := map[uint64]exec.Wait{}
	_, list, _ := strings.Cut(status, "\nTRANSACTIONS\n")
	for _, trx := range strings.Split(list, "\n---TRANSACTION ") {
		_, has, waits := strings.Cut(trx, "\nLOCK WAIT ")
		if !waits {
			continue
		}
		has, _, _ = strings.Cut(has, "\n")
		_, lock, _ := strings.Cut(trx, " FOR THIS LOCK TO BE GRANTED:\n")
		lock, _, _ = strings.Cut(lock, " PHYSICAL RECORD")
		_, rest, ok := strings.Cut(trx, " thread id ")
		if !ok {
			continue
		}
		number, _, _ := strings.Cut(rest, ",")
		if id, err := strconv.ParseUint(number, 10, 64); err == nil {
			out[id] = exec.Wait("LOCK WAIT " + has + "\n" + lock)
		}
	}
	return out
}
