package exec

import (
	"slices"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/sql/sqltext"
)

// An observer reads what a statement is about to see of tables that, most of the time, nobody has changed since it read
// them for another one. Such a read is not sent: its answer is known, as long as the database keeps what it promises.
// Where it does not, the statement does not fit what is taken for known, or the reads behind it do not.

// knownReads are the observers' reads of a run whose answers cannot have changed since.
type knownReads map[knownRead]*knownAnswer

// knownRead is a read by its connection and text.
type knownRead struct {
	conn instrument.Conn
	sql  string
}

// knownAnswer is what it was answered, and of which tables.
type knownAnswer struct {
	answer history.Answer
	tables []string
}

// knowInitial notes what the observers' version-set reads are answered as long as nobody has written: the tables have
// just been filled.
func (s *runState) knowInitial() {
	for i := range s.plan.Txns {
		for _, b := range s.plan.Txns[i].Blocks {
			s.knowInitially(b.VSR)
		}
		s.knowInitially(s.plan.Txns[i].Snapshot)
	}
}

func (s *runState) knowInitially(reads []instrument.Probe) {
	for i := range reads {
		p := &reads[i]
		if p.Conn == instrument.Own || s.reads[knownRead{p.Conn, p.SQL}] != nil {
			continue
		}
		rows := s.versionsOf(p)
		if p.Whole {
			rows = columnsOf(s.initial[p.Tables[0]], s.plan.Schema.Table(p.Tables[0]).Names()...)
		}
		if rows != nil {
			s.learn(action{conn: p.Conn, sql: p.SQL, tables: p.Tables}, history.Answer{Rows: rows, Affected: -1})
		}
	}
}

// versionsOf is the answer to a read of the keys and versions of tables, as they were filled; nil where that is not
// known.
func (s *runState) versionsOf(p *instrument.Probe) *history.Rows {
	out := &history.Rows{Columns: []string{"t", sqltext.PKey, sqltext.VKey}}
	for at, table := range p.Tables {
		keys := columnsOf(s.initial[table], sqltext.PKey, sqltext.VKey)
		if keys == nil {
			return nil
		}
		for i := range keys.Len() {
			out.Cells = append(append(out.Cells, history.IntValue(int64(at))), keys.Row(i)...)
		}
	}
	return out
}

// columnsOf are some columns of rows, in an order; nil where there is not each of them.
func columnsOf(rows *history.Rows, names ...string) *history.Rows {
	if rows == nil {
		return nil
	}
	if slices.Equal(rows.Columns, names) {
		return rows
	}
	out := &history.Rows{Columns: names}
	at := make([]int, len(names))
	for i, name := range names {
		if at[i] = slices.Index(rows.Columns, name); at[i] < 0 {
			return nil
		}
		if len(rows.Types) > 0 {
			out.Types = append(out.Types, rows.Types[at[i]])
		}
	}
	for i := range rows.Len() {
		for _, j := range at {
			out.Cells = append(out.Cells, rows.Row(i)[j])
		}
	}
	return out
}

// known returns the answer to an observer's read, where it is known. As long as a statement waits somewhere inside the
// database nothing is.
func (s *runState) known(act action) (history.Answer, bool) {
	if a := s.reads[knownRead{act.conn, act.sql}]; a != nil && !s.anyFlying() {
		return a.answer, true
	}
	return history.Answer{Affected: -1}, false
}

// take files what is known as the answer to a unit's current read.
func (s *runState) take(t *track, e *history.Event, session *Session) error {
	if s.doubt != nil {
		read, err := session.Query(s.ctx, e.Text)
		if err != nil {
			return err
		}
		s.doubt(e.Text, e.Rows, read.Rows)
	}
	e.End, e.Done = e.Start, s.done
	s.done++
	s.file(t, e)
	t.unit.at++
	return nil
}

// wroteNothing says whether the unit's statement has answered that it wrote no row, so that none bears its version key.
// Where one does, whoever reads it next sees a version that nobody wrote.
func (u *unit) wroteNothing() bool {
	target := u.run.Target
	return target != nil && target.Err == nil && target.Affected == 0 && !target.Blocked
}

// learn notes what an observer has read.
func (s *runState) learn(act action, answer history.Answer) {
	if answer.Err != nil || len(act.tables) == 0 || s.anyFlying() {
		return
	}
	if s.reads == nil {
		s.reads = knownReads{}
	}
	s.reads[knownRead{act.conn, act.sql}] = &knownAnswer{answer, act.tables}
}

// unlearn forgets what a transaction's statement may have changed, once it is answered: what it writes in its
// transaction nobody reads but the observer of uncommitted rows. All is forgotten where more may have happened than it
// says.
func (s *runState) unlearn(t *track, e *history.Event, class dbms.ErrorClass) {
	if len(s.reads) == 0 {
		return
	}
	txn := &s.plan.Txns[t.txn]
	switch b := t.unit.block; {
	case class != dbms.Deterministic, e.Blocked, e.Gone, s.anyFlying():
		clear(s.reads)
	case e.Role == history.Target && b.Control() && !b.Info.Kind.IsSavepoint():
		clear(s.reads)
	case e.Role == history.Target && b.Info.Kind == sqltext.RollbackTo, e.Role == history.End:
		for _, b := range txn.Blocks {
			s.reads.forget(b.Writes, e.Role == history.End)
		}
	case e.Role == history.Target:
		s.reads.forget(b.Writes, txn.Autocommit())
	}
}

// forget forgets the reads of tables: those of the observer of uncommitted rows, or both observers'.
func (k knownReads) forget(tables []string, both bool) {
	for read, a := range k {
		if (both || read.conn == instrument.Latest) && slices.ContainsFunc(a.tables, func(t string) bool {
			return slices.Contains(tables, t)
		}) {
			delete(k, read)
		}
	}
}
