// Package sqlite is the grammar of SQLite by way of MySQL's: what that has no words for is said in others that SQLite does not have
// (lower.go), so that what is printed again can be told from everything else and is spelled as SQLite takes it (raise.go).
//
//	SQLite                                   the common grammar
//	a || b, a GLOB b                         a ^ b, a ILIKE b
//	a IS b, a IS NOT b                       a <=> b, a <=> BINARY b
//	a COLLATE NOCASE                         a COLLATE utf8mb4_general_ci
//	MAX(a, b), MIN(a, b)                     GREATEST(a, b), LEAST(a, b)
//	CAST(a AS INTEGER), CAST(a AS BLOB)      CAST(a AS UNSIGNED), CAST(a AS BINARY)
//	t INDEXED BY i, t NOT INDEXED            t FORCE INDEX (i), t USE INDEX ()
//	AS MATERIALIZED (SELECT …                AS (SELECT SQL_BIG_RESULT …
//	SUM(a) FILTER (WHERE c)                  SUM(FILTER(c, a))
//	ORDER BY a DESC NULLS LAST               ORDER BY NULLS_LAST(a) DESC
//	INSERT OR IGNORE                         INSERT IGNORE
//	ON CONFLICT (k) DO UPDATE SET a = excluded.b WHERE c
//	                                         ON DUPLICATE KEY UPDATE a = VALUES(b), k and c apart
//	UPDATE t SET a = u.b FROM u              UPDATE t JOIN u SET t.a = u.b
package sqlite

import (
	"errors"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/sqltext/mysql"
)

// New returns a parser, for one goroutine at a time.
func New() *mysql.Parser { return mysql.NewWith(sqltext.ANSI, words{}) }

// words implements mysql.Words.
type words struct{}

var _ mysql.Words = words{}

// Lower implements mysql.Words.
func (words) Lower(sql string) (string, error) {
	if dual(sql) {
		return "", errors.New("DUAL is no table of SQLite's: leave FROM out")
	}
	first := sqltext.ANSI.Significant(sql, 3)
	if len(first) > 0 && first[0].Is("create") {
		return cutCondition(sql, first), nil
	}
	return lower(withoutArbiter(sql))
}

// Raise implements mysql.Words.
func (words) Raise(printed, whole string) (string, bool) {
	text, ok := raise(printed)
	if ok && whole != "" {
		text = withArbiter(text, whole)
	}
	return text, ok
}

// Apart implements mysql.Words.
func (words) Apart(sql string) string {
	a, ok := arbiterOf(sql)
	if !ok {
		return ""
	}
	return a.where
}

// cutCondition leaves out of CREATE INDEX … WHERE which rows it holds: the grammar knows no such index.
func cutCondition(sql string, first []sqltext.Token) string {
	if len(first) < 3 || !first[1].Is("index") && !first[2].Is("index") {
		return sql
	}
	at, depth := 0, 0
	for t := range sqltext.ANSI.Tokens(sql) {
		if depth += t.Nesting(); depth == 0 && t.Is("where") {
			return sql[:at]
		}
		at += len(t.Text)
	}
	return sql
}

// dual says whether a statement reads DUAL, which the grammar takes for no table at all.
func dual(sql string) bool {
	if !strings.Contains(strings.ToLower(sql), "dual") {
		return false
	}
	return slices.ContainsFunc(sqltext.ANSI.Read(sql).Named, func(n sqltext.TableName) bool { return n.Name == "dual" })
}
