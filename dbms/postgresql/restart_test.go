package postgresql

import (
	"context"
	"testing"
)

// TestRestartCutShort: a restart that is told to stop in its midst leaves no server, and the next case has it made up
// for.
func TestRestartCutShort(t *testing.T) {
	db := server(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Restart(over); err == nil {
		t.Fatal("it was restarted in no time")
	}
	if !db.Worn() {
		t.Error("without a server, and no restart is due")
	}
	if err := db.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Alive(t.Context()); err != nil || db.Worn() {
		t.Errorf("after another restart: %v, worn %v", err, db.Worn())
	}
}
