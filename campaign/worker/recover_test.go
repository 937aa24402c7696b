package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/campaign"
	"txweave/exec"
	"txweave/finding"
	"txweave/testcase"
)

// ended is a target that says how it ended until it is started again.
type ended struct {
	exec.Target
	how      error
	restarts int
}

func (e *ended) Alive(context.Context) error { return e.how }

func (e *ended) Restart(ctx context.Context) error {
	e.how = nil
	e.restarts++
	return e.Target.Restart(ctx)
}

// TestRecover: what ended a case before its time is a finding, repeated alone, where it is the server's doing; else the
// case is noted. The next case is checked on a target that is fit for it.
func TestRecover(t *testing.T) {
	w, db, _ := onSQLite(t)
	c, _, _, err := w.load(campaign.Job{Case: 1})
	if err != nil {
		t.Fatal(err)
	}
	cut := &exec.LostError{Err: errors.New("the connection was cut")}
	for _, test := range []struct {
		name              string
		how, cause        error
		class, skipped    string
		repeats, restarts int
	}{
		{"a crash", &exec.CrashError{Log: "mariadbd got signal 11"}, cut, finding.ClassCrash, finding.ClassCrash,
			crashRepeats, 1},
		{"a server that somebody ended", &exec.CrashError{Killed: true}, cut, "", SkippedKilled, 0, 1},
		{"a server that does not answer", &exec.HangError{Stacks: "thread 1", State: "S (sleeping)", Err: exec.ErrTimeout},
			cut, finding.ClassHang, SkippedHang, 1, 1},
		{"a server that somebody stopped", &exec.HangError{State: "T (stopped)", Err: exec.ErrTimeout}, cut, "",
			SkippedHang, 0, 1},
		{"a server of the user's that does not answer", &exec.HangError{Users: true, Err: exec.ErrTimeout}, cut, "",
			SkippedHang, 1, 1},
		{"a connection that is lost once", nil, cut, "", "environment", 0, 0},
		{"a result without end", nil, exec.ErrTooLarge, "", "too-large", 0, 0},
		{"a statement that takes too long", nil, exec.ErrTimeout, "", "time-out", 0, 0},
	} {
		server := &ended{Target: db, how: test.how}
		w.target, w.trouble = server, 0
		res, err := w.recover(t.Context(), campaign.Job{Case: 1}, &campaign.CaseResult{Case: 1}, c, test.cause)
		if err != nil || res.Skipped != test.skipped || server.restarts != test.restarts {
			t.Errorf("%s: %+v, %d restarts, %v", test.name, res, server.restarts, err)
			continue
		}
		found := slices.Concat(res.Findings, res.Unconfirmed)
		switch {
		case test.class == "" && len(found) > 0:
			t.Errorf("%s is a finding: %+v", test.name, found)
		case test.class != "" && (len(found) != 1 || found[0].Class != test.class ||
			(len(res.Unconfirmed) == 1) != (test.class == finding.ClassHang)):
			t.Errorf("%s: %+v", test.name, found)
		case test.class != "":
			f := found[0]
			if f.Repeated != test.repeats || f.Confirmed != 0 || len(f.Files[finding.CaseFile]) == 0 ||
				test.class == finding.ClassHang && len(f.Files[finding.StacksFile]) == 0 {
				t.Errorf("%s: came back %d of %d times, with %d files", test.name, f.Confirmed, f.Repeated, len(f.Files))
			}
		}
		if next, err := w.Check(t.Context(), campaign.Job{Case: 2}); err != nil || !next.Checked {
			t.Errorf("the case after %s: %+v, %v", test.name, next, err)
		}
	}
}

// TestTroubleEnds: some cases in a row that the environment spoils end the campaign, as does an error that nobody
// understands, with the case that met it.
func TestTroubleEnds(t *testing.T) {
	w, _, _ := onSQLite(t)
	c, _, _, err := w.load(campaign.Job{Case: 1})
	if err != nil {
		t.Fatal(err)
	}
	recovered := func(cause error) error {
		_, err := w.recover(t.Context(), campaign.Job{Case: 7}, &campaign.CaseResult{Case: 7}, c, cause)
		return err
	}
	for n := range maxTrouble {
		if err := recovered(exec.ErrTimeout); err != nil {
			t.Fatalf("time-out %d: %v", n, err)
		}
	}
	if err := recovered(exec.ErrTimeout); !errors.Is(err, exec.ErrUnavailable) {
		t.Errorf("after too many: %v", err)
	}
	if err := recovered(errors.New("no such thing")); err == nil || !strings.Contains(err.Error(), "case 7 (seed ") {
		t.Errorf("an error of ours: %v", err)
	}
}

// cutting is a server that lives on while connections to it are lost: under the statements given, one each time a case
// is loaded; "" is a load that goes well.
type cutting struct {
	exec.Target
	under []string
	log   string
	lives time.Duration // by how much later the server began, each time a connection was lost
	lost  int
}

func (c *cutting) Born(context.Context) (exec.Birth, error) {
	return exec.Birth{At: time.Unix(1000, 0).Add(time.Duration(c.lost) * c.lives), Within: exact}, nil
}

// exact is how exactly it tells that.
const exact = 2 * time.Second

func (c *cutting) Alive(context.Context) error { return nil }
func (c *cutting) Log() string                 { return c.log }

func (c *cutting) Load(ctx context.Context, of *testcase.Case, tables []string) error {
	if len(c.under) == 0 {
		return c.Target.Load(ctx, of, tables)
	}
	statement := c.under[0]
	c.under = c.under[1:]
	if statement == "" {
		return c.Target.Load(ctx, of, tables)
	}
	c.lost++
	return &exec.LostError{Statement: statement, Err: errors.New("conn closed")}
}

// TestLostConnection: between a server of the user's and this process is a network that may lose connections. It is the
// server's doing that the same statement of the case loses its connection each time, of a DBMS where that may happen to
// one alone, or that the server is a new one each time; it is unconfirmed where that is so now and then. A private
// server is reached over no network: there one more loss is enough.
func TestLostConnection(t *testing.T) {
	w, db, _ := onSQLite(t)
	c, _, _, err := w.load(campaign.Job{Case: 1})
	if err != nil {
		t.Fatal(err)
	}
	own := c.Txns[0].Begin.SQL
	for _, test := range []struct {
		name, first           string
		log                   string
		lives                 time.Duration
		alone                 bool // it is a DBMS that may lose one connection and nothing else
		under                 []string
		findings, unconfirmed int
	}{
		{"the case's, each time, of another DBMS", own, "", 0, false, []string{own, own, own}, 0, 0},
		{"the case's, each time", own, "", 0, true, []string{own, own, own}, 1, 0},
		{"the case's, now and then", own, "", 0, true, []string{"B", own, ""}, 0, 0},
		{"the tool's, each time", "A", "", 0, true, []string{"A", "A", "A"}, 0, 0},
		{"another each time", own, "", 0, true, []string{"B", "C", "D"}, 0, 0},
		{"another each time, of a new server", "A", "", time.Minute, true, []string{"B", "C", "D"}, 1, 0},
		{"another now and then, of a new server", "A", "", time.Minute, true, []string{"B", "", "D"}, 0, 1},
		{"a server that was started again once", "A", "", time.Minute, true, []string{"", "", ""}, 0, 0},
		{"the clock that a server's beginning is read from is no exact one", "A", "", exact / 4, true,
			[]string{"B", "C", "D"}, 0, 0},
		{"a private server, another once", "A", "ready", 0, true, []string{"", "B", ""}, 1, 0},
		{"a private server, never again", "A", "ready", 0, true, []string{"", "", ""}, 0, 0},
	} {
		w.Release()
		over := &cutting{Target: db, under: test.under, log: test.log, lives: test.lives}
		w.target, w.trouble, w.born = over, 0, exec.Birth{}
		profile := *w.profile
		profile.PanicsAlone = test.alone
		w.profile = &profile
		if err := w.use(t.Context(), w.runnerOf); err != nil {
			t.Fatal(err)
		}
		over.lost = 1
		cause := &exec.LostError{Statement: test.first, Err: errors.New("conn closed")}
		res, err := w.recover(t.Context(), campaign.Job{Case: 1}, &campaign.CaseResult{Case: 1}, c, cause)
		if err != nil || res.Skipped != "environment" || len(res.Findings) != test.findings ||
			len(res.Unconfirmed) != test.unconfirmed {
			t.Errorf("%s: %+v, %v", test.name, res, err)
		}
	}
}
