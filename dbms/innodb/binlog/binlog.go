// Package binlog reads the row binary log of MySQL and MariaDB: transactions stand in it in
// the order in which they committed, with the rows that they wrote before and after.
//
// It reads the files themselves, of MySQL 5.6 and MariaDB 10.0 or later: integers and strings, not compressed.
package binlog

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"txweave/checker/certificate"
	"txweave/checker/certificate/commits"
	"txweave/history"
)

// Log is the binary log of a server on this machine.
var Log = &commits.ServerLog{Source: "binary log", Mark: mark, Read: read}

// read reads the log of a server for the tables of the database that the connection is in.
func read(ctx context.Context, s certificate.Querier, layouts []commits.Layout) ([]commits.Commit, error) {
	rows, err := s.Read(ctx, "SELECT DATABASE()")
	if err != nil {
		return nil, fmt.Errorf("binary log: %w", err)
	}
	ours := rows.Cell(0, 0).S
	logs, err := files(ctx, s)
	if err != nil {
		return nil, err
	}
	return parse(func(database, table string) bool {
		return database == ours && slices.ContainsFunc(layouts, func(l commits.Layout) bool { return l.Table == table })
	}, logs...)
}

// parse reads log files, oldest first. It returns the commits that changed tables which are wanted.
func parse(wanted func(database, table string) bool, logs ...string) ([]commits.Commit, error) {
	p := &parser{wanted: wanted}
	for _, name := range logs {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("binary log: %w", err)
		}
		err = p.file(bufio.NewReaderSize(file, 1<<20))
		if cerr := file.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return nil, fmt.Errorf("binary log %s: %w", filepath.Base(name), err)
		}
	}
	return p.out, nil
}

// files begins a new log file and lists those before it, oldest first. The server must be on this machine.
func files(ctx context.Context, s certificate.Querier) ([]string, error) {
	rows, err := s.Read(ctx, "SELECT @@log_bin_basename")
	if err != nil {
		return nil, fmt.Errorf("binary log: %w", err)
	}
	base := rows.Row(0)[0]
	if base.Kind != history.Text || base.S == "" {
		return nil, errors.New("binary log: the server keeps none; start it with --log-bin --binlog-format=ROW")
	}
	if err := s.Must(ctx, "FLUSH BINARY LOGS"); err != nil {
		return nil, fmt.Errorf("binary log: %w", err)
	}
	found, err := filepath.Glob(base.S + ".[0-9]*")
	if err != nil || len(found) < 2 {
		return nil, fmt.Errorf("binary log: no files %s.* that can be read here", base.S)
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return found[:len(found)-1], nil
}
