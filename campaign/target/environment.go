package target

import (
	"maps"
	"runtime"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/version"
)

// Environment says under what findings on a target are made, campaign and case left out. Claim is the name of the level
// that the target is held to, where that is another one than its own, planted are the bugs between txweave and the
// target. A session's own settings are named after the variable that they set, as the server's are.
func Environment(p *dbms.Profile, claim string, planted []string, d exec.Description) finding.Environment {
	env := finding.Environment{ToolVersion: version.Full(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		DBMS: d.Target, Version: d.Version, Isolation: p.Isolation, Claim: claim, Planted: planted,
		Settings: map[string]string{}, Changed: d.Changed}
	maps.Copy(env.Settings, d.Settings)
	for _, stmt := range p.Sessions.Setup {
		env.Session(stmt)
	}
	return env
}
