package mysqlwire

import (
	"context"
	"fmt"
	"slices"

	"txweave/exec"
)

// Disruption is what a private server can be put through, and of a server of the user's what a statement does.
func (t *target) Disruption() *exec.Disruption {
	u := &exec.Disruption{}
	if private := t.Instance(); private != nil {
		u = private.Disruption(t.reopen)
	}
	u.Disconnect, u.Disturbances, u.Networked = t.disconnect, t.kind.Disturbances, true
	return u
}

// disconnect ends a session's connection on the server's side.
func (t *target) disconnect(ctx context.Context, s *exec.Session) error {
	ctx, cancel := context.WithTimeout(ctx, exec.AnswerTime())
	defer cancel()
	a, err := t.Connection.Exec(ctx, fmt.Sprintf("KILL CONNECTION %d", s.ID()))
	if err == nil && a.Err != nil && a.Err.Code != noSuchThread {
		err = &exec.AnswerError{Text: "KILL CONNECTION", Err: a.Err}
	}
	return err
}

// boot is what a private server is sent when it is up.
func (t *target) boot() []string {
	out := slices.Clone(t.kind.Boot)
	if t.instance.Durable() {
		out = append(out, t.kind.DurableBoot...)
	}
	return out
}

// reopen opens the control connection again.
func (t *target) reopen(ctx context.Context) error {
	t.Connection.Close()
	if err := t.openControl(ctx); err != nil {
		return err
	}
	return t.Connection.Must(ctx, append(t.boot(), "USE "+t.database)...)
}
