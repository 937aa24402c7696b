package dbms

import (
	"slices"
	"strings"

	sqltree "txweave/sql"
	"txweave/sql/respell"
	"txweave/sql/sqltext"
)

// PlanSetting is a way to have the same statements executed by other means: without secondary indexes, by other
// algorithms of the optimizer, over another protocol. No answer may depend on it but in what SQL leaves open.
type PlanSetting struct {
	Name string // as a case's header names it
	// Set are statements for the session before the case's own, Unset those that undo them. A database that refuses one of
	// Set has no such setting.
	Set, Unset []string
	// Each is a query whose rows are statements that are sent first, each as far as the database takes it. They change how
	// tables are kept: these are made anew afterwards. "": none.
	Each string
	// Prepared says that statements are prepared and executed, and queries executed twice, over the binary protocol; or,
	// where there is AsText, in statements of their own, by which a statement is prepared and executed under a name.
	Prepared bool
	AsText   func(name, sql string) (prepare, execute string)
	// InText is AsText for scripts alone, which have no protocol: what a statement is answered so may differ.
	InText func(name, sql string) (prepare, execute string)
	// Parameters says that values stand beside the statements, which the planner then does not know; nil: in them.
	Parameters *Parameters
	// Impatient says that nobody waits long for a lock: a statement that has to is waited for until the server gives it
	// up. It is no other plan, but a setting under which cases are run.
	Impatient bool
	// LateKeys says that a transaction is not told of a duplicate key before its end: what it reads until then, and what
	// it writes, may be of a state that never comes to be. It is no other plan either.
	LateKeys bool
	// Between are statements of a session of its own whenever a transaction has ended, with a table that nobody else uses
	// for each %s: they set off what the database else does now and then. It is no other plan either.
	Between []string
	// Rare is how often, of so many times that it is drawn, it is taken, for it costs much: at the others the setting
	// before it in the list is. 0: always.
	Rare int
	// Covers are words by which lists of bugs call what the setting brings.
	Covers []string
	// Copies says that queries read copies of the tables in their place; nil: they stay as they are.
	Copies *respell.Copies
	// Opaque says that each condition is the value of a CASE, into which no planner looks (respell.Opaque).
	Opaque bool
	// Unquantified says that comparisons with the rows of a subquery are said by EXISTS (respell.Unquantified).
	Unquantified bool
	// Respelled says that what is asked is said by other words (respell.Respelled).
	Respelled bool
	// Dialect is how statements are read and printed for these five.
	Dialect *sqltree.Dialect
	// Unfired says that triggers are dropped where that is known how to: what they do is sent in statements of its own,
	// for each row that fires them.
	Unfired bool
}

// OpaqueName is the setting under which the planner learns nothing from conditions, and makes no join of subqueries.
const OpaqueName = "opaque-conditions"

// OpaqueConditions is that setting.
func OpaqueConditions(d *sqltree.Dialect) PlanSetting {
	return PlanSetting{Name: OpaqueName, Opaque: true, Unquantified: true, Dialect: d}
}

// Parameters is how a database is given values beside a statement.
type Parameters struct {
	// Mark spells the parameter of a number, from 1.
	Mark func(n int) string
	// Typed says that a parameter has the type of what it stands beside, where a literal has its own
	// (dev.mysql.com/doc, PREPARE Statement).
	Typed bool
	// AsText are statements of their own by which that is done: what prepares the statement, what executes it with the
	// values, what forgets it. nil: the client's protocol has it.
	AsText func(text string, values []*sqltree.Literal) (prepare, execute, forget string)
}

// Beside returns a statement over a schema with parameters in it, and their values in order; none where it has no value
// that can stand beside it.
func (p *PlanSetting) Beside(sql string, schema *sqltext.Schema) (text string, values []*sqltree.Literal) {
	stmt, err := p.Dialect.Parse(sql)
	if err != nil {
		return sql, nil
	}
	if !p.Parameters.Typed {
		schema = nil
	}
	if stmt, values = respell.Parameters(stmt, schema, p.Parameters.Mark); len(values) == 0 {
		return sql, nil
	}
	if text, err = p.Dialect.Print(stmt); err != nil {
		return sql, nil
	}
	return text, values
}

// Replanned is a statement as a client has it planned otherwise: what is sent before it, the statement that answers,
// and what is sent after it.
type Replanned struct {
	Before []string
	Stmt   string
	After  []string
}

// InScript is InWords for a script, which prepares a statement by others where the setting does so over the client's
// protocol: its parameters are given their values then.
func (p *PlanSetting) InScript(sql string, schema *sqltext.Schema) *Replanned {
	if p.InText == nil {
		return p.InWords(sql, schema)
	}
	text, values := p.Query(sql), []*sqltree.Literal(nil)
	if p.Parameters != nil {
		text, values = p.Beside(text, schema)
	}
	prepare, execute := p.InText("s", text)
	var given []string
	for _, v := range values {
		given = append(given, v.Text)
	}
	if len(given) > 0 {
		execute += " USING " + strings.Join(given, ", ")
	}
	w := &Replanned{Before: []string{prepare}, Stmt: execute}
	if !sqltext.KindOf(sql).Writes() {
		w.Before = append(w.Before, execute)
	}
	return w
}

// InWords is how a client has a statement planned as the setting says, once Set is in force: as Query says it, or
// prepared and executed, a query twice, as the second time the database has its plan already. nil where no statements
// say so: the client's protocol does, or how tables are kept is changed first.
func (p *PlanSetting) InWords(sql string, schema *sqltext.Schema) *Replanned {
	var prepare, execute, forget string
	switch {
	case p.Each != "" || p.Unfired && len(schema.Triggers) > 0:
		return nil
	case p.Parameters != nil && p.Parameters.AsText != nil:
		text, values := p.Beside(sql, schema)
		if len(values) == 0 {
			return &Replanned{Stmt: sql}
		}
		prepare, execute, forget = p.Parameters.AsText(text, values)
	case p.Prepared && p.AsText != nil:
		prepare, execute = p.AsText("s", p.Query(sql)) // the next one takes its place
	case p.Prepared:
		return nil
	default:
		return &Replanned{Stmt: p.Query(sql)}
	}
	w := &Replanned{Before: []string{prepare}, Stmt: execute}
	if !sqltext.KindOf(sql).Writes() {
		w.Before = append(w.Before, execute)
	}
	if forget != "" {
		w.After = []string{forget}
	}
	return w
}

// Query returns a statement as it is said under the setting. One that is not read as a tree stays.
func (p *PlanSetting) Query(sql string) string {
	if p == nil || p.Dialect == nil {
		return sql
	}
	stmt, err := p.Dialect.Parse(sql)
	if err != nil {
		return sql
	}
	if p.Unquantified {
		stmt = respell.Unquantified(stmt)
	}
	if p.Opaque {
		stmt = respell.Opaque(stmt)
	}
	if p.Copies != nil {
		stmt = respell.Unhinted(stmt)
	}
	if p.Respelled {
		stmt = respell.Respelled(stmt)
	}
	if p.Copies != nil {
		stmt = p.Copies.Query(stmt)
	}
	if told, err := p.Dialect.Print(stmt); err == nil {
		return told
	}
	return sql
}

// Plainer is the setting for a statement that answers many rows: by other words it would go through all of them for
// each.
func (p *PlanSetting) Plainer() *PlanSetting {
	if p == nil || !p.Respelled {
		return p
	}
	plain := *p
	plain.Respelled = false
	return &plain
}

// Lasting says whether the setting can be in force while transactions run: it changes sessions alone, and neither
// tables nor queries.
func (p *PlanSetting) Lasting() bool {
	return p.Each == "" && p.Copies == nil && !p.Opaque && !p.Unquantified &&
		(p.Parameters == nil || p.Parameters.AsText == nil)
}

// SettingOf returns the statements that put a setting in force, by its name; none where the database has none of that
// name.
func (p *Profile) SettingOf(name string) []string {
	if s := p.PlanSetting(name); s != nil {
		return s.Set
	}
	return nil
}

// Settled is the setting at a place of a list, or the one before it, where that is rare: n draws a number below its
// argument.
func Settled(of []PlanSetting, at int, n func(int) int) string {
	if rare := of[at].Rare; rare > 1 && at > 0 && n(rare) > 0 {
		at--
	}
	return of[at].Name
}

// Alternatives are those settings under which statements can be planned otherwise.
func (p *Profile) Alternatives() []PlanSetting {
	return slices.DeleteFunc(slices.Clone(p.Variants.Plans), func(s PlanSetting) bool { return !s.Replans() })
}

// Replans says whether the setting is another plan, under which a replay can be executed once more.
func (p *PlanSetting) Replans() bool { return !p.Impatient && !p.LateKeys && len(p.Between) == 0 }

// Under is what is promised under a setting: the profile itself, unless keys are checked late. Then only that is judged
// which holds in a transaction that is going to be refused, too: nobody reads two rows with one key, no error comes
// that no statement causes, and the tables are whole in the end.
func (p *Profile) Under(s *PlanSetting) *Profile {
	if s == nil || !s.LateKeys {
		return p
	}
	late := *p
	late.Errors.KeysAtCommit, late.Claimed = true, nil
	late.Guarantees.Forbidden, late.Guarantees.Mechanisms.ConsistentRead, late.Guarantees.Mechanisms.Certifier,
		late.Order = nil, NoConsistentRead,
		NoCertifier, NoOrder
	late.Guarantees.NoReplay =
		"keys are checked when the transaction ends: what it did before may be of a state that never came to be"
	return &late
}

// Settings are those plan settings under which cases can be run.
func (p *Profile) Settings() []PlanSetting {
	return slices.DeleteFunc(slices.Clone(p.Variants.Plans), func(s PlanSetting) bool { return !s.Lasting() })
}

// PlanSetting returns a setting by its name, or one of those of which it is made; nil where the database has none of
// that name.
func (p *Profile) PlanSetting(name string) *PlanSetting {
	if i := slices.IndexFunc(p.Variants.Plans, func(s PlanSetting) bool { return s.Name == name }); i >= 0 {
		return &p.Variants.Plans[i]
	}
	return p.narrower(name)
}
