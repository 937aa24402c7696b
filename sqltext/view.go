package sqltext

import (
	"slices"
	"strings"
)

// ViewDefinition is a view of a case: a query under a name.
type ViewDefinition struct {
	Name  string // in lower case
	Query string
}

// Trigger is a trigger of a case with one statement as its body.
type Trigger struct {
	Name, Table string // in lower case
	Event       Kind   // Insert, Update or Delete
	Named       []string
	Writes      string // the table that its body writes, in lower case; "": none but the row that fires it
	Replaces    bool   // its body is REPLACE
	Body        []Token
	Block       bool // its body stands between BEGIN and END, which are not of Body
	Before, Of  bool // it is fired before its row is written; by an UPDATE of some columns alone
	// Condition is that of a row which fires it, as it is written, "" where each does, and Does its body, where that stands in a block.
	Condition, Does string
}

// Sets returns the first column that the trigger gives the row that fires it, of those which a predicate picks; "" where it gives none of these.
func (t *Trigger) Sets(picked func(column string) bool) string {
	for i := 1; i+3 < len(t.Body); i++ {
		if !t.Body[i].Is("new") || t.Body[i+1].Text != "." || t.Body[i+3].Text != "=" || !t.Body[i-1].Is("set") && t.Body[i-1].Text != "," {
			continue
		}
		if name, ok := t.Body[i+2].Ident(); ok && picked(name) {
			return name
		}
	}
	return ""
}

// View returns the view of that name, or nil.
func (s *Schema) View(name string) *ViewDefinition {
	i := slices.IndexFunc(s.Views, func(v ViewDefinition) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Views[i]
}

// Fired returns the triggers of a table that a statement of a kind fires.
func (s *Schema) Fired(table string, kind Kind) []Trigger {
	return s.triggers(func(t Trigger) bool { return t.Table == table && t.Event == kind })
}

// On returns the triggers of a table.
func (s *Schema) On(table string) []Trigger {
	return s.triggers(func(t Trigger) bool { return t.Table == table })
}

func (s *Schema) triggers(of func(Trigger) bool) []Trigger {
	return slices.DeleteFunc(slices.Clone(s.Triggers), func(t Trigger) bool { return !of(t) })
}

// ReadView reads CREATE VIEW. ok is false for anything else, and for a view that names its columns before the query.
func ReadView(sql string) (v ViewDefinition, ok bool) {
	s := Read(sql)
	if s.Creates() != "view" || s.Target == "" {
		return v, false
	}
	v.Name = s.Target
	at, named := 0, false
	for t := range Tokens(sql) {
		at += len(t.Text)
		name, ident := t.Ident()
		switch {
		case named && t.Is("as"):
			v.Query = sql[at:]
			return v, true
		case named && t.Text == "(":
			return v, false
		}
		named = named || ident && name == v.Name
	}
	return v, false
}

// Replaces says whether a statement, by its first tokens, is REPLACE or INSERT OR REPLACE.
func Replaces(tokens []Token) bool {
	return slices.ContainsFunc(tokens[:min(3, len(tokens))], func(t Token) bool { return t.Is("replace") })
}

// ReadTrigger reads CREATE TRIGGER name, BEFORE or AFTER, INSERT, UPDATE or DELETE, ON table FOR EACH ROW and one statement; or what SQLite
// takes, which may leave FOR EACH ROW out and have OF columns, WHEN and a condition, and has the statement between BEGIN and END. ok is
// false for anything else.
func ReadTrigger(sql string) (t Trigger, ok bool) {
	if t, ok = TriggerOf(Significant(sql, -1)); !ok || !t.Block {
		return t, ok
	}
	when, begin, end, at := -1, -1, -1, 0 // where these words begin, and the last semicolon does
	for x := range Tokens(sql) {
		switch {
		case begin < 0 && when < 0 && x.Is("when"):
			when = at
		case begin < 0 && x.Is("begin"):
			begin = at
		case x.Text == ";":
			end = at
		}
		at += len(x.Text)
	}
	if when >= 0 {
		t.Condition = strings.TrimSpace(sql[when+len("when") : begin])
	}
	t.Does = strings.TrimSpace(sql[begin+len("begin") : end])
	return t, ok
}

// TriggerOf is ReadTrigger of a statement's tokens without white space and comments.
func TriggerOf(tokens []Token) (t Trigger, ok bool) {
	const head = 7 // words up to the table, at least
	if len(tokens) <= head || !tokens[0].Is("create") || !tokens[1].Is("trigger") || !tokens[3].Is("before", "after") {
		return t, false
	}
	events := map[string]Kind{"insert": Insert, "update": Update, "delete": Delete}
	event, known := events[lower(tokens[4].Text)]
	t.Event, t.Before, t.Of = event, tokens[3].Is("before"), tokens[5].Is("of")
	t.Name, _ = tokens[2].Ident()
	on := slices.IndexFunc(tokens, func(x Token) bool { return x.Is("on") })
	if !known || t.Name == "" || on < 0 || on+2 >= len(tokens) || on > 5 && !(event == Update && tokens[5].Is("of")) {
		return t, false
	}
	t.Table, _ = tokens[on+1].Ident()
	rest := tokens[on+2:]
	each := len(rest) > 3 && rest[0].Is("for") && rest[1].Is("each") && rest[2].Is("row")
	if each {
		rest = rest[3:]
	}
	t.Body = rest
	if n := len(rest); n > 3 && rest[n-2].Text == ";" && rest[n-1].Is("end") {
		begin := slices.IndexFunc(rest, func(x Token) bool { return x.Is("begin") })
		if begin < 0 || begin > 0 && !rest[0].Is("when") {
			return t, false
		}
		t.Body, t.Block = rest[begin+1:n-2], true
		t.names(rest[:begin])
	}
	t.Replaces = Replaces(t.Body)
	if t.Table == "" || !t.Block && (!each || on > 5) || len(t.Body) < 2 || !t.Body[0].Is("set", "insert", "replace", "update", "delete") ||
		slices.ContainsFunc(t.Body, func(x Token) bool { return x.Text == ";" }) {
		return t, false
	}
	t.names(t.Body)
	for i, x := range t.Body {
		if written := i == 1 && t.Body[0].Is("update") || i == 2 && t.Body[1].Is("into", "from"); written {
			t.Writes, _ = x.Ident()
		}
	}
	return t, t.Body[0].Is("set") || t.Writes != ""
}

// names notes what some tokens may name, but for the columns of the row.
func (t *Trigger) names(tokens []Token) {
	for i, x := range tokens {
		name, ident := x.Ident()
		if ident && !(i+1 < len(tokens) && tokens[i+1].Text == "." && (name == "new" || name == "old")) {
			t.Named = append(t.Named, name)
		}
	}
}
