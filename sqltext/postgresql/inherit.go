package postgresql

import (
	"fmt"
	"strings"

	"txweave/sqltext"
)

// Tables that inherit. The rows of all of them are the parent's: who reads t reads them all, who reads ONLY t, or one of those that
// inherit by its name, reads those that its CHECK lets in, as a view of t would. So do writes: an INSERT writes t, in whichever table the
// row lies, and UPDATE ONLY t is an UPDATE of t with one more condition.

// ownRows is what one of these tables is a view of.
func ownRows(s *sqltext.Schema, h *sqltext.Heir) sqltext.ViewDefinition {
	name := h.Name
	if h.Own() {
		name = sqltext.Only + name
	}
	return sqltext.ViewDefinition{Name: name, Query: "SELECT " + strings.Join(s.Table(h.Of).Names(), ", ") + " FROM " + h.Of + " WHERE " + h.Where("")}
}

// only writes the name of a view in the place of ONLY and a table's name, where that is read.
func only(sql string) (text string, named bool) {
	p := words(sql)
	var b strings.Builder
	last := 0
	for i := range p.Words {
		if !p.Words[i].Is("only") || i < 2 || p.At(i-1).Is("read") || p.Words[i-1].Is("from") && p.Words[i-2].Is("delete") || p.At(i+1).Kind != sqltext.Word {
			continue
		}
		b.WriteString(sql[last:p.Words[i].From] + sqltext.Only + p.Words[i+1].Text)
		last = p.Words[i+1].To
	}
	return b.String() + sql[last:], last > 0
}

// raiseOnly writes ONLY and the table's name again.
func raiseOnly(sql string) string { return strings.ReplaceAll(sql, sqltext.Only, "ONLY ") }

// writesHeir says whether a statement writes one of several tables that hold another one's rows, and not all of them.
func writesHeir(s *sqltext.Schema, sql string) bool {
	if s == nil || len(s.Heirs) == 0 {
		return false
	}
	p := words(sql)
	at, only := written(p)
	name, _ := p.At(at).Ident()
	h := s.Heir(name)
	return at > 0 && h != nil && (only > 0 || !h.Own())
}

// written returns the place of the name of what a statement writes, and where ONLY stands before it: 0 where it does not.
func written(p phrase) (name, only int) {
	switch {
	case p.Has(0, "update", "only"):
		return 2, 1
	case p.Has(0, "delete", "from", "only"):
		return 3, 2
	case p.Has(0, "update"):
		return 1, 0
	case p.Has(0, "delete", "from"), p.Has(0, "insert", "into"):
		return 2, 0
	}
	return 0, 0
}

// ofFamily makes of a statement that writes one of several tables which hold another one's rows a statement that writes that.
func ofFamily(s *sqltext.Schema, sql string) (string, error) {
	if s == nil || len(s.Heirs) == 0 {
		return sql, nil
	}
	p := words(sql)
	at, only := written(p)
	if at == 0 || at >= len(p.Words) {
		return sql, nil
	}
	name, _ := p.Words[at].Ident()
	h := s.Heir(name)
	switch {
	case h == nil:
		return sql, nil
	case p.Words[0].Is("insert"):
		if len(p.Words) > at && p.Find(0, "on", "conflict") > 0 {
			return "", fmt.Errorf("ON CONFLICT of a table that others inherit from, or that inherits, is not read: no key of one holds the rows of the others")
		}
		return sql[:p.Words[at].From] + h.Of + sql[p.Words[at].To:], nil
	case h.Own() && only == 0:
		return sql, nil
	case !h.Own():
		return "", fmt.Errorf("%s inherits from %s: that is what UPDATE and DELETE are to name, ONLY or not", h.Name, h.Of)
	}
	return narrowed(p, only, h)
}

// narrowed is UPDATE ONLY and DELETE FROM ONLY as one of the whole table with one more condition.
func narrowed(p phrase, only int, h *sqltext.Heir) (string, error) {
	sql := p.Text
	end := len(sql)
	if at := p.Find(0, "returning"); at > 0 {
		end = p.Words[at].From
	}
	from := p.Find(only, "from")
	if from > 0 && !p.Words[from-1].Is("distinct") || p.Find(0, "using") > 0 || p.At(only+2).Text != "" && !p.At(only+2).Is("set", "where", "returning") {
		return "", fmt.Errorf("ONLY is read of writes that read no further table, of a table without an alias")
	}
	head, where := sql[:p.Words[only].From], p.Find(0, "where")
	if where < 0 {
		return head + strings.TrimRight(sql[p.Words[only].To+1:end], " ") + " WHERE " + h.Where(h.Of) + " " + sql[end:], nil
	}
	return head + sql[p.Words[only].To+1:p.Words[where].To] + " " + h.Where(h.Of) + " AND (" + strings.TrimSpace(sql[p.Words[where].To:end]) + ") " + sql[end:], nil
}
