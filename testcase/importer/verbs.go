package importer

import (
	"fmt"
	"slices"
	"strings"
)

// statementWords begin a statement.
var statementWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`SELECT WITH INSERT REPLACE UPDATE DELETE BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE
		CREATE DROP ALTER TRUNCATE RENAME USE SET SHOW ANALYZE TABLE VALUES PRAGMA EXPLAIN LOCK UNLOCK XA CALL DO ADMIN SPLIT DESC DESCRIBE
		CHECK CHECKSUM OPTIMIZE REPAIR FLUSH PREPARE EXECUTE DEALLOCATE HANDLER KILL SOURCE GRANT REVOKE LOAD VACUUM ATTACH RESET`) {
		statementWords[w] = true
	}
}

// isStatement says whether a line begins a statement: with a word that does, in a way that a sentence does not.
func isStatement(sql string) bool {
	if strings.HasPrefix(sql, "(") {
		inner := strings.TrimLeft(sql, "( \t")
		switch word(inner, 0) {
		case "SELECT", "WITH", "VALUES", "TABLE":
			return true
		}
		return false
	}
	w := words(lineOf(sql), 3)
	if postgresOnly.MatchString(lineOf(sql)) {
		return true
	}
	if len(w) > 0 && w[0] == "TABLE" && (len(w) == 1 || len(w) < 3 && !strings.Contains(lineOf(sql), ";") || len(w) == 3 && isWord(w[2]) && !slices.Contains(behindTable, w[2])) {
		return false // a heading, or a sentence
	}
	return len(w) > 0 && statementWords[w[0]] && !isSentence(lineOf(sql), w)
}

// postgresOnly are statements whose first words are those of prose, too.
var postgresOnly = lazily(`(?i)^\s*(?:(?:end|abort)(?:\s+(?:work|transaction))?\s*(?:;.*)?$|merge\s+into\s|declare\s+\w+\s+(?:\w+\s+){0,4}cursor\b|` +
	`fetch\s+(?:(?:all|next|prior|first|last|forward|backward|absolute|relative|\d+)\s+)*(?:from|in)\s+\w+\s*;|close\s+\w+\s*;|(?:listen|notify)\s+\w+\s*;)`)

// Words by which sentences go on and statements do not.
var (
	articles = strings.Fields(`THE SOME ONE TWO THREE FOUR THIS THAT THESE THOSE IT THEM BOTH ANOTHER EACH EVERY OUR YOUR MY ITS AN FOLLOWING`)
	// oneSelf ends a transaction and takes little behind it.
	oneSelf     = strings.Fields(`BEGIN COMMIT ROLLBACK`)
	behindTable = strings.Fields(`ORDER LIMIT OFFSET FETCH FOR UNION INTERSECT EXCEPT INTO`)
	behindThose = strings.Fields(`WORK TRANSACTION TRAN AND NO RELEASE PESSIMISTIC OPTIMISTIC IMMEDIATE DEFERRED EXCLUSIVE CONCURRENT ISOLATION READ TO PREPARED NOT PREPARE DEFERRABLE WRITE`)
	// colon is what a line of prose ends with and a statement does not; stop, where the words before it are plain ones.
	colon = lazily(`[:：]\s*$`)
	stop  = lazily(`[A-Za-z]{2,}[.!?]\s*$`)
	// everywhere is where a setting of all sessions is said in words.
	everywhere = lazily(`(?i)\b(?:for|in|on) (?:each|both|all|every) (?:of )?(?:the )?(?:sessions?|connections?|clients?|transactions?|windows?|terminals?)\b`)
	plain      = lazily(`^[\pL\pN ,.'’!?:;()/-]*$`)
)

// isSentence says whether a line that begins with a statement's word is prose: "Create a table:", "Start two sessions", "Set the
// level in both", "Commit in session 2". w are its first words, in capitals.
func isSentence(line string, w []string) bool {
	at := func(i int) string {
		if i < len(w) {
			return w[i]
		}
		return ""
	}
	line = strings.TrimSpace(line)
	if w[0] == "SET" && everywhere.MatchString(line) {
		return true
	}
	if strings.ContainsAny(line, ";=*`\"<>@") || !plain.MatchString(line) {
		return false
	}
	first, second := at(0), at(1)
	bare := !strings.Contains(line, "(")
	switch {
	case colon.MatchString(line), stop.MatchString(line) && len(w) > 1:
		return true
	case first == "SELECT":
		return bare && slices.Contains([]string{"THE", "THIS", "THESE", "FROM", "AGAIN"}, second) && !strings.Contains(strings.ToUpper(line), " FROM ")
	case slices.Contains(oneSelf, first): // "Begin in both", but not "commit and chain"
		return len(second) > 1 && isWord(second) && !slices.Contains(behindThose, second)
	case first == "WITH" && second == "A" && len(w) > 2 && w[2] != "AS":
		return !withTable.MatchString(line)
	case slices.Contains(articles, second), second == "A" && at(2) != "":
		return bare && at(2) != "SET" && at(2) != "VALUES" && at(2) != "FROM" && first != "WITH" && first != "VALUES"
	case first == "START":
		return isWord(second) && !slices.Contains([]string{"TRANSACTION", "SLAVE", "REPLICA", "GROUP_REPLICATION", "ALL"}, second)
	case first == "DO":
		return slices.Contains([]string{"NOT", "SO", "I", "WE", "YOU"}, second)
	case first == "USE":
		return len(strings.Fields(line)) > 2
	case first == "SET":
		return second == "ISOLATION" || second == "UP"
	case first == "PREPARE":
		return !slices.Contains(w, "FROM") && !slices.Contains(w, "AS") && !slices.Contains(w, "TRANSACTION")
	case first == "WITH":
		return len(w) > 2 && !strings.Contains(strings.ToUpper(line), " AS")
	}
	return false
}

// withTable begins a query with a table of its own.
var withTable = lazily(`(?i)^with\s+(?:recursive\s+)?[\w"]+\s*(?:\([^)]*\)\s*)?as\b`)

func isWord(s string) bool { return s != "" && (isLetter(s[0]) || s[0] >= 0x80) }

// words returns the leading words of a statement in capitals, comments left out.
func words(sql string, n int) []string {
	var out []string
	for _, t := range lexer.Significant(sql, n) {
		out = append(out, strings.ToUpper(t.Unquote()))
	}
	return out
}

func word(sql string, i int) string {
	if w := words(sql, i+1); len(w) > i {
		return w[i]
	}
	return ""
}

func quote(s string) string {
	const limit = 40
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// plainEnds writes END and ABORT, as PostgreSQL has them and SQLite END, as COMMIT and ROLLBACK.
func (s *scanner) plainEnds() {
	if !s.ansi {
		return
	}
	for i := range s.out {
		if m := otherEnd.FindStringSubmatch(s.out[i].sql); m != nil && strings.EqualFold(m[1], "end") {
			s.out[i].sql = "COMMIT"
		} else if m != nil {
			s.out[i].sql = "ROLLBACK"
		}
	}
}

var otherEnd = lazily(`(?i)^(end|abort)(?:\s+(?:work|transaction))?$`)
