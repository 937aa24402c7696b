package exec

import (
	"context"
	"testing"
)

// TestRestartCutShort: a restart that is told to stop in its midst leaves no server. The next case has it made up for,
// and does not look for one that is gone: of a reduction whose time is over then, what had been found would be lost.
func TestRestartCutShort(t *testing.T) {
	srv := mariadb(t)
	if srv.Worn() {
		t.Fatal("worn from the start")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := srv.Restart(over); err == nil {
		t.Fatal("it was restarted in no time")
	}
	if !srv.Worn() {
		t.Error("without a server, and no restart is due")
	}
	if err := srv.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := srv.Alive(t.Context()); err != nil || srv.Worn() {
		t.Errorf("after another restart: %v, worn %v", err, srv.Worn())
	}
}
