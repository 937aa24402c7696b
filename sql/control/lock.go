package control

import (
	"slices"
	"strings"

	"txweave/sql"
)

// TableMode is how strongly a table is locked, by LOCK TABLE or by a statement that uses it.
type TableMode uint8

// The modes, the weakest first (postgresql.org/docs, Table-Level Locks). In LOCK TABLES READ is Share: nobody else
// writes the table, and WRITE is AccessExclusive: nobody else reads it.
const (
	NoTableMode  TableMode = iota
	AccessShare            // a plain SELECT's
	RowShare               // a locking SELECT's
	RowExclusive           // a write's
	ShareUpdateExclusive
	Share
	ShareRowExclusive
	Exclusive
	AccessExclusive
)

// excluded are the modes of which nobody else may hold one meanwhile: the weakest of them, since each excludes all that
// are stronger than that, but for Share, which does not exclude itself.
var excluded = [...]TableMode{AccessShare: AccessExclusive, RowShare: Exclusive, RowExclusive: Share,
	ShareUpdateExclusive: ShareUpdateExclusive,
	Share:                RowExclusive, ShareRowExclusive: RowExclusive, Exclusive: RowShare, AccessExclusive: AccessShare}

// Excludes says whether two transactions cannot hold a table in such modes at the same time.
func (m TableMode) Excludes(other TableMode) bool {
	return m != NoTableMode && other >= excluded[m] && (m != Share || other != Share)
}

// tableModes are what LOCK TABLE calls them; without a word it is the strongest.
var tableModes = map[string]TableMode{"ACCESS SHARE": AccessShare, "ROW SHARE": RowShare, "ROW EXCLUSIVE": RowExclusive,
	"SHARE UPDATE EXCLUSIVE": ShareUpdateExclusive, "SHARE": Share, "SHARE ROW EXCLUSIVE": ShareRowExclusive,
	"EXCLUSIVE":        Exclusive,
	"ACCESS EXCLUSIVE": AccessExclusive, "": AccessExclusive}

// TableLock is one name of a table, and how LOCK TABLES or LOCK TABLE locks it.
type TableLock struct {
	Table string // in lower case
	// Alias is the name that statements may use, in lower case: the table's own where LOCK TABLES gives none. "" is
	// the lock of LOCK TABLE, which goes by tables and not by names, and keeps its own transaction from nothing.
	Alias string
	Mode  TableMode
}

// ModeLocks reads LOCK TABLE t0, t1 IN SHARE MODE NOWAIT. ok is false for all other statements, and for
// those that say more.
func (s Statement) ModeLocks() (locks []TableLock, ok bool) {
	n, ok := s.Tree.(*sql.LockTables)
	if !ok || len(n.Tables) == 0 {
		return nil, false
	}
	for _, t := range n.Tables {
		if t.How != "" || !sql.Equal(t.Table, &sql.Table{Name: t.Table.Name}) {
			return nil, false
		}
		name := t.Table.Name.Folded()
		if !slices.ContainsFunc(locks, func(o TableLock) bool { return o.Table == name }) {
			locks = append(locks, TableLock{Table: name, Mode: tableModes[n.Mode]})
		}
	}
	return locks, true
}

// TableLocks reads LOCK TABLES t0 WRITE, t0 AS r1 WRITE, t1 READ. ok is false for all other statements, and for those
// that say more.
func (s Statement) TableLocks() (locks []TableLock, ok bool) {
	n, ok := s.Tree.(*sql.LockTables)
	if !ok || len(n.Tables) == 0 {
		return nil, false
	}
	for _, t := range n.Tables {
		l := TableLock{Table: t.Table.Name.Folded(), Mode: Share}
		if l.Alias = l.Table; t.Table.Alias != nil {
			l.Alias = t.Table.Alias.Folded()
		}
		switch t.How {
		case "WRITE":
			l.Mode = AccessExclusive
		case "READ":
		default:
			return nil, false
		}
		if t.Table.Schema != nil || slices.ContainsFunc(locks, func(o TableLock) bool { return o.Alias == l.Alias }) {
			return nil, false
		}
		locks = append(locks, l)
	}
	return locks, true
}

// Unlocks says whether a statement is UNLOCK TABLES, which commits the transaction whose tables LOCK TABLES has locked.
func (s Statement) Unlocks() bool {
	n, ok := s.Tree.(*sql.LockTables)
	return ok && len(n.Tables) == 0
}

// AdvisoryLock is a SELECT of one of the functions that lock a number (postgresql.org/docs, Advisory Lock
// Functions).
type AdvisoryLock struct {
	Key     string // the number, or the two
	Shared  bool   // others may lock it so, too
	Try     bool   // it says whether it was given, and does not wait
	Session bool   // it is held beyond the transaction
	Unlock  bool   // it gives back what is held so
}

// AdvisoryLock reads SELECT pg_advisory_xact_lock(7) and its like, of a database that has them. ok is false for all
// other statements, and for those that do more.
func (s Statement) AdvisoryLock() (l AdvisoryLock, ok bool) {
	c, ok := s.onlyItem().(*sql.Call)
	if !ok || s.of.NumberLocks == "" {
		return l, false
	}
	arguments, _ := called(c, c.Name.Folded())
	rest, ok := strings.CutPrefix(c.Name.Folded(), s.of.NumberLocks)
	if !ok || len(arguments) < 1 || len(arguments) > 2 {
		return l, false
	}
	rest, l.Try = strings.CutPrefix(rest, "try_")
	if rest, ok = strings.CutPrefix(rest, "advisory_"); !ok {
		return l, false
	}
	rest, l.Shared = strings.CutSuffix(rest, "_shared")
	switch rest {
	case "xact_lock":
	case "lock":
		l.Session = true
	case "unlock":
		l.Session, l.Unlock = true, true
	default:
		return l, false
	}
	var key []string
	for _, x := range arguments {
		n, ok := x.(*sql.Literal)
		if !ok || n.Kind != sql.Number || strings.Trim(n.Text, "0123456789") != "" {
			return l, false
		}
		number := strings.TrimLeft(n.Text, "0")
		if number == "" {
			number = "0"
		}
		key = append(key, number)
	}
	l.Key = strings.Join(key, ",")
	return l, !l.Unlock || !l.Try
}

// Held is the lock as one of a table is held: of a name that no table has.
func (l AdvisoryLock) Held() TableLock {
	held := TableLock{Table: AdvisoryName + l.Key, Mode: AccessExclusive}
	if l.Shared {
		held.Mode = Share
	}
	return held
}

// AdvisoryName begins what stands for the name of a table where a number is locked.
const AdvisoryName = "advisory lock "
