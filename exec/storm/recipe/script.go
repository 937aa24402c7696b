package recipe

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/storm"
)

// A script for a tracker needs neither txweave nor what it knows of versions: its transactions keep a number that one query can check. So it does not send
// the storm's statements, but does to the database what the storm did while others write and read.

//go:embed script.sh
var scriptText string

var scriptTemplate = template.Must(template.New("script").Parse(scriptText))

// script is what the template needs to know.
type script struct {
	*exec.Client
	Name, Finding, Isolation, Meets, LeftOut string
	Seed                                     uint64
	Keys, Writers                            int
	Level                                    string   // statements that a session begins with
	Abide                                    bool     // a row that is read and then written must not have changed between
	Replaces                                 bool     // rows are deleted and inserted again
	Acts                                     []action // of the nemeses
	Undo                                     []string // all that they put back
	Kills                                    bool     // sessions are killed
}

type action struct{ Do, Undo []string }

// Script is a program for a tracker, which does to a server of the target's DBMS what the storm's nemeses did, and looks whether one query's answer stays
// right. The program is called name; kind is nil where the engine is embedded.
func (r *Recipe) Script(name string, p *dbms.Profile, kind *exec.Server) (string, error) {
	if kind == nil {
		return "", fmt.Errorf("for %s there is no script: its engine has no client that sessions could be run with; txweave storm repeat runs the storm", r.Target)
	}
	strains := kind.Strains
	if len(r.Faults) > 0 {
		return "", fmt.Errorf("%s is planted by txweave: no script without txweave shows it", strings.Join(r.Faults, ", "))
	}
	if p.SnapshotScope() == dbms.NoConsistentRead {
		return "", fmt.Errorf("at %s a query may see anything: there is nothing that a script could check", p.Isolation)
	}
	s := &script{Client: kind.Client, Name: name, Finding: "a storm", Isolation: p.Isolation, Seed: r.Seed, Keys: max(2, min(r.Keys, 1000)), Writers: max(1, min(r.Sessions, 64)),
		Abide: p.FirstUpdaterWins || p.Certifier != dbms.NoCertifier || p.GapLocks && p.LockingReads}
	if len(r.Finding) > 0 {
		s.Finding = strings.ReplaceAll(r.Finding[0].Summary, "\n", " ")
	}
	// What waited for a row that was deleted and inserted again meanwhile passes it over on PostgreSQL's READ COMMITTED, as documented.
	s.Replaces = !p.DeletedGone || p.FirstUpdaterWins
	s.Level = strings.Join(slices.Concat(p.Setup, strains.Patience), "; ") + ";"
	var meets, without []string
	for _, n := range r.Nemesis {
		all, done := map[string][]exec.Strain{string(storm.DDL): strains.Redefine, string(storm.Pressure): strains.Press, string(storm.Locks): strains.Hold}[n], n == string(storm.Kill)
		for _, a := range all {
			if len(r.Acts) == 0 || slices.Contains(r.Acts, storm.NameOf(a)) {
				s.Acts, done = append(s.Acts, action{quoted(a.Do), quoted(a.Undo)}), true
				s.Undo = append(s.Undo, quoted(a.Undo)...)
			}
		}
		s.Kills = s.Kills || n == string(storm.Kill)
		if done {
			meets = append(meets, n)
		} else {
			without = append(without, n)
		}
	}
	if s.Meets = strings.Join(meets, ", "); s.Meets == "" {
		s.Meets = "nothing but each other"
	}
	s.LeftOut = strings.Join(without, ", ")
	var b bytes.Buffer
	err := scriptTemplate.Execute(&b, s)
	return b.String(), err
}

// quoted are statements on the script's table as words of a shell.
func quoted(sqls []string) []string {
	out := make([]string, len(sqls))
	for i, sql := range sqls {
		out[i] = "'" + strings.ReplaceAll(strings.ReplaceAll(sql, "{table}", "t0"), "'", `'\''`) + ";'"
	}
	return out
}
