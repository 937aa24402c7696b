package postgresql

import (
	"net/url"
	"strings"

	"txweave/exec"
)

// dsn is the form of data source names of servers that speak PostgreSQL's protocol.
var dsn = &exec.DSNForm{Schemes: []string{"postgres", "postgresql"}, Like: "postgres://user:password@host:port/",
	Check: checkDSN, HasPassword: hasPassword, Ask: askVersion}

// parameters are those that a DSN may have, which say how the server is reached: others change what a case means.
var parameters = []string{"connect_timeout", "host", "port", "passfile", "sslcert", "sslkey", "sslmode",
	"sslpassword", "sslrootcert", "sslsni"}

// checkDSN judges a data source name. Its database, where it names one, is the one that a connection needs to create
// others.
func checkDSN(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return exec.ErrDSNForm
	}
	if name := strings.Trim(u.Path, "/"); name != "" && name != home {
		return exec.NamesDatabase(name)
	}
	return exec.CheckParameters(u.RawQuery, parameters)
}

func hasPassword(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return true
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password") || u.Query().Has("sslpassword")
}
