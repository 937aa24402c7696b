package exec

import (
	"context"
	"errors"

	"txweave/dbms"
	"txweave/history"
)

// Complaints asks the database whether the tables that are loaded, and their indexes, are whole, as it tells by itself: one line
// for each thing that is wrong with them. An error is the environment's, or says that the database does not answer such a
// question.
func (r *Runner) Complaints() ([]string, error) {
	p := r.replayer.protocol
	if p.Integrity == nil || r.loaded == nil {
		return nil, nil
	}
	names := make([]string, len(r.loaded.Schema.Tables))
	for i, t := range r.loaded.Schema.Tables {
		names[i] = t.Name
	}
	var out []string
	for _, sql := range p.Integrity.Ask(names) {
		ans, err := r.guarded(sql, true, false)
		if err != nil {
			return nil, r.explain(err)
		}
		r.note(replayConn, sql, true, ans.Err)
		switch {
		case ans.Err == nil:
			out = append(out, p.Integrity.Read(ans.Rows)...)
		case r.profile.IsImpossible(ans.Err.Code, ans.Err.Message):
			out = append(out, ans.Err.String())
		default:
			return nil, r.classify(&AnswerError{Text: clip(sql), Err: ans.Err})
		}
	}
	return out, nil
}

// Complaints asks the same over a session, which has no transaction open, of tables by name. Refused is what the database answers
// where it does not tell.
func (s *Session) Complaints(ctx context.Context, p *dbms.Profile, tables []string) (out []string, err error) {
	if s.protocol.Integrity == nil {
		return nil, nil
	}
	for _, sql := range s.protocol.Integrity.Ask(tables) {
		a, err := s.Query(ctx, sql)
		switch {
		case err != nil:
			return out, err
		case a.Err == nil:
			out = append(out, s.protocol.Integrity.Read(a.Rows)...)
		case p.IsImpossible(a.Err.Code, a.Err.Message):
			out = append(out, a.Err.String())
		default:
			return out, &AnswerError{Text: clip(sql), Err: a.Err}
		}
	}
	return out, nil
}

// Log is the tail of the server's log; "" where txweave does not have it.
func (r *Runner) Log() string { return r.target.Log() }

// Integrity is how a database is asked whether its tables are whole.
type Integrity struct {
	// Ask returns the queries, none of which changes anything. One that finds damage may also answer with an error that the
	// profile calls impossible.
	Ask func(tables []string) []string
	// Read returns what an answer complains of, each in one line.
	Read func(*history.Rows) []string
}

// IsRefused says whether an error of Complaints tells that this database, or its user, may not be asked.
func IsRefused(err error) bool {
	var answer *AnswerError
	var env *EnvironmentError
	return errors.As(err, &answer) && !errors.As(err, &env)
}
