package respell

import (
	"testing"

	mysqldialect "txweave/dbms/mysql/dialect"
	sqlitedialect "txweave/dbms/sqlite/dialect"
	"txweave/sql"
)

var (
	sqlite  = sqlitedialect.New(3_053_004)
	mariadb = mysqldialect.New(mysqldialect.Server{Product: "MariaDB", Version: 110809})
)

// respelt is what a rewriting makes of a statement, of the first of all dialects that reads it where it is not said
// whose it is.
func respelt(t *testing.T, d *sql.Dialect, f func(sql.Stmt) sql.Stmt, text string) string {
	t.Helper()
	if d == nil {
		if d = sqlite; readable(sqlite, text) != nil {
			d = mariadb
		}
	}
	stmt, err := d.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, err := d.Print(f(stmt))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func readable(d *sql.Dialect, text string) error {
	_, err := d.Parse(text)
	return err
}
