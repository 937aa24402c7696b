package exec

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/instrument"
	"txweave/testcase"
)

// settingOf is the plan setting under which a case is run and replayed; nil where it names none, or the database has
// refused it.
func (r *Runner) settingOf(p *instrument.Plan) *dbms.PlanSetting {
	name := p.Case.Option(testcase.OptionSetting)
	if name == "" || r.without[name] {
		return nil
	}
	if s := p.Profile.PlanSetting(name); s != nil && s.Lasting() {
		return s
	}
	return nil
}

// settles is how long what the statements of Between have set off is waited for: it takes no longer for the rows of a
// case.
const settles = 5 * time.Millisecond

// finish ends a unit, and sends what comes between transactions where that ends its own.
func (s *runState) finish(t *track) error {
	s.complete(t)
	return s.between(t)
}

// between sends what the case's setting has between transactions, once one has ended.
func (s *runState) between(t *track) error {
	if setting := s.settingOf(s.plan); setting != nil && (t.ended || t.aborted) {
		return s.sendBetween(setting)
	}
	return nil
}

// sendBetween sends the statements of a setting that has such. A database that refuses them has no such setting.
func (r *Runner) sendBetween(setting *dbms.PlanSetting) error {
	if len(setting.Between) == 0 {
		return nil
	}
	for _, sql := range setting.Between {
		if strings.Contains(sql, "%s") {
			sql = fmt.Sprintf(sql, Copy(r.loaded.Schema.Tables[0].Name))
		}
		r.doing.begin(committedConn, sql)
		var refused *AnswerError
		if err := r.committed.Must(r.ctx, sql); errors.As(err, &refused) {
			switch r.profile.Errors.Classify(refused.Err.Code, refused.Err.Message) {
			case dbms.StatementLost, dbms.TxnLost: // a lock, which it may get the next time
			default:
				r.refuse(setting)
			}
			return nil
		} else if err != nil {
			return fmt.Errorf("setting %s: %w", setting.Name, err)
		}
		r.note(committedConn, sql, false, nil)
	}
	Nap(settles)
	return nil
}

// refuse notes that the database has no such setting.
func (r *Runner) refuse(setting *dbms.PlanSetting) {
	if r.without == nil {
		r.without = map[string]bool{}
	}
	r.without[setting.Name] = true
}

// underSetting runs the case under its setting.
func (s *runState) underSetting(run func() error) error {
	renew, err := s.tune()
	if err != nil {
		return err
	}
	undo, err := s.enforce()
	if err == nil {
		err = run()
	}
	if err == nil {
		err = undo()
	}
	if err == nil {
		err = renew()
	}
	return err
}

// relax takes a setting back on the sessions of some transactions.
func (s *runState) relax(setting *dbms.PlanSetting, done []*track) error {
	for _, t := range done {
		if t.lane.ended { // with its settings
			continue
		}
		t.lane.setting = nil
		for _, sql := range setting.Unset {
			if err := t.lane.session.Must(s.ctx, sql); err != nil {
				return err
			}
			s.note(s.session(t), sql, false, nil) // who sends the recording again goes on without it, too
		}
	}
	return nil
}

// enforce puts the case's setting in force on the sessions of its transactions, and returns what undoes it. Where the
// database refuses the setting the case is run and replayed without.
func (s *runState) enforce() (undo func() error, err error) {
	setting := s.settingOf(s.plan)
	if setting == nil {
		return func() error { return nil }, nil
	}
	var done []*track
	undo = func() error { return s.relax(setting, done) }
	for i, t := range s.tracks {
		if s.plan.Txns[i].After >= 0 { // its session has been set
			continue
		}
		done = append(done, t)
		for _, sql := range setting.Set {
			var refused *AnswerError
			if err := s.set(t, sql); errors.As(err, &refused) {
				s.refuse(setting)
				return func() error { return nil }, undo()
			} else if err != nil {
				return nil, fmt.Errorf("setting %s: %w", setting.Name, err)
			}
		}
		t.lane.setting, t.lane.schema = setting, s.plan.Schema
	}
	return undo, nil
}
