package exec

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"sync"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
)

// overheard is a target whose sessions' statements are noted with what they are sent for.
type overheard struct {
	Target
	mu    sync.Mutex
	heard []heardStmt
}

type heardStmt struct {
	Occasion
	sql string
}

func (o *overheard) Open(ctx context.Context, node NodeID, p *dbms.Profile) (*Session, error) {
	s, err := o.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	return s.Over(&overheardConn{s.Conn(), o}), nil
}

func (o *overheard) hear(ctx context.Context, sql string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if on := OccasionIn(ctx); on.Stmt != 0 {
		o.heard = append(o.heard, heardStmt{on, sql})
	}
}

type overheardConn struct {
	driver.Conn
	by *overheard
}

func (c *overheardConn) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	c.by.hear(ctx, sql)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, args)
}

func (c *overheardConn) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	c.by.hear(ctx, sql)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, args)
}

// TestOccasions: whoever stands between the runner and a database, in the process or over a network, is told of each
// statement of the case, of each BEGIN and end and of each read around them whose it is and which one, and of nothing
// else.
func TestOccasions(t *testing.T) {
	for name, level := range map[string]string{"sqlite": "sqlite/serializable", "mariadb": "mariadb/serializable"} {
		db := &overheard{Target: target(t, name)}
		r := newRunner(t, db, lookup(t, level), Options{})
		c := parseCase(t, tables, `T0 BEGIN
			T0 SELECT pkey, vkey, v FROM t WHERE pkey = 1
			T0 SELECT pkey, vkey, v FROM t WHERE pkey = 1
			T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey IN (SELECT pkey FROM s)
			T0 COMMIT
			T1 UPDATE t SET pvkey = vkey, vkey = 101, w = 1 WHERE pkey = 3`).Number()
		plan := load(t, r, c)
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		var want []heardStmt
		for _, e := range run.Trace.Events {
			unit := map[history.Role]int{history.Begin: instrument.BeginUnit, history.End: instrument.EndUnit}
			if e.Session != history.SessionName(0) && e.Session != history.SessionName(1) {
				continue
			}
			step := instrument.Step{Txn: e.Txn, Unit: e.Stmt}
			if frame, ok := unit[e.Role]; ok {
				step.Unit = frame
			}
			want = append(want, heardStmt{Occasion{Stmt: plan.ID(step), Role: e.Role}, e.Text})
		}
		if !slices.EqualFunc(db.heard, want, func(a, b heardStmt) bool { a.Nth = b.Nth; return a == b }) {
			t.Errorf("%s: heard\n%v\nwant\n%v", name, db.heard, want)
		}
		seen := map[Occasion]bool{}
		for _, h := range db.heard {
			if seen[h.Occasion] {
				t.Errorf("%s: %v comes twice", name, h)
			}
			seen[h.Occasion] = true
		}
		var blocks []*instrument.Block
		db.heard = nil
		for _, txn := range plan.Txns {
			blocks = append(blocks, txn.Blocks...)
		}
		if _, err := r.Replay(blocks); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(db.heard); got != fmt.Sprint([]heardStmt{
			{Occasion{Stmt: 2, Role: history.Target}, blocks[0].SQL}, {Occasion{Stmt: 3, Role: history.Target}, blocks[1].SQL},
			{Occasion{Stmt: 4, Role: history.Target}, blocks[2].SQL}, {Occasion{Stmt: 6, Role: history.Target},
				blocks[3].SQL}}) {
			t.Errorf("%s: the replay is heard as %s", name, got)
		}
	}
}
