package sqlite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/sqltext/mysql"
)

// collations have names of the common grammar, which knows others than SQLite's.
var collations = [][2]string{{"NOCASE", "utf8mb4_general_ci"}, {"BINARY", "utf8mb4_bin"}, {"RTRIM", "utf8mb4_unicode_ci"}}

// choices are functions of several values that are called as aggregates are.
var choices = [][2]string{{"MAX", "GREATEST"}, {"MIN", "LEAST"}}

// plainName is a name that needs no quotes, unless it is a keyword.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// foreign are words that a statement of SQLite's has no use for, and that stand for some of its own once it is lowered.
var foreign = []string{"ilike", "nulls_first", "nulls_last", "sql_big_result", "sql_small_result"}

// lower writes a statement of SQLite's, or a condition, in the words of the common grammar.
func lower(sql string) (string, error) {
	r := sqltext.ANSI.Rewrite(sql)
	if len(r.Words) == 0 {
		return sql, nil
	}
	l := &lowering{Rewrite: r}
	for i := 0; i < len(r.Words); {
		n, err := l.word(i)
		if err != nil {
			return "", err
		}
		i += max(n, 1)
	}
	text, err := r.Done(), error(nil)
	if l.nulls {
		text = sqltext.ANSI.FoldNulls(text)
	}
	if l.materials {
		text, err = sqltext.ANSI.FoldMaterials(text)
	}
	if l.rows && err == nil {
		text, err = sqltext.ANSI.SpreadRows(text)
	}
	if l.filters {
		text = sqltext.ANSI.FoldFilters(text)
	}
	if l.from {
		text = sqltext.ANSI.JoinUpdate(text)
	}
	return text, err
}

// lowering is a statement while its words are replaced one after the other.
type lowering struct {
	*sqltext.Rewrite
	clause               bool // ON CONFLICT DO UPDATE SET was passed
	nulls, filters, from bool // what has to be looked at as a whole
	rows, materials      bool
}

// word lowers what begins at word i, and returns how many words that are.
func (l *lowering) word(i int) (n int, err error) {
	w := l.Words[i]
	switch {
	case w.Kind == sqltext.Symbol:
		return l.sign(i)
	case w.Kind == sqltext.Name && w.Text[0] != '`' && plainName.MatchString(w.Unquote()):
		if mysql.Reserved(w.Unquote()) {
			return 0, fmt.Errorf("%s: a name that is a keyword is not read", w.Text)
		}
		l.Put(i, 1, w.Unquote())
	case w.Kind != sqltext.Word:
		return 1, nil
	case w.Is(foreign...), w.Is("greatest", "least") && l.At(i+1).Text == "(", l.Has(i, "force", "index"), l.Has(i, "use", "index"):
		return 0, fmt.Errorf("%s is no word of SQLite's", w.Text)
	case w.Is("or") && i == 1 && l.Words[0].Is("insert", "update"):
		return l.alternative()
	case w.Is("is"):
		return l.is(i), nil
	case w.Is("isnull"):
		l.Put(i, 1, "IS NULL")
	case w.Is("notnull"):
		l.Put(i, 1, "IS NOT NULL")
	case w.Is("glob") && l.infix(i):
		l.Put(i, 1, "ILIKE")
	case w.Is("collate"):
		return l.named(i, collations), nil
	case w.Is("max", "min") && l.At(i+1).Text == "(" && len(l.Commas(i+1)) > 0:
		l.Put(i, 1, choices[index(choices, 0, w.Text)][1])
	case w.Is("as"):
		return l.as(i), nil
	case l.Has(i, "indexed", "by") && i+2 < len(l.Words):
		l.Put(i, 3, "FORCE INDEX ("+l.At(i+2).Unquote()+")")
		return 3, nil
	case l.Has(i, "not", "indexed"):
		l.Put(i, 2, "USE INDEX ()")
		return 2, nil
	case l.Has(i, "on", "conflict", "do", "update", "set"):
		l.Put(i, 5, "ON DUPLICATE KEY UPDATE")
		l.clause = true
		return 5, nil
	case l.clause && w.Is("excluded") && l.At(i+1).Text == "." && i+2 < len(l.Words):
		l.Put(i, 3, "VALUES("+l.At(i+2).Unquote()+")")
		return 3, nil
	case w.Is("materialized"):
		l.materials = true
	case w.Is("nulls") && l.At(i+1).Is("first", "last"):
		l.nulls = true
	case w.Is("filter") && l.At(i+1).Text == "(":
		if l.filters = l.At(i-1).Text == ")" && l.At(i+2).Is("where"); !l.filters {
			return 0, fmt.Errorf("FILTER is read as FILTER (WHERE …) behind an aggregate")
		}
	case w.Is("update") && w.Depth == 0 && l.Find(i, "from") > 0:
		l.from = true
	case w.Is("set") && w.Depth == 0 && l.Find(0, "update") >= 0 && l.Find(i, "duplicate") < 0:
		l.rows = true
	}
	return 1, nil
}

// sign lowers operators.
func (l *lowering) sign(i int) (int, error) {
	switch {
	case l.Symbol(i, "<=>"), l.Symbol(i, "^"):
		return 0, fmt.Errorf("operator %s is none of SQLite's", strings.TrimSpace(l.Part(i, i+1)))
	case l.Symbol(i, "||"):
		l.Put(i, 2, "^")
		return 2, nil
	case l.Symbol(i, "=="):
		l.Put(i, 2, "=")
		return 2, nil
	}
	return 1, nil
}

// alternative lowers what an INSERT or UPDATE does to rows that are in its way, as its second word says.
func (l *lowering) alternative() (int, error) {
	insert := l.Words[0].Is("insert")
	switch way := l.At(2); {
	case way.Is("ignore"):
		l.Put(1, 2, "IGNORE")
	case way.Is("abort"): // as without it
		l.Drop(1, 2)
	case way.Is("replace") && insert:
		l.Put(0, 3, "REPLACE")
	case way.Is("replace", "rollback", "fail"):
		return 0, fmt.Errorf("%s OR %s is not read", strings.ToUpper(l.Words[0].Text), strings.ToUpper(way.Text))
	}
	return 2, nil
}

// is lowers comparisons that take NULL for a value; IS NULL, IS TRUE and the like the common grammar has itself.
func (l *lowering) is(i int) int {
	same, next := true, i+1
	if l.At(next).Is("not") {
		same, next = false, next+1
	}
	switch {
	case l.Has(next, "distinct", "from"):
		same, next = !same, next+2
	case l.At(next).Is("null", "true", "false"):
		return next - i
	}
	if same {
		l.Put(i, next-i, "<=>")
	} else {
		l.Put(i, next-i, "<=> BINARY")
	}
	return next - i
}

// infix says whether word i stands between two operands, and is no function's name.
func (l *lowering) infix(i int) bool {
	before := l.At(i - 1)
	if before.Is("not") {
		before = l.At(i - 2)
	}
	switch before.Kind {
	case sqltext.Name, sqltext.Literal:
		return true
	case sqltext.Symbol:
		return before.Text == ")"
	case sqltext.Word:
		return !before.Is("where", "and", "or", "not", "when", "then", "else", "case", "select", "on", "having", "by", "in", "between", "like", "is", "distinct", "set", "all")
	}
	return false
}

// named lowers the name behind word i.
func (l *lowering) named(i int, names [][2]string) int {
	if at := index(names, 0, l.At(i+1).Text); at >= 0 {
		l.Put(i+1, 1, names[at][1])
		return 2
	}
	return 1
}

// index returns which of the pairs has a word on one side; -1 for none.
func index(pairs [][2]string, side int, word string) int {
	return slices.IndexFunc(pairs, func(p [2]string) bool { return strings.EqualFold(p[side], word) })
}

// as lowers the type of a CAST.
func (l *lowering) as(i int) int {
	end := i + 1
	for ; end < len(l.Words) && l.Words[end].Depth >= l.Words[i].Depth && l.Words[end].Text != ","; end++ {
	}
	if l.At(end).Text != ")" || !l.casts(end) {
		return 1
	}
	if as := castType(l.Part(i+1, end)); as != "" {
		l.Put(i+1, end-i-1, as)
		return end - i
	}
	return 1
}

// casts says whether the parenthesis that word i closes is that of a CAST.
func (l *lowering) casts(i int) bool {
	open := l.Open(i)
	return open > 0 && l.At(open-1).Is("cast")
}

// castType is the common grammar's type that stands for one of SQLite's: by its affinity (sqlite.org/datatype3.html, section 3.1). SIGNED and DECIMAL have SQLite's
// own meaning, that of NUMERIC.
func castType(name string) string {
	name = strings.ToLower(name)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
	}
	switch {
	case has("int"):
		return "UNSIGNED"
	case has("char", "clob", "text"):
		return "CHAR"
	case has("blob"):
		return "BINARY"
	case has("real", "floa", "doub"):
		return "DOUBLE"
	case name == "unsigned", name == "binary":
		return "SIGNED"
	case name == "numeric":
		return "DECIMAL"
	}
	return ""
}
