package certificate

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the SQL engine

	"txweave/history"
)

// Interpreter is the matches oracle that asks no server: the embedded SQLite evaluates the predicate. It judges only what
// means the same there as in every other database: comparisons and arithmetic of integers that cannot overflow, and
// comparisons of binary strings; no implicit casts, no division, no functions, no collations.
type Interpreter struct {
	db   *sql.DB
	rows [][]history.Value // that its table holds; nil: there is no table
}

// NewInterpreter opens the engine, in memory.
func NewInterpreter() (*Interpreter, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	return &Interpreter{db: db}, nil
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
	if err := in.fill(ctx, len(t.columns()), rows); err != nil {
		in.rows = nil
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	match := make([]bool, len(rows))
	found, err := in.db.QueryContext(ctx, "SELECT rowid FROM v WHERE "+condition)
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

// fill makes a table of the rows, unless it is there from the last time: many predicates ask about the same ones.
func (in *Interpreter) fill(ctx context.Context, width int, rows [][]history.Value) error {
	if in.rows != nil && slices.EqualFunc(in.rows, rows, slices.Equal[[]history.Value]) {
		return nil
	}
	tx, err := in.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	columns := make([]string, width)
	for i := range columns {
		columns[i] = column(i)
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
			case history.Text:
				args[i] = []byte(v.S)
			}
		}
		if _, err := insert.ExecContext(ctx, args...); err != nil {
			return err
		}
	}
	in.rows = slices.Clone(rows)
	return tx.Commit()
}

// column is the name of a column in the engine.
func column(i int) string { return fmt.Sprintf("c%d", i) }
