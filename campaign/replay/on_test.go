package replay

import (
	"testing"

	"txweave/campaign/target"
	"txweave/finding"
)

// TestOn: a finding is run again on the server that it was made on, unless somebody names another database or that
// server is gone.
func TestOn(t *testing.T) {
	there := t.TempDir()
	for _, c := range []struct {
		asked target.Config
		env   finding.Environment
		want  string
	}{
		{target.Config{}, finding.Environment{DBMS: "mariadb", Server: there}, there},
		{target.Config{Target: "mariadb"}, finding.Environment{DBMS: "mariadb", Server: there}, there},
		{target.Config{Target: "mysql"}, finding.Environment{DBMS: "mariadb", Server: there}, ""},
		{target.Config{Server: "/other"}, finding.Environment{DBMS: "mariadb", Server: there}, "/other"},
		{target.Config{DSN: "u@tcp(h)/"}, finding.Environment{DBMS: "mariadb", Server: there}, ""},
		{target.Config{}, finding.Environment{DBMS: "mariadb", Server: there + "/gone"}, ""},
		{target.Config{}, finding.Environment{DBMS: "sqlite"}, ""},
	} {
		u := &Under{Target: c.asked}
		if u.On(&c.env); u.Target.Server != c.want {
			t.Errorf("%+v of %+v: on %q, want %q", c.asked, c.env, u.Target.Server, c.want)
		}
	}
}
