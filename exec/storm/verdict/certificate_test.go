package verdict

import (
	"strings"
	"testing"

	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/exec/storm"
	"txweave/history"
	"txweave/history/register"
)

// A certificate that may lack versions is not made: searches that found them would look wrong.
func TestUndecided(t *testing.T) {
	b := register.NewBuilder(0, 0)
	b.Begin(0, 1)
	b.Read(b.Key("x"), 0)
	b.End(history.Unknown, 0, 0)
	b.Begin(1, 2)
	b.Write(b.Key("x"), 1)
	b.End(history.Unknown, 0, 0)
	h := b.History()
	clock, log := &dbms.Profile{Order: dbms.DatabaseClock}, &dbms.Profile{Order: dbms.BinaryLog}
	c := &certificate.Certificate{Times: make([]certificate.Times, 2)}
	if why := undecided(clock, c, h); !strings.Contains(why, "T2") {
		t.Errorf("its writer of unknown outcome: %q", why)
	}
	for _, p := range []*dbms.Profile{log, {Order: dbms.WriteAheadLog}} {
		if why := undecided(p, c, h); why != "" {
			t.Errorf("a log has all that committed: %q", why)
		}
	}
	c.Times[1].Commit = 5
	if why := undecided(clock, c, h); why != "" {
		t.Errorf("its commit is known: %q", why)
	}
}

// TestAsOf: the start of a transaction tells what its searches looked at only where its snapshot lasts as long as it.
func TestAsOf(t *testing.T) {
	for level, want := range map[string]int64{"repeatable-read": 7, "optimistic": 7, "read-committed": 0} {
		p, err := dbms.Lookup("tidb", level)
		if err != nil {
			t.Fatal(err)
		}
		if got := asOf(p, &storm.RangeSearch{}, 7); got != want {
			t.Errorf("%s: %d, want %d", level, got, want)
		}
		if got := asOf(p, &storm.RangeSearch{Current: true}, 7); got != 0 {
			t.Errorf("%s: of current rows %d", level, got)
		}
	}
}
