package verdict

import (
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms/mariadb"
	"txweave/dbms/postgresql"
	"txweave/exec/planted"
	"txweave/exec/storm"
	"txweave/finding"
	"txweave/internal/testkit/servers"
)

var (
	mariaDB    = servers.Launched("a MariaDB server", mariadb.Server)
	postgreSQL = servers.Launched("a PostgreSQL server", postgresql.Server)
)

// Bugs that only an upheaval of a server shows are found there, too, and servers without them are not blamed for the same nemesis.
func TestPlantedUpheavalsOfServers(t *testing.T) {
	signs := map[string]string{"lock-kept-by-killed": "lock-kept", "write-kept-by-killed": "aborted-read", "table-lock-ignored": "lock-ignored"}
	for _, s := range []struct {
		level string
		*servers.Shared
	}{{"mariadb/repeatable-read", mariaDB}, {"postgresql/read-committed", postgreSQL}, {"postgresql/serializable", postgreSQL}} {
		p := servers.Level(t, s.level, "")
		for _, f := range planted.Upheavals() {
			sign := signs[f.Name]
			if sign == "" {
				continue
			}
			t.Run(s.level+"/"+f.Name, func(t *testing.T) {
				o := storm.Options{Nemeses: []storm.Nemesis{storm.Nemesis(f.Nemesis())}, Duration: 500 * time.Millisecond, KeptTime: 10 * time.Second}
				for _, l := range disturbAt(t, s.Target(t), p, o) {
					t.Errorf("without the bug: %s: %s", l.Summary, strings.Join(l.Explanation, "; "))
				}
				o.KeptTime = time.Second
				for ; o.Duration < time.Minute; o.Duration *= 2 {
					found := disturbAt(t, planted.PlantAlways(s.Target(t), f), p, o)
					if slices.ContainsFunc(found, func(l finding.Listed) bool { return strings.Contains(l.Signature+l.Summary, sign) }) {
						return
					}
				}
				t.Error("it is not found")
			})
		}
	}
}
