package target

import (
	"slices"
	"strings"
)

// secret are the flags whose values may hold a password.
var secret = []string{"--dsn", "--store"}

// CommandLine prints arguments as a shell takes them. A data source name is shown without its password.
func CommandLine(args []string) string {
	out := []string{"txweave"}
	for i, a := range args[1:] {
		if flag, value, has := strings.Cut(a, "="); has && slices.Contains(secret, flag) {
			a = flag + "=" + hidePassword(value)
		} else if slices.Contains(secret, args[i]) {
			a = hidePassword(a)
		}
		out = append(out, QuoteArg(a))
	}
	return strings.Join(out, " ")
}

// hidePassword replaces the password of a data source name, user:password@… behind a scheme or none; the last @ ends
// it. The name of a file or of an environment variable holds none.
func hidePassword(dsn string) string {
	if dsn == "env" || strings.HasPrefix(dsn, "env:") || strings.HasPrefix(dsn, "@") {
		return dsn
	}
	if scheme, rest, has := strings.Cut(dsn, "://"); has {
		return scheme + "://" + hidePassword(rest)
	}
	at := strings.LastIndexByte(dsn, '@')
	if at < 0 {
		return "***" // not of that form: show nothing of it
	}
	user, _, has := strings.Cut(dsn[:at], ":")
	if !has {
		return dsn
	}
	return user + ":***" + dsn[at:]
}

// QuoteArg quotes an argument for a shell where it needs that.
func QuoteArg(a string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%", r)
	}
	if a != "" && strings.IndexFunc(a, func(r rune) bool { return !plain(r) }) < 0 {
		return a
	}
	return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
}
