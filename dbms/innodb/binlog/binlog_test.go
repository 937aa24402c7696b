package binlog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"txweave/checker"
	"txweave/checker/certificate"
	"txweave/checker/certificate/commits"
	"txweave/dbms"
	"txweave/dbms/innodb/binlog"
	"txweave/dbms/mariadb"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
	"txweave/internal/testkit/need"
)

// logged starts a MariaDB server that keeps a binary log.
func logged(t *testing.T) exec.Target {
	t.Helper()
	ctx := context.Background()
	l, err := exec.NewLauncher(ctx, mariadb.Server, "", io.Discard)
	if errors.Is(err, exec.ErrUnavailable) {
		need.Missing(t, "needs a MariaDB server: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	l.CommitLog = true
	target, err := l.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	return target
}

// recorder runs transactions on table r and records them.
type recorder struct {
	t       *testing.T
	target  exec.Target
	mu      sync.Mutex
	from    string // where in the log it began
	b       *register.Builder
	next    int64 // value to be written
	txns    int64
	aborted int
}

func newRecorder(t *testing.T, target exec.Target, keys int) *recorder {
	t.Helper()
	s := target.Control()
	sqls := []string{"CREATE DATABASE IF NOT EXISTS d", "DROP TABLE IF EXISTS d.r",
		"CREATE TABLE d.r (k INT PRIMARY KEY, v BIGINT) ENGINE=InnoDB"}
	for k := range keys {
		sqls = append(sqls, fmt.Sprintf("INSERT INTO d.r VALUES (%d, 0)", k))
	}
	own, err := target.Observe(context.Background(), exec.FirstNode, exec.ReadCommitted)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	from, err := binlog.Log.Keep(context.Background(), own)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Must(context.Background(), sqls...); err != nil {
		t.Fatal(err)
	}
	r := &recorder{t: t, target: target, from: from, b: register.NewBuilder(0, 0)}
	r.b.SetInitialValue(0)
	for k := range keys {
		r.b.Key(name(int64(k)))
	}
	return r
}

func name(key int64) string { return fmt.Sprintf("r:%d", key) }

// rotate has the log go on in another file.
func (r *recorder) rotate() {
	r.t.Helper()
	if err := r.target.Control().Must(context.Background(), "FLUSH BINARY LOGS"); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recorder) session(level string) *exec.Session {
	r.t.Helper()
	s, err := r.target.Observe(context.Background(), exec.FirstNode, exec.ReadCommitted)
	if err == nil {
		err = s.Must(context.Background(), "SET SESSION TRANSACTION ISOLATION LEVEL "+level)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// txn is an open transaction.
type txn struct {
	r    *recorder
	s    *exec.Session
	ops  []register.Op
	dead bool
}

func (r *recorder) begin(s *exec.Session) *txn {
	x := &txn{r: r, s: s}
	x.exec("BEGIN")
	return x
}

func (x *txn) exec(sql string) {
	if x.dead {
		return
	}
	ans, err := x.s.Exec(context.Background(), sql)
	if err != nil {
		x.r.t.Error(err)
	}
	x.dead = err != nil || ans.Err != nil // a deadlock's victim
}

func (x *txn) read(key int64) {
	if x.dead {
		return
	}
	ans, err := x.s.Query(context.Background(), fmt.Sprintf("SELECT v FROM d.r WHERE k = %d", key))
	if err != nil {
		x.r.t.Error(err)
	}
	if x.dead = err != nil || ans.Err != nil; x.dead {
		return
	}
	v, _ := ans.Rows.Row(0)[0].Int64()
	x.ops = append(x.ops, register.Op{Kind: register.Read, Key: int32(key), Value: v})
}

func (x *txn) write(key int64) {
	x.r.mu.Lock()
	x.r.next++
	v := x.r.next
	x.r.mu.Unlock()
	x.exec(fmt.Sprintf("UPDATE d.r SET v = %d WHERE k = %d", v, key))
	x.ops = append(x.ops, register.Op{Kind: register.Write, Key: int32(key), Value: v})
}

func (x *txn) end(session int64) {
	status := history.Committed
	if x.exec("COMMIT"); x.dead {
		status = history.Aborted
		x.dead = false
		x.exec("ROLLBACK")
	}
	x.r.mu.Lock()
	defer x.r.mu.Unlock()
	if status == history.Aborted {
		x.r.aborted++
	}
	x.r.txns++
	x.r.b.Begin(session, x.r.txns)
	for _, op := range x.ops {
		x.r.b.Op(op)
	}
	x.r.b.End(status, 0, 0)
}

// certify makes the history and its certificate.
func (r *recorder) certify() (*register.History, *certificate.Certificate) {
	r.t.Helper()
	ctx := context.Background()
	tables := []commits.Layout{{Table: "r", Key: 0, Version: 1, Name: name,
		Columns: []certificate.ColumnType{{Name: "k", Type: "INT"}, {Name: "v", Type: "BIGINT"}}}}
	s, err := r.target.Observe(ctx, exec.FirstNode, exec.ReadCommitted)
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Close()
	if err := s.Must(ctx, "USE d"); err != nil {
		r.t.Fatal(err)
	}
	log, err := binlog.Log.Read(ctx, s, r.from, tables)
	if err != nil {
		r.t.Fatal(err)
	}
	h := r.b.History()
	var certifier certificate.Issuer = &commits.Issuer{Source: binlog.Log.Source, Log: log, Tables: tables}
	c, err := certifier.Certify(h)
	if err != nil {
		r.t.Fatal(err)
	}
	return h, c
}

// TestSerializable records transactions that run at the same time: at SERIALIZABLE the log's order certifies them, as a
// graph and executed in that order.
func TestSerializable(t *testing.T) {
	const sessions, txns, keys = 4, 30, 6
	r := newRecorder(t, logged(t), keys)
	var wg sync.WaitGroup
	for n := range int64(sessions) {
		s := r.session("SERIALIZABLE")
		wg.Go(func() {
			defer s.Close()
			rng := rand.New(rand.NewPCG(uint64(n), 5))
			for range txns {
				x := r.begin(s)
				for range 1 + rng.IntN(3) {
					if key := rng.Int64N(keys); rng.IntN(2) == 0 {
						x.read(key)
					} else {
						x.write(key) // often without a read before it
					}
				}
				x.end(n)
			}
		})
	}
	wg.Wait()
	h, c := r.certify()
	versions := 0
	for _, order := range c.Order {
		versions += len(order)
	}
	t.Logf("%d transactions, %d aborted, %d versions", len(h.Txns), r.aborted, versions)
	if versions < 30 {
		t.Fatalf("only %d versions in the log", versions)
	}
	opt := checker.Options{SessionOrder: true}
	if v := certificate.Check(t.Context(), h, c, dbms.SER, opt, nil); v.Outcome != checker.Valid {
		t.Errorf("graph: %v", v)
	}
	if v := certificate.Replay(t.Context(), h, c, dbms.SER, opt, nil); v.Outcome != checker.Valid {
		t.Errorf("in order of commits: %v", v)
	}
	// The log is believed: another order of the same versions must not pass.
	order := c.Order[0]
	order[0], order[len(order)-1] = order[len(order)-1], order[0]
	if v := certificate.Check(t.Context(), h, c, dbms.SER, opt, nil); len(order) > 1 && v.Outcome != checker.Invalid {
		t.Errorf("with versions swapped: %v", v)
	}
}

// TestLostUpdate shows what REPEATABLE READ allows.
func TestLostUpdate(t *testing.T) {
	r := newRecorder(t, logged(t), 2)
	a, b := r.session("REPEATABLE READ"), r.session("REPEATABLE READ")
	defer a.Close()
	defer b.Close()
	first, second := r.begin(a), r.begin(b)
	first.read(0)
	second.read(0)
	second.write(0)
	second.end(1)
	r.rotate()
	first.write(0)
	first.end(0)
	h, c := r.certify()
	opt := checker.Options{SessionOrder: true}
	for _, level := range []dbms.Level{dbms.SER, dbms.SI} {
		if v := certificate.Check(t.Context(), h, c, level, opt, nil); v.Anomaly != fault.HistoryLostUpdate {
			t.Errorf("%s: %v", level, v)
		}
	}
	if v := certificate.Replay(t.Context(), h, c, dbms.SER, opt, nil); v.Anomaly != fault.HistoryExpectedOrderViolation {
		t.Errorf("in order of commits: %v", v)
	}
}

// TestDatabase asks the server and the interpreter which rows match: they agree where both know.
func TestDatabase(t *testing.T) {
	target := logged(t)
	engine, err := sqlite.NewEvaluator()
	if err != nil {
		t.Fatal(err)
	}
	in := certificate.NewInterpreter(engine)
	defer in.Close()
	db := certificate.NewDatabase(target.Control())
	if err := target.Control().Must(context.Background(), "CREATE DATABASE IF NOT EXISTS d", "USE d"); err != nil {
		t.Fatal(err)
	}
	table := &certificate.Relation{Name: "t", Columns: []certificate.ColumnType{{Name: "a", Type: "INT"},
		{Name: "b", Type: "VARBINARY(8)"}, {Name: "c", Type: "VARCHAR(8)"}}}
	var rows [][]history.Value
	for _, a := range []history.Value{{}, history.IntValue(-3), history.IntValue(0), history.IntValue(1),
		history.IntValue(4)} {
		for _, b := range []history.Value{{}, history.TextValue(""), history.TextValue("ab"), history.TextValue("ab "),
			history.TextValue("AB")} {
			rows = append(rows, []history.Value{a, b, b})
		}
	}
	for where, both := range map[string]bool{
		"a < 1": true, "NOT a": true, "a IS NOT TRUE": true, "a <=> NULL OR a BETWEEN -3 AND 0": true,
		"a NOT IN (1, 4)":             true,
		"a NOT IN (1, NULL) OR a = 0": true, "a * a - 1 > 2 AND NOT (a = 4 AND b = x'6162')": true,
		"b >= x'6162'": true, "b IN (x'4142', x'616220')": true, "-a + 2 <> 1": true, "(a > 0) + (b = x'6162') = 1": true,
		"(a = 1) IS FALSE": true,
		"c = 'AB'":         false, "a / 2 = 2": false, "LENGTH(c) = 2": false, "t.b = 'ab'": false,
	} {
		want, err := db.Match(t.Context(), table, where, rows)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		got, err := in.Match(t.Context(), table, where, rows)
		var unknown *certificate.UnknownError
		switch {
		case !both && !errors.As(err, &unknown):
			t.Errorf("%s: the interpreter must not judge it: %v", where, err)
		case both && err != nil:
			t.Errorf("%s: %v", where, err)
		case both && !slices.Equal(got, want):
			t.Errorf("%s: the interpreter says %v, the database %v", where, got, want)
		case !slices.Contains(want, true) || !slices.Contains(want, false):
			t.Errorf("%s: tells nothing apart", where)
		}
	}
}
