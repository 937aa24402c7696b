package exec

import "txweave/history"

// AskLevel is how a session is asked at which level it runs its transactions.
type AskLevel struct {
	// Ask is the query. It locks nothing and takes no snapshot, so that it may be asked in a transaction that has done
	// nothing yet.
	Ask string
	// Read reads the level from its answer, by the name that the DBMS's profiles have; once is the level, in small letters
	// with dashes, that was set for this transaction alone, which sessions of some databases do not tell; "" for none, or
	// where they do.
	Read func(rows *history.Rows, once string) string
}

// Asked is what a session answered to the question for its level.
type Asked struct {
	rows *history.Rows
	of   *AskLevel
}

// Level is the level that the session said; "" where it was not asked, or said none that is known. once is as AskLevel
// has it.
func (a Asked) Level(once string) string {
	if a.of == nil || a.rows == nil {
		return ""
	}
	return a.of.Read(a.rows, once)
}

// askLevel asks a session that is idle for its level, before a step is sent.
func (s *player) askLevel(x *seat, step int) error {
	ask := x.lane.session.protocol.Level
	if ask == nil || s.quiet {
		return nil
	}
	x.lane.reqs <- request{sql: ask.Ask, query: true}
	rep := <-x.lane.replies
	if rep.err != nil {
		return s.lost(x, rep.err)
	}
	if rep.answer.Err == nil {
		s.out.Asked[step] = Asked{rep.answer.Rows, ask}
	}
	return nil
}
