package mysqlwire

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"txweave/exec"
)

// packets puts a header before each of what follows.
func packets(payloads ...string) []byte {
	var b bytes.Buffer
	for i, p := range payloads {
		b.Write([]byte{byte(len(p)), byte(len(p) >> 8), byte(len(p) >> 16), byte(i + 1)})
		b.WriteString(p)
	}
	return b.Bytes()
}

// TestWire: the status is read behind every form of answer, wherever the network cuts it, and of nothing else.
func TestWire(t *testing.T) {
	const (
		query, prepare, closing = "\x03SELECT 1", "\x16SELECT 1", "\x19\x01\x00\x00\x00"
		columns                 = "\x01"
		definition              = "\x03def\x00\x00\x00\x01a\x00"
	)
	for name, x := range map[string]struct {
		command string
		answer  []byte
		want    exec.TxnState
		// warnings are how many the answer says there are; -1: it says nothing.
		warnings int32
	}{
		"a write":              {query, packets("\x00\x05\x00\x01\x00\x00\x00"), exec.TxnOpen, 0},
		"a write of many rows": {query, packets("\x00\xfd\x01\x02\x03\xfc\x01\x02\x02\x00\x00\x00"), exec.TxnNone, 0},
		"a number of nine bytes": {query, packets("\x00\x01\xfe\x01\x02\x03\x04\x05\x06\x07\x08\x03\x00\x00\x00"),
			exec.TxnOpen,
			0},
		"rows": {query, packets(columns, definition, "\x00", "\x05\x00\x01\x00\x00",
			"\xfe\x00\x00\x02\x00\x00\x00"), exec.TxnNone, 0},
		"rows, as servers used to": {query, packets(columns, definition, "\xfe\x00\x00\x01\x00", "\x00",
			"\xfe\x00\x00\x01\x00"), exec.TxnOpen, 0},
		"rows and three warnings": {query, packets(columns, definition, "\x05\x00\x01\x00\x00", "\xfe\x03\x00\x02\x00"),
			exec.TxnNone, 3},
		"an error": {query, packets("\xff\x48\x04#HY000no"), exec.TxnUnsaid, -1},
		"an error behind rows": {query, packets(columns, definition, "\xfe\x00\x00\x01\x00", "\x01a",
			"\xff\x48\x04#HY000no"), exec.TxnUnsaid, -1},
		"several answers": {query, packets("\x00\x00\x00\x09\x00\x00\x00", columns, definition, "\x01a",
			"\xfe\x00\x00\x0a\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00"), exec.TxnNone, 0},
		"half an answer":   {query, packets("\x00\x05\x00\x01\x00\x00\x00")[:8], exec.TxnUnsaid, -1},
		"too short":        {query, packets("\x00\xfe\x01"), exec.TxnUnsaid, -1},
		"what is prepared": {prepare, packets("\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), exec.TxnUnsaid, -1},
	} {
		for _, cut := range []int{1, 2, 3, 7, len(x.answer)} {
			w := new(wire)
			w.say(exec.TxnOpen)
			w.Sent(append([]byte{byte(len(x.command)), 0, 0, 0}, x.command...))
			for from := 0; from < len(x.answer); from += cut {
				w.Came(x.answer[from:min(from+cut, len(x.answer))])
			}
			if exec.TxnState(w.state.Load()) != x.want {
				t.Errorf("%s, in pieces of %d: %d, want %d", name, cut, w.state.Load(), x.want)
			}
			if w.warnings.Load() != x.warnings {
				t.Errorf("%s, in pieces of %d: %d warnings, want %d", name, cut, w.warnings.Load(), x.warnings)
			}
			w.Sent(append([]byte{byte(len(closing)), 0, 0, 0}, closing...))
			if exec.TxnState(w.state.Load()) != x.want {
				t.Errorf("%s: nobody answers the end of what was prepared, and now it is %d", name, w.state.Load())
			}
		}
	}
}

// TestTxnState: a server says when a transaction is open, also behind what is prepared; where packets cannot be read
// nothing is taken from them.
func TestTxnState(t *testing.T) {
	s, err := shared.Target(t).Open(t.Context(), exec.FirstNode, lookup(t, "mariadb/repeatable-read"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, x := range []struct {
		sql  string
		want exec.TxnState
	}{{"DO 0", exec.TxnNone}, {"BEGIN", exec.TxnOpen}, {"SELECT '', 1 UNION SELECT 'a', 2", exec.TxnOpen},
		{"SAVEPOINT a", exec.TxnOpen},
		{"SELECT no_such", exec.TxnUnsaid}, {"ROLLBACK TO a", exec.TxnOpen}, {"COMMIT", exec.TxnNone}} {
		ctx, query := context.WithoutCancel(t.Context()), strings.HasPrefix(x.sql, "SELECT")
		if query {
			_, err = s.Query(ctx, x.sql)
		} else {
			_, err = s.Exec(ctx, x.sql)
		}
		if err != nil || s.TxnState() != x.want {
			t.Errorf("%s: %d, want %d: %v", x.sql, s.TxnState(), x.want, err)
		}
	}
	for dsn, want := range map[string]bool{"u@tcp(h:1)/": true, "u@tcp(h:1)/?tls=false": true,
		"u@tcp(h:1)/?tls=preferred": false, "u@tcp(h:1)/?compress=true": false} {
		c, err := mysql.ParseDSN(dsn)
		if err != nil || readable(c) != want {
			t.Errorf("%s: %v, want %v: %v", dsn, readable(c), want, err)
		}
	}
}
