package classes

import (
	"strings"
	"time"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// What is warned of when a value is taken as one of another class: a text that is no number, what is no date. Nothing
// is where a number or a date is taken as a text, or where it is a literal that says what it is taken as.

// operand is a value that is compared or converted.
type operand struct {
	class   sqltext.Class
	literal *string // of a text literal
}

func (v *risky) operand(x sql.Expr) operand {
	x = sql.Bare(x)
	o := operand{class: v.classes.ClassOf(x)}
	if lit, ok := x.(*sql.Literal); ok && lit.Kind == sql.Text {
		s := lit.Characters() // one with an escape sequence in it is no number and no time
		o.literal = &s
	}
	return o
}

// isWholeNumber says whether a text is taken as a number without a warning, of whatever type.
func isWholeNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && len(s) <= 15 && strings.Trim(s, "0123456789") == ""
}

// isTime says whether a text is a date or a time, as people write them.
func isTime(s string) bool {
	// Fractions of a second are read by themselves.
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04:05", "15:04:05"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// toNumber says whether there can be a warning where the value is taken as a number.
func (o operand) toNumber() bool {
	return isText(o.class) && (o.literal == nil || !isWholeNumber(*o.literal))
}

// toTime says whether there can be a warning where the value is taken as a date or a time.
func (o operand) toTime() bool {
	return o.class != unknown && o.class != temporal && (o.literal == nil || !isTime(*o.literal))
}

// meets says whether there can be a warning where two values are compared: a text becomes a number beside one, and a
// date beside one; a number becomes a date.
func (o operand) meets(p operand) bool {
	switch {
	case o.class == unknown || p.class == unknown:
		return false
	case o.class == either || p.class == either:
		return true
	case o.class == temporal:
		return p.toTime()
	case p.class == temporal:
		return o.toTime()
	case o.class == text:
		return p.class != text && o.toNumber()
	}
	return p.toNumber()
}

// row are the values of (a, b, …) or of a query's columns; else the value itself.
func (v *risky) row(x sql.Expr) (out []operand) {
	switch x := sql.Bare(x).(type) {
	case *sql.Row:
		for _, value := range x.Items {
			out = append(out, v.operand(value))
		}
		return out
	case *sql.Subquery:
		return v.rows(x.Query)
	}
	return []operand{v.operand(x)}
}

// rows are the values of a query's columns.
func (v *risky) rows(q *sql.Query) (out []operand) {
	for _, o := range v.classes.Outputs(q) {
		out = append(out, operand{class: o.Class})
	}
	return out
}

// mixes looks at values that are compared with the first one; rows are compared value by value.
func (v *risky) mixes(with sql.Expr, list ...sql.Expr) {
	first := v.row(with)
	for _, x := range list {
		v.meet(first, v.row(x))
	}
}

// mixesRows looks at a value that is compared with the rows of a query, if there is one.
func (v *risky) mixesRows(x sql.Expr, q *sql.Query) {
	if q != nil {
		v.meet(v.row(x), v.rows(q))
	}
}

func (v *risky) meet(a, b []operand) {
	for i := range min(len(a), len(b)) {
		v.found = v.found || a[i].meets(b[i])
	}
}

// mixesAll looks at values each of which is compared with every other one, two of those that meet others alike in the
// place of all.
func (v *risky) mixesAll(list []sql.Expr) {
	type kind struct {
		class        sqltext.Class
		number, time bool
	}
	seen := map[kind]int{}
	var kinds []sql.Expr
	for _, x := range list {
		if row := v.row(x); len(row) == 1 {
			k := kind{row[0].class, row[0].toNumber(), row[0].toTime()}
			if seen[k]++; seen[k] > 2 {
				continue
			}
		}
		kinds = append(kinds, x)
	}
	for i := range kinds {
		v.mixes(kinds[i], kinds[i+1:]...)
	}
}

// numbers looks at what is taken as a number or as a truth value.
func (v *risky) numbers(list ...sql.Expr) {
	for _, x := range list {
		v.found = v.found || x != nil && v.operand(x).toNumber()
	}
}

// times looks at what is taken as a date or a time.
func (v *risky) times(x sql.Expr) { v.found = v.found || v.operand(x).toTime() }

// cast looks at CAST and CONVERT.
func (v *risky) cast(x *sql.Cast) {
	o := v.operand(x.X)
	switch castClass(x.Type) {
	case exact, floating:
		v.found = v.found || o.toNumber() || unsigned(x.Type) // of a negative number
	case temporal:
		v.found = v.found || o.toTime()
	case text:
		v.found = v.found || len(x.Type.Args) > 0 // it may be cut off
	default:
		v.found = v.found || isText(o.class)
	}
}

// unsigned says whether a type has no negative numbers.
func unsigned(t *sql.Type) bool {
	return strings.Contains(strings.ToUpper(t.Words+" "+t.After), "UNSIGNED")
}

// joined looks at the columns by which NATURAL and USING join, and at what stands behind ON.
func (v *risky) joined(x *sql.Join) {
	v.numbers(x.On)
	if !x.Natural && x.Using == nil {
		return
	}
	left, right := v.classes.columnsFrom(x.Left), v.classes.columnsFrom(x.Right)
	for _, name := range sharedColumns(x, left, right) {
		a, b := operand{class: left[indexOf(left, name)].Class}, operand{class: right[indexOf(right, name)].Class}
		v.found = v.found || a.meets(b)
	}
}

// demands says what functions take their arguments as: n a number, d a date or a time, . whatever it is, and the last
// one also those that follow.
var demands = byName(map[string]string{
	"n": `abs sign floor ceil ceiling round truncate pow power sqrt exp ln log log2 log10 sin cos tan cot asin acos atan
		atan2 radians degrees bit_count interval bin oct conv space char sec_to_time from_unixtime makedate maketime
		from_days period_add period_diff inet_ntoa`,
	"n.":   "if iif elt format make_set export_set",
	".n":   "left right repeat substr substring mid",
	".n.":  "lpad rpad",
	".nn.": "insert",
	"..n":  "locate substring_index",
	"d": `year month day dayofmonth dayofweek dayofyear weekday weekofyear yearweek quarter hour minute second
		microsecond date time timestamp time_to_sec to_days to_seconds last_day datediff timediff unix_timestamp monthname
		dayname addtime subtime`,
	"d.": "week date_format time_format str_to_date",
	".d": "extract timestampdiff",
})
