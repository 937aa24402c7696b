package sqltext

import "slices"

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

// ReadTrigger reads CREATE TRIGGER name BEFORE|AFTER INSERT|UPDATE|DELETE ON table FOR EACH ROW and one statement, which may stand between
// BEGIN and END. ok is false for anything else.
func ReadTrigger(sql string) (t Trigger, ok bool) { return TriggerOf(Significant(sql, -1)) }

// TriggerOf is ReadTrigger of a statement's tokens without white space and comments.
func TriggerOf(tokens []Token) (t Trigger, ok bool) {
	const head = 10 // words before the body
	if len(tokens) <= head || !tokens[0].Is("create") || !tokens[1].Is("trigger") || !tokens[3].Is("before", "after") || !tokens[5].Is("on") ||
		!tokens[7].Is("for") || !tokens[8].Is("each") || !tokens[9].Is("row") {
		return t, false
	}
	events := map[string]Kind{"insert": Insert, "update": Update, "delete": Delete}
	event, known := events[lower(tokens[4].Text)]
	t.Event = event
	t.Name, _ = tokens[2].Ident()
	t.Table, _ = tokens[6].Ident()
	t.Body = tokens[head:]
	if n := len(t.Body); n > 3 && t.Body[0].Is("begin") && t.Body[n-2].Text == ";" && t.Body[n-1].Is("end") {
		t.Body, t.Block = t.Body[1:n-2], true
	}
	body := t.Body
	t.Replaces = Replaces(body)
	if !known || t.Name == "" || t.Table == "" || !body[0].Is("set", "insert", "replace", "update", "delete") ||
		slices.ContainsFunc(body, func(x Token) bool { return x.Text == ";" }) {
		return t, false
	}
	for i, x := range body {
		name, ident := x.Ident()
		if !ident || i+1 < len(body) && body[i+1].Text == "." && (name == "new" || name == "old") {
			continue
		}
		t.Named = append(t.Named, name)
		written := i == 1 && body[0].Is("update") || i == 2 && body[1].Is("into", "from")
		if written {
			t.Writes = name
		}
	}
	return t, body[0].Is("set") || t.Writes != ""
}
