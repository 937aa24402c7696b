package main

import (
	"maps"
	"runtime"
	"strings"
	"txweave/finding"

	"txweave/exec"
)

// environment says under what findings on a target are made, campaign and case left out. A session's own settings
// are named after the variable that they set, as the server's are.
func (f *targetFlags) environment(d exec.Description) finding.Environment {
	env := finding.Environment{ToolVersion: toolName + " (" + revision() + ")", OS: runtime.GOOS + "/" + runtime.GOARCH,
		DBMS: d.Target, Version: d.Version, Isolation: f.profile.Isolation, Claim: f.claim, Settings: map[string]string{}}
	maps.Copy(env.Settings, d.Settings)
	for _, stmt := range f.profile.Setup {
		if name, value, ok := sessionSetting(stmt); ok {
			env.Settings["session "+name] = value
		}
	}
	return env
}

// sessionSetting reads a statement that sets one session variable, or the isolation level.
func sessionSetting(stmt string) (name, value string, ok bool) {
	rest, ok := strings.CutPrefix(stmt, "SET SESSION ")
	if !ok {
		return "", "", false
	}
	if level, ok := strings.CutPrefix(rest, "TRANSACTION ISOLATION LEVEL "); ok {
		return "isolation level", level, true
	}
	name, value, ok = strings.Cut(rest, " = ")
	return name, strings.Trim(value, "'"), ok
}

// commandLine prints arguments as a shell takes them. A data source name is shown without its password.
func commandLine(args []string) string {
	out := []string{"txweave"}
	for i, a := range args[1:] {
		if strings.HasPrefix(a, "--dsn=") {
			a = "--dsn=" + hidePassword(strings.TrimPrefix(a, "--dsn="))
		} else if args[i] == "--dsn" {
			a = hidePassword(a)
		}
		out = append(out, quoteArg(a))
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

// quoteArg quotes an argument for a shell where it needs that.
func quoteArg(a string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%", r)
	}
	if a != "" && strings.IndexFunc(a, func(r rune) bool { return !plain(r) }) < 0 {
		return a
	}
	return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
}
