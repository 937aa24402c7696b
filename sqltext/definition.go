package sqltext

import (
	"slices"
	"strconv"
	"strings"
)

// Definition is CREATE TABLE, cut into its text before the first column, the columns, keys and constraints, and
// the text after the last one. Definitions are read and edited as text, by tokens: a parser prints some of them in a
// form that other databases do not read, and reads none of another dialect.
type Definition struct {
	Name       string // in lower case
	Head, Tail string
	Items      []TableElement
}

// TableElement is one column, key or constraint of CREATE TABLE, as text (SQL's own word: <table element>).
type TableElement string

// ElementKind says what a TableElement defines.
type ElementKind uint8

// The kinds of items.
const (
	ColumnElement  ElementKind = iota
	PrimaryElement             // PRIMARY KEY
	KeyElement                 // INDEX, KEY, UNIQUE, FULLTEXT, SPATIAL
	CheckElement               // FOREIGN KEY, CHECK and what is not known
)

// SplitTable cuts CREATE TABLE into its parts; ok is false for what is none, or has no list of columns.
func SplitTable(sql string) (d Definition, ok bool) {
	s := Read(sql)
	if s.Creates() != "table" {
		return d, false
	}
	open := strings.IndexByte(sql, '(')
	parts, end := SplitList(sql, open)
	if open < 0 || end < 0 || len(parts) == 0 {
		return d, false
	}
	d = Definition{Name: s.Target, Head: sql[:open+1], Tail: sql[end:]}
	for _, p := range parts {
		d.Items = append(d.Items, TableElement(p))
	}
	return d, true
}

// Text returns the definition as SQL.
func (d Definition) Text() string {
	parts := make([]string, len(d.Items))
	for i, x := range d.Items {
		parts[i] = string(x)
	}
	return d.Head + strings.Join(parts, ", ") + d.Tail
}

// SplitList cuts the list in the parentheses that open at sql[open] at its commas, white space trimmed off; end is
// where the closing parenthesis is, -1 if there is none.
func SplitList(sql string, open int) (parts []string, end int) {
	if open < 0 {
		return nil, -1
	}
	at, depth, start := 0, 0, open+1
	for t := range Tokens(sql) {
		from := at
		at += len(t.Text)
		if from < open {
			continue
		}
		depth += t.Nesting()
		if depth == 1 && t.Text == "," || depth == 0 {
			parts = append(parts, strings.TrimSpace(sql[start:from]))
			start = at
		}
		if depth == 0 {
			return parts, from
		}
	}
	return nil, -1
}

// Kind returns what the item defines, and the column's name in lower case if it is one.
func (x TableElement) Kind() (name string, kind ElementKind) {
	tokens := x.body()
	if len(tokens) == 0 {
		return "", CheckElement
	}
	switch {
	case tokens[0].Is("primary"):
		return "", PrimaryElement
	case tokens[0].Is("index", "key", "unique", "fulltext", "spatial"), excludes(tokens):
		return "", KeyElement
	case tokens[0].Is("foreign", "check", "constraint"):
		return "", CheckElement
	}
	name, ok := tokens[0].Ident()
	if !ok {
		return "", CheckElement
	}
	return name, ColumnElement
}

// excludes says whether a constraint is EXCLUDE USING …, which PostgreSQL has: with = it makes columns unique.
func excludes(tokens []Token) bool {
	return len(tokens) > 2 && tokens[0].Is("exclude") && (tokens[1].Is("using") || tokens[1].Text == "(")
}

// body returns the item's tokens without CONSTRAINT and its name.
func (x TableElement) body() []Token {
	tokens := Significant(string(x), -1)
	if len(tokens) > 2 && tokens[0].Is("constraint") {
		if tokens[1].Is("primary", "unique", "foreign", "check") || excludes(tokens[1:]) {
			return tokens[1:]
		}
		return tokens[2:]
	}
	return tokens
}

// IsUnique says whether the item makes columns unique.
func (x TableElement) IsUnique() bool {
	return excludes(x.body()) || slices.ContainsFunc(Significant(string(x), -1), func(t Token) bool { return t.Is("unique") })
}

// Names returns the columns that the item concerns: the column itself, or those in a key's parentheses.
func (x TableElement) Names() []string {
	if name, kind := x.Kind(); kind == ColumnElement {
		return []string{name}
	}
	names, _ := keyColumns(string(x))
	return names
}

// KeyName returns the name of an index or of a unique constraint: the word after CONSTRAINT, or the one before the
// parentheses where that is no keyword.
func (x TableElement) KeyName() (string, bool) {
	tokens := Significant(string(x), -1)
	if tokens[0].Is("constraint") && len(tokens) > 1 {
		return tokens[1].Ident()
	}
	at := slices.IndexFunc(tokens, func(t Token) bool { return t.Text == "(" })
	if at < 1 || tokens[at-1].Is("index", "key", "unique", "fulltext", "spatial") {
		return "", false
	}
	return tokens[at-1].Ident()
}

// keyColumns returns the columns in the first parentheses of a key's definition, and whether one of its parts is an
// expression.
func keyColumns(sql string) (names []string, expression bool) {
	parts, expression := keyParts(sql)
	for _, p := range parts {
		names = append(names, p.Column)
	}
	return names, expression
}

// keyParts is keyColumns with the lengths of prefixes.
func keyParts(sql string) (out []KeyPart, expression bool) {
	parts, _ := SplitList(sql, strings.IndexByte(sql, '('))
	for _, p := range parts {
		tokens := Significant(p, 4)
		if len(tokens) == 0 {
			continue
		}
		name, ok := tokens[0].Ident()
		length := prefixLength(tokens)
		if !ok || len(tokens) > 1 && tokens[1].Text == "(" && length == 0 {
			expression = true
			continue
		}
		out = append(out, KeyPart{Column: name, Prefix: length})
	}
	return out, expression
}

// prefixLength returns the length of the prefix that a part of a key holds of its column; 0 where it is no prefix.
func prefixLength(t []Token) int {
	if len(t) < 4 || t[1].Text != "(" || t[3].Text != ")" {
		return 0
	}
	n, err := strconv.Atoi(t[2].Text)
	if err != nil {
		return 0
	}
	return n
}

// Index is what CREATE INDEX says. Names are in lower case.
type Index struct {
	Name    string
	Table   string
	Columns []string
	Unique  bool
	// Expression says that a part of it is computed, from columns that Columns does not name.
	Expression bool
}

// ReadIndex reads CREATE INDEX; ok is false for other statements.
func ReadIndex(sql string) (x Index, ok bool) {
	s := Read(sql)
	if s.Creates() != "index" || s.Target == "" {
		return x, false
	}
	x.Table = s.Target
	x.Columns, x.Expression = keyColumns(sql)
	for i, t := range s.Tokens {
		x.Unique = x.Unique || t.Is("unique")
		if !t.Is("index") {
			continue
		}
		if s.Tokens[min(i+1, len(s.Tokens)-1)].Is("if") {
			i += 3
		}
		if i+2 < len(s.Tokens) && s.Tokens[i+1].Is("concurrently") && !s.Tokens[i+2].Is("on") {
			i++
		}
		if i+1 < len(s.Tokens) {
			x.Name, _ = s.Tokens[i+1].Ident()
		}
		break
	}
	return x, true
}
