package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"

	moderncsqlite "modernc.org/sqlite"

	"txweave/exec"
)

// hostSocket is the name of the socket that a host listens on, in its directory.
const hostSocket = exec.SocketName

// What a client asks of a host.
const (
	askOpen uint8 = iota // make this connection one of the engine's
	askExec
	askQuery
	askInterrupt  // end the statement of connection Conn
	askDisconnect // end connection Conn
	askPowerCut   // end, as if the power were cut: Conn is the seed of what is lost
)

// request is one statement, or what is to be done to another connection.
type request struct {
	Ask  uint8
	SQL  string
	Conn uint64
}

// response answers it. Code and Message are the engine's error, Failure is the host's own.
type response struct {
	Conn     uint64 // of a greeting: the number of the connection
	Columns  []string
	Cells    []cell
	Affected int64
	Code     int
	Message  string
	Failure  string
}

// cell is a driver.Value as it goes over the wire.
type cell struct {
	Kind uint8
	N    int64
	F    float64
	S    string
}

// The kinds of cells.
const (
	cellNull uint8 = iota
	cellInt
	cellFloat
	cellText
	cellBytes
)

func cellOf(v driver.Value) (cell, error) {
	switch x := v.(type) {
	case nil:
		return cell{}, nil
	case int64:
		return cell{Kind: cellInt, N: x}, nil
	case float64:
		return cell{Kind: cellFloat, F: x}, nil
	case string:
		return cell{Kind: cellText, S: x}, nil
	case exec.Blob:
		return cell{Kind: cellBytes, S: string(x)}, nil
	}
	return cell{}, fmt.Errorf("driver value of unexpected type %T", v)
}

func (c *cell) value() driver.Value {
	switch c.Kind {
	case cellInt:
		return c.N
	case cellFloat:
		return c.F
	case cellText:
		return c.S
	case cellBytes:
		return exec.Blob(c.S)
	}
	return nil
}

// host is the engine in a process of its own: each connection to its socket is one connection of SQLite's.
type host struct {
	path string
	mu   sync.Mutex
	last uint64
	open map[uint64]*hosted
	// telling is held by who sends an answer, and for ever by who cuts the power: what is read of a file that is being
	// spoilt is nobody's answer.
	telling sync.RWMutex
}

// tell sends an answer.
func (h *host) tell(out *gob.Encoder, r *response) error {
	h.telling.RLock()
	defer h.telling.RUnlock()
	return out.Encode(r)
}

// hosted is one connection of a host's.
type hosted struct {
	session *exec.Session
	net     net.Conn
}

// Host serves the database in a directory until the process ends.
func Host(dir string) error {
	if err := loseable(); err != nil {
		return err
	}
	l, err := net.Listen("unix", filepath.Join(dir, hostSocket))
	if err != nil {
		return err
	}
	h := &host{path: filepath.Join(dir, databaseName), open: map[uint64]*hosted{}}
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go h.serve(conn)
	}
}

// serve answers one connection.
func (h *host) serve(conn net.Conn) {
	defer conn.Close()
	out, in := gob.NewEncoder(conn), gob.NewDecoder(conn)
	var first request
	if in.Decode(&first) != nil {
		return
	}
	if first.Ask != askOpen {
		_ = out.Encode(h.answer(context.Background(), nil, &first)) // whoever is gone needs no answer
		return
	}
	s, err := open(h.path, "FULL", nil)
	greeting := &response{}
	if err != nil {
		greeting.fail(err)
		_ = out.Encode(greeting)
		return
	}
	defer s.Close()
	h.mu.Lock()
	h.last++
	id := h.last
	h.open[id] = &hosted{s, conn}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.open, id)
		h.mu.Unlock()
	}()
	greeting.Conn = id
	if h.tell(out, greeting) != nil {
		return
	}
	// The next request is read while a statement runs, so that one whose client has gone is ended.
	requests := make(chan request)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer close(requests)
		defer cancel()
		for {
			var r request
			if in.Decode(&r) != nil {
				return
			}
			select {
			case requests <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	for r := range requests {
		if h.tell(out, h.answer(ctx, s, &r)) != nil {
			return
		}
	}
}

// answer does what a request asks for.
func (h *host) answer(ctx context.Context, s *exec.Session, r *request) *response {
	out := &response{}
	switch r.Ask {
	case askExec:
		res, err := s.Conn().(driver.ExecerContext).ExecContext(ctx, r.SQL, nil)
		if err == nil {
			out.Affected, err = res.RowsAffected()
		}
		out.fail(err)
	case askQuery:
		out.fail(out.query(ctx, s, r.SQL))
	case askPowerCut:
		h.telling.Lock()
		out.fail(cutPower(r.Conn))
		h.telling.Unlock() // the process lives: something went wrong
	case askInterrupt, askDisconnect:
		h.mu.Lock()
		other := h.open[r.Conn]
		h.mu.Unlock()
		if other == nil {
			return out
		}
		if r.Ask == askDisconnect {
			other.net.Close()
		} else {
			other.session.Conn().(exec.Interrupter).Interrupt()
		}
	}
	return out
}

// query reads an answer to its end.
func (out *response) query(ctx context.Context, s *exec.Session, sql string) error {
	rows, err := s.Conn().(driver.QueryerContext).QueryContext(ctx, sql, nil)
	if err != nil {
		return err
	}
	defer rows.Close()
	out.Columns = rows.Columns()
	dest := make([]driver.Value, len(out.Columns))
	for {
		err := rows.Next(dest)
		if errors.Is(err, io.EOF) {
			return nil
		}
		for i := 0; err == nil && i < len(dest); i++ {
			var c cell
			c, err = cellOf(dest[i])
			out.Cells = append(out.Cells, c)
		}
		if err != nil {
			out.Columns, out.Cells = nil, nil
			return err
		}
	}
}

// fail notes an error, if there is one.
func (out *response) fail(err error) {
	var e *moderncsqlite.Error
	var answer *exec.AnswerError
	switch {
	case err == nil:
	case errors.As(err, &answer):
		out.Code, out.Message = answer.Err.Code, answer.Err.Message
	case errors.As(err, &e):
		out.Code, out.Message = e.Code(), e.Error()
	default:
		out.Failure = err.Error()
	}
}
