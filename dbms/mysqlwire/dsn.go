package mysqlwire

import (
	"context"
	"strings"

	"github.com/go-sql-driver/mysql"

	"txweave/exec"
)

// DSN is the form of data source names that the driver has.
var DSN = &exec.DSNForm{Like: "user:password@tcp(host:port)/", Check: checkDSN, HasPassword: hasPassword,
	Ask: askVersion}

// parameters are those that a DSN may have: those that say how the server is reached. All others change what statements
// mean or what they answer (autocommit, sql_mode, clientFoundRows, readTimeout …), and a case would then be another one
// than it says.
var parameters = []string{"allowCleartextPasswords", "allowFallbackToPlaintext", "allowNativePasswords",
	"allowOldPasswords", "serverPubKey", "timeout", "tls"}

func checkDSN(dsn string) error {
	c, err := mysql.ParseDSN(dsn)
	if err != nil {
		// The driver's message can quote the string, password included.
		return exec.ErrDSNForm
	}
	if c.DBName != "" {
		return exec.NamesDatabase(c.DBName)
	}
	_, rest, _ := strings.Cut(dsn[strings.LastIndexByte(dsn, '/')+1:], "?")
	return exec.CheckParameters(rest, parameters)
}

func hasPassword(dsn string) bool {
	c, err := mysql.ParseDSN(dsn)
	return err != nil || c.Passwd != ""
}

// config is what the driver takes of a data source name.
func config(at *exec.DSN) (*mysql.Config, error) {
	c, err := mysql.ParseDSN(at.Text)
	if err != nil {
		return nil, exec.ErrDSNForm
	}
	c.Logger = &mysql.NopLogger{}
	return c, nil
}

// askVersion asks a server for its version.
func askVersion(ctx context.Context, at *exec.DSN) (string, error) {
	c, err := config(at)
	if err != nil {
		return "", err
	}
	t := &target{config: c, kind: &DBMS{Protocol: &exec.Protocol{DBError: Error}}}
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
