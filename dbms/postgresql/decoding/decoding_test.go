package decoding_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"txweave/checker"
	"txweave/checker/certificate"
	"txweave/checker/certificate/commits"
	"txweave/dbms"
	"txweave/dbms/postgresql"
	"txweave/dbms/postgresql/decoding"
	"txweave/exec"
	"txweave/history"
	"txweave/history/register"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/need"
)

var columns = []certificate.ColumnType{{Name: "pkey", Type: "BIGINT"}, {Name: "vkey", Type: "BIGINT"},
	{Name: "s", Type: "TEXT"}}

func layout() commits.Layout {
	return commits.Layout{Table: "t", Columns: columns, Key: 0, Version: 1,
		Name: func(key int64) string { return fmt.Sprint(key) }}
}

// decodable starts a server that keeps a log which can be decoded.
func decodable(t *testing.T) exec.Target {
	t.Helper()
	l, err := exec.NewLauncher(t.Context(), postgresql.Server, "", io.Discard)
	if errors.Is(err, exec.ErrUnavailable) {
		need.Missing(t, "needs a PostgreSQL server: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.CommitLog = true
	target, err := l.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(target.Close(), l.Close()); err != nil {
			t.Error(err)
		}
	})
	return target
}

// recorder notes what clients did.
type recorder struct {
	mu        sync.Mutex
	b         *register.Builder
	next      int64
	number    int64
	snapshots []history.Snapshot
}

// version is a number that nothing has been written as yet.
func (r *recorder) version() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	return r.next
}

// client runs transactions on its session: reads, writes, deletions and insertions of a few keys, some behind
// savepoints that it goes back to.
func (r *recorder) client(ctx context.Context, s *exec.Session, id int64, txns, keys int) error {
	rng := rand.New(rand.NewPCG(uint64(id), 11))
	for range txns {
		if err := s.Must(ctx, "BEGIN"); err != nil {
			return err
		}
		var ops []register.Op
		failed := false
		for range 2 + rng.IntN(4) {
			op, err := r.step(ctx, s, rng, rng.IntN(keys))
			if failed = err != nil; failed {
				break
			}
			ops = append(ops, op...)
		}
		if err := r.end(ctx, s, id, ops, failed, rng.IntN(6) == 0); err != nil {
			return err
		}
	}
	return nil
}

// step runs one statement. Its error is one that concurrency explains.
func (r *recorder) step(ctx context.Context, s *exec.Session, rng *rand.Rand, key int) ([]register.Op, error) {
	n, undo := r.version(), rng.IntN(4) == 0
	if undo {
		if err := s.Must(ctx, "SAVEPOINT a"); err != nil {
			return nil, err
		}
	}
	var op register.Op
	var err error
	rows := &history.Rows{}
	switch rng.IntN(5) {
	case 0:
		rows, err = s.Read(ctx, fmt.Sprintf("DELETE FROM t WHERE pkey = %d RETURNING vkey", key))
		op = register.Op{Kind: register.Write, Value: -n}
	case 1:
		rows, err = s.Read(ctx, fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 'it''s') ON CONFLICT DO NOTHING RETURNING vkey",
			key, n))
		op = register.Op{Kind: register.Write, Value: n}
	case 2:
		rows, err = s.Read(ctx, fmt.Sprintf("UPDATE t SET vkey = %d, s = NULL WHERE pkey = %d RETURNING vkey", n, key))
		op = register.Op{Kind: register.Write, Value: n}
	default:
		rows, err = s.Read(ctx, fmt.Sprintf("SELECT vkey FROM t WHERE pkey = %d", key))
		op = register.Op{Kind: register.Read}
		if rows.Len() > 0 {
			op.Value, _ = rows.Cell(0, 0).Int64()
		}
	}
	if err == nil && undo {
		return nil, s.Must(ctx, "ROLLBACK TO a") // reads, too: they need not be noted
	}
	if rows.Len() != 1 { // nothing was there, or two rows of a key (dbms.Mechanisms.KeysReborn)
		return nil, err
	}
	op.Key = int32(key)
	return []register.Op{op}, err
}

// skew has two transactions read what the other one writes.
func (r *recorder) skew(ctx context.Context, sessions ...*exec.Session) error {
	ops := make([][]register.Op, len(sessions))
	failed := make([]bool, len(sessions))
	note := func(i int, sql string, op register.Op) {
		rows, err := sessions[i].Read(ctx, sql)
		failed[i] = failed[i] || err != nil || rows.Len() != 1
		if op.Kind == register.Read {
			op.Value, _ = rows.Cell(0, 0).Int64()
		}
		ops[i] = append(ops[i], op)
	}
	for i, s := range sessions {
		if err := s.Must(ctx, "BEGIN"); err != nil {
			return err
		}
		note(i, fmt.Sprintf("SELECT vkey FROM t WHERE pkey = %d", 100+i), register.Op{Kind: register.Read,
			Key: r.key(100 + i)})
	}
	for i := range sessions {
		n := r.version()
		note(i, fmt.Sprintf("UPDATE t SET vkey = %d WHERE pkey = %d RETURNING vkey", n, 101-i),
			register.Op{Kind: register.Write, Key: r.key(101 - i), Value: n})
	}
	for i, s := range sessions {
		if err := r.end(ctx, s, int64(100+i), ops[i], failed[i], false); err != nil {
			return err
		}
	}
	return nil
}

// key is the number of a row's key in the history.
func (r *recorder) key(pkey int) int32 { return r.b.IntKey(int64(pkey)) }

// end ends a transaction and notes it.
func (r *recorder) end(ctx context.Context, s *exec.Session, id int64, ops []register.Op, failed, give bool) error {
	status, end := history.Committed, "COMMIT"
	var saw history.Snapshot
	if failed || give {
		status, end = history.Aborted, "ROLLBACK"
	} else {
		rows, err := s.Read(ctx, s.SnapshotQuery())
		if err != nil {
			return err
		}
		number, _ := rows.Cell(0, 0).Int64()
		if saw, err = history.ParseSnapshot(uint64(number), rows.Cell(0, 1).S); err != nil {
			return err
		}
	}
	var refused *exec.AnswerError
	if err := s.Must(ctx, end); errors.As(err, &refused) {
		status = history.Aborted
	} else if err != nil {
		return err
	}
	r.mu.Lock() // so that the history has each transaction whole; its order is of no account
	defer r.mu.Unlock()
	r.number++
	r.b.Begin(id, r.number)
	for _, op := range ops {
		r.b.Op(op)
	}
	r.b.End(status, 0, 0)
	r.snapshots = append(r.snapshots, saw)
	return nil
}

// TestServer: what a server's log says of transactions at the same time certifies them at its two stronger levels, and
// shows what the weaker of both allows.
func TestServer(t *testing.T) {
	effort.Full(t)
	target := decodable(t)
	for _, p := range postgresql.Levels()[1:] {
		level := p.Isolation
		for range 3 {
			h, c := run(t, target, p)
			opt := checker.Options{}
			if v := certificate.Check(t.Context(), h, c, dbms.SI, opt, nil); v.Outcome != checker.Valid {
				t.Errorf("%s: %v", level, v)
			}
			v := certificate.Check(t.Context(), h, c, dbms.SER, opt, nil)
			if strong := level == "serializable"; strong && v.Outcome != checker.Valid || !strong &&
				v.Outcome != checker.Invalid {
				t.Errorf("%s, where two transactions read what the other one writes: %v", level, v)
			}
			if v := certificate.Replay(t.Context(), h, c, dbms.SER, opt, nil); v.Outcome != checker.Unknown {
				t.Errorf("in order of commits, which a database with snapshots need not have run in: %v", v)
			}
			twisted(t, h, c)
		}
	}
}

// twisted: a log is believed, and so are snapshots. Others must not pass.
func twisted(t *testing.T, h *register.History, c *certificate.Certificate) {
	t.Helper()
	for key, order := range c.Order {
		if len(order) < 2 {
			continue
		}
		first, last := order[0], order[len(order)-1]
		order[0], order[len(order)-1] = last, first
		if v := certificate.Check(t.Context(), h, c, dbms.SI, checker.Options{}, nil); v.Outcome == checker.Valid {
			t.Errorf("versions %d and %d of key %d may change places", first, last, key)
		}
		order[0], order[len(order)-1] = first, last
		break
	}
}

func run(t *testing.T, target exec.Target, p *dbms.Profile) (*register.History, *certificate.Certificate) {
	t.Helper()
	const clients, txns, keys = 4, 60, 6
	ctx, control := t.Context(), target.Control()
	slot, err := decoding.Log.Keep(ctx, control)
	if err != nil {
		t.Fatal(err)
	}
	if err := control.Must(ctx, "DROP TABLE IF EXISTS t",
		"CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT NOT NULL, s TEXT)",
		fmt.Sprintf("INSERT INTO t SELECT n, 0, 'a' FROM generate_series(0, %d) AS g (n)", keys-1),
		"INSERT INTO t VALUES (100, 0, ''), (101, 0, '')"); err != nil {
		t.Fatal(err)
	}
	if err := decoding.Log.Whole(ctx, control, "t"); err != nil {
		t.Fatal(err)
	}
	r := &recorder{b: register.NewBuilder(0, 0)}
	r.b.BeginInitial()
	for key := range int64(keys) {
		r.b.Write(r.b.IntKey(key), 0)
	}
	r.b.Write(r.key(100), 0)
	r.b.Write(r.key(101), 0)
	r.b.End(history.Committed, 0, 0)
	r.snapshots = append(r.snapshots, history.Snapshot{})
	var sessions []*exec.Session
	var wg sync.WaitGroup
	for id := range int64(clients) {
		s, err := target.Open(ctx, exec.FirstNode, p)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sessions = append(sessions, s)
		wg.Go(func() {
			if err := r.client(ctx, s, id, txns, keys); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := r.skew(ctx, sessions[:2]...); err != nil {
		t.Fatal(err)
	}
	h := r.b.History()
	log, err := decoding.Log.Read(ctx, control, slot, []commits.Layout{layout()})
	if err != nil {
		t.Fatal(err)
	}
	issuer := &commits.Issuer{Source: decoding.Log.Source, Log: log, Tables: []commits.Layout{layout()},
		Snapshots: r.snapshots, Reborn: p.KeysReborn}
	c, err := issuer.Certify(h)
	if err != nil {
		t.Fatal(err)
	}
	versions := 0
	for _, order := range c.Order {
		versions += len(order)
	}
	if versions < 30 {
		t.Fatalf("only %d versions in the log", versions)
	}
	return h, c
}
