package target

import "strings"

// CommandLine prints arguments as a shell takes them. A data source name is shown without its password.
func CommandLine(args []string) string {
	out := []string{"txweave"}
	for i, a := range args[1:] {
		if strings.HasPrefix(a, "--dsn=") {
			a = "--dsn=" + hidePassword(strings.TrimPrefix(a, "--dsn="))
		} else if args[i] == "--dsn" {
			a = hidePassword(a)
		}
		out = append(out, QuoteArg(a))
	}
	return strings.Join(out, " ")
}

// hidePassword replaces the password of a data source name, user:password@…; the last @ ends it.
func hidePassword(dsn string) string {
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
