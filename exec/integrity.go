package exec

import (
	"context"
	"errors"
	"slices"

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
		case ans.Err == nil && sql == p.Integrity.Given:
			out = append(out, beyond(p.Integrity.Read(ans.Rows), r.ownComplaints)...)
		case ans.Err == nil:
			out = append(out, p.Integrity.Read(ans.Rows)...)
		case r.profile.IsImpossible(ans.Err.Code, ans.Err.Message):
			out = append(out, ans.Err.String())
		case len(out) > 0: // what was told stands
			return out, nil
		default:
			return nil, r.classify(&AnswerError{Text: clip(sql), Err: ans.Err})
		}
	}
	return out, nil
}

// given asks what is to be said of the tables as they were filled: rows may contradict the foreign keys of their case.
func (r *Runner) given() error {
	r.ownComplaints = nil
	p := r.replayer.protocol
	if p.Integrity == nil || p.Integrity.Given == "" || !r.loaded.Case.Refers() {
		return nil
	}
	for _, sql := range p.Integrity.Ask(nil) { // in that order: SQLite's foreign_key_check takes the connection's old word for what tables there are
		ans, err := r.guarded(sql, true, false)
		if err != nil {
			return r.explain(err)
		}
		r.note(replayConn, sql, true, ans.Err)
		if sql == p.Integrity.Given && ans.Err == nil { // else it does not tell later, either
			r.ownComplaints = p.Integrity.Read(ans.Rows)
		}
	}
	return nil
}

// beyond are the lines that are not among others, each as often as it is there more often.
func beyond(lines, others []string) (out []string) {
	left := slices.Clone(others)
	for _, l := range lines {
		if at := slices.Index(left, l); at >= 0 {
			left = slices.Delete(left, at, at+1)
			continue
		}
		out = append(out, l)
	}
	return out
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
	// Given is the one of them whose complaints count only where they are more than those of the tables as they were filled.
	Given string
	// Read returns what an answer complains of, each in one line.
	Read func(*history.Rows) []string
}

// IsRefused says whether an error of Complaints tells that this database, or its user, may not be asked.
func IsRefused(err error) bool {
	var answer *AnswerError
	var env *EnvironmentError
	return errors.As(err, &answer) && !errors.As(err, &env)
}
