package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"txweave/campaign/database"
	"txweave/exec"
	"txweave/history"
	"txweave/internal/asked"
)

// TestExitCodes: what is no fault of the tool's does not end as one.
func TestExitCodes(t *testing.T) {
	answer := &exec.AnswerError{Text: "SELECT 1", Err: &history.DBError{Code: 1317, Message: "interrupted"}}
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"a fault of the tool's":         {errors.New("it"), exitInternal},
		"a statement that does not end": {fmt.Errorf("%w: T0", exec.ErrTimeout), exitInconclusive},
		"too large a result":            {fmt.Errorf("SELECT 1: %w", exec.ErrTooLarge), exitInconclusive},
		"an answer of the environment":  {&exec.EnvironmentError{Answer: answer}, exitInconclusive},
		"no target":                     {fmt.Errorf("%w: %w", exec.ErrUnavailable, exec.ErrTimeout), exitUnavailable},
		"no store":                      {&database.StoreError{Reason: errors.New("refused"), Shared: true}, exitUnavailable},
		"a full disk":                   {&database.StoreError{Reason: errors.New("full")}, exitInternal},
		"an address that is none":       {&database.PlanError{Reason: "no URL"}, exitUsage},
		"what is coded":                 {usage(exec.ErrTimeout), exitUsage},
	} {
		if got := codeOf(c.err); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestObeying: a signal ends what looks at none, and a panic of it arises where others do.
func TestObeying(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	block := make(chan int)
	defer close(block)
	if _, err := asked.Obeying(ctx, func() (int, error) { return <-block, nil }); codeOf(err) != exitInterrupted {
		t.Errorf("interrupted: %v", err)
	}
	if n, err := asked.Obeying(t.Context(), func() (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	defer func() {
		if recover() != "it" {
			t.Error("a panic got lost")
		}
	}()
	_, _ = asked.Obeying(t.Context(), func() (int, error) { panic("it") })
}
