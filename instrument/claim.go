package instrument

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// What a column of whole numbers, or of texts, stores as it is spelled.
var (
	wholeNumber = regexp.MustCompile(`^-?[0-9]{1,9}$`)
	plainText   = regexp.MustCompile(`^'([0-9A-Za-z_ -]*[0-9A-Za-z_-])?'$`)
)

// claims returns the query for the rows that keep an INSERT from adding the one row that it spells: those that have one of its unique keys.
// "" where that is not known: of a table with a key on an expression, or whose triggers may change what is written; where a
// value may be another one by the time that it is stored, or is compared otherwise than it is spelled.
func (p *Plan) claims(b *Block) string {
	t, sql := p.Schema.Table(b.Info.Target), b.SQL
	if b.Info.Spells != 1 || t == nil || !t.KeysAreColumns() || len(p.Schema.Heirs) > 0 || p.keepsOut() ||
		slices.ContainsFunc(p.Schema.Triggers, func(tr sqltext.Trigger) bool { return tr.Table == t.Name }) {
		return ""
	}
	at := 0
	for tok := range sqltext.SyntaxOf(p.Profile.DBMS).Quoting.Tokens(b.SQL) {
		switch {
		case tok.Is("ignore", "or", "conflict", "duplicate"):
			return ""
		case tok.Is("returning"):
			sql = b.SQL[:at]
		}
		at += len(tok.Text)
	}
	v, ok := sqltext.SplitValues(strings.TrimSpace(sql))
	if !ok || len(v.Cells) != 1 || v.Columns == nil {
		return ""
	}
	var any []string
	for _, key := range t.Keys() {
		var all []string
		free := false
		for _, part := range key {
			i, c := slices.Index(v.Columns, part.Column), t.Column(part.Column)
			if i < 0 || c == nil || c.Generated || c.Collation != "" {
				return ""
			}
			cell := strings.TrimSpace(v.Cells[0][i])
			if strings.EqualFold(cell, "NULL") && !c.NotNull {
				free = true // of NULLs a unique key may hold any number
				continue
			}
			if !(c.Class == sqltext.Exact && wholeNumber.MatchString(cell) && !(c.Counts && cell == "0") || c.Class == sqltext.Text && plainText.MatchString(cell)) {
				return ""
			}
			all = append(all, part.Column+" = "+cell)
		}
		if !free {
			any = append(any, "("+strings.Join(all, " AND ")+")")
		}
	}
	if len(any) == 0 {
		any = []string{"1 = 0"}
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s", t.Columns[0].Name, t.Name, strings.Join(any, " OR "))
}

// keepsOut says whether rows of some table are kept out by something else than keys of whole tables: a unique index of a part of the rows, an
// exclusion constraint.
func (p *Plan) keepsOut() bool {
	return slices.ContainsFunc(p.Case.Schema, func(s testcase.Stmt) bool {
		unique, partial := false, false
		for tok := range sqltext.SyntaxOf(p.Profile.DBMS).Quoting.Tokens(s.SQL) {
			if tok.Is("exclude", "nulls") { // NULLS NOT DISTINCT
				return true
			}
			unique, partial = unique || tok.Is("unique"), partial || tok.Is("where")
		}
		return unique && partial
	})
}
