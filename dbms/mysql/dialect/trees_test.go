package dialect_test

import (
	"testing"

	mysql "txweave/dbms/mysql/dialect"
	"txweave/internal/testkit/trees"
	"txweave/sql"
)

// dialects are those of the servers that are tested.
var dialects = map[string]*sql.Dialect{
	"mariadb": mysql.New(mysql.Server{Product: "MariaDB", Version: 110809}),
	"mysql":   mysql.New(mysql.Server{Product: "MySQL", Version: 90704}),
	"tidb":    mysql.New(mysql.Server{Product: "TiDB", Version: 80500}),
}

// TestTreesPrintAndReadBackEqual: whatever tree is built, what is printed of it is read as that tree, by a server that
// has hints and RETURNING.
func TestTreesPrintAndReadBackEqual(t *testing.T) {
	trees.PrintAndRead(t, mysql.New(mysql.Server{Product: "MariaDB", Version: 120100}), trees.MySQL)
}

// TestHostileTextsAreReadOrRefused: what nests or goes on without end is read as far as the bounds let it.
func TestHostileTextsAreReadOrRefused(t *testing.T) { trees.Hostile(t, dialects["mysql"]) }

// FuzzParse: whatever the text, it is read or refused.
func FuzzParse(f *testing.F) { trees.Fuzz(f, dialects["mysql"]) }
