package exec

import (
	"errors"
	"io"
	"net"
	"testing"
)

// An answer that does not end is not read on, whatever the driver keeps of it, and what is asked next has as much room
// as what was asked before.
func TestFlooded(t *testing.T) {
	here, there := net.Pipe()
	n := Network(here).(*network)
	defer n.Close()
	go func() {
		_, _ = io.ReadFull(there, make([]byte, 1))
		part := make([]byte, 1<<20)
		for { // until the connection ends
			if _, err := there.Write(part); err != nil {
				return
			}
		}
	}()
	if _, err := n.Write([]byte("?")); err != nil {
		t.Fatal(err)
	}
	got, err := io.Copy(io.Discard, n)
	if !errors.Is(err, ErrTooLarge) || got > maxAnswer {
		t.Errorf("%d bytes were read: %v", got, err)
	}
	s := &Session{raw: n, protocol: &Protocol{DBError: TestServers["mariadb"].Protocol.DBError}}
	if _, err := s.failed(t.Context(), "SELECT 1", net.ErrClosed); !errors.Is(err, ErrTooLarge) {
		t.Errorf("what the driver says of it: %v", err)
	}
	m := Network(nil).(*network)
	m.came.Store(maxAnswer)
	if m.flooded() {
		t.Error("an answer of the size that is kept was not")
	}
}
