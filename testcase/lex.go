package testcase

import (
	"strings"

	"txweave/sql/sqltext"
)

// space holds the bytes that count as white space between statements, at their ends and in header values.
const space = sqltext.Space

// firstLexer is how texts of the first version are divided, whatever their target.
var firstLexer = sqltext.FileQuoting

// endsInLineComment reports whether text appended to sql would fall into a comment.
func endsInLineComment(sql string, lexer sqltext.Quoting) bool {
	var last sqltext.Token
	for t := range lexer.Tokens(sql) {
		last = t
	}
	return last.Kind == sqltext.Comment && !strings.HasPrefix(last.Text, "/*")
}

// sectionName returns the name in a section line such as "-- rows --". It takes the line from its first
// byte that is not white space on; known says whether it names a section of this format.
func sectionName(line string) (name string, known, ok bool) {
	line = strings.Trim(line, space)
	if len(line) < len("-- x --") || !strings.HasPrefix(line, "-- ") || !strings.HasSuffix(line, " --") {
		return "", false, false
	}
	name = strings.Trim(line[2:len(line)-2], space)
	if name == "" {
		return "", false, false
	}
	_, _, _, isTxn := txnSection(name)
	_, isSession := sessionNumber(name)
	return name, isTxn || isSession || name == secSchema || name == secRows || name == secSchedule ||
		name == secOrder, true
}

// sessionNumber reads the name of a section of settings: "session", which is 0, or "session 1".
func sessionNumber(name string) (n int, ok bool) {
	if name == secSession {
		return 0, true
	}
	digits, ok := strings.CutPrefix(name, secSession+" ")
	if !ok {
		return 0, false
	}
	n, ok = number(digits)
	return n, ok && n > 0
}

// txnSection reads the name of a transaction's section: its number, that of its session, 0 if it names none, and its
// level, "" if it names none.
func txnSection(name string) (n, session int, isolation string, ok bool) {
	name, isolation, own := strings.Cut(name, isolationMark)
	if own && !isKey(isolation) {
		return 0, 0, "", false
	}
	txn, mark, shared := strings.Cut(name, sessionMark)
	if n, ok = ParseTxn(txn); ok && shared {
		session, ok = number(mark)
		ok = ok && session > 0
	}
	return n, session, isolation, ok
}

// ParseTxn reads a transaction's name, "T" and its number, as history.SessionName writes it.
func ParseTxn(name string) (n int, ok bool) {
	digits, found := strings.CutPrefix(name, "T")
	if !found {
		return 0, false
	}
	return number(digits)
}

// number reads a number of up to 9 digits without leading zeros.
func number(digits string) (n int, ok bool) {
	if digits == "" || len(digits) > 9 || (digits[0] == '0' && digits != "0") {
		return 0, false
	}
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}

// lineAt returns the rest of the line that s[i] is in, and whether only white space precedes s[i] in it.
func lineAt(s string, i int) (rest string, atStart bool) {
	begin := strings.LastIndexByte(s[:i], '\n') + 1
	end := len(s)
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		end = i + n
	}
	return s[i:end], strings.Trim(s[begin:i], space) == ""
}
