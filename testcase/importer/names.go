package importer

import (
	"regexp"
	"strings"
)

// sessionWord is how a session is called, with its number or letter: T1, tx2, session 3, conn_a, client B, terminal 1.
// Of words that begin alike the longest comes first.
const sessionWord = `(?:transaction|txn|trx|tx|thread|thd|terminal|term|t|session|sess|ses|connection|conn|con|` +
	`client|cli|c|window|win|user|` +
	`worker|process|node|shell|tab|console|mysql|mariadb|tidb|psql|sqlite|s|` +
	`会话|事务|终端|窗口|连接|客户端|线程|セッション|トランザクション|세션|트랜잭션|сессия|сеанс|транзакция|терминал|соединение|клиент|окно|` +
	`sitzung|transaktion|verbindung|fenster|sesión|transacción|conexión|sessão|transação|conexão)` +
	`[ _#-]{0,2}(?:\d+|[a-z])\b`

var sessionName = regexp.MustCompile(`(?i)^` + sessionWord)

// isSession says whether a text is the name of a session and nothing else.
func isSession(text string) bool { return text != "" && len(sessionName.FindString(text)) == len(text) }

// isShort says whether a text is a letter or a number by which sessions are told: A, 2, 1001.
func isShort(text string) bool {
	return len(text) == 1 && text[0] >= 'A' && text[0] <= 'Z' || len(text) < 7 && isNumber(text)
}

// isNumber says whether a text is of digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// named is a session as it is called: one that is told by a letter or a number is "session A".
func named(text string) string {
	if isShort(text) {
		return "session " + text
	}
	return text
}

// isSetup says whether a mark is that of statements which come before all sessions.
func isSetup(mark string) bool {
	switch strings.ToLower(mark) {
	case "init", "setup", "set-up", "prepare":
		return true
	}
	return false
}

// normal is a session's name as it is compared: "Session 1" and "session1" are one.
func normal(name string) string {
	if isSetup(name) {
		return setupTag
	}
	return strings.NewReplacer(" ", "", "_", "", "-", "", "#", "").Replace(strings.ToLower(name))
}

// headingOf returns the session that a line names and nothing else: "-- session 1", "**Session A:**", "== T2 ==", "2.
// Terminal 1"; "" for another line.
func headingOf(line string) string {
	const longest, decoration = 80, "-#*=_/ \t[]()<>:.;–—"
	if len(line) > longest {
		return ""
	}
	text := strings.Trim(line, decoration)
	if at := strings.IndexAny(text, ".)"); at > 0 && strings.Trim(text[:at], "0123456789") == "" {
		text = strings.Trim(strings.TrimLeft(text[at:], ".)"), decoration)
	}
	if strings.HasSuffix(strings.TrimRight(line, "* "), ":") {
		text = strings.Trim(leading.ReplaceAllString(text, ""), "*_")
	}
	if isSession(text) || strings.HasPrefix(strings.TrimSpace(line), "-") && isSetup(text) {
		return text
	}
	return ""
}

// leading are words in front of a session's name in a heading that ends with a colon: "Now in session 2:".
var leading = regexp.MustCompile(`(?i)^(?:(?:now|then|back|again|meanwhile|and|in|on|from|at|to|the),?\s+)+`)

// isRule says whether a line only underlines or divides.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 2 && strings.Trim(line, "-=*_~") == ""
}
