package sqlite

import (
	"fmt"
	"testing"
)

func TestStoredColumns(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE t0 (pkey INT, g0 BIGINT GENERATED ALWAYS AS (c0 % 5) STORED, c0 INT DEFAULT (1), PRIMARY KEY (pkey, " +
			"c0))": "t0 [[g0 c0 % 5]]",
		"CREATE TABLE t0 (g0 TEXT AS (SUBSTR(c0, 1, 2)) STORED NOT NULL, c0 TEXT, g1 INT AS (c0 + (1)) VIRTUAL, g2 AS " +
			"(',') stored)": "t0 [[g0 SUBSTR(c0, 1, 2)] [g2 ',']]",
		"CREATE TABLE t0 (g0 DOUBLE AS (c0) STORED, g1 DOUBLE PRECISION AS (c0) STORED, c0 INT)": "t0 []",
		"CREATE TABLE t0 (c0 INT, CHECK (c0 > 1), stored INT)":                                   " []",
		"CREATE TABLE t0 AS SELECT 1":                                                            " []",
		"CREATE INDEX i ON t0 (c0)":                                                              " []",
		"CREATE TABLE t0 (g0 INT AS (c0) STOR":                                                   " []",
	} {
		table, columns := storedColumns(sql)
		if got := fmt.Sprint(table, " ", columns); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
