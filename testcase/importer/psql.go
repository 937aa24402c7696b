package importer

import (
	"fmt"
	"slices"
	"strings"
)

var (
	// psqlPrompt is PostgreSQL's: the database, how the transaction stands, and who asks; psqlMore is in front of further lines.
	psqlPrompt = lazily(`^([ \t]*(?:[^\s=>#|;:]{1,30}[ \t]*[:)>][ \t]*)?)([\w.@-]{1,40}=[*!^?]?[#>])[ \t]`)
	psqlMore   = lazily(`^[ \t]*[\w.@-]{1,40}[-'"($][*!^?]?[#>][ \t]?`)
	// cockroach is the prompt of CockroachDB's shell.
	cockroach = lazily(`^[ \t]*\w+@[\w.:-]*/\w+(?:[ \t]+[A-Za-z]+)?>[ \t]`)
	psqlRows  = lazily(`^\((\d+) rows?\)$`)
	psqlRule  = lazily(`^-+(?:\+-+)*$`)
	psqlError = lazily(`^(?:ERROR|FATAL|WARNING|DETAIL|HINT|CONTEXT|NOTICE|LINE \d+):`)
)

// asMySQLPrints writes what psql shows as MySQL's client would show it; lines stay where they are.
func asMySQLPrints(text string) string {
	lines := strings.Split(text, "\n")
	begun := false
	speaker := psqlSpeakers(lines)
	for i := 0; i < len(lines); i++ {
		trimmed := strings.TrimSpace(lines[i])
		switch m := psqlPrompt.FindStringSubmatchIndex(lines[i]); {
		case m != nil && changesDatabase.MatchString(lines[i]):
			lines[i] = "" // the script has one
		case m != nil:
			begun = true
			lines[i] = lines[i][:m[4]] + speaker(lines[i][m[4]:m[5]]) + "> " + lines[i][m[1]:]
		case cockroach.MatchString(lines[i]):
			begun = true
			lines[i] = cockroach.ReplaceAllString(lines[i], "mysql> ")
		case !begun:
		case psqlMore.MatchString(lines[i]):
			lines[i] = "    " + psqlMore.ReplaceAllString(lines[i], "")
		case i+1 < len(lines) && trimmed != "" && psqlRule.MatchString(strings.TrimSpace(lines[i+1])):
			for ; i < len(lines) && !psqlRows.MatchString(strings.TrimSpace(lines[i])); i++ {
				if cells := strings.TrimSpace(lines[i]); psqlRule.MatchString(cells) {
					lines[i] = "+---+"
				} else if cells != "" {
					lines[i] = "|" + lines[i] + "|"
				}
			}
			if i < len(lines) {
				lines[i] = psqlRows.ReplaceAllString(strings.TrimSpace(lines[i]), "$1 rows in set")
			}
		case psqlTag.MatchString(trimmed):
			lines[i] = psqlAnswer(trimmed)
		case psqlError.MatchString(trimmed):
			lines[i] = "-- " + trimmed
		}
	}
	return strings.Join(lines, "\n")
}

// psqlSpeakers tells who speaks by the database that a prompt names: "mysql", nobody in particular, where one database is asked after
// the other. Who has two windows with prompts of their own, "S1=#" and "S2=#", goes from one to the other and back.
func psqlSpeakers(lines []string) func(prompt string) string {
	var names, turns []string
	for _, line := range lines {
		if changesDatabase.MatchString(line) {
			return func(string) string { return "mysql" }
		}
		m := psqlPrompt.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name, _, _ := strings.Cut(m[2], "=")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(turns) == 0 || turns[len(turns)-1] != name {
			turns = append(turns, name)
		}
	}
	called := len(names) > 1 && !slices.ContainsFunc(names, func(name string) bool { return !wholeSession.MatchString(name) })
	return func(prompt string) string {
		name, _, _ := strings.Cut(prompt, "=")
		switch {
		case called:
			return name
		case len(turns) > len(names):
			return fmt.Sprint("session ", 1+slices.Index(names, name))
		}
		return "mysql"
	}
}

// changesDatabase is psql's command to go on in another database.
var changesDatabase = lazily(`^[^'"]*[#>]\s*\\c(?:onnect)?\b`)

// psqlTag is what psql prints of a statement that returns no rows.
var psqlTag = lazily(`^(?:(?:UPDATE|DELETE|INSERT 0|SELECT|MERGE) (\d+)|BEGIN|COMMIT|ROLLBACK|SET|SAVEPOINT|RELEASE|START TRANSACTION|(?:CREATE|DROP|ALTER|TRUNCATE|LOCK) ?[A-Z]*)$`)

// printedTag says whether a line, where statements have prompts, is what a client prints of the statement above it: "BEGIN", "UPDATE 1".
func (s *scanner) printedTag(line string) bool {
	if !s.talks || len(s.out) == 0 || s.tag != "" || !psqlTag.MatchString(line) {
		return false
	}
	first, last := word(line, 0), word(s.out[len(s.out)-1].sql, 0)
	return first == last || first == "COMMIT" && last == "END" || first == "ROLLBACK" && (last == "ABORT" || last == "END")
}

func psqlAnswer(tag string) string {
	if m := psqlTag.FindStringSubmatch(tag); m[1] != "" {
		return "Query OK, " + m[1] + " rows affected"
	}
	return ""
}
