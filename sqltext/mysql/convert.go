package mysql

import (
	"regexp"
	"strings"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
	"github.com/pingcap/tidb/pkg/parser/types"
)

// What is warned of when a value is taken as one of another class: a text that is no number, what is no date. Nothing is where a number or
// a date is taken as a text, or where it is a literal that says what it is taken as.

// operand is a value that is compared or converted.
type operand struct {
	class   class
	literal *string // of a text literal
}

func (v *risky) operand(e ast.ExprNode) operand {
	e = unwrap(e)
	o := operand{class: v.classes.classOf(e)}
	if lit, ok := e.(*test_driver.ValueExpr); ok && lit.Kind() == test_driver.KindString {
		s := lit.GetString()
		o.literal = &s
	}
	return o
}

// wholeNumber is a text that is taken as a number without a warning, of whatever type.
var wholeNumber = regexp.MustCompile(`^-?[0-9]{1,15}$`)

// isTime says whether a text is a date or a time, as people write them.
func isTime(s string) bool {
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04:05", "15:04:05"} { // fractions of a second are read by themselves
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// toNumber says whether there can be a warning where the value is taken as a number.
func (o operand) toNumber() bool {
	return isText(o.class) && (o.literal == nil || !wholeNumber.MatchString(*o.literal))
}

// toTime says whether there can be a warning where the value is taken as a date or a time.
func (o operand) toTime() bool {
	return o.class != unknown && o.class != temporal && (o.literal == nil || !isTime(*o.literal))
}

// meets says whether there can be a warning where two values are compared: a text becomes a number beside one, and a date beside one; a
// number becomes a date.
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
func (v *risky) row(e ast.ExprNode) (out []operand) {
	switch x := unwrap(e).(type) {
	case *ast.RowExpr:
		for _, value := range x.Values {
			out = append(out, v.operand(value))
		}
		return out
	case *ast.SubqueryExpr:
		for _, o := range v.classes.outputs(x.Query) {
			out = append(out, operand{class: o.class})
		}
		return out
	}
	return []operand{v.operand(e)}
}

// mixes looks at values that are compared with the first one; rows are compared value by value.
func (v *risky) mixes(of ...ast.ExprNode) {
	first := v.row(of[0])
	for _, e := range of[1:] {
		other := v.row(e)
		for i := range min(len(first), len(other)) {
			v.found = v.found || first[i].meets(other[i])
		}
	}
}

// mixesAll looks at values each of which is compared with every other one, two of those that meet others alike in the place of all.
func (v *risky) mixesAll(list []ast.ExprNode) {
	type kind struct {
		class        class
		number, time bool
	}
	seen := map[kind]int{}
	var kinds []ast.ExprNode
	for _, e := range list {
		if row := v.row(e); len(row) == 1 {
			k := kind{row[0].class, row[0].toNumber(), row[0].toTime()}
			if seen[k]++; seen[k] > 2 {
				continue
			}
		}
		kinds = append(kinds, e)
	}
	for i := range kinds {
		v.mixes(kinds[i:]...)
	}
}

// numbers looks at what is taken as a number or as a truth value.
func (v *risky) numbers(list ...ast.ExprNode) {
	for _, e := range list {
		v.found = v.found || e != nil && v.operand(e).toNumber()
	}
}

// times looks at what is taken as a date or a time.
func (v *risky) times(list ...ast.ExprNode) {
	for _, e := range list {
		v.found = v.found || e != nil && v.operand(e).toTime()
	}
}

// cast looks at CAST and CONVERT.
func (v *risky) cast(x *ast.FuncCastExpr) {
	o := v.operand(x.Expr)
	switch t := x.Tp.EvalType(); t {
	case types.ETInt, types.ETReal, types.ETDecimal:
		v.found = v.found || o.toNumber() || mysql.HasUnsignedFlag(x.Tp.GetFlag()) // of a negative number
	case types.ETDatetime, types.ETTimestamp, types.ETDuration:
		v.found = v.found || o.toTime()
	case types.ETString:
		v.found = v.found || x.Tp.GetFlen() != types.UnspecifiedLength // it may be cut off
	default:
		v.found = v.found || isText(o.class)
	}
}

// joined looks at the columns by which NATURAL and USING join, and at what stands behind ON.
func (v *risky) joined(x *ast.Join) {
	if x.On != nil {
		v.numbers(x.On.Expr)
	}
	if !x.NaturalJoin && x.Using == nil {
		return
	}
	left, right := v.classes.columnsFrom(x.Left), v.classes.columnsFrom(x.Right)
	for _, name := range sharedColumns(x, left, right) {
		a, b := operand{class: left[indexOf(left, name)].class}, operand{class: right[indexOf(right, name)].class}
		v.found = v.found || a.meets(b)
	}
}

// demands says what functions take their arguments as: n a number, d a date or a time, . whatever it is, and the last one also those that
// follow.
var demands = func() map[string]string {
	out := map[string]string{}
	for pattern, names := range map[string]string{
		"n": `abs sign floor ceil ceiling round truncate mod pow power sqrt exp ln log log2 log10 sin cos tan cot asin acos atan atan2 radians
			degrees bit_count interval bin oct conv space char_func sec_to_time from_unixtime makedate maketime from_days period_add period_diff
			inet_ntoa`,
		"n.":   "if iif elt format make_set export_set",
		".n":   "left right repeat substr substring mid",
		".n.":  "lpad rpad",
		".nn.": "insert_func",
		"..n":  "locate substring_index",
		"d": `year month day dayofmonth dayofweek dayofyear weekday weekofyear yearweek quarter hour minute second microsecond date time
			timestamp time_to_sec to_days to_seconds last_day datediff timediff unix_timestamp monthname dayname addtime subtime`,
		"d.": "week date_format time_format date_add date_sub adddate subdate str_to_date",
		".d": "extract timestampdiff",
	} {
		for _, n := range strings.Fields(names) {
			out[n] = pattern
		}
	}
	return out
}()

// call looks at what a function takes its arguments as.
func (v *risky) call(x *ast.FuncCallExpr) {
	name := x.FnName.L
	switch name {
	case "greatest", "least", "nullif", "field":
		v.mixesAll(x.Args)
		return
	case "ln", "log", "log2", "log10", "exp", "pow", "power": // of what has none, or one that is too large
		_, lit := unwrap(x.Args[0]).(*test_driver.ValueExpr)
		v.found = v.found || !lit
	case "date_add", "date_sub", "adddate", "subdate":
		if len(x.Args) > 1 { // an interval may be a literal such as '1:30'
			if o := v.operand(x.Args[1]); o.literal == nil {
				v.numbers(x.Args[1])
			}
		}
	}
	pattern := demands[name]
	if pattern == "" {
		return
	}
	for i, arg := range x.Args {
		switch pattern[min(i, len(pattern)-1)] {
		case 'n':
			v.numbers(arg)
		case 'd':
			v.times(arg)
		}
	}
}
