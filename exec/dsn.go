package exec

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"txweave/internal/input"
)

// databasePrefix begins the name of every database that txweave creates on a server of the user's.
const databasePrefix = "txweave_"

// DSN says where a server of the user's is.
type DSN struct {
	// URL is what begins with a scheme, as it was given; "" for the form of MySQL's driver.
	URL   string
	mysql *mysql.Config
}

// dsnParameters are the parameters that a DSN may have: those that say how the server is reached. All others change
// what statements mean or what they answer (autocommit, sql_mode, clientFoundRows, readTimeout …), and a case would
// then be another one than it says.
var dsnParameters = []string{"allowCleartextPasswords", "allowFallbackToPlaintext", "allowNativePasswords",
	"allowOldPasswords", "serverPubKey", "timeout", "tls"}

// DSNVariable is the environment variable that names a server: other users can see a command's arguments.
const DSNVariable = "TXWEAVE_DSN"

// ReadDSN returns the data source name that a flag gives: itself, with @FILE what the file's first line holds, and with
// "env", or "env:NAME", what the environment's variable does. The context ends what waits for the file.
func ReadDSN(ctx context.Context, flag string) (string, error) {
	if variable, ok := dsnVariable(flag); ok {
		dsn := os.Getenv(variable)
		if dsn == "" {
			return "", fmt.Errorf("the environment variable %s is not set", variable)
		}
		return dsn, nil
	}
	name, ok := strings.CutPrefix(flag, "@")
	if !ok {
		return flag, nil
	}
	text, err := input.Read(ctx, name, input.Secret)
	if err != nil {
		return "", fmt.Errorf("the file of the DSN: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSpace(line); line == "" { // else the driver would look for a server where they usually are
		return "", fmt.Errorf("the first line of %s is empty: want a DSN", name)
	}
	return line, nil
}

// dsnVariable is the environment's variable that a flag names, if it names one.
func dsnVariable(flag string) (name string, ok bool) {
	if flag == "env" {
		return DSNVariable, true
	}
	return strings.CutPrefix(flag, "env:")
}

// HasPassword says whether a flag's value is a data source name that tells a password, or may: one that is of no known
// form.
func HasPassword(flag string) bool {
	if _, ok := dsnVariable(flag); ok || strings.HasPrefix(flag, "@") {
		return false
	}
	if scheme, _, ok := strings.Cut(flag, "://"); ok && slices.Contains(schemes, scheme) {
		u, err := url.Parse(flag)
		if err != nil {
			return true
		}
		_, has := u.User.Password()
		return has || u.Query().Has("password") || u.Query().Has("sslpassword")
	}
	c, err := mysql.ParseDSN(flag)
	return err != nil || c.Passwd != ""
}

// schemes begin the data source names that are URLs.
var schemes = []string{"postgres", "postgresql"}

// ParseDSN reads a data source name. It must not name a database: txweave works only in ones that it created.
func ParseDSN(dsn string) (*DSN, error) {
	if scheme, _, ok := strings.Cut(dsn, "://"); ok && slices.Contains(schemes, scheme) {
		return &DSN{URL: dsn}, checkURL(dsn)
	}
	c, err := mysql.ParseDSN(dsn)
	if err != nil {
		// The driver's message can quote the string, password included.
		return nil,
			fmt.Errorf("the DSN is not of the form user:password@tcp(host:port)/ or postgres://user:password@host:port/")
	}
	if c.DBName != "" {
		return nil, namesDatabase(c.DBName)
	}
	_, rest, _ := strings.Cut(dsn[strings.LastIndexByte(dsn, '/')+1:], "?")
	return &DSN{mysql: c}, checkParameters(rest, dsnParameters)
}

// urlParameters are the parameters that a URL may have: see dsnParameters.
var urlParameters = []string{"connect_timeout", "host", "port", "passfile", "sslcert", "sslkey", "sslmode",
	"sslpassword", "sslrootcert", "sslsni"}

// checkURL judges a data source name that is a URL. Its database, where it names one, is the one that a connection
// needs to create others.
func checkURL(dsn string) error {
	u, err := url.Parse(dsn)
	if err != nil {
		return errors.New("the DSN is not of the form postgres://user:password@host:port/") // the error quotes it
	}
	if name := strings.Trim(u.Path, "/"); name != "" && name != "postgres" {
		return namesDatabase(name)
	}
	return checkParameters(u.RawQuery, urlParameters)
}

func namesDatabase(name string) error {
	return fmt.Errorf(
		"the DSN names the database %q: txweave touches no database but those it creates (%s…); leave it out", name,
		databasePrefix)
}

// checkParameters refuses those that would make a case mean something else.
func checkParameters(query string, known []string) error {
	for _, pair := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err == nil && name != "" && !slices.Contains(known, name) {
			return fmt.Errorf(
				"the DSN sets %s: a case would not mean what it says; it may only say how the server is reached (%s)",
				name, strings.Join(known, ", "))
		}
	}
	return nil
}

// VersionOf asks the server that a DSN names for its version.
func VersionOf(ctx context.Context, at *DSN) (string, error) {
	c := at.mysql.Clone()
	c.Logger = &mysql.NopLogger{}
	t := &mysqlTarget{config: c, kind: &Server{Protocol: &Protocol{DBError: MySQLError}}}
	s, err := t.dial(ctx, "")
	if err != nil {
		return "", err
	}
	defer s.Close()
	rows, err := s.Read(ctx, "SELECT VERSION()")
	if err != nil {
		return "", err
	}
	return rows.Cell(0, 0).S, nil
}

// Connect opens a server of the user's as a target, in a new database that Close drops. Alive waits as long as wait for
// a server that is away.
func Connect(ctx context.Context, kind *Server, at *DSN, wait time.Duration) (Target, error) {
	var id [6]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	database := databasePrefix + "l" + hex.EncodeToString(id[:])
	join := kind.Join
	if join == nil {
		join = func(ctx context.Context, at *DSN, database string, wait time.Duration) (Target, error) {
			return connectMySQL(ctx, &mysqlTarget{kind: kind, config: at.mysql.Clone(), database: database, wait: wait})
		}
	}
	t, err := join(ctx, at, database, wait)
	var lost *LostError
	if errors.As(err, &lost) {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return t, err
}
