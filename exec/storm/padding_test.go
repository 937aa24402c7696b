package storm

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/fault"
	"txweave/gen/workload"
)

// tearing is an engine that forgets the text of a row in each UPDATE.
type tearing struct{ exec.Target }

type tearingConn struct{ driver.Conn }

func (d *tearing) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	s, err := d.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	return s.Over(&tearingConn{s.Conn()}), nil
}

func (c *tearingConn) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, args)
}

func (c *tearingConn) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	if set, rest, found := strings.Cut(sql, ", pad = "); found {
		_, where, _ := strings.Cut(rest, " WHERE ")
		sql = set + " WHERE " + where
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, args)
}

func (c *tearingConn) Interrupt() { c.Conn.(exec.Interrupter).Interrupt() }

// TestPadding: rows of every workload that has them keep their texts, and one that an engine loses is found where rows
// are read one by one.
func TestPadding(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range workload.Names() {
		w, err := workload.New(name, workload.Config{Keys: 20, Distribution: workload.Uniform,
			Tuning: workload.Tuning{ValueSize: 300}})
		if err != nil {
			continue // it makes its rows itself
		}
		db, err := sqlite.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		o := Options{Workload: w, Sessions: 3, Duration: time.Minute, Transactions: 100, Seed: 1,
			Sink: func(int) Sink { return &kept{t: t} }}
		if res, err := Run(t.Context(), db, p, o); err != nil || len(res.Faults) > 0 {
			t.Errorf("%s: %v, %+v", name, err, res.Faults)
		}
		if !slices.Contains([]string{"blindw-rw", "gt", "smallbank", "ycsb-a", "mini", "cas", "counter"}, name) {
			continue
		}
		longer(t, 60*time.Millisecond, func(d time.Duration) bool {
			o.Duration = d
			res, err := Run(t.Context(), &tearing{db}, p, o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(res.Faults) > 0 && (res.Faults[0].What != fault.TornRow || len(res.Faults[0].Statement) > 200) {
				t.Errorf("%s: %+v", name, res.Faults)
			}
			return len(res.Faults) > 0
		})
	}
}

// TestTransactions: a storm ends once as many transactions have committed as it is to have.
func TestTransactions(t *testing.T) {
	_, res := run(t, "gt", nil, Options{Duration: 10 * time.Minute, Transactions: 40})
	const last = 1 // reads all tables in the end
	if res.Committed < 40 || res.Committed > 40+4+last || res.Elapsed > 5*time.Minute {
		t.Errorf("%d committed in %s", res.Committed, res.Elapsed)
	}
}
