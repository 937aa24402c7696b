package dialect_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/dbms/mariadb"
	mysqlserver "txweave/dbms/mysql"
	"txweave/exec"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
	"txweave/internal/testkit/trees"
	"txweave/sql"
)

// Of MySQL: go test ./dbms/mysql/dialect -run Bind -mysqld PATH.
var mysqld = flag.String("mysqld", "", "a MySQL server that is asked in place of MariaDB")

var sharedMariaDB = servers.Launched("a MariaDB server", mariadb.Server)

func TestMain(m *testing.M) {
	flag.Parse()
	effort.Checks()
	os.Exit(servers.Run(m, sharedMariaDB))
}

// server asks a server what it takes a query for.
type server struct {
	exec.Target
	dialect *sql.Dialect
}

func asked(t *testing.T) *server {
	t.Helper()
	s := &server{dialect: dialects["mariadb"]}
	if *mysqld == "" {
		s.Target = sharedMariaDB.Target(t)
	} else {
		s.Target, _ = servers.Start(t, mysqlserver.Server, *mysqld)
		s.dialect = dialects["mysql"]
	}
	if err := s.Control().Must(t.Context(), "DROP TABLE IF EXISTS t",
		"CREATE TABLE t (a INT, b VARCHAR(20), c DOUBLE, d INT)"); err != nil {
		t.Fatal(err)
	}
	return s
}

// meaning is the query as the server says it, by EXPLAIN EXTENDED; an error is why it does not take it.
func (s *server) meaning(t *rapid.T, text string) (string, error) {
	explain := "EXPLAIN EXTENDED "
	if *mysqld != "" {
		explain = "EXPLAIN "
	}
	if _, err := s.Control().Read(t.Context(), explain+text); err != nil {
		return "", err
	}
	rows, err := s.Control().Read(t.Context(), "SHOW WARNINGS")
	if err != nil {
		return "", err
	}
	var notes []string
	for i := range rows.Len() {
		if rows.Cell(i, 0).S == "Note" {
			notes = append(notes, rows.Cell(i, 2).S)
		}
	}
	if len(notes) == 0 {
		t.Fatalf("%s: the server does not say what it takes it for", text)
	}
	return strings.Join(notes, "\n"), nil
}

// TestOperatorsBindAsInTheServer: what is printed of a tree with as few parentheses as may be, the server takes for
// what is printed with parentheses around each operator.
func TestOperatorsBindAsInTheServer(t *testing.T) {
	s := asked(t)
	rapid.Check(t, func(rt *rapid.T) {
		item := &sql.Item{X: trees.Operators(rt, trees.MySQL)}
		var stmt sql.Stmt = &sql.Query{Body: &sql.Select{Items: []*sql.Item{item},
			From: &sql.Table{Name: &sql.Name{Value: "t"}}}}
		item.Alias = &sql.Name{Value: "x"}
		text, err := s.dialect.Print(stmt)
		if err != nil {
			rt.Fatal(err)
		}
		full, err := s.dialect.Print(trees.Enclosed(stmt))
		if err != nil {
			rt.Fatal(err)
		}
		few, err := s.meaning(rt, text)
		all, err2 := s.meaning(rt, full)
		if err != nil && malformed.MatchString(err.Error()) || (err == nil) != (err2 == nil) || few != all {
			rt.Fatalf("%s\nis something else than\n%s\n%v %v\n%s\n%s", text, full, err, err2, few, all)
		}
	})
}

// malformed is what a server says of a text that is no statement.
var malformed = regexp.MustCompile(`error in your SQL syntax`)

// words are what most of which the servers read in a row.
var words = trees.Neighbours{
	Before: []string{"NOT", "-", "+", "~", "!", "BINARY"},
	Behind: []string{"IS NULL", "COLLATE utf8mb4_bin", "IN (1, a)", "NOT IN (b)", "IS NOT TRUE", "IS UNKNOWN",
		"IS NOT NULL"},
	Between: []string{"AND", "AND", "OR", "XOR", "&&", "||", "=", "<=>", "<>", "<", ">=", "+", "-", "*", "/", "%", "DIV",
		"MOD", "&", "|", "^", "<<", "LIKE", "NOT LIKE", "REGEXP",
		"BETWEEN", "NOT BETWEEN", "ESCAPE", "SOUNDS LIKE", "= ANY (SELECT 1) OR"},
}

// TestWordsInARowAreReadAsByTheServer: whatever stands behind each other outside parentheses, the server reads it if
// the reader does, and as the tree says.
func TestWordsInARowAreReadAsByTheServer(t *testing.T) {
	s := asked(t)
	readable := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := "SELECT " + words.InARow(rt) + " AS x FROM t"
		was, refused := s.meaning(rt, text)
		syntax := refused != nil && malformed.MatchString(refused.Error())
		stmt, err := s.dialect.Parse(text)
		if (err != nil) != syntax {
			rt.Fatalf("%s: the server: %v; the reader: %v", text, refused, err)
		}
		if err != nil {
			return
		}
		readable++
		full, err := s.dialect.Print(trees.Enclosed(stmt))
		if err != nil {
			rt.Fatal(err)
		}
		is, err := s.meaning(rt, full)
		if (err == nil) != (refused == nil) || was != is {
			rt.Fatalf("%s\nis something else than\n%s\n%v, %v\n%s\n%s", text, full, refused, err, was, is)
		}
	})
	if readable == 0 && !testing.Short() { // a quick run draws two
		t.Error("nothing was read")
	}
}
