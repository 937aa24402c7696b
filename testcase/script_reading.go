package testcase

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// unicodeSets are character sets of which no character has a byte of ASCII in it but those of ASCII, and no byte beyond
// it is a space.
var unicodeSets = []string{"utf8", "utf8mb3", "utf8mb4", "unicode", "utf-8"}

// otherASCII are those that have other characters in place of some of ASCII's.
var otherASCII = []string{"swe7", "ucs2", "utf16", "utf16le", "utf32"}

// reading judges a setting of a name with what follows it in the statement.
func (a *scriptAdmission) reading(name string, after []sqltext.Token) error {
	changes := fmt.Errorf("%s changes how the server reads statements", strings.ToUpper(name))
	reads := a.x.Admission.Reading
	if words, ok := reads.Words[name]; ok {
		if !plainWords(after, words, a.alone) {
			return fmt.Errorf("%s, unless to modes that are written out and leave literals as they are", changes)
		}
	}
	switch {
	case slices.Contains(reads.Fixed, name):
		return changes
	case name == "character", name == "char":
		if len(after) == 0 || !after[0].Is("set") {
			return nil
		}
		after, name = after[1:], "names"
	}
	if name == "names" || name == "charset" || slices.Contains(reads.Charsets, name) {
		value, ok := plainValue(after)
		value = strings.ToLower(value)
		if strings.HasPrefix(name, "collation") {
			value, _, _ = strings.Cut(value, "_")
		}
		if !ok || value == "default" || slices.Contains(otherASCII, value) || !a.ascii &&
			!slices.Contains(unicodeSets, value) {
			return fmt.Errorf("%s, unless to UTF-8", changes)
		}
	}
	return nil
}

// plainWords says whether a setting is given a list of such words; usual says that it may be its default, too.
func plainWords(after []sqltext.Token, words []string, usual bool) bool {
	value, ok := plainValue(after)
	if usual && strings.EqualFold(value, "default") {
		return true
	}
	for _, word := range strings.Split(strings.ToLower(value), ",") {
		ok = ok && (word == "" || slices.Contains(words, word))
	}
	return ok
}

// plainValue returns the value that a setting is given, without quotes; false where it is no single word or literal.
func plainValue(after []sqltext.Token) (string, bool) {
	for len(after) > 0 && (after[0].Text == ":" || after[0].Text == "=" || after[0].Is("to")) {
		after = after[1:]
	}
	if len(after) == 0 || after[0].Kind == sqltext.Symbol || len(after) > 1 && after[1].Text != "," &&
		!after[1].Is("collate") {
		return "", false
	}
	return after[0].Unquote(), !strings.Contains(after[0].Text, `\`)
}

// readingWord returns the word of a routine's definition or body, if there is one, by which it could change such a
// setting.
func (a *scriptAdmission) readingWord(tokens []sqltext.Token) (word string, ok bool) {
	sets := false // the last word that begins a statement or a clause was SET
	for i, t := range tokens {
		name, ident := t.Ident()
		sets = (sets || t.Is("set")) && t.Text != ";" && !t.Is("select", "from", "where", "update", "insert")
		if !ident {
			continue
		}
		next := sqltext.Token{}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		names := name == "names" || name == "charset" || (name == "character" || name == "char") && next.Is("set")
		if a.x.Admission.Reading.Has(name) || sets && names && next.Kind != sqltext.Symbol {
			return strings.ToUpper(name), true
		}
	}
	return "", false
}

// isASCII says whether all statements of a script are: then it does not matter how a character set reads more than
// ASCII.
func (s *Script) isASCII() bool {
	return !slices.ContainsFunc(slices.Concat(s.Setup, s.Steps), func(st ScriptStmt) bool {
		return strings.ContainsFunc(st.SQL, func(r rune) bool { return r >= 0x80 })
	})
}

// without replaces, outside of literals and comments, what cut says by a blank: how many of the tokens that it is given
// the first of.
func without(q sqltext.Quoting, sql string, cut func([]sqltext.Token) int) string {
	tokens := slices.Collect(q.Tokens(sql))
	var b strings.Builder
	for i := 0; i < len(tokens); {
		if n := cut(tokens[i:]); n > 0 {
			b.WriteByte(' ')
			i += n
			continue
		}
		b.WriteString(tokens[i].Text)
		i++
	}
	return b.String()
}

// dotted returns at which token of those that follow the first one, blanks left out, its qualifier's dot stands; 0
// where none does.
func dotted(tokens []sqltext.Token) int {
	for i := 1; i < len(tokens); i++ {
		if tokens[i].Text == "." {
			return i
		}
		if tokens[i].Kind != sqltext.Blank {
			break
		}
	}
	return 0
}

// unscoped takes the scopes out of names of settings: @@global.x is @@x.
func unscoped(q sqltext.Quoting, sql string) string {
	at := 0 // how many @ stand before the token
	return without(q, sql, func(tokens []sqltext.Token) int {
		if tokens[0].Text == "@" {
			at++
			return 0
		}
		scope := at == 2 && tokens[0].Is("global", "session", "local")
		at = 0
		if n := dotted(tokens); scope && n > 0 {
			return n + 1
		}
		return 0
	})
}

// withoutCatalogue takes out the qualifiers by which tables are read that describe the others: reading them harms
// nobody.
func withoutCatalogue(q sqltext.Quoting, sql string) string {
	return without(q, sql, func(tokens []sqltext.Token) int {
		name, ok := tokens[0].Ident()
		if n := dotted(tokens); ok && n > 0 && (name == "information_schema" || name == "performance_schema") {
			return n + 1
		}
		return 0
	})
}
