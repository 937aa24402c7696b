package exec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
)

// SettingError says that the database refuses what the case sets a session to.
type SettingError struct {
	Text   string
	Answer *history.DBError
}

func (e *SettingError) Error() string { return fmt.Sprintf("%s is refused: %v", e.Text, e.Answer) }

// tuned opens a session that is set to what statements say.
func (r *Runner) tuned(settings []string) (*Session, error) {
	session, err := r.target.Open(r.ctx, FirstNode, r.profile)
	if err != nil {
		return nil, err
	}
	for _, sql := range settings {
		var refused *AnswerError
		if err := session.Must(r.ctx, sql); errors.As(err, &refused) {
			session.Close()
			return nil, &SettingError{Text: sql, Answer: refused.Err}
		} else if err != nil {
			session.Close()
			return nil, err
		}
	}
	return session, nil
}

// tunable asks the database whether it takes the settings of the loaded case.
func (r *Runner) tunable() error {
	for _, s := range r.loaded.Case.Sessions {
		var settings []string
		for _, stmt := range s.Stmts {
			settings = append(settings, stmt.SQL)
		}
		session, err := r.tuned(settings)
		if err != nil {
			return err
		}
		session.Close()
	}
	return nil
}

// tune sets the sessions of the transactions to what the case says, and returns what puts others in their place: what
// they are set to must not outlast the case.
func (s *runState) tune() (undo func() error, err error) {
	var lanes []*lane
	for i, t := range s.tracks {
		settings := s.plan.Case.SettingsOf(i)
		if s.plan.Txns[i].After >= 0 || len(settings) == 0 { // its session has been set
			continue
		}
		lanes = append(lanes, t.lane)
		for _, sql := range settings {
			if err := s.set(t, sql); err != nil {
				return nil, err
			}
		}
	}
	return func() error {
		for _, l := range lanes {
			at := slices.Index(s.lanes, l)
			if at < 0 { // it has ended itself
				continue
			}
			if l.close(); !l.closed(s.dying) {
				return fmt.Errorf("%w: a session does not end", ErrTimeout)
			}
			fresh, err := s.target.Open(s.ctx, FirstNode, s.profile)
			if err != nil {
				return err
			}
			s.lanes[at] = newLane(s.Runner.ctx, fresh, s.profile)
		}
		return nil
	}, nil
}

// replaying is the sessions of one replay: one for all statements, but where the case's sessions are set to something.
type replaying struct {
	r    *Runner
	base *Session
	by   map[string]*Session // by what they are set to
	undo []func() error
}

// replaySessions puts a plan setting, if there is one, in force on the sessions that replay blocks; once is that of
// Runner.plan.
func (r *Runner) replaySessions(blocks []*instrument.Block, setting *dbms.PlanSetting, once bool) (*replaying, error) {
	p := &replaying{r: r, base: r.replayer, by: map[string]*Session{}}
	needs := map[string][]string{"": nil}
	for _, b := range blocks {
		if len(r.loaded.Case.Sessions) > 0 {
			settings := r.loaded.Case.SettingsOf(b.Txn)
			needs[strings.Join(settings, ";\n")] = settings
		}
	}
	for _, key := range slices.Sorted(maps.Keys(needs)) {
		session, settings := p.base, needs[key]
		if len(settings) > 0 {
			var err error
			if session, err = r.tuned(settings); err != nil {
				return nil, errors.Join(err, p.end())
			}
			p.undo = append(p.undo, func() error { session.Close(); return nil })
		}
		if r.replayer = session; setting != nil {
			undo, err := r.plan(setting, once)
			if err != nil {
				return nil, errors.Join(err, p.end())
			}
			p.undo = append(p.undo, undo)
		}
		p.by[key] = r.replayer
	}
	r.replayer = p.by[""]
	return p, nil
}

// choose takes the session whose settings a block was run under.
func (p *replaying) choose(b *instrument.Block) {
	if len(p.r.loaded.Case.Sessions) > 0 {
		p.r.replayer = p.by[strings.Join(p.r.loaded.Case.SettingsOf(b.Txn), ";\n")]
	}
}

// end undoes the plan setting, and closes the sessions that were opened for this.
func (p *replaying) end() (err error) {
	for _, undo := range slices.Backward(p.undo) {
		err = errors.Join(err, undo())
	}
	p.r.replayer = p.base
	return err
}
