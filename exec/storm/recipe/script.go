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
	"txweave/finding"
)

// A script for a tracker needs neither txweave nor what it knows of versions: its transactions keep a number that one
// query can check. So it does not send the storm's statements, but does to the database what the storm did while others
// write and read.

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
	Settings                                 []string // queries, as of exec.Disturbance
	Heeded                                   []string // what has the server heed those that were put back
	Kills                                    bool     // sessions are killed
}

// action is one act: Settings are those of the script's that it changes, by their numbers.
type action struct {
	Do, Undo []string
	Settings []int
}

// Script is a program for a tracker, which does to a server of the target's DBMS what the storm's nemeses did, and
// looks whether one query's answer stays right. The program is called name; kind is nil where the engine is embedded.
func (r *Recipe) Script(name string, p *dbms.Profile, kind *exec.Server) (string, error) {
	if kind == nil {
		return "", fmt.Errorf("for %s there is no script: its engine has no client that sessions could be run with; "+
			"txweave storm repeat runs the storm", r.Target)
	}
	if err := r.scripted(p); err != nil {
		return "", err
	}
	disturbances := kind.Disturbances
	nemeses, err := storm.ParseNemeses(r.Nemesis)
	if err != nil {
		return "", err
	}
	s := &script{Client: kind.Client, Name: finding.Line(name), Finding: "a storm", Isolation: p.Isolation, Seed: r.Seed,
		Keys: max(2, min(r.Keys, 1000)), Writers: max(1, min(r.Sessions, 64)),
		Abide: p.FirstUpdaterWins || p.Certifier != dbms.NoCertifier || p.GapLocks && p.LockingReads}
	if len(r.Finding) > 0 {
		s.Finding = finding.Line(r.Finding[0].Summary) // which is a comment there: it must not end the line
	}
	// What waited for a row that was deleted and inserted again meanwhile passes it over at a level that documents it.
	s.Replaces = !p.DeletedGone || p.FirstUpdaterWins
	s.Level = strings.Join(slices.Concat(p.Sessions.Setup, disturbances.Patience), "; ") + ";"
	var meets, without []string
	for _, n := range nemeses {
		done := n == storm.Kill
		for _, a := range storm.StatementsOf(n, &disturbances) {
			if len(r.Acts) == 0 || storm.Named(a, r.Acts) {
				s.add(a)
				done = true
			}
		}
		s.Kills = s.Kills || n == storm.Kill
		if done {
			meets = append(meets, string(n))
		} else {
			without = append(without, string(n))
		}
	}
	if s.Meets = strings.Join(meets, ", "); s.Meets == "" {
		s.Meets = "nothing but each other"
	}
	s.LeftOut = strings.Join(without, ", ")
	var b bytes.Buffer
	err = scriptTemplate.Execute(&b, s)
	return b.String(), err
}

// scripted says why there is no script for a storm at a level; nil where there is one.
func (r *Recipe) scripted(p *dbms.Profile) error {
	switch {
	case len(r.Inject) > 0:
		return fmt.Errorf("%s is planted by txweave: no script without txweave shows it", strings.Join(r.Inject, ", "))
	case p.LockingReads:
		return fmt.Errorf("at %s reads lock what they see, and no snapshot is promised: the script's readers, which "+
			"look at snapshots, could check nothing, and its writers would wait for them", p.Isolation)
	case p.SnapshotScope() == dbms.NoConsistentRead:
		return fmt.Errorf("at %s a query may see anything: there is nothing that a script could check", p.Isolation)
	}
	return nil
}

// add adds an act.
func (s *script) add(a exec.Disturbance) {
	act := action{Do: quoted(a.Do), Undo: quoted(a.Undo)}
	for _, query := range quoted(a.Settings) {
		i := slices.Index(s.Settings, query)
		if i < 0 {
			i = len(s.Settings)
			s.Settings = append(s.Settings, query)
		}
		act.Settings = append(act.Settings, i)
	}
	if len(act.Settings) > 0 {
		s.Heeded = append(s.Heeded, act.Undo...)
	}
	s.Acts = append(s.Acts, act)
	s.Undo = append(s.Undo, act.Undo...)
}

// quoted are statements on the script's table as words of a shell.
func quoted(sqls []string) []string {
	out := make([]string, len(sqls))
	for i, sql := range sqls {
		out[i] = "'" + strings.ReplaceAll(strings.ReplaceAll(sql, "{table}", "t0"), "'", `'\''`) + ";'"
	}
	return out
}
