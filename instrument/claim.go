package instrument

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// What a column of whole numbers, or of texts, stores as it is spelled.
var (
	wholeNumber = regexp.MustCompile(`^-?[0-9]{1,9}$`)
	plainText   = regexp.MustCompile(`^'([0-9A-Za-z_ -]*[0-9A-Za-z_-])?'$`)
)

// What the rows of the query for what keeps an INSERT out print.
const (
	KeyHeld    = 1 // a row has one of its unique keys
	ParentGone = 2 // no row has the key that one of its foreign keys refers to, or that is not known
	KeyMet     = 3 // a row has one of its unique keys, and is one of those that the INSERT changes
)

// claims returns the query for what keeps an INSERT from adding the one row that it spells: the rows that have one of its unique keys, and those of its foreign keys to which no row has the key.
// "" where that is not known.
func (p *Plan) claims(b *Block) string {
	if b.Info.Spells != 1 {
		return ""
	}
	at, sql := 0, b.SQL
	for tok := range sqltext.SyntaxOf(p.Profile.DBMS).Quoting.Tokens(b.SQL) {
		switch {
		case tok.Is("ignore", "or", "conflict", "duplicate"):
			return ""
		case tok.Is("returning"):
			sql = b.SQL[:at]
		}
		at += len(tok.Text)
	}
	t, keys, ok := p.spelledKeys(b, sql)
	if !ok {
		return ""
	}
	return fmt.Sprintf("SELECT %d FROM %s WHERE %s", KeyHeld, t.Name, held(keys)) + p.parentless(t, sql)
}

// numeral is a number, with a fraction or without; simpleText a text without quotes.
var (
	numeral    = regexp.MustCompile(`^-?[0-9]{1,12}(\.[0-9]{1,6})?$`)
	simpleText = regexp.MustCompile(`^'[^']*'$`)
	// textAffinity are SQLite's types of texts; an ENUM is none there (sqlite.org/datatype3.html, section 3.1).
	textAffinity = regexp.MustCompile(`char|clob|text`)
)

// castAsStored says whether a column of SQLite's stores what a literal is cast to by its type.
func castAsStored(c *sqltext.Column, cell string) bool {
	switch {
	case c.Generated || c.Collation != "":
		return false
	case c.Class == sqltext.Text:
		return textAffinity.MatchString(c.Type) && simpleText.MatchString(cell)
	case c.Class == sqltext.Floating:
		return numeral.MatchString(cell)
	}
	return storedAsSpelled(c, cell)
}

// held is the condition that a row has one of several keys.
func held(keys [][]SpelledPart) string {
	var any []string
	for _, key := range keys {
		var all []string
		for _, part := range key {
			all = append(all, part.Column+" = "+part.Literal)
		}
		any = append(any, "("+strings.Join(all, " AND ")+")")
	}
	if len(any) == 0 {
		return "1 = 0"
	}
	return strings.Join(any, " OR ")
}

// passes returns the query for the rows in the way of the one that an upsert with a condition spells, and once more for those of them of which it is true. "" where that is not
// known: where what it would have inserted is not stored as it is spelled.
func (p *Plan) passes(b *Block) string {
	head := b.SQL[:p.conflictAt(b)]
	t, keys, ok := p.spelledKeys(b, head)
	if !ok || b.Info.Passes != 1 {
		return ""
	}
	v, _ := sqltext.SplitValues(strings.TrimSpace(head))
	where := sqltext.SyntaxOf(p.Profile.DBMS).Quoting.Rewrite(b.Info.MetWhere)
	for i := range where.Words {
		if !where.Words[i].Is("excluded") || where.At(i+1).Text != "." {
			continue
		}
		name, _ := where.At(i + 2).Ident()
		at, c := slices.Index(v.Columns, name), t.Column(name)
		if at < 0 || c == nil {
			return ""
		}
		cell := strings.TrimSpace(v.Cells[0][at])
		if !strings.EqualFold(cell, "NULL") && !castAsStored(c, cell) {
			return ""
		}
		where.Put(i, 3, "CAST("+cell+" AS "+c.Type+")") // with the affinity that the column has
	}
	return fmt.Sprintf("SELECT %[1]d FROM %[3]s WHERE %[4]s UNION ALL SELECT %[2]d FROM %[3]s WHERE (%[4]s) AND (%[5]s)", KeyHeld, KeyMet, t.Name, held(keys), where.Done())
}

// parentless are the queries, joined to another one, for the foreign keys of the row that an INSERT spells to which no row has the key. One that is checked at COMMIT keeps nothing out.
func (p *Plan) parentless(t *sqltext.Table, sql string) string {
	v, _ := sqltext.SplitValues(strings.TrimSpace(sql))
	out := ""
	for _, r := range t.References {
		if r.Deferred {
			continue
		}
		gone := fmt.Sprintf(" UNION ALL SELECT %d", ParentGone)
		switch key, refers := p.spelledReference(t, r, v); {
		case !refers:
		case key == "":
			out += gone
		default:
			out += fmt.Sprintf("%s FROM (SELECT 1 AS c0) AS r0 WHERE NOT EXISTS (SELECT 1 FROM %s WHERE %s)", gone, r.Parent, key)
		}
	}
	return out
}

// spelledReference is the condition of the row to which a row that an INSERT spells refers by a foreign key, "" where that is not known; refers is false where it
// refers to none, as one of the columns is NULL, or to itself.
func (p *Plan) spelledReference(t *sqltext.Table, r sqltext.Reference, v sqltext.InsertValues) (key string, refers bool) {
	parent := p.Schema.Table(r.Parent)
	known, itself := parent != nil && len(r.Keys) == len(r.Columns) && len(r.Keys) > 0, parent == t
	var alike []string
	for n, name := range r.Columns {
		i := slices.Index(v.Columns, name)
		if i < 0 {
			known, itself = false, false // what it holds by default
			continue
		}
		cell := strings.TrimSpace(v.Cells[0][i])
		if strings.EqualFold(cell, "NULL") {
			if !r.Full {
				return "", false
			}
			known = false // refused, unless all are NULL
		}
		if n >= len(r.Keys) {
			known, itself = false, false
			continue
		}
		own := slices.Index(v.Columns, r.Keys[n])
		itself = itself && own >= 0 && strings.TrimSpace(v.Cells[0][own]) == cell
		column, named := t.Column(name), (*sqltext.Column)(nil)
		if parent != nil {
			named = parent.Column(r.Keys[n])
		}
		known = known && column != nil && named != nil && named.Type == column.Type && storedAsSpelled(column, cell) && storedAsSpelled(named, cell)
		alike = append(alike, r.Keys[n]+" = "+cell)
	}
	switch {
	case !known:
		return "", true
	case itself:
		return "", false
	}
	return strings.Join(alike, " AND "), true
}

// storedAsSpelled says whether a column stores what a literal spells, and compares it as such.
func storedAsSpelled(c *sqltext.Column, cell string) bool {
	cell = strings.TrimSpace(cell)
	return !c.Generated && c.Collation == "" && (c.Class == sqltext.Exact && wholeNumber.MatchString(cell) && !(c.Counts && cell == "0") || c.Class == sqltext.Text && plainText.MatchString(cell))
}

// SpelledPart is what a row that an INSERT spells has in a column of a unique key: a whole number, or a text of letters, digits and blanks, as a literal.
type SpelledPart struct{ Column, Literal string }

// Meets are the unique keys of the rows that an upsert spells: a row that it changes has one of them. ok is false where they are not known.
func (p *Plan) Meets(b *Block) (keys [][]SpelledPart, ok bool) {
	if b.Info.Upserts == 0 {
		return nil, false
	}
	t, keys, ok := p.spelledKeys(b, b.SQL[:p.conflictAt(b)])
	if !ok || slices.ContainsFunc(t.Columns, func(c sqltext.Column) bool { return c.Type == "year" }) { // 24 is 2024 there
		return nil, false
	}
	return keys, true
}

// conflictAt is where an upsert begins to say what it does to rows in its way.
func (p *Plan) conflictAt(b *Block) int {
	at, depth := 0, 0
	for tok := range sqltext.SyntaxOf(p.Profile.DBMS).Quoting.Tokens(b.SQL) {
		if depth += tok.Nesting(); depth == 0 && tok.Is("on") {
			break
		}
		at += len(tok.Text)
	}
	return at
}

// spelledKeys are the unique keys of the rows that an INSERT … VALUES spells, without those that hold a NULL: of these a unique key may have any number. Not known are those
// of a table with a key on an expression, or whose triggers may change what is written; where a value may be another one by the time that it is stored, or is compared
// otherwise than it is spelled.
func (p *Plan) spelledKeys(b *Block, sql string) (t *sqltext.Table, keys [][]SpelledPart, ok bool) {
	t = p.Schema.Table(b.Info.Target)
	if t == nil || !t.KeysAreColumns() || len(p.Schema.Heirs) > 0 || p.keepsOut() ||
		slices.ContainsFunc(p.Schema.Triggers, func(tr sqltext.Trigger) bool { return tr.Table == t.Name }) {
		return nil, nil, false
	}
	v, ok := sqltext.SplitValues(strings.TrimSpace(sql))
	if !ok || v.Columns == nil {
		return nil, nil, false
	}
	for _, cells := range v.Cells {
		for _, key := range t.Keys() {
			var all []SpelledPart
			free := false
			for _, part := range key {
				i, c := slices.Index(v.Columns, part.Column), t.Column(part.Column)
				if i < 0 || c == nil || c.Generated || c.Collation != "" {
					return nil, nil, false
				}
				cell := strings.TrimSpace(cells[i])
				if strings.EqualFold(cell, "NULL") && !c.NotNull {
					free = true
					continue
				}
				if !storedAsSpelled(c, cell) {
					return nil, nil, false
				}
				all = append(all, SpelledPart{Column: part.Column, Literal: cell})
			}
			if !free {
				keys = append(keys, all)
			}
		}
	}
	return t, keys, true
}

// Unlike says whether a value, as it is printed, is certainly not what the literal of such a part stores, by whatever collation.
func (s SpelledPart) Unlike(value string) bool {
	switch {
	case value == "NULL":
		return true
	case wholeNumber.MatchString(value) && wholeNumber.MatchString(s.Literal):
		was, _ := strconv.Atoi(value)
		spelled, _ := strconv.Atoi(s.Literal) // 007 is 7
		return was != spelled
	case plainText.MatchString(value) && plainText.MatchString(s.Literal):
		return !strings.EqualFold(value, s.Literal)
	}
	return false
}

// keepsOut says whether rows of some table are kept out by something else than keys of whole tables: a unique index of a part of the rows, or
// by another collation, an exclusion constraint, a constraint that says itself what is done.
func (p *Plan) keepsOut() bool {
	return slices.ContainsFunc(p.Case.Schema, func(s testcase.Stmt) bool {
		unique, partial := false, false
		index := !strings.HasPrefix(strings.ToUpper(s.SQL), "CREATE TABLE")
		for tok := range sqltext.SyntaxOf(p.Profile.DBMS).Quoting.Tokens(s.SQL) {
			if tok.Is("exclude", "nulls", "conflict") { // NULLS NOT DISTINCT; UNIQUE ON CONFLICT IGNORE
				return true
			}
			unique, partial = unique || tok.Is("unique"), partial || tok.Is("where") || index && tok.Is("collate")
		}
		return unique && partial
	})
}
