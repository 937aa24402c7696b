package decoding_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"txweave/checker/certificate/commits"
	"txweave/dbms/postgresql/decoding"
	"txweave/exec"
)

// TestBusy: a slot begins where no transaction is open that was before. Of a server where somebody else has one open
// that is said, instead of waiting for it, and no slot is left behind.
func TestBusy(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a time limit")
	}
	target := decodable(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var sessions [2]*exec.Session
	for i := range sessions {
		s, err := target.Observe(ctx, exec.FirstNode, exec.ReadCommitted)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sessions[i] = s
	}
	if err := sessions[0].Must(ctx, "BEGIN", "SELECT pg_current_xact_id()"); err != nil {
		t.Fatal(err)
	}
	_, err := decoding.Log.Keep(ctx, sessions[1])
	var no *commits.UnreadableError
	if !errors.As(err, &no) {
		t.Fatalf("%v", err)
	}
	rows, err := sessions[0].Read(ctx, "SELECT count(*) FROM pg_replication_slots")
	if n, _ := rows.Cell(0, 0).Int64(); err != nil || n != 0 {
		t.Errorf("%d slots are left: %v", n, err)
	}
	if err := sessions[0].Must(ctx, "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	own, err := target.Observe(ctx, exec.FirstNode, exec.ReadCommitted)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if _, err := decoding.Log.Keep(ctx, own); err != nil {
		t.Error(err)
	}
}
