package mariadb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"txweave/dbms/driver"
	"txweave/dbms/innodb"
	"txweave/dbms/innodb/binlog"
	"txweave/dbms/mysqlwire"
	"txweave/exec"
)

// Driver is MariaDB's.
var Driver = &driver.Driver{Name: "mariadb", Levels: Levels(), Syntax: Syntax, Dialect: Dialect, Server: Server,
	Log: binlog.Log, Export: Spelling, Tracker: Tracker}

// Server is MariaDB's.
var Server = &exec.Server{
	Name: wire.Name,
	Binary: exec.Binary{Names: []string{"mariadbd", "mysqld"}, Packages: "mariadb-server-core on Debian",
		Beside:  innodb.Beside,
		Version: innodb.Version, Is: says},
	Private: &exec.Private{
		Arguments: innodb.Arguments("--skip-innodb-doublewrite", "--innodb-log-file-size=16M", "--performance-schema=OFF",
			"--key-buffer-size=1M", "--aria-pagecache-buffer-size=8M"),
		CommitLog: innodb.BinaryLog,
		Durable:   innodb.Durable,
		Data:      innodb.Data(bootstrap, "--bootstrap", "--skip-innodb-doublewrite", "--innodb-log-file-size=16M"),
		Wear:      5000,
		Ready:     mysqlwire.Ready,
		Open:      wire.Open,
	},
	Users:        exec.Users{DSN: mysqlwire.DSN, Ours: says, Join: wire.Join, Faster: innodb.Faster},
	Disturbances: wire.Disturbances,
	Client:       innodb.Client("mariadb"),
	Protocol:     wire.Protocol,
}

// wire is how it is spoken to.
var wire = &mysqlwire.DBMS{
	Name:         "mariadb",
	Protocol:     protocol(),
	Disturbances: innodb.Disturbances,
	Ours:         says,
	Waits:        func(string) *mysqlwire.WaitSource { return innodb.Status },
	Copy:         innodb.Copy,
	Counter:      innodb.Counter,
	Kill:         innodb.KillQuery,
	Changed: "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES " +
		"WHERE GLOBAL_VALUE_ORIGIN IN ('CONFIG', 'COMMAND-LINE', 'SQL') AND GLOBAL_VALUE NOT LIKE '/%'",
}

func says(version string) bool { return strings.Contains(strings.ToLower(version), "mariadb") }

var helpVariable = regexp.MustCompile(`(?m)^(basedir|lc-messages-dir|character-sets-dir)\s+(/\S+)`)

// bootstrap puts together what mariadb-install-db feeds to the server: system tables, no users but root
// without a password. The server listens on a socket that only its owner can reach.
func bootstrap(ctx context.Context, binary string) ([]byte, error) {
	out, err := exec.Output(ctx, time.Minute, binary, "--no-defaults", "--verbose", "--help")
	if err != nil {
		return nil, fmt.Errorf("%w: %s --help: %w", exec.ErrUnavailable, binary, err)
	}
	var dirs []string
	for _, m := range helpVariable.FindAllStringSubmatch(string(out), -1) {
		dirs = append(dirs, m[2], filepath.Dir(filepath.Clean(m[2])), filepath.Join(m[2], "share/mysql"),
			filepath.Join(m[2], "share/mariadb"))
	}
	script := []byte("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\nSET @skip_auth_anonymous = 1;\n")
	for _, part := range []string{"system_tables", "performance_tables", "system_tables_data"} {
		text, err := readFirst(dirs, "mariadb_"+part+".sql", "mysql_"+part+".sql")
		if err != nil {
			return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
		}
		script = append(append(script, text...), '\n')
	}
	return script, nil
}

// readFirst reads the first of the named files that one of the directories holds.
func readFirst(dirs []string, names ...string) ([]byte, error) {
	for _, dir := range dirs {
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if !errors.Is(err, fs.ErrNotExist) {
				return text, err
			}
		}
	}
	return nil, fmt.Errorf("the server's %s not found in %s", names[0], strings.Join(dirs, ", "))
}

// protocol is that of MySQL's driver. MySQL empties the list of warnings at each statement, MariaDB at those that read
// a table.
func protocol() *exec.Protocol {
	p := *innodb.Protocol
	p.KeepsWarnings = true
	return &p
}
