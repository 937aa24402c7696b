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

// Source is what certificates from a binary log name as theirs.
const Source = "binary log"

// Parse reads log files, oldest first. It returns the commits that changed tables which are wanted.
func Parse(wanted func(database, table string) bool, files ...string) ([]commits.Commit, error) {
	p := &parser{wanted: wanted}
	for _, name := range files {
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

// Files begins a new log file and lists those before it, oldest first. The server must be on this machine.
func Files(ctx context.Context, s certificate.Querier) ([]string, error) {
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
	files, err := filepath.Glob(base.S + ".[0-9]*")
	if err != nil || len(files) < 2 {
		return nil, fmt.Errorf("binary log: no files %s.* that can be read here", base.S)
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return files[:len(files)-1], nil
}
