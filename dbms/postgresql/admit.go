package postgresql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// admission is what a case of PostgreSQL may hold. VACUUM of a whole database waits for whoever looks at a page, and
// nothing tells for whom.
var admission = sqltext.Admission{Token: token, Script: script, Body: body,
	Told: strings.Fields(
		`pg_class pg_attribute pg_index pg_indexes pg_tables pg_views pg_constraint pg_locks pg_stat_activity pg_prepared_xacts
		pg_settings pg_type pg_namespace pg_database pg_trigger pg_sequences`),
	// postgresql.org/docs, String Constants; Version and Platform Compatibility
	Reading: sqltext.ReadingSettings{Charsets: []string{"client_encoding"},
		Fixed: []string{"standard_conforming_strings", "backslash_quote", "escape_string_warning"}}}

// token refuses names that are not written out.
func token(tokens []sqltext.Token, at int, _ bool) error {
	if tokens[at].Kind == sqltext.Name && at > 1 && tokens[at-1].Text == "&" && tokens[at-2].Is("u") {
		return errors.New("a name in escapes")
	}
	return nil
}

// script judges the statements of scripts that PostgreSQL has and others have not.
func script(s sqltext.Statement, judge sqltext.ScriptJudge) (ok bool, err error) {
	first := s.Tokens[0]
	switch {
	case first.Is("do"):
		return true, body(s, judge)
	case first.Is("merge", "declare", "fetch", "close", "move", "listen", "unlisten", "notify", "vacuum", "refresh"):
		return true, nil // what they read and call was judged with their words
	case first.Is("reset") && len(s.Tokens) == 2:
		if s.Tokens[1].Is("all", "role") {
			return true, errors.New("what it sets back could reach beyond the database")
		}
		return true, judge.Setting(s.Tokens[1].Text)
	case first.Is("prepare"): // PREPARE name (types) AS statement
		as := slices.IndexFunc(s.Tokens, func(t sqltext.Token) bool { return t.Is("as") })
		if as > 0 && as+1 < len(s.Tokens) {
			return true, judge.Statement(sqltext.Join(s.Tokens[as+1:]))
		}
	}
	return false, nil
}

// languages are those of bodies that can do what SQL can and no more.
var languages = []string{"sql", "plpgsql"}

// body judges what is run out of a literal: the body of DO, of a function or procedure. EXECUTE FUNCTION of a trigger
// has none: what the function may do was asked where it was made.
func body(s sqltext.Statement, judge sqltext.ScriptJudge) error {
	for i, t := range s.Tokens {
		if t.Is("language") && i+1 < len(s.Tokens) && !slices.Contains(languages, strings.ToLower(s.Tokens[i+1].Unquote())) {
			return fmt.Errorf("language %s reaches beyond the database", s.Tokens[i+1].Unquote())
		}
		if t.Kind != sqltext.Literal {
			continue
		}
		if i > 0 && s.Tokens[i-1].Is("u") || strings.ContainsAny(t.Text[:1], "eE") || strings.Contains(t.Text, `\`) {
			return errors.New("its body is not written out")
		}
		if err := judge.Body(quoting.Read(t.Unquote())); err != nil {
			return err
		}
	}
	return nil
}
