package certificate

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
)

// Querier is a connection in autocommit to a database of the kind that the history was recorded on.
type Querier interface {
	Must(ctx context.Context, sqls ...string) error
	Read(ctx context.Context, sql string) (*history.Rows, error)
}

// Database is the matches oracle that asks the database itself (Emme, section 4.2): the rows are put into a temporary
// table and the predicate is run on it, without any transaction at the same time. It knows every predicate on one
// table; that the database evaluates it rightly where nothing else happens is taken for granted. The table lives as
// long as the session.
type Database struct {
	session Querier
	filled  []string // the statements that made the table as it is
}

// NewDatabase returns a matches oracle that uses the session.
func NewDatabase(s Querier) *Database { return &Database{session: s} }

// Names on the temporary table.
const (
	scratchTable = "txw_versions"
	scratchRow   = "txw_row"
)

// scratchBatch is how many rows are inserted with one statement.
const scratchBatch = 200

func plainName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !isWord(r) })
}

// plainType says whether a type is one of names, numbers, blanks, commas and parentheses, a name first.
func plainType(s string) bool {
	return s != "" && isWord(rune(s[0])) && !strings.ContainsFunc(s, func(r rune) bool {
		return !isWord(r) && !strings.ContainsRune(" (),", r)
	})
}

// Match implements Matches.
func (d *Database) Match(ctx context.Context, t *Relation, where string, rows [][]history.Value) ([]bool, error) {
	if !plainName(t.Name) {
		return nil, unknownf("the table's name %q must be written without quotes", t.Name)
	}
	if _, err := dialect().ParseExpr(where); err != nil {
		return nil, unknownf("%s", err)
	}
	columns := []string{scratchRow + " INT PRIMARY KEY"}
	for _, c := range t.columns() {
		if !plainName(c.Name) || !plainType(c.Type) {
			return nil, unknownf("column %q %q must be written without quotes", c.Name, c.Type)
		}
		columns = append(columns, c.Name+" "+c.Type)
	}
	script := []string{"DROP TABLE IF EXISTS " + scratchTable, fmt.Sprintf("CREATE TEMPORARY TABLE %s (%s)", scratchTable,
		strings.Join(columns, ", "))}
	for from := 0; from < len(rows); from += scratchBatch {
		var values []string
		for i := from; i < min(from+scratchBatch, len(rows)); i++ {
			text, err := scratchValues(i, rows[i])
			if err != nil {
				return nil, err
			}
			values = append(values, text)
		}
		script = append(script, fmt.Sprintf("INSERT INTO %s VALUES %s", scratchTable, strings.Join(values, ", ")))
	}
	if !slices.Equal(script, d.filled) { // many predicates ask about the same rows
		d.filled = nil
		if err := d.session.Must(ctx, script...); err != nil {
			return nil, err
		}
		d.filled = script
	}
	found, err := d.session.Read(ctx, fmt.Sprintf("SELECT %s FROM %s AS %s WHERE %s", scratchRow, scratchTable,
		t.Name, where))
	if err != nil {
		return nil, err
	}
	match := make([]bool, len(rows))
	for i := range found.Len() {
		n, ok := found.Row(i)[0].Int64()
		if !ok || n < 0 || n >= int64(len(rows)) {
			return nil, fmt.Errorf("matches of %s: row %v was not put in", where, found.Row(i)[0])
		}
		match[n] = true
	}
	return match, nil
}

// scratchValues prints a row. Strings that databases write in different ways are not known.
func scratchValues(i int, row []history.Value) (string, error) {
	parts := []string{strconv.Itoa(i)}
	for _, v := range row {
		if v.Kind == history.Text && strings.ContainsFunc(v.S, func(r rune) bool {
			return r < ' ' || r == '\\' || r == '\uFFFD'
		}) {
			return "", unknownf("string %q has characters that are written in different ways", v.S)
		}
		parts = append(parts, v.String())
	}
	return "(" + strings.Join(parts, ", ") + ")", nil
}
