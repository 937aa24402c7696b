package dbms

import (
	"fmt"
	"slices"
	"strings"

	sqltree "txweave/sql"
	"txweave/sqltext"
)

// PlanSetting is a way to have the same statements executed by other means: without secondary indexes, by other algorithms of the
// optimizer, over another protocol. No answer may depend on it but in what SQL leaves open.
type PlanSetting struct {
	Name string // as a case's header names it
	// Set are statements for the session before the case's own, Unset those that undo them. A database that refuses one of Set has
	// no such setting.
	Set, Unset []string
	// Each is a query whose rows are statements that are sent first, each as far as the database takes it. They change how tables
	// are kept: these are made anew afterwards. "": none.
	Each string
	// Prepared says that statements are prepared and executed, and queries executed twice, over the binary protocol; AsText that this
	// is said in statements of their own: PREPARE and EXECUTE.
	Prepared, AsText bool
	// Impatient says that nobody waits long for a lock: a statement that has to is waited for until the server gives it up. It is no
	// other plan, but a setting under which cases are run.
	Impatient bool
	// LateKeys says that a transaction is not told of a duplicate key before its end: what it reads until then, and what it writes, may
	// be of a state that never comes to be. It is no other plan either.
	LateKeys bool
	// Between are statements of a session of its own whenever a transaction has ended, with a table that nobody else uses for each %s: they set
	// off what the database else does now and then. It is no other plan either.
	Between []string
	// Rare is how often, of so many times that it is drawn, it is taken, for it costs much: at the others the setting before it in the list is.
	// 0: always.
	Rare int
	// Covers are words by which lists of bugs call what the setting brings.
	Covers []string
	// Copies is a common table expression that holds a table's rows, with its name for each %[1]s: queries read such copies in place
	// of the tables, so that what the database answers from an index, a count or a statistic of its own is worked out from the rows.
	// "": queries stay as they are.
	Copies string
	// Opaque says that each condition is the value of a CASE, into which no planner looks: see opaque.
	Opaque bool
	// Dialect is how statements are read and printed for Opaque; nil: by their tokens.
	Dialect *sqltree.Dialect
	// Unquantified says that comparisons with the rows of a subquery are said by EXISTS: see unquantified.
	Unquantified bool
	// Respelled says that lists behind IN are written as comparisons, IN (SELECT …) by EXISTS, a RIGHT JOIN as a LEFT JOIN the other way round, and this as
	// that, a scalar subquery with a LIMIT, or a set operation, as a query of such rows, and a window function as a scalar subquery.
	Respelled bool
	// Unfired says that triggers are dropped where that is known how to: what they do is sent in statements of its own, for each row that
	// fires them.
	Unfired bool
}

// Query returns a statement as it is sent under the setting.
func (p *PlanSetting) Query(sql string, q sqltext.Quoting) string {
	if p == nil {
		return sql
	}
	if p.Unquantified {
		sql = unquantified(sql, q)
	}
	switch {
	case p.Opaque && p.Dialect != nil:
		sql = hidden(sql, p.Dialect)
	case p.Opaque:
		sql = opaque(unhinted(sql, q), q)
	}
	if p.Copies == "" {
		return sql
	}
	s := q.Read(sql)
	sql = unhinted(sql, q)
	if p.Respelled {
		sql = respelled(sql, q)
	}
	if s.Kind != sqltext.Select || readsPart(s.Tokens) {
		return sql
	}
	var copies []string
	for _, table := range s.Tables() {
		copies = append(copies, fmt.Sprintf(p.Copies, table))
	}
	if len(copies) == 0 {
		return sql
	}
	with, rest := "WITH ", " "+sql
	if len(s.Tokens) > 1 && s.Tokens[0].Is("with") {
		with, rest = "WITH ", ", "+after(sql, "with", q)
		if s.Tokens[1].Is("recursive") {
			with, rest = "WITH RECURSIVE ", ", "+after(sql, "recursive", q)
		}
	}
	return with + strings.Join(copies, ", ") + rest
}

// unhinted is a statement that names no index which the database is to use, or not to: a copy has none.
func unhinted(sql string, q sqltext.Quoting) string {
	p := q.Phrase(sql)
	var b strings.Builder
	last := 0
	for i := 0; i < len(p.Words); i++ {
		n := 0 // how many words such a hint has
		switch w := p.Words[i]; {
		case w.Is("indexed") && p.At(i+1).Is("by"):
			n = 3
		case w.Is("not") && p.At(i+1).Is("indexed"):
			n = 2
		case w.Is("use", "force", "ignore") && p.At(i+1).Is("index", "key"):
			for open := i + 2; n == 0 && open < len(p.Words); open++ {
				if p.Words[open].Text == "(" {
					n = p.Close(open) + 1 - i
				}
			}
		}
		if n == 0 || i+n > len(p.Words) {
			continue
		}
		b.WriteString(strings.TrimRight(sql[last:p.Words[i].From], sqltext.Space))
		i += n - 1
		last = p.Words[i].To
	}
	return b.String() + sql[last:]
}

// after is what stands in a statement behind the first of a word.
func after(sql, word string, q sqltext.Quoting) string {
	at := 0
	for t := range q.Tokens(sql) {
		if at += len(t.Text); t.Is(word) {
			break
		}
	}
	return strings.TrimLeft(sql[at:], sqltext.Space)
}

// Lasting says whether the setting can be in force while transactions run: it changes sessions alone, and neither tables nor queries.
func (p *PlanSetting) Lasting() bool {
	return p.Each == "" && p.Copies == "" && !p.Opaque && !p.Unquantified
}

// SettingOf returns the statements that put a setting in force, by its name; none where the database has none of that name.
func (p *Profile) SettingOf(name string) []string {
	if s := p.PlanSetting(name); s != nil {
		return s.Set
	}
	return nil
}

// Settled is the setting at a place of a list, or the one before it, where that is rare: n draws a number below its argument.
func Settled(of []PlanSetting, at int, n func(int) int) string {
	if rare := of[at].Rare; rare > 1 && at > 0 && n(rare) > 0 {
		at--
	}
	return of[at].Name
}

// Alternatives are those settings under which statements can be planned otherwise.
func (p *Profile) Alternatives() []PlanSetting {
	return slices.DeleteFunc(slices.Clone(p.Plans), func(s PlanSetting) bool { return !s.Replans() })
}

// Replans says whether the setting is another plan, under which a replay can be executed once more.
func (p *PlanSetting) Replans() bool { return !p.Impatient && !p.LateKeys && len(p.Between) == 0 }

// Under is what is promised under a setting: the profile itself, unless keys are checked late. Then only that is judged which holds in a
// transaction that is going to be refused, too: nobody reads two rows with one key, no error comes that no statement causes, and the
// tables are whole in the end.
func (p *Profile) Under(s *PlanSetting) *Profile {
	if s == nil || !s.LateKeys {
		return p
	}
	late := *p
	late.KeysAtCommit, late.Claimed = true, nil
	late.Forbidden, late.Mechanisms.ConsistentRead, late.Mechanisms.Certifier, late.Order = nil, NoConsistentRead, NoCertifier, NoOrder
	late.NoReplay = "keys are checked when the transaction ends: what it did before may be of a state that never came to be"
	return &late
}

// Settings are those plan settings under which cases can be run.
func (p *Profile) Settings() []PlanSetting {
	return slices.DeleteFunc(slices.Clone(p.Plans), func(s PlanSetting) bool { return !s.Lasting() })
}

// PlanSetting returns a setting by its name, or one of those of which it is made; nil where the database has none of that name.
func (p *Profile) PlanSetting(name string) *PlanSetting {
	if i := slices.IndexFunc(p.Plans, func(s PlanSetting) bool { return s.Name == name }); i >= 0 {
		return &p.Plans[i]
	}
	return p.narrower(name)
}

// readsPart says whether a statement reads a part of a table, or the table as it was: of a copy that has the table's name all rows are read,
// whatever stands behind the name.
func readsPart(tokens []sqltext.Token) bool {
	for i, t := range tokens {
		switch {
		case t.Is("only", "tablesample"):
			return true
		case t.Is("partition") && i+1 < len(tokens) && tokens[i+1].Text == "(", t.Is("of") && i > 0 && tokens[i-1].Is("as"):
			return true
		}
	}
	return false
}
