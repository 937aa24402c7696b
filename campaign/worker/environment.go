package worker

import (
	"maps"
	"runtime"
	"strings"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/version"
)

// Environment says under what findings on a target are made, campaign and case left out. Claim is the name of the level
// that the target is held to, where that is another one than its own, planted are the bugs between txweave and the target. A session's own settings are named after the
// variable that they set, as the server's are.
func Environment(p *dbms.Profile, claim string, planted []string, d exec.Description) finding.Environment {
	env := finding.Environment{ToolVersion: version.Full(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		DBMS: d.Target, Version: d.Version, Isolation: p.Isolation, Claim: claim, Planted: planted, Settings: map[string]string{}}
	maps.Copy(env.Settings, d.Settings)
	for _, stmt := range p.Setup {
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
