package verdict

import (
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec/storm"
	"txweave/gen/workload"
)

// What a workload itself says must hold is judged, and is valid on an engine without bugs.
func TestClaims(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bank", "set", "counter"} {
		w, err := workload.New(name, workload.Config{Keys: 6, Distribution: workload.Uniform})
		if err != nil {
			t.Fatal(err)
		}
		db, err := sqlite.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		j := Judge{Profile: p, Workload: w}
		var said *Judgements
		o := storm.Options{Workload: w, Sessions: 4, Seed: 1, Record: true, Duration: 150 * time.Millisecond,
			Sink: func(int) storm.Sink { return unverified{} }}
		for ; o.Duration < time.Minute; o.Duration *= 2 {
			res, err := storm.Run(t.Context(), db, p, o)
			if err != nil {
				t.Fatal(err)
			}
			if said, err = j.Check(t.Context(), db, res); err != nil {
				t.Fatal(err)
			}
			if !said.History.Unknown { // else the machine had no time for us
				break
			}
		}
		if len(said.Findings) > 0 || said.History.Unknown {
			t.Errorf("%s: %s, %+v", name, said.History.Text, said.Findings)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
