package exec

import (
	"context"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// clocked is a target whose sessions tell times, as a database with a clock of its own does.
type clocked struct {
	Target
	past string // the statement after which a session reads the past
}

func (c clocked) Open(ctx context.Context, node NodeID, p *dbms.Profile) (*Session, error) {
	s, err := c.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	p2 := *s.protocol
	p2.Clock = &Clock{Ask: "SELECT 1", Past: func(uint64) string { return c.past }, NoPast: "gc_safe_point",
		Read: func([]history.Value) (ClockReading, error) {
			return ClockReading{Start: 1, Read: 1, EndedStart: 1, EndedCommit: 2}, nil
		},
		Versions: func(_ context.Context, _ *Session, _ *sqltext.Table, pkeys []int64) (map[int64][]observe.VersionStamp,
			error) {
			out := map[int64][]observe.VersionStamp{}
			for _, k := range pkeys {
				out[k] = []observe.VersionStamp{{Start: 1, Commit: 2, State: 100}}
			}
			return out, nil
		}}
	s.protocol = &p2
	return s, nil
}

func (c clocked) Observe(ctx context.Context, node NodeID, _ string) (*Session, error) {
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		return nil, err
	}
	return c.Open(ctx, node, p)
}

// A case that gives its order itself may have tables without pkey and vkey: there is nothing about them to certify.
func TestCertificateOfPlainTables(t *testing.T) {
	const schema = "CREATE TABLE a (x INT, y INT);CREATE TABLE b (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT);" +
		"INSERT INTO a VALUES (1, 1);INSERT INTO b VALUES (1, 1, NULL)"
	c := parseCase(t, schema, `T0 BEGIN
		T0 SELECT * FROM a
		T0 UPDATE a SET y = y + 1
		T0 UPDATE b SET pvkey = vkey, vkey = 100 WHERE pkey = 1
		T0 COMMIT`)
	c.Order = []testcase.Ref{{Txn: 0, Stmt: 0}, {Txn: 0, Stmt: 1}, {Txn: 0, Stmt: 2}}
	r := newRunner(t, clocked{target(t, "sqlite"), "SELECT 2"}, lookup(t, "sqlite/serializable"), Options{})
	plan, err := instrument.Plain(c, r.profile)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Load(plan); err != nil {
		t.Fatal(err)
	}
	run, err := r.Run(plan, plan.Steps)
	if err != nil {
		t.Fatal(err)
	}
	cert := run.Certificate
	if cert == nil || cert.Start[0] != 1 || cert.Commit[0] != 2 {
		t.Fatalf("certificate %+v", cert)
	}
	if _, told := cert.Snapshots[0]["a"]; told {
		t.Error("a table without versions has a snapshot of them")
	}
	if got := cert.Versions[history.Item{Table: "b", PKey: 1}]; len(got) != 1 || got[0].State != 100 {
		t.Errorf("the versions of b are %v", cert.Versions)
	}
}

// A database that does not know yet how far back its past goes, as a cluster of TiDB in its first minutes, tells
// nothing of it; all other errors end the run.
func TestCertificateWithoutPast(t *testing.T) {
	for _, c := range []struct {
		past, refused string
		told          int
	}{
		{"SELECT 2", "", 4},
		{"SELECT * FROM gc_safe_point", "", 0},
		{"SELECT * FROM elsewhere", "no such table: elsewhere", 0},
	} {
		r := newRunner(t, clocked{target(t, "sqlite"), c.past}, lookup(t, "sqlite/serializable"), Options{})
		plan := load(t, r, parseCase(t, tables, `T0 BEGIN
			T0 SELECT pkey, vkey FROM t
			T1 BEGIN
			T1 SELECT pkey, vkey FROM t
			T0 COMMIT
			T1 COMMIT`))
		run, err := r.Run(plan, plan.Steps)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v, want %q", c.past, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, tables := range run.Certificate.Snapshots {
			told += len(tables)
		}
		if len(run.Certificate.Snapshots) != 2 || told != c.told {
			t.Errorf("%s: %d tables of the past in %d transactions, want %d", c.past, told,
				len(run.Certificate.Snapshots), c.told)
		}
	}
}
