package mechanism

import (
	"fmt"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/history"
	"txweave/observe"
	"txweave/sqltext"
)

// tableLocks holds what transactions lock by LOCK TABLES against what others do: from the answer to it until the transaction's own end is
// sent, or an error met that may have ended it, nobody else reads a table that is locked for writing, or writes one that is
// locked for reading; and it is not answered while a transaction is open that has used a table so (dev.mysql.com/doc/refman, LOCK TABLES,
// Metadata Locking).
func tableLocks(o *observe.Observation) []finding.Difference {
	var out []finding.Difference
	for a := range o.Txns {
		t := &o.Txns[a]
		if len(t.Tables) == 0 {
			continue
		}
		name, end := history.SessionName(a), until(o, a, t.Locked)
		for b := range o.Txns {
			other := &o.Txns[b]
			table := both(t.Tables, other.Tables)
			if b > a && table != "" && max(t.Locked, other.Locked) < min(end, until(o, b, other.Locked)) {
				out = append(out, tableLock("%s and %s had both locked table %s, one of them for writing", name, history.SessionName(b), table))
			}
		}
		for _, s := range o.Stmts {
			if s.Txn == a || s.Err != nil || s.Bad != nil || s.Run == nil {
				continue
			}
			table := shuts(t.Tables, s)
			switch {
			case table == "":
			case s.Sent >= t.Locked && s.Done <= end:
				out = append(out, tableLock("%s had locked table %s, and %s used it before %s had ended", name, table, s.Name, name))
			case s.Done <= t.Asked && keeps(o, s, t.Locked):
				out = append(out, tableLock("%s was given table %s, which %s had used in a transaction that was open", name, table, s.Name))
			}
		}
	}
	return out
}

func tableLock(format string, args ...any) finding.Difference {
	return finding.Difference{What: string(ME) + ":table-lock", Detail: fmt.Sprintf(format, args...)}
}

// until is when a transaction may have given back at the earliest what it was given at a moment.
func until(o *observe.Observation, txn int, from int64) int64 {
	end := o.Txns[txn].Sent
	for _, e := range o.Errors {
		if e.Txn == txn && e.Start > from {
			end = min(end, e.Start)
		}
	}
	return end
}

// keeps says whether the transaction of a statement certainly has the tables that it used until a moment: one in autocommit gives
// them back at once, and a ROLLBACK TO a savepoint may.
func keeps(o *observe.Observation, s *observe.ObservedStmt, at int64) bool {
	t := &o.Txns[s.Txn]
	return !t.Alone && !s.Undone && until(o, s.Txn, s.Sent) > at &&
		!slices.ContainsFunc(o.Savepoints, func(p observe.Savepoint) bool {
			return p.Kind == sqltext.RollbackTo && strings.HasPrefix(p.Stmt, history.SessionName(s.Txn)+".")
		})
}

// shuts returns a table that is locked against a statement of another transaction; "" where none is.
func shuts(locks []sqltext.TableLock, s *observe.ObservedStmt) string {
	info := s.Run.Block.Info
	for _, l := range locks {
		if l.Table == info.Target || l.Write && slices.Contains(info.Tables, l.Table) {
			return l.Table
		}
	}
	return ""
}

// both returns a table that is locked twice, once for writing; "" where none is.
func both(a, b []sqltext.TableLock) string {
	for _, l := range a {
		if slices.ContainsFunc(b, func(m sqltext.TableLock) bool { return m.Table == l.Table && (m.Write || l.Write) }) {
			return l.Table
		}
	}
	return ""
}
