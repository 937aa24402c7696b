package outside

import (
	"maps"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// routine is a function, a procedure or a trigger whose body is followed as a text: it is in no dialect's tree.
type routine struct {
	table  string // of a trigger
	body   string
	before bool   // it may write the row that it looks at
	keeps  bool   // it has variables, through which values go on to where nobody follows them
	source Source // where a value that it gives or writes may come from
}

// routineOf reads what makes a routine whose body is a text; nil for another statement.
func (v *Values) routineOf(text string) (name string, r *routine) {
	read := v.syntax.Quoting.Read(text)
	const head = 8 // tokens: CREATE OR REPLACE DEFINER = x FUNCTION
	at := slices.IndexFunc(read.Tokens[:min(head, len(read.Tokens))], func(t sqltext.Token) bool {
		return t.Is("procedure", "function", "trigger")
	})
	if at < 1 || at+1 >= len(read.Tokens) || !read.Tokens[0].Is("create") {
		return "", nil
	}
	for _, t := range read.Tokens[at+1:] {
		if !t.Is("if", "not", "exists") {
			name, _ = t.Ident()
			break
		}
	}
	r = &routine{body: text}
	if read.Tokens[at].Is("trigger") {
		on := slices.IndexFunc(read.Tokens, func(t sqltext.Token) bool { return t.Is("on") })
		if on < 0 || on+1 >= len(read.Tokens) {
			return "", nil
		}
		r.table, _ = read.Tokens[on+1].Ident()
		r.before = slices.ContainsFunc(read.Tokens[at:on], func(t sqltext.Token) bool { return t.Is("before") })
		name = "trigger " + name // nobody calls it
	}
	return strings.ToLower(name), r
}

// begin finds out of a routine's body what can be told before all are known.
func (r *routine) begin(v *Values) {
	read := v.syntax.Quoting.Read(r.body)
	r.keeps = slices.ContainsFunc(read.Tokens, func(t sqltext.Token) bool { return t.Is("declare") || t.Text == "@" })
	session, _ := read.Calls()
	for _, name := range session {
		r.source = r.source.or(ofFunction(name, 0, nil))
	}
}

// within follows the statements in the body of a routine. Where it has variables the rows of what it writes may come
// from whatever it calls.
func (v *Values) within(r *routine) {
	if s := r.source.or(v.calls(r.body)); s != r.source {
		r.source, v.changed = s, true
	}
	for _, text := range v.pieces(r.body) {
		v.follow(text, false, r.table)
		if r.keeps {
			if s := r.source.or(v.taken(text, r.table)); s != r.source {
				r.source, v.changed = s, true
			}
			v.markWritten(text, r.source)
		}
	}
	if r.keeps && r.before {
		v.markRows(r.table, r.source)
	}
}

// taken is where a value may come from that a statement of a body takes into a variable.
func (v *Values) taken(text, row string) Source {
	if before, after, ok := v.into(text); ok {
		text = before + after
	}
	stmt, err := v.syntax.Tree.Parse(text)
	if err != nil {
		return None
	}
	switch stmt.(type) {
	case *sql.Query, *sql.Set:
		return v.scopeIn(row).of(stmt)
	}
	return None
}

// into divides a query at the variables that it fills: SELECT x INTO a, b FROM t.
func (v *Values) into(text string) (before, after string, ok bool) {
	at := [2]int{-1, len(text)}
	pos := 0
	for t := range v.syntax.Quoting.Tokens(text) {
		switch {
		case at[0] < 0 && t.Is("into"):
			at[0] = pos
		case at[0] >= 0 && t.Is("from") && at[1] == len(text):
			at[1] = pos
		}
		pos += len(t.Text)
	}
	if at[0] < 0 {
		return "", "", false
	}
	return text[:at[0]], text[at[1]:], true
}

// calls is where the values come from of the routines that a statement calls.
func (v *Values) calls(text string) (out Source) {
	for _, r := range v.callees(text) {
		out = out.or(r.source)
	}
	return out
}

// callees are the routines that a statement calls.
func (v *Values) callees(text string) (out []*routine) {
	if len(v.routines) == 0 {
		return nil
	}
	tokens := v.syntax.Quoting.Read(text).Tokens
	for i, t := range tokens {
		name, ok := t.Ident()
		called := i+1 < len(tokens) && tokens[i+1].Text == "(" || i > 0 && tokens[i-1].Is("call", "execute")
		if r := v.routines[name]; ok && called && r != nil && r.body != text {
			out = append(out, r)
		}
	}
	return out
}

// Waits says whether a routine that a statement calls, or a trigger of a table that it writes, says itself that it
// takes a while: SLEEP, pg_sleep, BENCHMARK.
func (v *Values) Waits(text string) bool { return v.waits(text, map[*routine]bool{}) }

func (v *Values) waits(text string, seen map[*routine]bool) bool {
	run := v.callees(text)
	for _, table := range v.writtenBy(text) {
		for _, name := range slices.Sorted(maps.Keys(v.routines)) {
			if r := v.routines[name]; r.table == table {
				run = append(run, r)
			}
		}
	}
	return slices.ContainsFunc(run, func(r *routine) bool {
		if seen[r] {
			return false
		}
		seen[r] = true
		tokens := v.syntax.Quoting.Read(r.body).Tokens
		return slices.ContainsFunc(tokens, func(t sqltext.Token) bool {
			name, ok := t.Ident()
			f, known := functions.Of(name)
			return ok && known && f.Effect == functions.Waits
		}) || v.waits(r.body, seen)
	})
}

// Divides says whether a statement is more than one transaction, or ends the one within which it is sent: the routine
// that it runs commits on its way, or has statements that are each one by itself, as they are outside of a transaction
// where definitions commit (dev.mysql.com/doc/refman, autocommit).
func (v *Values) Divides(text string, within bool) bool {
	first := v.syntax.Quoting.Read(text).Tokens
	var run []*routine
	if len(first) > 0 && first[0].Is("call", "execute") {
		run = v.callees(text)
	}
	if name, own := v.textWithin(text); own != nil && strings.HasPrefix(name, "block ") {
		run = append(run, own)
	}
	return slices.ContainsFunc(run, func(r *routine) bool {
		n, ends := v.transactions(r, within)
		return n > 1 && !within || within && ends && v.syntax.Traits.Commits != nil // where it is not an error
	})
}

// transactions counts those of the body of a routine, in which what it repeats is two, and says whether it ends any.
func (v *Values) transactions(r *routine, within bool) (n int, ends bool) {
	commits := v.syntax.Traits.Commits
	alone := commits != nil && !within // each statement is a transaction
	open, first := !alone, true
	for _, text := range v.pieces(r.body) {
		read := v.syntax.Quoting.Read(text)
		stmt, _ := v.syntax.Tree.Parse(text)
		has := func(words ...string) bool {
			return slices.ContainsFunc(read.Tokens, func(t sqltext.Token) bool { return t.Is(words...) })
		}
		switch k := read.Kind; {
		case len(read.Tokens) > 0 && read.Tokens[0].Is("end"): // no COMMIT
		case k == sqltext.Begin, k == sqltext.Commit, k == sqltext.Rollback,
			commits != nil && stmt != nil && commits(stmt, k):
			ends, first, open = true, true, !alone || k == sqltext.Begin
		case !has("from", "call", "insert", "update", "delete", "replace", "merge"):
		case first || !open:
			n, first = n+1, false
		}
	}
	all := v.syntax.Quoting.Read(r.body).Tokens
	for i := 1; i < len(all) && n == 1 && (alone || ends); i++ {
		if all[i-1].Is("end") && all[i].Is("loop", "while", "repeat", "for") {
			n++
		}
	}
	return n, ends
}

// writtenBy are the tables that a statement writes.
func (v *Values) writtenBy(text string) (out []string) {
	stmt, err := v.syntax.Tree.Parse(text)
	if err != nil {
		if read := v.syntax.Quoting.Read(text); read.Kind.Writes() {
			out = append(out, read.Target)
		}
		return out
	}
	for _, w := range analysis.WrittenBy(stmt) {
		out = append(out, w.Table)
	}
	return out
}

// markWritten notes that it depends on a source which rows the tables have that a statement writes.
func (v *Values) markWritten(text string, s Source) {
	if s == None {
		return
	}
	for _, table := range v.writtenBy(text) {
		v.markRows(table, s)
	}
}
