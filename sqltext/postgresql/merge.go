package postgresql

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"txweave/sqltext"
)

var errMerge = errors.New("MERGE is read as MERGE INTO table USING source ON … WHEN [NOT] MATCHED [AND …] THEN, " +
	"with UPDATE SET of one column at a time, DELETE, INSERT (columns) VALUES (…) and DO NOTHING")

// merge is MERGE, cut into its parts.
type merge struct {
	table, alias string
	source       [2]int // its words
	on           string
	when         []mergeWhen
}

// mergeWhen is one of its WHEN clauses.
type mergeWhen struct {
	matched         bool
	and             string   // its condition; "" for none
	deletes         bool     // DELETE
	set             []string // UPDATE SET
	columns, values []string // INSERT
}

// merge reads MERGE INTO table USING source ON condition, and what it does with rows that match and with others.
func (p phrase) merge() (*merge, error) {
	if !p.At(1).Is("into") {
		return nil, errMerge
	}
	m := &merge{}
	var using int
	m.table, m.alias, using = p.named(2)
	on := p.Find(using, "on")
	if !p.At(using).Is("using") || on < 0 {
		return nil, errMerge
	}
	m.source = [2]int{using + 1, on}
	whens := p.whens(on)
	if len(whens) == 0 {
		return nil, errMerge
	}
	m.on = p.Part(on+1, whens[0])
	for i, at := range whens {
		end := len(p.Words)
		if i+1 < len(whens) {
			end = whens[i+1]
		}
		w, err := p.when(at, end)
		if err != nil {
			return nil, err
		}
		m.when = append(m.when, w)
	}
	return m, nil
}

// whens are the words at which WHEN clauses begin.
func (p phrase) whens(from int) []int {
	var out []int
	for i := from; i < len(p.Words); i++ {
		if p.Words[i].Depth == 0 && (p.Has(i, "when", "matched") || p.Has(i, "when", "not", "matched")) {
			out = append(out, i)
		}
	}
	return out
}

// when reads the clause from word i up to word end.
func (p phrase) when(i, end int) (w mergeWhen, err error) {
	w.matched = !p.At(i + 1).Is("not")
	if i += 2; !w.matched {
		i++
	}
	then, cases := i, 0
	for ; then < end && (p.Words[then].Depth > 0 || cases > 0 || !p.Words[then].Is("then")); then++ {
		switch {
		case p.Words[then].Is("case"):
			cases++
		case p.Words[then].Is("end"):
			cases--
		}
	}
	if p.At(i).Is("and") {
		w.and = p.Part(i+1, then)
	} else if i != then {
		return w, errMerge
	}
	do, rest := then+1, end-then-1
	switch {
	case p.Has(do, "do", "nothing") && rest == 2:
	case w.matched && p.Has(do, "delete") && rest == 1:
		w.deletes = true
	case w.matched && p.Has(do, "update", "set"):
		if w.set = p.assignments(do+2, end); w.set == nil {
			return w, errMerge
		}
	case !w.matched && p.Has(do, "insert") && p.At(do+1).Text == "(":
		values := p.Find(do, "values")
		if values < 0 || values > end {
			return w, errMerge
		}
		var closed int
		w.columns, closed = sqltext.SplitList(p.Part(do+1, values), 0)
		last := len(p.Part(do+1, values)) - 1
		if closed != last || len(w.columns) == 0 {
			return w, errMerge
		}
		text := p.Part(values+1, end)
		if w.values, closed = sqltext.SplitList(text, 0); closed != len(text)-1 || len(w.values) != len(w.columns) {
			return w, errMerge
		}
	default:
		return w, errMerge
	}
	return w, nil
}

// assignments cuts what SET says from word i up to word end; nil where it sets several columns at once.
func (p phrase) assignments(i, end int) []string {
	var out []string
	for start, at := i, i; at <= end; at++ {
		if at < end && (p.Words[at].Text != "," || p.Words[at].Depth > 0) {
			continue
		}
		if p.At(start+1).Text != "=" {
			return nil
		}
		out, start = append(out, p.Part(start, at)), at+1
	}
	return out
}

// lower writes it as what the common grammar reads, with the same tables, columns and version key: an INSERT … SELECT that does something
// to the rows in its way; without an INSERT as an UPDATE or DELETE of joined tables.
func (m *merge) lower(p phrase) (lowered, error) {
	source := p.Part(m.source[0], m.source[1])
	where := []string{"(" + m.on + ")"}
	var set []string
	var insert *mergeWhen
	deletes := false
	for i := range m.when {
		w := &m.when[i]
		if w.and != "" {
			where = append(where, "("+w.and+")")
		}
		if w.columns != nil {
			if insert != nil {
				return lowered{}, errors.New("MERGE is read with one INSERT")
			}
			insert = w
		}
		set, deletes = append(set, w.set...), deletes || w.deletes
	}
	conditions := strings.Join(where, " AND ")
	switch {
	case insert != nil:
		text := "INSERT INTO " + m.table + " (" + strings.Join(insert.columns, ", ") + ") SELECT " + strings.Join(insert.values, ", ") + " FROM " + source +
			" LEFT JOIN " + m.table + " AS " + m.alias + " ON " + conditions
		if len(set) > 0 {
			text += " ON DUPLICATE KEY UPDATE " + strings.Join(set, ", ")
		}
		return lowered{text: text}, nil
	case len(set) > 0:
		for i := range set {
			set[i] = m.alias + "." + set[i]
		}
		return lowered{text: "UPDATE " + m.table + " AS " + m.alias + ", " + source + " SET " + strings.Join(set, ", ") + " WHERE " + conditions}, nil
	case deletes:
		return lowered{text: "DELETE FROM " + m.alias + " USING " + m.table + " AS " + m.alias + ", " + source + " WHERE " + conditions}, nil
	}
	return lowered{}, errors.New("MERGE that writes nothing is not read")
}

// merges says whether a statement is MERGE.
func merges(sql string) bool {
	first := sqltext.Significant(sql, 1)
	return len(first) > 0 && first[0].Is("merge")
}

// merged makes of the analysis of a lowered MERGE that of MERGE: it inserts, changes and deletes rows of its target, which only a
// comparison tells, and does not judge the rows of one table one by one.
func merged(a *sqltext.Analysis, s *sqltext.Schema, sql string) {
	t := s.Table(a.Target)
	if used := a.Used[a.Target]; !a.ChecksUnique && used != nil {
		a.Used[a.Target] = append(used, t.Unique...)
	}
	a.Kind, a.Plain, a.Diff, a.ChecksUnique = sqltext.Insert, false, true, true
	a.Spells, a.Upserts, a.RowCount, a.EveryRow = 0, 0, sqltext.RowCount{}, false
	a.MatchTable, a.MatchAlias, a.MatchWhere, a.KeyWhere = "", "", "", ""
	p := words(sql)
	if m, err := p.merge(); err == nil {
		a.PKeys = m.keys(p)
	}
}

// keys are the primary keys that it inserts, where its source spells them: as literals of a list of rows.
func (m *merge) keys(p phrase) []int64 {
	var out []int64
	for _, w := range m.when {
		for i, c := range w.columns {
			if !strings.EqualFold(c, sqltext.PKey) {
				continue
			}
			if n, err := strconv.ParseInt(w.values[i], 10, 64); err == nil {
				out = append(out, n)
				continue
			}
			_, name, _ := strings.Cut(w.values[i], ".")
			out = append(out, p.spelled(m.source[0], m.source[1], name)...)
		}
	}
	return out
}

// spelled are the integers under a name in (SELECT 1 AS a, 2 AS b UNION ALL SELECT …), from word i up to word end.
func (p phrase) spelled(i, end int, name string) []int64 {
	var cells [][]int // by SELECT, the words at which its columns begin
	for ; i < end; i++ {
		switch w := p.Words[i]; {
		case w.Depth != 1:
		case w.Is("select"):
			cells = append(cells, []int{i + 1})
		case w.Text == "," && len(cells) > 0:
			cells[len(cells)-1] = append(cells[len(cells)-1], i+1)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	at := slices.IndexFunc(cells[0], func(c int) bool { return p.At(c+1).Is("as") && p.At(c+2).Is(strings.ToLower(name)) })
	if at < 0 {
		return nil
	}
	var out []int64
	for _, row := range cells {
		if at >= len(row) {
			continue
		}
		if n, err := strconv.ParseInt(p.At(row[at]).Text, 10, 64); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// mergeEdit is MERGE with its i-th edit: without one of its WHEN clauses, or without the condition of one.
func mergeEdit(sql string, i int) (text string, more bool) {
	p := words(sql)
	whens := p.whens(0)
	for n, at := range whens {
		end := len(p.Words)
		if n+1 < len(whens) {
			end = whens[n+1]
		}
		if len(whens) > 1 {
			if i == 0 {
				return strings.TrimSpace(p.Part(0, at) + " " + p.Part(end, len(p.Words))), true
			}
			i--
		}
		w, err := p.when(at, end)
		if err != nil || w.and == "" {
			continue
		}
		if i == 0 {
			and := p.Find(at, "and")
			return sql[:p.Words[and].From] + strings.TrimLeft(sql[p.Words[and+1].From+len(w.and):], sqltext.Space), true
		}
		i--
	}
	return "", false
}
