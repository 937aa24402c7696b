package certificate

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "modernc.org/sqlite" // the SQL engine

	"txweave/history"
)

// Interpreter is the matches oracle that asks no server: the embedded SQLite evaluates the predicate. It judges only what
// means the same there as in every other database: comparisons and arithmetic of integers that cannot overflow, and
// comparisons of binary strings; no implicit casts, no division, no functions, no collations.
type Interpreter struct {
	db *sql.DB
}

// NewInterpreter opens the engine, in memory.
func NewInterpreter() (*Interpreter, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	return &Interpreter{db}, nil
}

// Close frees the engine.
func (in *Interpreter) Close() error { return in.db.Close() }

// Match implements Matches.
func (in *Interpreter) Match(t *Table, where string, rows [][]history.Value) ([]bool, error) {
	tr, err := newTranslator(t, rows)
	if err != nil {
		return nil, err
	}
	condition, err := tr.translate(where)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	tx, err := in.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	defer tx.Rollback() // the table goes with it
	columns := make([]string, len(t.columns()))
	for i := range columns {
		columns[i] = column(i)
	}
	// Columns without a type convert nothing.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("CREATE TABLE v (%s)", strings.Join(columns, ", "))); err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO v VALUES (?"+strings.Repeat(", ?", len(columns)-1)+")")
	if err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	defer insert.Close()
	for _, row := range rows {
		args := make([]any, len(row))
		for i, v := range row {
			switch v.Kind {
			case history.Int:
				args[i] = v.N
			case history.Text:
				args[i] = []byte(v.S)
			}
		}
		if _, err := insert.ExecContext(ctx, args...); err != nil {
			return nil, fmt.Errorf("interpreter: %w", err)
		}
	}
	match := make([]bool, len(rows))
	found, err := tx.QueryContext(ctx, "SELECT rowid FROM v WHERE "+condition)
	if err != nil {
		return nil, fmt.Errorf("interpreter: %s: %w", condition, err)
	}
	defer found.Close()
	for found.Next() {
		var n int
		if err := found.Scan(&n); err != nil {
			return nil, fmt.Errorf("interpreter: %w", err)
		}
		match[n-1] = true
	}
	return match, found.Err()
}

// column is the name of a column in the engine.
func column(i int) string { return fmt.Sprintf("c%d", i) }
