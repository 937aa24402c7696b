// Package binlog reads the row binary log of MySQL and MariaDB: transactions stand in it in
// the order in which they committed, with the rows that they wrote before and after.
//
// It asks the server for it as a replica does (dev.mysql.com/doc/dev/mysql-server, COM_BINLOG_DUMP), and reads what
// MySQL 5.6 and MariaDB 10.0 or later write: integers and strings, not compressed.
package binlog

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"txweave/checker/certificate/commits"
)

// Log is the binary log of a server.
var Log = &commits.ServerLog{Source: source, Mark: mark, Keep: keep, Read: read}

const source = "binary log"

// wanted are what variables of a server must be; those that a server does not have are another's.
var wanted = map[string]string{
	"log_bin": "ON", "binlog_format": "ROW", "binlog_row_image": "FULL",
	"binlog_annotate_row_events": "ON", "log_bin_compress": "OFF", // MariaDB
	"binlog_rows_query_log_events": "ON", "binlog_transaction_compression": "OFF", "binlog_row_value_options": "", // MySQL
}

// keep returns the end of the log, as file:position. It has the server send what is behind that, which is nothing yet:
// so what keeps it from doing so is said before anything is done.
func keep(ctx context.Context, s commits.Connection) (from string, err error) {
	rows, err := s.Read(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name LIKE 'log_bin%' OR Variable_name LIKE 'binlog%'")
	if err != nil {
		return "", fmt.Errorf("%s: %w", source, err)
	}
	var wrong []string
	for i := range rows.Len() {
		name, value := rows.Cell(i, 0).S, rows.Cell(i, 1).S
		if want, asked := wanted[name]; asked && value != want {
			wrong = append(wrong, fmt.Sprintf("%s = '%s'", name, want))
		}
	}
	if len(wrong) > 0 {
		return "", &commits.UnreadableError{Source: source, Why: "the server must run with " + strings.Join(wrong, ", ")}
	}
	status, err := s.Read(ctx, "SHOW BINARY LOG STATUS")
	if err != nil { // MySQL before 8.2, and MariaDB
		status, err = s.Read(ctx, "SHOW MASTER STATUS")
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", source, err)
	case err != nil:
		return "", &commits.UnreadableError{Source: source, Why: err.Error()}
	case status.Len() == 0:
		return "", &commits.UnreadableError{Source: source, Why: "the server does not say where it ends"}
	}
	position, _ := status.Cell(0, 1).Int64()
	from = fmt.Sprintf("%s:%d", status.Cell(0, 0).S, position)
	return from, dump(ctx, s, from, func(events io.Reader) error {
		_, err := io.Copy(io.Discard, events)
		return err
	})
}

// read reads the log for the tables of the database that the connection is in.
func read(ctx context.Context, s commits.Connection, from string, layouts []commits.Layout) ([]commits.Commit, error) {
	rows, err := s.Read(ctx, "SELECT DATABASE()")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	ours := rows.Cell(0, 0).S
	p := &parser{wanted: func(database, table string) bool {
		return database == ours && slices.ContainsFunc(layouts, func(l commits.Layout) bool { return l.Table == table })
	}}
	if err := dump(ctx, s, from, p.stream); err != nil {
		return nil, err
	}
	return p.out, nil
}
