package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
)

// A question is what is asked of the tables that are loaded, and how the answer is read.
type question struct {
	sql  string
	read func(*history.Rows) []string
	// what it complains of counts only where that is more than of the tables as they were filled
	given bool
	aside bool                     // an error says nothing: the database may have no such index any more
	busy  func(*history.Rows) bool // says that others kept the database from it; nil: that is an error
}

// questions are those that the database has an answer to by itself, and behind them, where it does not look for rows
// whose foreign keys name none, one for each foreign key of one column.
func (r *Runner) questions() (out []question) {
	i := r.replayer.protocol.Integrity
	if i == nil {
		i = &Integrity{Ask: func([]string) []string { return nil }}
	}
	names := make([]string, len(r.loaded.Schema.Tables))
	for n, t := range r.loaded.Schema.Tables {
		names[n] = t.Name
	}
	for _, sql := range i.Ask(names) {
		out = append(out, question{sql: sql, read: i.Read, given: i.Given != "" && sql == i.Given, busy: i.Busy})
	}
	if i.Besides != nil {
		var schema []string
		for _, s := range r.loaded.Case.Schema {
			schema = append(schema, s.SQL)
		}
		for _, sql := range i.Besides(schema) {
			out = append(out, question{sql: sql, read: i.Read, aside: true})
		}
	}
	for _, t := range r.loaded.Schema.Tables {
		for _, ref := range t.References {
			if i.Given == "" && len(ref.Columns) > 0 && len(ref.Columns) == len(ref.Keys) && plainNames(ref.Columns, ref.Keys) &&
				!(r.loose && ref.Deferred) {
				out = append(out, orphans(&instrument.DeferredKey{Table: t.Name, Reference: ref}))
			}
		}
	}
	return out
}

// plainNames says whether names can stand in a query as they are.
func plainNames(lists ...[]string) bool {
	return !slices.ContainsFunc(slices.Concat(lists...), func(name string) bool {
		return strings.ContainsFunc(name, func(c rune) bool {
			return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
		})
	})
}

// dangling is how a complaint begins of a row that refers to none.
const dangling = "a foreign key of "

// Dangling is the complaint that a row of a table refers to none of another one.
func Dangling(table, parent string) string {
	return fmt.Sprintf("%s%s names a row that %s does not have", dangling, table, parent)
}

// IsDangling says whether a complaint is of a row that refers to none: what keeps the tables is whole then, and tables
// that are made anew are, too.
func IsDangling(said string) bool { return strings.HasPrefix(said, dangling) }

// orphans asks for the rows of a table that refer to none.
func orphans(o *instrument.DeferredKey) question {
	return question{sql: o.Orphans(), given: true, read: func(rows *history.Rows) (out []string) {
		for range rows.Len() {
			out = append(out, Dangling(o.Table, o.Parent))
		}
		return out
	}}
}

// Complaints asks the database whether the tables that are loaded, and their indexes, are whole, as it tells by itself,
// and whether each row that refers to one has it: one line for each thing that is wrong with them. An error is the
// environment's, or says that the database does not answer such a question.
func (r *Runner) Complaints() (out []string, err error) {
	if r.loaded == nil {
		return nil, nil
	}
	for _, q := range r.questions() {
		ans, err := r.guarded(Occasion{}, q.sql, true, false)
		if err != nil {
			return nil, r.explain(err)
		}
		r.note(replayConn, q.sql, true, ans.Err)
		switch {
		case ans.Err == nil && q.busy != nil && q.busy(ans.Rows):
			if len(out) > 0 {
				return out, nil
			}
			return nil, fmt.Errorf("%w: %s", ErrKept, clip(q.sql))
		case ans.Err == nil && q.given:
			out = append(out, beyond(q.read(ans.Rows), r.ownComplaints)...)
		case ans.Err == nil:
			out = append(out, q.read(ans.Rows)...)
		case r.profile.Errors.Impossible.Has(ans.Err.Code, ans.Err.Message):
			out = append(out, ans.Err.String())
		case len(out) > 0: // what was told stands
			return out, nil
		case q.aside && r.profile.Errors.Classify(ans.Err.Code, ans.Err.Message) == dbms.Deterministic:
		default:
			return nil, r.classify(&AnswerError{Text: clip(q.sql), Err: ans.Err})
		}
	}
	return out, nil
}

// given asks what is to be said of the tables as they were filled: rows may contradict the foreign keys of their case.
func (r *Runner) given() error {
	r.ownComplaints = nil
	if !r.loaded.Case.Refers() {
		return nil
	}
	own := r.replayer.protocol.Integrity != nil && r.replayer.protocol.Integrity.Given != ""
	for _, q := range r.questions() {
		if !q.given && !own {
			// An engine of ours is asked all, in that order: a check of foreign keys alone may take the connection's old word
			// for what tables there are.
			continue
		}
		ans, err := r.guarded(Occasion{}, q.sql, true, false)
		if err != nil {
			return r.explain(err)
		}
		r.note(replayConn, q.sql, true, ans.Err)
		if q.given && ans.Err == nil { // else it does not tell later, either
			r.ownComplaints = append(r.ownComplaints, q.read(ans.Rows)...)
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

// ErrKept says that others kept the database from looking at its tables: whether they are whole is not known.
var ErrKept = errors.New("others kept the database from checking its tables")

// busyTime is for how long a check is asked for again that others are in the way of.
var busyTime = 20 * time.Second

// kept says whether others kept the database from a check.
func (i *Integrity) kept(p *dbms.Profile, a history.Answer) bool {
	if a.Err != nil {
		return !p.Errors.Impossible.Has(a.Err.Code, a.Err.Message) && p.Errors.Classify(a.Err.Code, a.Err.Message) !=
			dbms.Deterministic
	}
	return i.Busy != nil && i.Busy(a.Rows)
}

// Complaints asks the same over a session, which has no transaction open, of tables by name. Refused is what the
// database answers where it does not tell.
func (s *Session) Complaints(ctx context.Context, p *dbms.Profile, tables []string) (out []string, err error) {
	if s.protocol.Integrity == nil {
		return nil, nil
	}
	for _, sql := range s.protocol.Integrity.Ask(tables) {
		a, err := s.Query(ctx, sql)
		for since := time.Now(); err == nil && s.protocol.Integrity.kept(p, a) && time.Since(since) <
			busyTime; time.Sleep(time.Millisecond) {
			a, err = s.Query(ctx, sql)
		}
		switch {
		case err != nil:
			return out, err
		case s.protocol.Integrity.kept(p, a):
			return out, fmt.Errorf("%w: %s", ErrKept, clip(sql))
		case a.Err == nil:
			out = append(out, s.protocol.Integrity.Read(a.Rows)...)
		case p.Errors.Impossible.Has(a.Err.Code, a.Err.Message):
			out = append(out, a.Err.String())
		default:
			return out, &AnswerError{Text: clip(sql), Err: a.Err}
		}
	}
	return out, nil
}

// SeesDeadlocks says whether the database detects each deadlock of row locks, as far as it says so.
func (r *Runner) SeesDeadlocks() bool {
	sql := r.profile.Transactions.SeesDeadlocks
	if sql == "" {
		return false
	}
	ans, err := r.guarded(Occasion{}, sql, true, false)
	if err != nil || ans.Rows.Len() != 1 {
		return false
	}
	on, ok := ans.Rows.Cell(0, 0).Int64()
	return ok && on == 1
}

// ComplainsCheaply says whether Complaints costs next to nothing.
func (r *Runner) ComplainsCheaply() bool {
	return r.replayer.protocol.Integrity != nil && r.replayer.protocol.Integrity.Cheap
}

// Alive is what the target says of the database: nil while it answers.
func (r *Runner) Alive() error { return r.target.Alive(r.ctx) }

// Over is why nothing more may be run: whoever runs this has come to an end, or was interrupted. nil: it goes on.
func (r *Runner) Over() error { return r.ctx.Err() }

// Log is the tail of the server's log; "" where txweave does not have it.
func (r *Runner) Log() string { return r.target.Log() }

// Integrity is how a database is asked whether its tables are whole.
type Integrity struct {
	// Ask returns the queries, none of which changes anything. One that finds damage may also answer with an error that
	// the profile calls impossible.
	Ask func(tables []string) []string
	// Cheap says that they cost next to nothing: they are asked in every case.
	Cheap bool
	// Given is the one of them whose complaints count only where they are more than those of the tables as they were
	// filled.
	Given string
	// Besides returns, after the statements that make a case's tables, queries of what the others pass over in their
	// indexes and computed columns; nil: none.
	Besides func(schema []string) []string
	// Read returns what an answer complains of, each in one line.
	Read func(*history.Rows) []string
	// Busy says of an answer that others were in the way of the check, as far as it says nothing else; nil: that is an
	// error.
	Busy func(*history.Rows) bool
}

// IsRefused says whether an error of Complaints tells that this database, or its user, may not be asked, or others were
// in the way.
func IsRefused(err error) bool {
	var answer *AnswerError
	var env *EnvironmentError
	return errors.Is(err, ErrKept) || errors.As(err, &answer) && !errors.As(err, &env)
}
