package importer

import (
	"strings"
)

// sessionName is how reports name a session: T1, tx2, session 3, conn_a, client B, terminal 1, …; spelledSession is how they
// count them. Of names that begin alike the longest comes first: "txn-1" is no session "tx n".
const (
	sessionName = `(?:transaction|txn|trx|tx|thread|thd|terminal|term|t|session|sess|ses|connection|conn|con|client|cli|c|window|win|user|worker|` +
		`mysql|mariadb|tidb|node|shell|sqlite|s|tab|console|process|psql|pane|prompt)[ _#-]{0,2}(?:\d+|[a-z])|` + foreignSession
	foreignSession = `(?:会话|會話|事务|事務|连接|連接|客户端|客戶端|线程|窗口|终端|セッション|トランザクション|接続|세션|트랜잭션|sitzung|transaktion|verbindung|` +
		`sesión|sesion|transacción|transaccion|conexión|sessão|transação|сессия|сеанс|транзакция|соединение)[ _#-]{0,2}(?:\d+|\pL)`
	spelledSession = `(?:first|second|third|fourth|1st|2nd|3rd|4th|one|another|other|original|initial|left|right|upper|lower|top|bottom) +` +
		`(?:session|transaction|connection|client|window|terminal|txn|user|thread|psql|shell|tab|pane|console|prompt|side|one)|` +
		`(?:session|transaction|connection|client|window|terminal|txn|user|thread|psql|shell|tab|pane|console|process|worker|prompt|mysql|sqlite) +(?:one|two|three|four)`
	anySession = `(?:` + spelledSession + `|` + sessionName + `)`
)

// counted are the words that number sessions.
var counted = map[string]string{"first": "1", "second": "2", "third": "3", "original": "1", "initial": "1", "fourth": "4", "1st": "1", "2nd": "2", "3rd": "3", "4th": "4",
	"one": "1", "two": "2", "three": "3", "four": "4", "another": "2", "other": "2",
	"left": "left", "right": "right", "upper": "upper", "lower": "lower", "top": "upper", "bottom": "lower"}

// window is what people call that which sends a session's statements; who writes "connection 1" above and "session 1" below means one.
var window = lazily(`^(?:sess|ses|connection|conn|con|client|terminal|term|window|win|user|psql|shell|tab|pane|console|cli|prompt|side|one)(\d+|[a-z]|left|right|upper|lower)$`)

// normal is a session's name as it is compared: "Session 1", "session1" and "connection 1" are one.
func normal(tag string) string {
	tag = strings.ToLower(tag)
	switch tag {
	case "setup", "set-up", "prepare":
		return setupTag
	}
	if w := strings.Fields(tag); len(w) == 2 {
		for i := range w {
			if n := counted[w[i]]; n != "" {
				tag = w[1-i] + n
				break
			}
		}
	}
	tag = strings.NewReplacer(" ", "", "_", "", "-", "", "#", "").Replace(tag)
	return window.ReplaceAllString(tag, "session$1")
}
