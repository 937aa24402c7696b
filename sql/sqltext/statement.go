package sqltext

import (
	"slices"
	"strings"

	"txweave/internal/recent"
)

// TableName is a table as a statement names it. The parts are unquoted, in lower case.
type TableName struct {
	Qualifier string // database or schema; "" without one
	Name      string
	Text      string // as it is written, quotes included
	column    bool   // it may as well be a column: it follows a comma of RETURNING
}

// String returns the name as it is written, without quotes.
func (n TableName) String() string {
	if n.Qualifier == "" {
		return n.Name
	}
	return n.Qualifier + "." + n.Name
}

// Statement is one SQL statement as far as its tokens tell.
type Statement struct {
	Kind   Kind
	Tokens []Token // without white space and comments
	// Named are the names in places where a table stands, in order, each as often as it occurs: common table
	// expressions and DUAL too. Where a clause cannot be told from another one it holds more rather than less.
	Named []TableName
	// Target is the table or view that the statement writes or defines, on which it defines an index; "" for none.
	Target  string
	Written string // the target as it is written, quotes included
	Open    bool   // a literal, a name or a comment in it does not end
}

// Read understands a statement by FileQuoting.
func Read(sql string) Statement { return FileQuoting.Read(sql) }

// quoted is a text under its rules of quoting.
type quoted struct {
	quoting Quoting
	sql     string
}

// read keeps the statements that were read last: nobody changes their tokens and names.
var read = recent.New[quoted, Statement](512)

// longestKept is how long a statement may be that is kept, in bytes.
const longestKept = 8 << 10

// Read understands one statement. Of a text that holds more than one it describes the first.
func (q Quoting) Read(sql string) Statement {
	if len(sql) > longestKept {
		return q.read(sql)
	}
	s, ok := read.Get(quoted{q, sql})
	if !ok {
		s = q.read(sql)
		s.Tokens, s.Named = slices.Clip(s.Tokens), slices.Clip(s.Named) // whoever adds to them has others
		read.Put(quoted{q, sql}, s)
	}
	return s
}

func (q Quoting) read(sql string) Statement {
	s := Statement{Tokens: make([]Token, 0, len(sql)/4+4)}
	for i := 0; i < len(sql); {
		t := q.Next(sql, i)
		i += len(t.Text)
		s.Open = s.Open || t.Open
		if t.Kind != Blank && t.Kind != Comment {
			s.Tokens = append(s.Tokens, t)
		}
	}
	body := s.Tokens
	if len(body) > 0 && body[0].Is("with") {
		body = afterWith(body)
		if len(body) == 0 {
			body = s.Tokens
		}
	}
	s.Kind = kindOf(body)
	f := finder{tokens: s.Tokens, kind: s.Kind, body: len(s.Tokens) - len(body)}
	f.run()
	s.Named = f.named
	if f.target >= 0 && f.target < len(f.named) && s.Kind != Select {
		s.Target, s.Written = f.named[f.target].Name, f.named[f.target].Text
	}
	return s
}

// Verb returns SELECT for a statement that returns rows, the name of its kind for one that writes them behind a WITH
// clause, and else the first word in capitals, "" if there is none.
func Verb(sql string) string {
	s := Read(sql)
	switch {
	case s.Kind == Select && len(s.Tokens) > 0:
		return "SELECT"
	case len(s.Tokens) > 0 && s.Tokens[0].Is("with"):
		return strings.ToUpper(s.Kind.String())
	}
	return FirstWord(sql)
}

// FirstWord returns the statement's first word in capitals, parentheses before it left out; "" if it has none.
func FirstWord(sql string) string {
	for t := range Tokens(sql) {
		if t.Kind == Word {
			return strings.ToUpper(t.Text)
		}
		if t.Kind != Blank && t.Kind != Comment && t.Text != "(" {
			break
		}
	}
	return ""
}

// BeginOptions returns the words, in capitals, by which a statement that opens a transaction asks for more than BEGIN.
func BeginOptions(sql string) []string {
	var out []string
	for i, t := range Significant(sql, -1) {
		if i == 0 && t.Is("begin", "start") || i == 1 && t.Is("transaction", "work") || t.Kind != Word {
			continue
		}
		out = append(out, strings.ToUpper(t.Text))
	}
	return out
}

// Creates returns what a CREATE makes, "table", "index" or "view", "partition" for a table that is a part of another
// one; "" for other statements.
func (s Statement) Creates() string {
	if s.Kind != Create {
		return ""
	}
	if s.PartitionOf() != "" || s.Inherits() != "" {
		return "partition"
	}
	return creates(s.Tokens)
}

// PartitionOf returns the table, in lower case, that CREATE TABLE … PARTITION OF makes a part of; "" for other
// statements.
func (s Statement) PartitionOf() string {
	t := s.Tokens
	if len(t) < 6 || !t[0].Is("create") || !t[1].Is("table") || !t[3].Is("partition") || !t[4].Is("of") {
		return ""
	}
	name, _ := t[5].Ident()
	return name
}

// KindOf returns the kind of a statement.
func KindOf(sql string) Kind { return Read(sql).Kind }

// Tables returns the tables of the statement that are no common table expressions of its own, each once, in order.
func (s Statement) Tables() []string {
	ctes := s.commonTables()
	var out []string
	for _, n := range s.Named {
		if n.column || n.Qualifier == "" && (n.Name == "dual" || slices.Contains(ctes, n.Name)) ||
			slices.Contains(out, n.String()) {
			continue
		}
		out = append(out, n.String())
	}
	return out
}

// commonTables returns the names that WITH clauses define: a name, a list of columns or none, AS and a parenthesis.
func (s Statement) commonTables() []string {
	var out []string
	for i := 1; i < len(s.Tokens)-1; i++ {
		if !s.Tokens[i-1].Is("with", "recursive") && s.Tokens[i-1].Text != "," {
			continue
		}
		name, ok := s.Tokens[i].Ident()
		if ok && defines(s.Tokens[i+1:]) {
			out = append(out, name)
		}
	}
	return out
}

// afterParentheses returns the tokens behind the parenthesis that closes the one which they start with.
func afterParentheses(t []Token) []Token {
	depth := 0
	for i := range t {
		if depth += t[i].Nesting(); depth == 0 {
			return t[i+1:]
		}
	}
	return nil
}

// afterWith returns the tokens behind a WITH clause: the first at its depth that begins a statement.
func afterWith(t []Token) []Token {
	depth := 0
	for i := range t {
		depth += t[i].Nesting()
		if depth == 0 && i > 1 && t[i-1].Text == ")" && t[i].Is("select", "insert", "replace", "merge", "update", "delete",
			"values", "table") {
			return t[i:]
		}
		if depth == 1 && i > 1 && t[i].Text == "(" && t[i-1].Text == ")" && t[i-2].Text != "," { // WITH … ( SELECT … )
			return t[i:]
		}
	}
	return nil
}

// Nesting returns by how much a token changes the depth of parentheses.
func (t Token) Nesting() int {
	if t.Kind != Symbol {
		return 0
	}
	switch t.Text {
	case "(":
		return 1
	case ")":
		return -1
	}
	return 0
}

func lower(s string) string { return strings.ToLower(s) }
