package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"txweave/exec"
	"txweave/internal/outcome"
)

var postgresDialect = dialect{text: "TEXT", bytes: "BYTEA", index: "CREATE INDEX IF NOT EXISTS",
	isolation: sql.LevelReadCommitted, snapshot: sql.LevelRepeatableRead, numbered: true,
	again: func(err error) bool {
		if e, ok := errors.AsType[*pgconn.PgError](err); ok {
			// serialization failure, deadlock, the server ends or begins, too many connections
			return slices.Contains([]string{"40001", "40P01", "57P01", "57P02", "57P03", "53300"}, e.Code)
		}
		return disconnected(err)
	},
	raced: func(err error) bool {
		var e *pgconn.PgError
		const uniqueViolation = "23505"
		return errors.As(err, &e) && e.Code == uniqueViolation
	},
	own: func(err error) bool {
		var e *pgconn.PgError
		return errors.As(err, &e) || disconnected(err)
	},
	damaged:     func(error) bool { return false },
	full:        func(error) bool { return false },
	columnThere: func(error) bool { return false },
	indexThere:  func(error) bool { return false }}

var mysqlDialect = dialect{text: "LONGTEXT", bytes: "LONGBLOB", index: "CREATE INDEX",
	table: " ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", isolation: sql.LevelReadCommitted,
	snapshot: sql.LevelRepeatableRead,
	again: func(err error) bool {
		if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
			// deadlock, lock wait timeout, the server ends, too many connections, the session was ended
			return slices.Contains([]uint16{1213, 1205, 1053, 1040, 1927, 3169}, e.Number)
		}
		return disconnected(err)
	},
	raced: func(err error) bool {
		var e *mysql.MySQLError
		const duplicateKey = 1062
		return errors.As(err, &e) && e.Number == duplicateKey
	},
	own: func(err error) bool {
		var e *mysql.MySQLError
		return errors.As(err, &e) || disconnected(err)
	},
	damaged: func(error) bool { return false },
	full:    func(error) bool { return false },
	columnThere: func(err error) bool {
		var e *mysql.MySQLError
		const duplicateColumn = 1060
		return errors.As(err, &e) && e.Number == duplicateColumn
	},
	indexThere: func(err error) bool {
		var e *mysql.MySQLError
		const duplicateKeyName = 1061
		return errors.As(err, &e) && e.Number == duplicateKeyName
	}}

// disconnected says whether a connection broke, or could not be had.
func disconnected(err error) bool {
	var network *net.OpError
	var connect *pgconn.ConnectError
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EPIPE) ||
		errors.As(err, &network) || errors.As(err, &connect) ||
		err != nil && strings.Contains(err.Error(), "conn closed")
}

// At opens a campaign's database: the one that several machines share, as users write its address, which may be a file
// or an environment variable that holds it; of "" the one in dir, which make makes where it is not there.
func At(ctx context.Context, shared, dir string, make bool) (*DB, error) {
	if shared == "" {
		db, err := Open(ctx, dir, make)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, outcome.Misusef("%s holds no campaign: txweave campaign run --out makes one", dir)
		}
		return db, err
	}
	at, err := exec.ReadDSN(ctx, shared)
	if err != nil {
		return nil, outcome.Misusef("--store: %w", err)
	}
	return OpenShared(ctx, at, dir)
}

// OpenShared opens a campaign's database that several machines share, at a URL: postgres://user:password@host/database,
// or mysql://… of MySQL or MariaDB. Files of findings lie in it, and below dir where they are made or looked at. No
// error tells the password.
func OpenShared(ctx context.Context, at, dir string) (*DB, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	u, err := url.Parse(at)
	if err != nil {
		return nil, &PlanError{"--store is not a URL: want postgres://user:password@host/database or mysql://…"}
	}
	d := &DB{dir: dir, shard: Shard{0, 1}}
	switch u.Scheme {
	case "postgres", "postgresql":
		d.dialect = &postgresDialect
		d.sql, err = sql.Open("pgx", at)
	case "mysql", "mariadb":
		d.dialect = &mysqlDialect
		d.sql, err = openMySQL(u)
	default:
		return nil, &PlanError{fmt.Sprintf("a store cannot be at %s://: want postgres:// or mysql://", u.Scheme)}
	}
	if err != nil {
		return nil, &PlanError{"the store's URL cannot be read"} // the driver's message quotes it
	}
	d.sql.SetMaxOpenConns(4)
	d.sql.SetConnMaxIdleTime(time.Minute)
	ctx, cancel := context.WithTimeout(ctx, patience) // one that never answers is not there
	defer cancel()
	for wait := 100 * time.Millisecond; ; wait *= 2 { // another process may be making the tables
		if err = d.create(ctx); err == nil {
			if err = d.UseBucket(ctx, ""); err != nil {
				return nil, errors.Join(err, d.Close())
			}
			return d, nil
		}
		if wait > 5*time.Second || ctx.Err() != nil {
			return nil, errors.Join(&StoreError{fmt.Errorf("%s://%s: %w", u.Scheme, u.Host, err), true}, d.sql.Close())
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// openMySQL opens a URL in the way of the others: the driver's own form has no scheme.
func openMySQL(u *url.URL) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.Net, c.Addr, c.DBName = "tcp", u.Host, strings.Trim(u.Path, "/")
	if socket := u.Query().Get("socket"); socket != "" {
		c.Net, c.Addr = "unix", socket
	} else if u.Port() == "" {
		c.Addr = net.JoinHostPort(u.Hostname(), "3306")
	}
	if tls := u.Query().Get("tls"); tls != "" {
		c.TLSConfig = tls
	}
	c.ClientFoundRows = true // an update that changes nothing has met its row all the same
	c.Timeout, c.ReadTimeout, c.WriteTimeout = 20*time.Second, 2*time.Minute, 2*time.Minute
	c.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
