package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// loadingSettings are those by which tables are loaded: they are nobody's but the set-up's.
var loadingSettings = strings.Fields(`global persist names character charset sql_mode foreign_key_checks unique_checks
	time_zone sql_notes search_path character_set_client character_set_connection character_set_results
	collation_connection client_encoding client_min_messages`)

// loads says whether a SET is of such a setting, or of a variable of its own.
func loads(sql string) bool {
	name, variable := settingOf(sql)
	return variable || slices.Contains(loadingSettings, name)
}

// settingOf is the first setting of a SET, or the variable.
func settingOf(sql string) (name string, variable bool) {
	at := 0
	for _, t := range lexer.Significant(sql, 8)[1:] {
		switch {
		case t.Text == "@":
			at++
		case t.Is("session", "local") || t.Text == ".":
		default:
			name, _ = t.Ident()
			return name, at == 1
		}
	}
	return "", false
}

// heldByAll says whether sessions begin with a setting that stands above all of them: one by which nothing is loaded
// alone, a mode that no dump has, a variable that they read.
func (b *scriptBuilder) heldByAll(sql string) bool {
	switch name, variable := settingOf(sql); {
	case variable:
		return slices.ContainsFunc(b.out, func(p piece) bool {
			return p.tag != "" && p.tag != setupTag && strings.Contains(compact(p.sql), "@"+strings.ToLower(name))
		})
	case name == "sql_mode":
		flat := compact(sql)
		return !strings.Contains(flat, "=@") && !strings.HasSuffix(flat, "=no_auto_value_on_zero")
	}
	return !loads(sql)
}

// forAll sends the settings that stand above all sessions, and are nobody's, in each of them.
func (b *scriptBuilder) forAll() {
	seen := map[int]bool{}
	for i := 0; i < len(b.s.Steps); i++ {
		n := b.s.Steps[i].Session
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, st := range b.settings {
			st.Session = n
			b.s.Steps = slices.Insert(b.s.Steps, i, st)
			i++
		}
	}
	for _, st := range b.settings {
		b.notes = append(b.notes, Note{st.Line, fmt.Sprintf("%s stands above all sessions: each begins with it",
			quote(st.SQL)), false})
	}
}

// unbegun notes what the text calls a transaction, where nothing begins it.
func (b *scriptBuilder) unbegun() {
	for n, name := range b.s.Sessions {
		count, writes, begun := 0, false, false
		for _, st := range b.s.Steps {
			if st.Session != n {
				continue
			}
			k := sqltext.KindOf(st.SQL)
			count++
			writes = writes || k == sqltext.Insert || k == sqltext.Update || k == sqltext.Delete
			begun = begun || k == sqltext.Begin || k == sqltext.Commit || k == sqltext.Rollback ||
				testcase.SwitchesAutocommit(st.SQL)
		}
		low := strings.ToLower(name)
		if count > 1 && writes && !begun && (strings.HasPrefix(low, "transaction") || strings.HasPrefix(low, "txn") ||
			strings.HasPrefix(low, "trx")) {
			b.notes = append(b.notes, Note{b.s.Steps[0].Line,
				fmt.Sprintf("%s is called a transaction, and no statement begins it: each of its statements commits "+
					"by itself", name), true})
		}
	}
}

// inTurn notes that the transactions of a text's sessions run one after another.
func (b *scriptBuilder) inTurn() {
	var order []int
	open, begun := false, 0
	for _, st := range b.s.Steps {
		if n := len(order); n == 0 || order[n-1] != st.Session {
			if open || slices.Contains(order, st.Session) {
				return
			}
			order = append(order, st.Session)
		}
		switch sqltext.KindOf(st.SQL) {
		case sqltext.Begin:
			open = true
			begun++
		case sqltext.Commit, sqltext.Rollback:
			open = false
		}
	}
	if len(order) > 1 && begun > 1 {
		b.notes = append(b.notes, Note{b.s.Steps[0].Line,
			"the transactions run one after the other, as the text has them: it does not say how they overlap", false})
	}
}

// unclear notes the remarks on answers that are of no form that is read.
func (b *scriptBuilder) unclear() {
	var lines []string
	for i := range b.out {
		if b.out[i].unclear {
			lines = append(lines, strconv.Itoa(b.out[i].line))
		}
	}
	if len(lines) > 0 {
		first, _ := strconv.Atoi(lines[0])
		b.notes = append(b.notes, Note{first, fmt.Sprintf("a remark on an answer is not compared where it has no form of "+
			"docs/reference/import-formats.md: behind the statement of line %s", strings.Join(lines, ", ")), false})
	}
}

// stray takes a statement of nobody's that comes after those of sessions; false where all that follows is another part.
func (b *scriptBuilder) stray(i int) bool {
	p := &b.out[i]
	if rest := b.out[i:]; b.again(rest) {
		b.note(p, false, "belongs to no session, and repeats what sessions do: left out, with what follows: %s",
			quote(p.sql))
		return false
	}
	b.note(p, false, "%s comes after all sessions: it is sent over a connection of its own", quote(p.sql))
	for j := range b.out[i:] {
		b.out[i+j].tag = "afterwards"
	}
	b.step(p)
	return true
}

// again says whether statements of nobody's repeat those of sessions, and write: the equivalent order.
func (b *scriptBuilder) again(rest []piece) bool {
	writes := false
	for _, p := range rest {
		k := sqltext.KindOf(p.sql)
		if k != sqltext.Select {
			writes = true
		}
		if k >= sqltext.Create || k == sqltext.Begin || k == sqltext.Commit || k == sqltext.Rollback ||
			k == sqltext.Set {
			continue
		}
		if !slices.ContainsFunc(b.out, func(q piece) bool {
			return q.tag != "" &&
				normalSQL(q.sql) == normalSQL(p.sql)
		}) {
			return false
		}
	}
	return writes
}
