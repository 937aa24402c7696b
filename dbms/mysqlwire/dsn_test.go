package mysqlwire

import (
	"strings"
	"testing"

	"txweave/exec"
)

func TestParseDSN(t *testing.T) {
	c, err := exec.ParseDSN("user:s3cret@tcp(host:3307)/", []*exec.DSNForm{DSN})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := config(c); err != nil || got.User != "user" || got.Passwd != "s3cret" || got.Addr != "host:3307" {
		t.Errorf("a good DSN gives %v, %v", got, err)
	}
	for _, dsn := range []string{
		"user:s3cret@tcp(host:3307)/production",
		"user:s3cret@tcp(host:3307)/production?timeout=1s",
		"user:s3cret@tcp(host:3307)",
		"user:s3cret@tcp(host:3307)/?timeout=s3cret",
		"mysql://user:s3cret@host/",
		"s3cret",
	} {
		if c, err := exec.ParseDSN(dsn, []*exec.DSNForm{DSN}); err == nil {
			t.Errorf("%s is taken: %v", dsn, c)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

func TestConnectNeverPrintsThePassword(t *testing.T) {
	c, err := exec.ParseDSN("user:s3cret@unix(/nowhere/sock)/", []*exec.DSNForm{DSN})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := askVersion(t.Context(), c); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("askVersion: %v", err)
	}
	if _, err := exec.Connect(t.Context(), TestServer, c, 0); err == nil ||
		strings.Contains(err.Error(), "s3cret") {
		t.Errorf("Connect: %v", err)
	}
}

// A DSN says how a server is reached; what would change a case's meaning is refused.
func TestDSNParameters(t *testing.T) {
	for _, parameter := range []string{"autocommit=0", "sql_mode=%27%27", "readTimeout=1ms", "clientFoundRows=true",
		"parseTime=true",
		"interpolateParams=true", "charset=latin1", "collation=latin1_bin", "multiStatements=false",
		"tx_isolation=%27SERIALIZABLE%27",
		"allowAllFiles=true", "rejectReadOnly=true", "columnsWithAlias=true", "timeout=1s&autocommit=0",
		"maxAllowedPacket=100"} {
		if _, err := exec.ParseDSN("u:p@tcp(h:1)/?"+parameter, []*exec.DSNForm{DSN}); err == nil ||
			strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: %v", parameter, err)
		}
	}
	c, err := exec.ParseDSN("u:p?@tcp(h:1)/?timeout=1s&allowNativePasswords=true", []*exec.DSNForm{DSN})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := config(c); err != nil || c.Passwd != "p?" {
		t.Errorf("%v, %v", c, err)
	}
}
