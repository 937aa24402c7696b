package verdict

import (
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms/mariadb"
	"txweave/dbms/postgresql"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/exec/storm"
	"txweave/finding"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
)

var (
	mariaDB    = servers.Launched("a MariaDB server", mariadb.Server)
	postgreSQL = servers.Launched("a PostgreSQL server", postgresql.Server)
)

// Bugs that only an disruption of a server shows are found there, too, and servers without them are not blamed for the
// same nemesis.
func TestPlantedDisruptionsOfServers(t *testing.T) {
	effort.Full(t)
	signs := map[string]string{"lock-kept-by-killed": "lock-kept", "write-kept-by-killed": "G1a",
		"table-lock-ignored": "table-lock"}
	for _, s := range []struct {
		level string
		*servers.Shared
	}{{"mariadb/repeatable-read", mariaDB}, {"postgresql/read-committed", postgreSQL}, {"postgresql/serializable",
		postgreSQL}} {
		p := servers.Level(t, s.level, "")
		for _, f := range planted.Disruptions() {
			sign := signs[f.Name]
			if sign == "" {
				continue
			}
			t.Run(s.level+"/"+f.Name, func(t *testing.T) {
				o := storm.Options{Nemeses: []storm.Nemesis{storm.Nemesis(f.Nemesis())}, Duration: 500 * time.Millisecond,
					KeptTime: 10 * time.Second}
				for _, l := range disturbAt(t, s.Target(t), p, o) {
					if p.DBMS == "mariadb" && strings.Contains(l.Signature, "missing-row-after-kill") {
						// docs/findings/mariadb-killed-delete.md
						continue
					}
					t.Errorf("without the bug: %s: %s", l.Summary, strings.Join(l.Explanation, "; "))
				}
				o.KeptTime = time.Second
				for ; o.Duration < time.Minute; o.Duration *= 2 {
					found := disturbAt(t, planted.PlantAlways(s.Target(t), f), p, o)
					if slices.ContainsFunc(found, func(l finding.Listed) bool {
						return strings.Contains(l.Signature+l.Summary, sign)
					}) {
						return
					}
				}
				t.Error("it is not found")
			})
		}
	}
}

// TestSettingsPutBack: a storm left a server with the values that txweave took for the DBMS's own, whatever somebody
// had given it.
func TestSettingsPutBack(t *testing.T) {
	for _, c := range []struct {
		level       string
		server      *servers.Shared
		set, forget []string
		ask, want   string
	}{
		{"mariadb/repeatable-read", mariaDB, []string{"SET GLOBAL innodb_max_purge_lag = 17",
			"SET GLOBAL innodb_change_buffering = 'inserts'", "SET GLOBAL innodb_max_dirty_pages_pct = 33"},
			[]string{"SET GLOBAL innodb_max_purge_lag = DEFAULT", "SET GLOBAL innodb_change_buffering = DEFAULT",
				"SET GLOBAL innodb_max_dirty_pages_pct = DEFAULT"},
			"SELECT CONCAT(@@GLOBAL.innodb_max_purge_lag, ' ', @@GLOBAL.innodb_change_buffering, ' ', " +
				"ROUND(@@GLOBAL.innodb_max_dirty_pages_pct))", "17 inserts 33"},
		{"postgresql/read-committed", postgreSQL, []string{"ALTER SYSTEM SET autovacuum_naptime = '33s'",
			"SELECT pg_reload_conf()"},
			[]string{"ALTER SYSTEM RESET autovacuum_naptime", "SELECT pg_reload_conf()"},
			"SELECT string_agg(name || ' ' || setting, ' ') FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf' AND name " +
				"LIKE 'autovacuum%'", "autovacuum_naptime 33s"},
	} {
		t.Run(c.level, func(t *testing.T) {
			p, db := servers.Level(t, c.level, ""), c.server.Target(t)
			s, err := db.Open(t.Context(), exec.FirstNode, p)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Must(t.Context(), c.set...); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Must(t.Context(), c.forget...); err != nil {
					t.Error(err)
				}
			}()
			o := storm.Options{Nemeses: []storm.Nemesis{storm.Pressure}, Duration: 500 * time.Millisecond}
			var changed map[string]int
			for _, x := range storm.StatementsOf(storm.Pressure, &exec.DisruptionOf(db).Disturbances) {
				if len(x.Settings) > 0 {
					o.Acts = append(o.Acts, storm.NameOf(x))
				}
			}
			for met := 0; met < min(2, len(o.Acts)) && o.Duration < time.Minute; o.Duration *= 2 {
				_, res, _ := disturbAs(t, db, p, o)
				met, changed = 0, res.ActsOf
				for what := range changed {
					if (strings.Contains(what, "SET GLOBAL ") || strings.Contains(what, "ALTER SYSTEM ")) &&
						!strings.HasSuffix(what, "refused") {
						met++
					}
				}
			}
			r, err := s.Read(t.Context(), c.ask)
			if err != nil || r.Len() != 1 || r.Cell(0, 0).S != c.want {
				t.Errorf("%v, want %s: %v; done was %v", r, c.want, err, changed)
			}
		})
	}
}
