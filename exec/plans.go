package exec

import (
	"errors"
	"fmt"
	"time"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
)

// ErrNoSetting says that the database refuses a plan setting: its version has none such.
var ErrNoSetting = errors.New("the database refuses the plan setting")

// ReplayUnder is Replay under a plan setting, with the rows that writes find asked for before them. It returns
// ErrNoSetting where the database refuses that.
func (r *Runner) ReplayUnder(blocks []*instrument.Block, s *dbms.PlanSetting) (*observe.Replayed, error) {
	return r.replay(blocks, false, s)
}

// search asks for the rows that a write is about to find, right before it.
func (r *Runner) search(out *observe.Replayed, b *instrument.Block, s *dbms.PlanSetting, start time.Time) error {
	sql, err := r.loaded.Search(b)
	if err != nil || sql == "" {
		return err
	}
	sql = s.Query(sql)
	n := len(out.Events)
	e := &history.Event{Op: n, Session: "replay", Txn: b.Txn, Stmt: b.Stmt, Role: history.BWR, Text: sql,
		Start: int64(time.Since(start)), Done: n}
	if e.Answer, err = r.guarded(r.occasion(b, history.BWR), sql, true, false); err != nil {
		return fmt.Errorf("search of %s: %w", b.Name(), r.explain(err))
	}
	r.note(replayConn, sql, true, e.Err)
	e.End = int64(time.Since(start))
	if e.Err != nil && r.profile.Errors.Classify(e.Err.Code, e.Err.Message) != dbms.Deterministic {
		return r.spoilt(sql, e.Err, time.Duration(e.End-e.Start)) // as of a statement of the case
	}
	if out.Searches == nil {
		out.Searches = map[int]*history.Event{}
	}
	out.Searches[n] = e
	return nil
}

// plan puts a plan setting in force on the replay session, and returns what undoes it. once says that a prepared query
// is executed once, as it was in the run.
func (r *Runner) plan(s *dbms.PlanSetting, once bool) (undo func() error, err error) {
	session := r.replayer
	undo = func() error {
		r.replayer = session
		return session.Must(r.ctx, s.Unset...)
	}
	var refused *AnswerError
	for _, sql := range s.Set {
		r.doing.begin(replayConn, sql)
		if err := session.Must(r.ctx, sql); errors.As(err, &refused) {
			return nil, errors.Join(fmt.Errorf("%w %s: %w", ErrNoSetting, s.Name, refused), undo())
		} else if err != nil {
			return nil, err
		}
	}
	if s.Each != "" {
		r.altered = true
		r.doing.begin(replayConn, s.Each)
		each, err := session.Read(r.ctx, s.Each)
		if err != nil {
			return nil, err
		}
		for i := range each.Len() {
			if err := session.Must(r.ctx, each.Row(i)[0].S); err != nil && !errors.As(err, &refused) {
				return nil, err
			}
		}
	}
	if s.Prepared {
		r.replayer = session.Over(preparingConn(session, s, r.loaded.Schema, once))
	}
	return undo, nil
}
