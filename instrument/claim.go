package instrument

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// What the rows of the query for what keeps an INSERT out print.
const (
	KeyHeld    = 1 // a row has one of its unique keys
	ParentGone = 2 // no row has the key that one of its foreign keys refers to, or that is not known
	KeyMet     = 3 // a row has one of its unique keys, and is one of those that the INSERT changes
)

// claims returns the query for what keeps an INSERT from adding the one row that it spells: the rows that have one of
// its unique keys, and those of its foreign keys to which no row has the key. "" where that is not known.
func (p *Plan) claims(b *Block) string {
	if b.Info.Spells != 1 {
		return ""
	}
	if n, ok := b.Tree.(*sql.Insert); !ok || n.Ignore || n.Or != "" || len(n.Conflicts)+len(n.Duplicate) > 0 {
		return ""
	}
	t, keys, ok := p.spelledKeys(b)
	if !ok {
		return ""
	}
	return fmt.Sprintf("SELECT %d FROM %s WHERE %s", KeyHeld, t.Name, held(t, keys)) + p.parentless(b, t)
}

// isWhole says whether a literal is a whole number of at most nine digits.
func isWhole(spelled string) bool {
	digits := strings.TrimPrefix(spelled, "-")
	return digits != "" && len(digits) <= 9 && strings.Trim(digits, "0123456789") == ""
}

// isNumeral says whether a literal is a number, with a fraction or without, of so few digits that each database reads
// it alike.
func isNumeral(spelled string) bool {
	whole, fraction, fractional := strings.Cut(strings.TrimPrefix(spelled, "-"), ".")
	digits := func(s string, most int) bool {
		return s != "" && len(s) <= most && strings.Trim(s, "0123456789") == ""
	}
	return digits(whole, 12) && (!fractional || digits(fraction, 6))
}

// isPlainText says whether a literal is a text of letters, digits and blanks, with no blank at its end: what a column
// of texts stores as it is spelled.
func isPlainText(spelled string) bool {
	if len(spelled) < 2 || spelled[0] != '\'' || strings.HasSuffix(spelled, " '") {
		return false
	}
	return strings.IndexFunc(spelled[1:len(spelled)-1], func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_' || r == ' ' || r == '-')
	}) < 0
}

// isText says whether a literal is a text without quotes in it.
func isText(spelled string) bool {
	return len(spelled) >= 2 && spelled[0] == '\'' && strings.Count(spelled, "'") == 2
}

// castAsStored says whether a column stores what a literal is cast to by its type.
func (p *Plan) castAsStored(c *sqltext.Column, literal string) bool {
	texts := p.Profile.Writes.StoresText
	switch {
	case c.Generated || c.Collation != "":
		return false
	case c.Class == sqltext.Text:
		return texts != nil && texts(c.Type) && isText(literal)
	case c.Class == sqltext.Floating:
		return isNumeral(literal)
	}
	return storedAsSpelled(c, literal)
}

// held is the condition that a row has one of several keys.
func held(t *sqltext.Table, keys [][]SpelledPart) string {
	var any []string
	for _, key := range keys {
		var all []string
		for _, part := range key {
			all = append(all, t.Column(part.Column).Spelled+" = "+part.Literal)
		}
		any = append(any, "("+strings.Join(all, " AND ")+")")
	}
	if len(any) == 0 {
		return "1 = 0"
	}
	return strings.Join(any, " OR ")
}

// passes returns the query for the rows in the way of the one that an upsert with a condition spells, and once more for
// those of them of which it is true. "" where that is not known: where what it would have inserted is not stored as it
// is spelled.
func (p *Plan) passes(b *Block) (string, error) {
	n, ok := b.Tree.(*sql.Insert)
	if !ok || b.Info.Passes != 1 || len(n.Conflicts) != 1 {
		return "", nil
	}
	t, keys, ok := p.spelledKeys(b)
	if !ok {
		return "", nil
	}
	s, _ := analysis.SpelledBy(n)
	known := true
	where := sql.Rewrite(n.Conflicts[0].Where, func(x sql.Node) sql.Node {
		col, ok := x.(*sql.Column)
		if !ok || col.Table.Folded() != "excluded" {
			return x
		}
		cell, c := s.Value(s.Rows[0], col.Name.Folded()), t.Column(col.Name.Folded())
		if cell == nil || c == nil || !analysis.IsNull(cell) && !p.castAsStored(c, analysis.Spelling(cell)) {
			known = false
			return x
		}
		// with the affinity that the column has
		return &sql.Cast{X: cell, Type: &sql.Type{Words: strings.TrimRight(c.Type, "([")}}
	})
	if !known {
		return "", nil
	}
	condition, err := p.syntax.Tree.PrintExpr(where)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("SELECT %[1]d FROM %[3]s WHERE %[4]s UNION ALL SELECT %[2]d FROM %[3]s WHERE (%[4]s) AND (%[5]s)",
		KeyHeld, KeyMet, t.Name, held(t, keys), condition), nil
}

// parentless are the queries, joined to another one, for the foreign keys of the row that an INSERT spells to which no
// row has the key. One that is checked at COMMIT keeps nothing out.
func (p *Plan) parentless(b *Block, t *sqltext.Table) string {
	s, _ := analysis.SpelledBy(b.Tree)
	out := ""
	for _, r := range t.References {
		if r.Deferred {
			continue
		}
		gone := fmt.Sprintf(" UNION ALL SELECT %d", ParentGone)
		switch key, refers := p.spelledReference(t, r, &s); {
		case !refers:
		case key == "":
			out += gone
		default:
			out += fmt.Sprintf("%s FROM (SELECT 1 AS c0) AS r0 WHERE NOT EXISTS (SELECT 1 FROM %s WHERE %s)", gone,
				r.Parent, key)
		}
	}
	return out
}

// spelledReference is the condition of the row to which a row that an INSERT spells refers by a foreign key, "" where
// that is not known; refers is false where it refers to none, as one of the columns is NULL, or to itself.
func (p *Plan) spelledReference(t *sqltext.Table, r sqltext.Reference, s *analysis.Spelled) (key string, refers bool) {
	parent := p.Schema.Table(r.Parent)
	known, itself := parent != nil && len(r.Keys) == len(r.Columns) && len(r.Keys) > 0, parent == t
	var alike []string
	for n, name := range r.Columns {
		cell := s.Value(s.Rows[0], name)
		if cell == nil {
			known, itself = false, false // what it holds by default
			continue
		}
		if analysis.IsNull(cell) {
			if !r.Full {
				return "", false
			}
			known = false // refused, unless all are NULL
		}
		if n >= len(r.Keys) {
			known, itself = false, false
			continue
		}
		own, literal := s.Value(s.Rows[0], r.Keys[n]), analysis.Spelling(cell)
		itself = itself && own != nil && sql.Equal(own, cell)
		column, named := t.Column(name), (*sqltext.Column)(nil)
		if parent != nil {
			named = parent.Column(r.Keys[n])
		}
		known = known && column != nil && named != nil && named.Type == column.Type && storedAsSpelled(column, literal) &&
			storedAsSpelled(named, literal)
		alike = append(alike, r.Keys[n]+" = "+literal)
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
func storedAsSpelled(c *sqltext.Column, literal string) bool {
	return !c.Generated && c.Collation == "" &&
		(c.Class == sqltext.Exact && isWhole(literal) && !(c.Counts && literal == "0") || c.Class == sqltext.Text &&
			isPlainText(literal))
}

// SpelledPart is what a row that an INSERT spells has in a column of a unique key: a whole number, or a text of
// letters, digits and blanks, as a literal.
type SpelledPart struct{ Column, Literal string }

// Meets are the unique keys of the rows that an upsert spells: a row that it changes has one of them. ok is false where
// they are not known.
func (p *Plan) Meets(b *Block) (keys [][]SpelledPart, ok bool) {
	if b.Info.Upserts == 0 {
		return nil, false
	}
	t, keys, ok := p.spelledKeys(b)
	if !ok || slices.ContainsFunc(t.Columns, func(c sqltext.Column) bool { return c.Type == "year" }) { // 24 is 2024 there
		return nil, false
	}
	return keys, true
}

// spelledKeys are the unique keys of the rows that an INSERT … VALUES spells, without those that hold a NULL: of these
// a unique key may have any number. Not known are those of a table with a key on an expression, or whose triggers may
// change what is written; where a value may be another one by the time that it is stored, or is compared otherwise than
// it is spelled.
func (p *Plan) spelledKeys(b *Block) (t *sqltext.Table, keys [][]SpelledPart, ok bool) {
	t = p.Schema.Table(b.Info.Target)
	if t == nil || !t.KeysAreColumns() || len(p.Schema.Heirs) > 0 || p.Schema.OtherKeys ||
		slices.ContainsFunc(p.Schema.Triggers, func(tr sqltext.Trigger) bool { return tr.Table == t.Name }) {
		return nil, nil, false
	}
	s, ok := analysis.SpelledBy(b.Tree)
	if !ok || s.Columns == nil {
		return nil, nil, false
	}
	for _, row := range s.Rows {
		for _, key := range t.Keys() {
			var all []SpelledPart
			free := false
			for _, part := range key {
				cell, c := s.Value(row, part.Column), t.Column(part.Column)
				literal, null, known := stored(c, cell)
				if !known {
					return nil, nil, false
				}
				free = free || null
				all = append(all, SpelledPart{Column: part.Column, Literal: literal})
			}
			if !free {
				keys = append(keys, all)
			}
		}
	}
	return t, keys, true
}

// stored is what a value that is spelled for a column stores, or that it is NULL; known is false where that cannot be
// said.
func stored(c *sqltext.Column, cell sql.Expr) (literal string, null, known bool) {
	if cell == nil || c == nil || c.Generated || c.Collation != "" {
		return "", false, false
	}
	if analysis.IsNull(cell) && !c.NotNull {
		return "", true, true
	}
	literal = analysis.Spelling(cell)
	return literal, false, storedAsSpelled(c, literal)
}

// Unlike says whether a value, as it is printed, is certainly not what the literal of such a part stores, by whatever
// collation.
func (s SpelledPart) Unlike(value string) bool {
	switch {
	case value == "NULL":
		return true
	case isWhole(value) && isWhole(s.Literal):
		was, _ := strconv.Atoi(value)
		spelled, _ := strconv.Atoi(s.Literal) // 007 is 7
		return was != spelled
	case isPlainText(value) && isPlainText(s.Literal):
		return !strings.EqualFold(value, s.Literal)
	}
	return false
}
