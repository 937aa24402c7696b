package mechanism

import (
	"slices"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// tableLocks holds what transactions lock by LOCK TABLES, LOCK TABLE or as an advisory lock against what others do:
// from the answer to it until the transaction's own end is sent, an error met or a savepoint gone back to that may have
// given it back, nobody else is given the table in a mode that excludes it, nor reads or writes it where that takes
// one; and it is not answered while a transaction is open that has used a table so (dev.mysql.com/doc/refman, LOCK
// TABLES, Metadata Locking; postgresql.org/docs, Table-Level Locks).
func tableLocks(o *observe.Observation) (out []finding.Difference) {
	for a := range o.Txns {
		for _, h := range o.Txns[a].Tables {
			if h.Baseless {
				out = append(out, finding.Difference{What: fault.LockRefused,
					Steps: finding.Sentences{finding.Say("%v was refused %v, which nobody else had asked for", finding.TxnNumber(a),
						what(h.Locks[0].Table))}})
			}
			if !h.Refused {
				end := released(o, a, h)
				out = append(append(out, heldTwice(o, a, h, end)...), usedBeside(o, a, h, end)...)
			}
		}
	}
	return out
}

// heldTwice are the locks that later transactions held beside the one of transaction a that ended so.
func heldTwice(o *observe.Observation, a int, h observe.TableHold, end int64) (out []finding.Difference) {
	for b := a + 1; b < len(o.Txns); b++ {
		for _, other := range o.Txns[b].Tables {
			table := both(h.Locks, other.Locks)
			if table != "" && !other.Refused && max(h.Locked, other.Locked) < min(end, released(o, b, other)) {
				out = append(out, tableLock("%v and %v had both locked %v, in modes that exclude each other",
					finding.TxnNumber(a), finding.TxnNumber(b), what(table)))
			}
		}
	}
	return out
}

// usedBeside are the uses of a table by others than transaction a that its lock had to keep out, or to wait for.
func usedBeside(o *observe.Observation, a int, h observe.TableHold, end int64) (out []finding.Difference) {
	name := finding.TxnNumber(a)
	for _, s := range o.Stmts {
		if s.Txn == a || s.Err != nil || s.Bad != nil || s.Run == nil {
			continue
		}
		table := shuts(h.Locks, s)
		switch {
		case table == "":
		case s.Sent >= h.Locked && s.Done <= end:
			out = append(out, tableLock("%v had locked table %v, and %v used it before %v had ended", name, table,
				finding.StmtName(s.Name), name))
		case s.Done <= h.Asked && keeps(o, s, h.Locked):
			out = append(out, tableLock("%v was given table %v, which %v had used in a transaction that was open", name,
				table, finding.StmtName(s.Name)))
		}
	}
	return out
}

// what names what is locked.
func what(name string) string {
	if strings.HasPrefix(name, control.AdvisoryName) {
		return name
	}
	return "table " + name
}

// released is when a transaction may have given back at the earliest what it had locked.
func released(o *observe.Observation, txn int, h observe.TableHold) int64 {
	end := until(o, txn, h.Locked)
	if h.Back > 0 {
		end = min(end, h.Back)
	}
	return end
}

func tableLock(format string, args ...any) finding.Difference {
	return finding.Difference{What: fault.TableLock, Steps: finding.Sentences{finding.Say(format, args...)}}
}

// until is when a transaction may have given back at the earliest what it was given at a moment.
func until(o *observe.Observation, txn int, from int64) int64 {
	end := o.Txns[txn].Sent
	for _, e := range o.Errors {
		if e.Txn == txn && e.Start > from && unlocking(o, e) {
			end = min(end, e.Start)
		}
	}
	for i := range o.Events {
		if e := &o.Events[i]; e.Kind == observe.Undo && e.Txn == txn && e.Start > from {
			end = min(end, e.Start)
		}
	}
	return end
}

// keeps says whether the transaction of a statement certainly has the tables that it used until a moment: one in
// autocommit gives them back at once, and a ROLLBACK TO a savepoint may.
func keeps(o *observe.Observation, s *observe.ObservedStmt, at int64) bool {
	t := &o.Txns[s.Txn]
	return !t.Alone && !s.Undone && until(o, s.Txn, s.Sent) > at &&
		!slices.ContainsFunc(o.Savepoints, func(p observe.Savepoint) bool {
			return p.Kind == sqltext.RollbackTo && strings.HasPrefix(p.Stmt, history.SessionName(s.Txn)+".")
		})
}

// shuts returns a table that is locked against a statement of another transaction; "" where none is.
func shuts(locks []control.TableLock, s *observe.ObservedStmt) string {
	info := s.Run.Block.Info
	for _, l := range locks {
		mode := control.NoTableMode // the least that it certainly takes
		switch {
		case l.Table == info.Target:
			mode = control.RowExclusive
		case info.Locking && len(info.Tables) == 1 && info.Tables[0] == l.Table:
			mode = control.RowShare
		case slices.Contains(info.Tables, l.Table):
			mode = control.AccessShare
		}
		if l.Mode.Excludes(mode) {
			return l.Table
		}
	}
	return ""
}

// both returns a table that is locked twice in modes that exclude each other; "" where none is.
func both(a, b []control.TableLock) string {
	for _, l := range a {
		if slices.ContainsFunc(b, func(m control.TableLock) bool { return m.Table == l.Table && m.Mode.Excludes(l.Mode) }) {
			return l.Table
		}
	}
	return ""
}
