package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"txweave/campaign/replay"
	"txweave/campaign/shrink"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/finding"
	"txweave/testcase"
	"txweave/weave"
)

// mute is a database that takes a case's tables and answers nothing afterwards; why is what is known of it then.
type mute struct {
	exec.Target
	why error
}

func (m *mute) Reset(context.Context) error { return fmt.Errorf("DELETE FROM t0: %w", exec.ErrTimeout) }
func (m *mute) Alive(context.Context) error { return m.why }
func (m *mute) Restart(context.Context) error {
	return fmt.Errorf("%w: the server is yours to start again", exec.ErrUnavailable)
}

// A server that answers nothing is the finding hang, unless somebody has stopped its process: then it is said on one
// line, and the exit code is that of a target that cannot be had. replay and reduce agree.
func TestReplayOfAHangingServer(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := testcase.Parse("case", []byte("txweave case 1\nseed: 1\ntarget: sqlite\nisolation: serializable\n\n"+
		"-- schema --\nCREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, PRIMARY KEY "+
		"(pkey));\n\n"+
		"-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		state          string
		users          bool // a server of the user's
		replay, reduce string
		code           int
	}{
		{"T (stopped)", false, "somebody has stopped its process", "somebody has stopped its process", exitUnavailable},
		{"S (sleeping)", false, "hang: the server has not answered", "the server has not answered", exitFindings},
		{"", true, "cannot be known from here", "cannot be known from here", exitUnavailable},
	} {
		db, err := sqlite.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		m := &mute{db, &exec.HangError{State: x.state, Users: x.users, Stacks: "thread 1", Err: exec.ErrTimeout}}
		var out strings.Builder
		err = replay.Check(t.Context(), m, p, c, weave.Options{}, 1, &out)
		said := out.String()
		if err != nil {
			said += err.Error()
		}
		if codeOf(err) != x.code || !strings.Contains(said, x.replay) || strings.Count(err.Error(),
			exec.ErrUnavailable.Error()) > 1 {
			t.Errorf("replay, %s: exit code %d, %s", x.state, codeOf(err), said)
		}
		w := worker.On(m, p, weave.Options{})
		_, err = shrink.Run(t.Context(), w, p, c, shrink.Options{Repeat: 1})
		w.Release()
		if said := finding.ErrorLine(err); codeOf(err) != exitUnavailable || !strings.HasPrefix(said,
			"the server has not answered") || !strings.Contains(said, x.reduce) {
			t.Errorf("reduce, %s: %s", x.state, said)
		}
	}
}
