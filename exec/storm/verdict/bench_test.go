package verdict

import (
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec/storm"
	"txweave/gen/workload"
	"txweave/history"
)

// unverified is a sink that forgets everything.
type unverified struct{}

func (unverified) Ready(func() int64)              {}
func (unverified) Sending(int64)                   {}
func (unverified) Append(*history.Operation) error { return nil }
func (unverified) Close()                          {}

// BenchmarkVerification storms the embedded SQLite with and without verification, in turns, and reports the share of the speed
// that is left with it.
func BenchmarkVerification(b *testing.B) {
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		b.Fatal(err)
	}
	w, err := workload.New("random-sql", workload.Config{Keys: 100, Distribution: workload.Uniform})
	if err != nil {
		b.Fatal(err)
	}
	var statements [2]int64
	for range b.N {
		for round := range 10 {
			db, err := sqlite.Open(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			o := storm.Options{Workload: w, Sessions: 8, Seed: uint64(round / 2), Duration: time.Second, Sink: func(int) storm.Sink { return unverified{} }}
			var v *OnlineCheck
			if round%2 == 0 {
				if v, err = Start(Options{Profile: p, Workload: w, Sessions: o.Sinks()}); err != nil {
					b.Fatal(err)
				}
				o.Sink = v.Sink
			}
			res, err := storm.Run(b.Context(), db, p, o)
			if v != nil {
				v.Wait()
			}
			if err != nil {
				b.Fatal(err)
			}
			statements[round%2] += res.Statements
			if err := db.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(statements[0])/float64(statements[1]), "of-unverified")
	b.ReportMetric(float64(statements[0])/float64(5*b.N), "statements/s")
}
