package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"txweave/history"
)

// Evaluator evaluates conditions on rows in memory.
type Evaluator struct {
	db   *sql.DB
	rows [][]history.Value // that its table holds; nil: there is no table
}

// NewEvaluator opens the engine, in memory.
func NewEvaluator() (*Evaluator, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	return &Evaluator{db: db}, nil
}

// Close frees the engine.
func (e *Evaluator) Close() error { return e.db.Close() }

// Evaluate returns the numbers of the rows that a condition is true for. The columns are c0, c1, …
func (e *Evaluator) Evaluate(condition string, width int, rows [][]history.Value) ([]int, error) {
	ctx := context.Background()
	if err := e.fill(ctx, width, rows); err != nil {
		e.rows = nil
		return nil, err
	}
	found, err := e.db.QueryContext(ctx, "SELECT rowid FROM v WHERE "+condition)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var out []int
	for found.Next() {
		var n int
		if err := found.Scan(&n); err != nil {
			return nil, err
		}
		out = append(out, n-1)
	}
	return out, found.Err()
}

// fill makes a table of the rows, unless it is there from the last time: many predicates ask about the same ones.
func (e *Evaluator) fill(ctx context.Context, width int, rows [][]history.Value) error {
	if e.rows != nil && slices.EqualFunc(e.rows, rows, slices.Equal[[]history.Value]) {
		return nil
	}
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	columns := make([]string, width)
	for i := range columns {
		columns[i] = fmt.Sprintf("c%d", i)
	}
	if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS v"); err != nil {
		return err
	}
	// Columns without a type convert nothing.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("CREATE TABLE v (%s)", strings.Join(columns, ", "))); err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO v VALUES (?"+strings.Repeat(", ?", width-1)+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, row := range rows {
		args := make([]any, len(row))
		for i, v := range row {
			switch v.Kind {
			case history.Int:
				args[i] = v.N
			case history.Text, history.Blob:
				args[i] = []byte(v.S)
			}
		}
		if _, err := insert.ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	e.rows = slices.Clone(rows)
	return tx.Commit()
}
