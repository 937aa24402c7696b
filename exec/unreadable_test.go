package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"
)

// garbled is a connection whose driver cannot read what comes.
type garbled struct{ driver.Conn }

func (garbled) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	panic("slice bounds out of range")
}

func (garbled) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	panic("slice bounds out of range")
}

func (garbled) Close() error { panic("slice bounds out of range") }

// TestUnreadableAnswer: what a driver panics at is the loss of its connection; the panic of an engine in this process
// is the engine's.
func TestUnreadableAnswer(t *testing.T) {
	s := NewSession(garbled{}, 1, &Protocol{DBError: TestServers["mariadb"].Protocol.DBError})
	var lost *LostError
	if _, err := s.Query(t.Context(), "SELECT 1"); !errors.As(err, &lost) {
		t.Errorf("a query: %v", err)
	}
	if _, err := s.Exec(t.Context(), "UPDATE t SET a = 1"); !errors.As(err, &lost) {
		t.Errorf("a write: %v", err)
	}
	if err := s.Close(); !errors.As(err, &lost) {
		t.Errorf("the end: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("the panic of an engine is gone")
		}
	}()
	_, _ = NewSession(garbled{}, 1, &Protocol{InProcess: true}).Query(t.Context(), "SELECT 1")
}
