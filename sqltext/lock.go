package sqltext

import "slices"

// TableLock is one name of a table, and how LOCK TABLES locks it.
type TableLock struct {
	Table string // in lower case
	Alias string // the name that statements may use, in lower case: the table's own where LOCK TABLES gives none
	Write bool   // nobody else reads or writes the table; else nobody else writes it
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
		l.Write, t = t[0].Is("write"), t[1:]
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
