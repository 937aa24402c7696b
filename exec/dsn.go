package exec

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// databasePrefix begins the name of every database that txweave creates on a server of the user's.
const databasePrefix = "txweave_"

// DSN says where a server of the user's is.
type DSN = mysql.Config

// dsnParameters are the parameters that a DSN may have: those that say how the server is reached. All others change what
// statements mean or what they answer (autocommit, sql_mode, clientFoundRows, readTimeout …), and a case would then be
// another one than it says.
var dsnParameters = []string{"allowCleartextPasswords", "allowFallbackToPlaintext", "allowNativePasswords",
	"allowOldPasswords", "serverPubKey", "timeout", "tls"}

// DSNVariable is the environment variable that names a server: other users can see a command's arguments.
const DSNVariable = "TXWEAVE_DSN"

// ReadDSN returns the data source name that a flag gives: itself, with @FILE what the file's first line holds, and with
// "env" what the environment's variable does.
func ReadDSN(flag string) (string, error) {
	if flag == "env" {
		dsn := os.Getenv(DSNVariable)
		if dsn == "" {
			return "", fmt.Errorf("the environment variable %s is not set", DSNVariable)
		}
		return dsn, nil
	}
	name, ok := strings.CutPrefix(flag, "@")
	if !ok {
		return flag, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("the file of the DSN: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line), nil
}

// ParseDSN reads a data source name. It must not name a database: txweave works only in ones that it created.
func ParseDSN(dsn string) (*DSN, error) {
	c, err := mysql.ParseDSN(dsn)
	if err != nil {
		// The driver's message can quote the string, password included.
		return nil, fmt.Errorf("the DSN is not of the form user:password@tcp(host:port)/")
	}
	if c.DBName != "" {
		return nil, fmt.Errorf("the DSN names the database %q: txweave touches no database but those it creates (%s…); leave it out",
			c.DBName, databasePrefix)
	}
	_, rest, _ := strings.Cut(dsn[strings.LastIndexByte(dsn, '/')+1:], "?")
	for _, pair := range strings.Split(rest, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err = url.QueryUnescape(name); err == nil && name != "" && !slices.Contains(dsnParameters, name) {
			return nil, fmt.Errorf("the DSN sets %s: a case would not mean what it says; it may only say how the server is reached (%s)",
				name, strings.Join(dsnParameters, ", "))
		}
	}
	return c, nil
}

// VersionOf asks the server that a DSN names for its version.
func VersionOf(ctx context.Context, config *DSN) (string, error) {
	c := config.Clone()
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
	return rows.Row(0)[0].S, nil
}

// Connect opens a server of the user's as a target, in a new database that Close drops. Alive waits as long as wait for a
// server that is away.
func Connect(ctx context.Context, kind *Server, config *DSN, wait time.Duration) (Target, error) {
	var id [6]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	database := databasePrefix + "l" + hex.EncodeToString(id[:])
	return connectMySQL(ctx, &mysqlTarget{kind: kind, config: config.Clone(), database: database, wait: wait})
}
