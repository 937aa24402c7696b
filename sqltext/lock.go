package sqltext

import (
	"slices"
	"strings"
)

// TableMode is how strongly a table is locked, by LOCK TABLE or by a statement that uses it.
type TableMode uint8

// The modes, the weakest first (postgresql.org/docs, Table-Level Locks). In MySQL's family READ is Share: nobody else writes the table,
// and WRITE is AccessExclusive: nobody else reads it.
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

// excluded are the modes of which nobody else may hold one meanwhile: the weakest of them, since each excludes all that are stronger than
// that, but for Share, which does not exclude itself.
var excluded = [...]TableMode{AccessShare: AccessExclusive, RowShare: Exclusive, RowExclusive: Share, ShareUpdateExclusive: ShareUpdateExclusive,
	Share: RowExclusive, ShareRowExclusive: RowExclusive, Exclusive: RowShare, AccessExclusive: AccessShare}

// Excludes says whether two transactions cannot hold a table in such modes at the same time.
func (m TableMode) Excludes(other TableMode) bool {
	return m != NoTableMode && other >= excluded[m] && (m != Share || other != Share)
}

// TableLock is one name of a table, and how LOCK TABLES or LOCK TABLE locks it.
type TableLock struct {
	Table string // in lower case
	// Alias is the name that statements may use, in lower case: the table's own where LOCK TABLES gives none. "" is PostgreSQL's lock, which
	// goes by tables and not by names, and keeps its own transaction from nothing.
	Alias string
	Mode  TableMode
}

// tableModes are what PostgreSQL calls them.
var tableModes = map[string]TableMode{"access share": AccessShare, "row share": RowShare, "row exclusive": RowExclusive,
	"share update exclusive": ShareUpdateExclusive, "share": Share, "share row exclusive": ShareRowExclusive, "exclusive": Exclusive,
	"access exclusive": AccessExclusive}

// ModeLocks reads PostgreSQL's LOCK TABLE t0, t1 IN SHARE MODE NOWAIT. ok is false for all other statements, and for those that say more.
func (s *Statement) ModeLocks() (locks []TableLock, ok bool) {
	t := s.Tokens
	if s.Kind != Lock || len(t) < 2 || !t[0].Is("lock") || t[1].Is("tables") {
		return nil, false
	}
	if t = t[1:]; len(t) > 1 && t[0].Is("table") {
		t = t[1:]
	}
	mode := AccessExclusive
	if n := len(t); n > 1 && t[n-1].Is("nowait") {
		t = t[:n-1]
	}
	if n := len(t); n > 2 && t[n-1].Is("mode") {
		from := n - 2
		for from > 0 && !t[from].Is("in") {
			from--
		}
		words := ""
		for _, w := range t[from+1 : n-1] {
			words += " " + lower(w.Text)
		}
		if mode = tableModes[strings.TrimSpace(words)]; mode == NoTableMode {
			return nil, false
		}
		t = t[:from]
	}
	for i := range t {
		name, plain := t[i].Ident()
		switch {
		case i%2 == 1 && t[i].Text != ",", i%2 == 0 && !plain, i%2 == 1 && i == len(t)-1:
			return nil, false
		case i%2 == 0 && !slices.ContainsFunc(locks, func(o TableLock) bool { return o.Table == name }):
			locks = append(locks, TableLock{Table: name, Mode: mode})
		}
	}
	return locks, len(locks) > 0
}

// TableLocks reads LOCK TABLES t0 WRITE, t0 AS r1 WRITE, t1 READ. ok is false for all other statements, and for those that say more.
func (s *Statement) TableLocks() (locks []TableLock, ok bool) {
	t := s.Tokens
	if s.Kind != Lock || len(t) < 4 || !t[0].Is("lock") || !t[1].Is("table", "tables") {
		return nil, false
	}
	for t = t[2:]; len(t) > 0; {
		var l TableLock
		if l.Table, ok = t[0].Ident(); !ok {
			return nil, false
		}
		l.Alias, t = l.Table, t[1:]
		if len(t) > 1 && t[0].Is("as") {
			if l.Alias, ok = t[1].Ident(); !ok {
				return nil, false
			}
			t = t[2:]
		}
		if len(t) == 0 || !t[0].Is("read", "write") || slices.ContainsFunc(locks, func(o TableLock) bool { return o.Alias == l.Alias }) {
			return nil, false
		}
		l.Mode = Share
		if t[0].Is("write") {
			l.Mode = AccessExclusive
		}
		t = t[1:]
		locks = append(locks, l)
		if len(t) > 0 {
			if t[0].Text != "," || len(t) == 1 {
				return nil, false
			}
			t = t[1:]
		}
	}
	return locks, true
}

// Unlocks says whether a statement is UNLOCK TABLES, which commits the transaction whose tables LOCK TABLES has locked.
func (s *Statement) Unlocks() bool {
	return s.Kind == Lock && len(s.Tokens) == 2 && s.Tokens[0].Is("unlock") && s.Tokens[1].Is("table", "tables")
}

// References are the names, in lower case, under which a statement opens tables, each as often as it does so: aliases where there are
// some. What a common table expression is called is none of them.
func (s *Statement) References() []string {
	ctes := s.commonTables()
	var out []string
	for _, n := range s.Named {
		switch {
		case n.column || n.Qualifier == "" && (n.Name == "dual" || slices.Contains(ctes, n.Name)):
		case n.Alias != "":
			out = append(out, n.Alias)
		default:
			out = append(out, n.Name)
		}
	}
	return out
}

// afterTable are words that may follow a table and are no alias.
var afterTable = wordSet(names(`where set values value select with on using join inner left right full cross natural straight_join group
	having order limit offset fetch for lock into union intersect except minus window force use ignore index key partition returning
	read write as from default do to tablesample`))

// alias returns what a table is called whose name ends before the token at i; "" where it keeps its own name.
func (f *finder) alias(i int) string {
	t := f.at(i)
	if t.Is("as") {
		t = f.at(i + 1)
	} else if t.Kind != Name && (t.Kind != Word || afterTable.has(t.Text)) {
		return ""
	}
	name, _ := t.Ident()
	return name
}
