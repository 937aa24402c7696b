package exec

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/go-sql-driver/mysql"
)

// databasePrefix begins the name of every database that txweave creates on a server of the user's.
const databasePrefix = "txweave_"

// DSN says where a server of the user's is.
type DSN = mysql.Config

// ParseDSN reads a data source name. It must not name a database: txweave works only in ones that it created.
func ParseDSN(dsn string) (*DSN, error) {
	c, err := mysql.ParseDSN(dsn)
	if err != nil {
		// The driver's message can quote the string, password included.
		return nil, fmt.Errorf("the DSN is not of the form user:password@tcp(host:port)/")
	}
	if c.DBName != "" {
		return nil, fmt.Errorf("the DSN names the database %q: txweave touches no database but those it creates (%s…); leave it out", c.DBName, databasePrefix)
	}
	return c, nil
}

// VersionOf asks the server that a DSN names for its version.
func VersionOf(ctx context.Context, config *mysql.Config) (string, error) {
	c := config.Clone()
	c.Logger = &mysql.NopLogger{}
	t := &mysqlTarget{config: c, kind: &Server{Protocol: &Protocol{DBError: MySQLError}}}
	s, err := t.dial(ctx)
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

// Connect opens a server of the user's as a target, in a new database that Close drops.
func Connect(ctx context.Context, kind *Server, config *mysql.Config) (Target, error) {
	var id [6]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	return connectMySQL(ctx, kind, config.Clone(), databasePrefix+hex.EncodeToString(id[:]), nil)
}
