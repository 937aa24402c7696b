package verdict

import (
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/internal/testkit/servers"
)

// unverified is a sink that forgets everything.
type unverified struct{}

func (unverified) Ready(func() int64)              {}
func (unverified) Sending(int64)                   {}
func (unverified) Append(*history.Operation) error { return nil }
func (unverified) Close()                          {}

// BenchmarkVerification storms the embedded SQLite and a MariaDB server with and without verification, in turns, and
// reports the share of the speed that is left with it.
func BenchmarkVerification(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		benchmark(b, servers.Level(b, "sqlite", ""), func() exec.Target {
			db, err := sqlite.Open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { db.Close() })
			return db
		})
	})
	b.Run("mariadb", func(b *testing.B) {
		benchmark(b, servers.Level(b, "mariadb", ""), func() exec.Target { return mariaDB.Target(b) })
	})
}

func benchmark(b *testing.B, p *dbms.Profile, open func() exec.Target) {
	w, err := workload.New("random-sql", workload.Config{Keys: 100, Distribution: workload.Uniform})
	if err != nil {
		b.Fatal(err)
	}
	var statements [2]int64
	for range b.N {
		for round := range 10 {
			o := storm.Options{Workload: w, Sessions: 8, Seed: uint64(round / 2), Duration: time.Second,
				Sink: func(int) storm.Sink { return unverified{} }}
			var v *OnlineCheck
			if round%2 == 0 {
				if v, err = Start(Options{Profile: p, Workload: w, Sessions: o.Sinks()}); err != nil {
					b.Fatal(err)
				}
				o.Sink = v.Sink
			}
			res, err := storm.Run(b.Context(), open(), p, o)
			if v != nil {
				v.Wait()
			}
			if err != nil {
				b.Fatal(err)
			}
			statements[round%2] += res.Statements
		}
	}
	b.ReportMetric(float64(statements[0])/float64(statements[1]), "of-unverified")
	b.ReportMetric(float64(statements[0])/float64(5*b.N), "statements/s")
}
