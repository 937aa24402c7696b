package importer

import (
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// objects are what CREATE, ALTER and DROP are about.
const objects = `TABLE INDEX UNIQUE VIEW OR TEMPORARY TEMP TRIGGER PROCEDURE FUNCTION DATABASE SCHEMA SEQUENCE
	FULLTEXT SPATIAL ALGORITHM DEFINER SQL EVENT USER ROLE TYPE MATERIALIZED EXTENSION RULE UNLOGGED GLOBAL DOMAIN
	PUBLICATION AGGREGATE VIRTUAL COLLATION SERVER TABLESPACE STATISTICS IF ONLINE OFFLINE IGNORE SYSTEM INSTANCE
	PREPARE POLICY CONVERSION CAST OPERATOR FOREIGN DEFAULT EXTERNAL`

// ends are what may stand behind the word that begins or ends a transaction.
const ends = `; WORK TRANSACTION TRAN AND NO RELEASE PREPARED TO ISOLATION READ NOT DEFERRABLE PESSIMISTIC OPTIMISTIC
	IMMEDIATE DEFERRED EXCLUSIVE CONCURRENT \`

// starts are the words that begin a statement, each with those of which one must stand behind it; without any it may be
// whatever stands there.
var starts = map[string][]string{}

func init() {
	for _, w := range strings.Fields(`SELECT WITH VALUES TABLE SAVEPOINT RELEASE TRUNCATE USE SHOW ANALYZE EXPLAIN
		DESC DESCRIBE PRAGMA CALL KILL SOURCE GRANT REVOKE LOAD VACUUM ATTACH DETACH RESET EXECUTE DEALLOCATE HANDLER
		FLUSH OPTIMIZE REPAIR FETCH CLOSE LISTEN UNLISTEN NOTIFY COPY REINDEX CLUSTER ADMIN SPLIT INSERT REPLACE UPDATE DELETE
		SET DO PREPARE`) {
		starts[w] = nil
	}
	for w, behind := range map[string]string{
		"CREATE": objects, "DROP": objects, "ALTER": objects,
		"BEGIN": ends, "COMMIT": ends, "ROLLBACK": ends, "END": ends, "ABORT": ends, "START": "TRANSACTION",
		"XA":     "START BEGIN END PREPARE COMMIT ROLLBACK RECOVER",
		"RENAME": "TABLE USER", "LOCK": "TABLE TABLES INSTANCE", "UNLOCK": "TABLES INSTANCE", "CHECK": "TABLE",
		"CHECKSUM": "TABLE", "MERGE": "INTO", "REFRESH": "MATERIALIZED", "DECLARE": "",
	} {
		starts[w] = strings.Fields(behind)
	}
}

// begins says whether a text begins with a statement, by the words with which statements begin.
func begins(text string) bool {
	const enough = 40
	list := lexer.Significant(text[:min(len(text), 4000)], enough)
	for len(list) > 0 && list[0].Kind == sqltext.Executable {
		list = append(lexer.Significant(list[0].Inner(), enough), list[1:]...)
	}
	if len(list) > 1 && list[0].Text == "(" {
		return list[1].Is("select", "with", "values", "table") || list[1].Text == "("
	}
	if len(list) == 0 || list[0].Kind != sqltext.Word {
		return false
	}
	first := strings.ToUpper(list[0].Text)
	behind, known := starts[first]
	if !known {
		return false
	}
	return goesOn(first, behind, list, text)
}

// capitalised says whether a line is a sentence, for all its first word: "Analyze the table below, please."
func capitalised(line string) bool {
	return isSentence([]string{line}) && !strings.Contains(line, ";") && line[:1] == strings.ToUpper(line[:1]) &&
		line[1:2] == strings.ToLower(line[1:2])
}

// goesOn says whether what stands behind the first word is what does in a statement, and not in a sentence.
func goesOn(first string, behind []string, list []sqltext.Token, text string) bool {
	at := func(i int) string {
		if i < len(list) {
			return strings.ToUpper(list[i].Text)
		}
		return ";"
	}
	switch first {
	case "BEGIN", "COMMIT", "ROLLBACK", "END", "ABORT":
		own := lexer.Significant(lineOf(strings.TrimLeft(text, " \t")), 2)
		return len(own) < 2 || slices.Contains(behind, at(1)) || list[1].Kind == sqltext.Executable
	case "INSERT", "REPLACE":
		return slices.Contains([]string{"INTO", "IGNORE", "OR", "LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED"}, at(1)) ||
			slices.Contains([]string{"(", "VALUES", "VALUE", "SET", "SELECT", "."}, at(2))
	case "UPDATE":
		if at(1) == "OR" { // OR ROLLBACK
			list = list[min(2, len(list)-1):]
		}
		return reaches(list[1:], "set")
	case "LOCK":
		return slices.Contains(behind, at(1)) || reaches(list[1:], "mode")
	case "DELETE":
		return reaches(list[1:], "from")
	case "SET":
		return slices.Contains([]string{"=", ":", "TO", "."}, at(2)) || slices.Contains(strings.Fields(
			"TRANSACTION SESSION GLOBAL LOCAL NAMES CHARACTER CHARSET CONSTRAINTS ROLE PASSWORD PERSIST PERSIST_ONLY "+
				"STATEMENT DEFAULT TIME @"), at(1))
	case "DO":
		return at(2) == "(" || at(1) == "LANGUAGE" || len(list) > 1 && list[1].Kind == sqltext.Literal ||
			strings.HasPrefix(at(1), "$") || strings.HasPrefix(at(2), "'")
	case "PREPARE":
		return reaches(list[1:], "from", "as", "transaction")
	case "TABLE", "USE", "SAVEPOINT":
		own := lexer.Significant(lineOf(strings.TrimLeft(text, " \t")), 3)
		return len(own) == 2 || len(own) > 2 && (own[2].Kind == sqltext.Symbol || own[2].Is("order", "limit", "union"))
	case "WITH":
		return slices.Contains([]string{"AS", "("}, at(2)) || at(1) == "RECURSIVE"
	case "VALUES":
		return at(1) == "(" || at(1) == "ROW"
	}
	if len(behind) == 0 {
		return first == "SELECT" || !capitalised(lineOf(strings.TrimSpace(text)))
	}
	return slices.Contains(behind, at(1))
}

// reaches says whether one of the words comes before the statement ends or another one begins.
func reaches(list []sqltext.Token, words ...string) bool {
	for _, t := range list {
		switch {
		case t.Is(words...):
			return true
		case t.Text == ";", t.Is("update", "insert", "delete", "commit", "rollback", "begin"):
			return false
		}
	}
	return false
}

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

// defines says whether a text begins with a statement that makes tables or rows.
func defines(text string) bool {
	switch word(text, 0) {
	case "CREATE", "INSERT", "DROP":
		return begins(text)
	}
	return false
}

// statements divides a text at its semicolons; remarks are left out. What is between them and no statement is what is
// left.
func statements(text string) (out []string, left string) {
	var b strings.Builder
	take := func() {
		if sql := strings.TrimSpace(b.String()); sql != "" && begins(sql) {
			out = append(out, sql)
		} else if sql != "" {
			left = sql
		}
		b.Reset()
	}
	body := sqltext.Body{}
	for t := range lexer.Tokens(text) {
		switch {
		case t.Text == ";" && body.Ends():
			take()
			body = sqltext.Body{}
			continue
		case t.Kind == sqltext.Comment:
			continue
		}
		body.Take(t)
		b.WriteString(t.Text)
	}
	take()
	return out, left
}
