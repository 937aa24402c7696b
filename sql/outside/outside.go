// Package outside tells which values of a script come from elsewhere than its statements and the contents of its
// tables: the clock, chance, counters that no transaction puts back, the session. Two runs of the same statements need
// not agree in them, in whatever order.
//
// It follows them by the trees: from the functions and the defaults of columns (sql/functions) into the columns that
// are written, from there into what queries print and by what they find their rows.
package outside

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// Source is where a value comes from.
type Source uint8

// The sources.
const (
	None    Source = iota // statements and tables
	Counter               // numbers that the database hands out: AUTO_INCREMENT, SERIAL, sequences
	Clock
	Chance
	Session // connections, their numbers and settings, and what they did before
	Locks   // which rows others have locked at that moment (SKIP LOCKED)
	Loose   // tables of engines that know no transactions: what is written there is there at once, and stays
)

// String says it as what something holds or prints.
func (s Source) String() string {
	return [...]string{"nothing else than its statements give it", "numbers that the database hands out", "the clock",
		"chance", "the session itself", "the locks of others", "an engine without transactions"}[s]
}

// or is a source that either of two is.
func (s Source) or(other Source) Source { return cmp.Or(s, other) }

// place is a column of a table, both in lower case.
type place struct{ table, column string }

// Values are what is known of a script's values.
type Values struct {
	syntax    *sqltext.Syntax
	tables    map[string]*relation
	columns   map[place]Source
	rows      map[string]Source // of tables of which it depends on such a value which rows they have
	sequences map[string]bool   // those that the script makes
	bodies    map[string]string // of functions, as texts
	routines  map[string]*routine
	variables map[string]Source // of sessions, with their @
	engine    string            // that a session gives the tables it makes, in lower case; "": the usual one
	changed   bool
}

// relation is a table or a view.
type relation struct {
	columns  []sqltext.Column
	defaults map[string]Source // by column, where it is none of the statement's
	stamps   map[string]Source // what an UPDATE gives that does not write the column
	made     map[string]sql.Expr
	query    *sql.Query // of a view
	read     bool       // the view is being read
	// last is the highest number that the set-up has its counter at or below; what sessions get is above. -1: not known.
	last int64
}

// Follow follows the values of a script from its set-up through the statements of its sessions, whatever their order.
func Follow(syntax *sqltext.Syntax, setup, steps []string) *Values {
	v := &Values{syntax: syntax, tables: map[string]*relation{}, columns: map[place]Source{}, rows: map[string]Source{},
		sequences: map[string]bool{}, bodies: map[string]string{}, routines: map[string]*routine{},
		variables: map[string]Source{}}
	v.defined(append(append([]string{}, setup...), steps...))
	for _, text := range setup {
		if stmt, err := syntax.Tree.Parse(text); err == nil {
			v.count(stmt)
		}
	}
	for v.changed = true; v.changed; {
		v.changed = false
		for _, text := range setup {
			v.follow(text, true, "")
		}
		for _, text := range steps {
			v.follow(text, false, "")
			v.assigned(text)
			v.markWritten(text, v.calls(text))
		}
		for _, name := range slices.Sorted(maps.Keys(v.routines)) {
			v.within(v.routines[name])
		}
		v.compute()
	}
	return v
}

// defined takes the tables, views, sequences and routines that statements make.
func (v *Values) defined(texts []string) {
	for _, text := range texts {
		stmt, err := v.syntax.Tree.Parse(text)
		name, r := v.routineOf(text)
		if inner, own := v.textWithin(text); own != nil {
			v.routines[inner] = own
		}
		switch {
		case err == nil:
			if v.define(stmt); r != nil {
				if r.table == "" {
					r.body = v.bodies[name]
				}
				v.routines[name] = r
			}
		case r != nil:
			v.routines[name] = r
		default:
			v.defineSequence(v.syntax.Quoting.Read(text).Tokens)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.routines)) {
		v.routines[name].begin(v)
	}
}

// defineSequence takes the sequence that a statement makes which is in no dialect's tree.
func (v *Values) defineSequence(tokens []sqltext.Token) {
	at := slices.IndexFunc(tokens[:min(4, len(tokens))], func(t sqltext.Token) bool { return t.Is("sequence") })
	for i := at + 1; at >= 0 && i < len(tokens); i++ {
		if name, ok := tokens[i].Ident(); ok && !tokens[i].Is("if", "not", "exists") {
			v.sequences[name] = true
			return
		}
	}
}

// Column is where what a column of a table holds comes from.
func (v *Values) Column(table, column string) Source {
	return v.columns[place{strings.ToLower(table), strings.ToLower(column)}]
}

// Rows is by what it is decided which rows a table has.
func (v *Values) Rows(table string) Source { return v.rows[strings.ToLower(table)] }

// define takes the tables, views and sequences that a statement makes.
func (v *Values) define(stmt sql.Stmt) {
	switch n := stmt.(type) {
	case *sql.Sequence:
		v.sequences[n.Name.Name.Folded()] = true
	case *sql.CreateView:
		r := &relation{query: n.Query}
		for _, name := range n.Columns {
			r.columns = append(r.columns, sqltext.Column{Name: name.Folded()})
		}
		v.tables[n.Name.Name.Folded()] = r
	case *sql.CreateTable:
		v.defineTable(n)
	case *sql.CreateFunction:
		for _, o := range n.Options {
			if l, ok := o.Value.(*sql.Literal); ok && o.Words == "AS" {
				v.bodies[n.Name.Name.Folded()] = undollared(l.Characters())
			}
		}
	case *sql.Set:
		for _, s := range n.Settings {
			if name := settingName(s.Target); name == "default_storage_engine" || name == "storage_engine" {
				v.engine = engineName(s.Value)
			}
		}
	case *sql.AlterTable:
		v.altered(n)
	}
}

// altered takes the columns and the engine that a table is given.
func (v *Values) altered(n *sql.AlterTable) {
	table := n.Table.Name.Folded()
	sql.Walk(n, func(x sql.Node) bool {
		switch x := x.(type) {
		case *sql.AddColumn:
			if r := v.tables[table]; r != nil {
				r.add(v.syntax.Tree, []*sql.ColumnDef{x.Column})
			}
		case *sql.Option:
			if x.Words == "ENGINE" && v.loose(engineName(x.Value)) {
				v.markRows(table, Loose)
			}
		}
		return true
	})
}

// undollared is a text without the $$, or $word$, around it.
func undollared(text string) string {
	if parts := strings.SplitN(text, "$", 3); len(parts) == 3 && parts[0] == "" {
		return strings.TrimSuffix(parts[2], "$"+parts[1]+"$")
	}
	return text
}

func (v *Values) defineTable(n *sql.CreateTable) {
	name := n.Name.Name.Folded()
	r := &relation{defaults: map[string]Source{}, stamps: map[string]Source{}, made: map[string]sql.Expr{}}
	if n.Like != nil {
		if like := v.tables[n.Like.Name.Folded()]; like != nil {
			own := *like
			r, r.last = &own, 0
			v.markRows(name, v.looseRows(n.Like.Name.Folded()))
		}
	}
	if v.tables[name] != nil { // made anew, or only where it is not there
		return
	}
	if v.loose(v.engineOf(n)) {
		v.markRows(name, Loose)
	}
	r.add(v.syntax.Tree, n.Columns)
	if n.As != nil {
		for _, o := range v.scopeIn("").query(n.As).outputs {
			r.columns = append(r.columns, sqltext.Column{Name: o.name})
		}
	}
	v.tables[name] = r
}

// loose says whether an engine knows no transactions.
func (v *Values) loose(engine string) bool {
	return slices.Contains(v.syntax.Admission.LooseEngines, engine)
}

// engineOf is the engine of a table, in lower case: by default that of the session.
func (v *Values) engineOf(n *sql.CreateTable) string {
	engine := v.engine
	for _, o := range n.Options {
		if o.Words == "ENGINE" {
			engine = engineName(o.Value)
		}
	}
	return engine
}

// engineName is an engine as a name or a literal, in lower case.
func engineName(x sql.Expr) string {
	switch x := x.(type) {
	case *sql.Column:
		return x.Name.Folded()
	case *sql.Literal:
		return strings.ToLower(x.Characters())
	}
	return ""
}

// settingName is the setting that a SET names, in lower case, without its scope.
func settingName(x sql.Expr) string {
	switch x := x.(type) {
	case *sql.Column:
		return x.Name.Folded()
	case *sql.Variable:
		name := strings.ToLower(strings.TrimPrefix(x.Text, "@@"))
		return strings.TrimPrefix(strings.TrimPrefix(name, "session."), "local.")
	}
	return ""
}

// looseRows is Loose for a table of such an engine.
func (v *Values) looseRows(table string) Source {
	if v.rows[table] == Loose {
		return Loose
	}
	return None
}

// add takes columns in.
func (r *relation) add(d *sql.Dialect, list []*sql.ColumnDef) {
	if len(list) == 0 {
		return
	}
	text, err := d.Print(&sql.CreateTable{Name: &sql.Object{Name: &sql.Name{Value: "t"}}, Columns: list})
	if err != nil {
		return
	}
	read := sqltext.ReadSchema(d, []string{text}).Table("t")
	if read == nil {
		return
	}
	r.columns = append(r.columns, read.Columns...)
	for _, def := range list {
		name := def.Name.Folded()
		for _, c := range def.Constraints {
			switch c := c.(type) {
			case *sql.Default:
				r.defaults[name] = called(c.X)
			case *sql.Attribute:
				if c.Words == "ON UPDATE" && c.Value != nil {
					r.stamps[name] = called(c.Value)
				}
			case *sql.Generated:
				r.made[name] = c.X
			}
		}
	}
}

// called is where the functions of an expression have their values from that names no columns.
func called(x sql.Node) (out Source) {
	sql.Walk(x, func(n sql.Node) bool {
		out = out.or(ofCall(n))
		return true
	})
	return out
}

// moments are texts that are the time where a time is expected (postgresql.org/docs, Special Date/Time Inputs).
var moments = []string{"now", "today", "tomorrow", "yesterday"}

// ofCall is where a function, or what is written without parentheses, has its value from.
func ofCall(n sql.Node) Source {
	switch x := n.(type) {
	case *sql.Niladic:
		return ofFunction(strings.ToLower(x.Word), 0, nil)
	case *sql.Call:
		var texts []string
		for _, arg := range x.Args {
			if l, ok := sql.Bare(arg).(*sql.Literal); ok && l.Kind == sql.Text {
				texts = append(texts, l.Characters())
			}
		}
		return ofFunction(x.Name.Folded(), len(x.Args), texts)
	case *sql.Cast:
		if l, ok := sql.Bare(x.X).(*sql.Literal); ok && isMoment(l.Characters()) && isTime(x.Type) {
			return Clock
		}
	case *sql.TypedLiteral:
		if isMoment(strings.Trim(x.Text, "'")) && sqltext.ClassOf(firstWord(x.Type)) == sqltext.Temporal {
			return Clock
		}
	}
	return None
}

func isMoment(text string) bool {
	return slices.Contains(moments, strings.ToLower(text))
}

func isTime(t *sql.Type) bool {
	return t != nil && (sqltext.ClassOf(firstWord(t.Words)) == sqltext.Temporal || strings.EqualFold(firstWord(t.Words),
		"timestamptz"))
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// ofFunction is where the value of a call of a function comes from.
func ofFunction(name string, arguments int, texts []string) Source {
	if !functions.Varies(name, arguments, texts) {
		return None
	}
	f, _ := functions.Of(name)
	if f.Effect == functions.Waits { // it gives 0 unless it is interrupted (dev.mysql.com/doc/refman, SLEEP)
		return None
	}
	switch f.Volatility {
	case functions.OfClock, functions.UnlessGiven, functions.OfOneAlone, functions.UnlessATime:
		return Clock
	case functions.OfChance:
		return Chance
	case functions.OfCounter:
		return Counter
	}
	return Session
}
