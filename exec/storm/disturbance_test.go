package storm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"txweave/dbms/mariadb"
	"txweave/dbms/mysql"
	"txweave/dbms/postgresql"
	"txweave/dbms/tidb"
	"txweave/exec"
)

// disturbedServers are the servers that have disturbances.
func disturbedServers() []*exec.Server {
	return []*exec.Server{mariadb.Server, mysql.Server, tidb.Server, postgresql.Server}
}

// TestNames: of three ways to build an index anew each was called the same, so that a reduced storm, or a script, did
// all of them. A name chooses one; what a disturbance does alone, its name in files of before, chooses it, too.
func TestNames(t *testing.T) {
	for _, server := range disturbedServers() {
		var all []exec.Disturbance
		for _, n := range Nemeses() {
			all = append(all, StatementsOf(n, &server.Disturbances)...)
		}
		for i, s := range all {
			for j, other := range all {
				if Named(other, []string{NameOf(s)}) != (i == j) {
					t.Errorf("%s: %q chooses %q", server.Name, NameOf(s), NameOf(other))
				}
			}
			if !Named(s, []string{strings.Join(s.Do, "; ")}) {
				t.Errorf("%s: a file of before does not choose %q", server.Name, NameOf(s))
			}
		}
	}
}

// TestSettingsAreKept: a setting of a server of the user's was given the value that txweave took for the DBMS's own.
// What is set for all is asked for first.
func TestSettingsAreKept(t *testing.T) {
	for _, server := range disturbedServers() {
		for _, n := range Nemeses() {
			for _, s := range StatementsOf(n, &server.Disturbances) {
				var sets int
				for _, sql := range s.Do {
					if strings.HasPrefix(sql, "SET GLOBAL ") || strings.HasPrefix(sql, "ALTER SYSTEM SET ") {
						sets++
					}
				}
				fixed := slices.ContainsFunc(s.Undo, func(sql string) bool {
					return strings.HasPrefix(sql, "SET GLOBAL ") || strings.HasPrefix(sql, "ALTER SYSTEM ")
				})
				if sets != len(s.Settings) || fixed {
					t.Errorf("%s: %s: %d settings are changed, %q are put back", server.Name, NameOf(s), sets,
						append(s.Settings, s.Undo...))
				}
			}
		}
	}
}

// TestLeftOut: TiDB beside crash did nothing of ddl, and did not say so; nor did a storm whose acts nobody does.
func TestLeftOut(t *testing.T) {
	const why = " beside crash, because a server that is killed may then keep a half of what it acknowledged"
	drop := "SPLIT TABLE {table} BY (5), (10), (20), (30), (50), (200)"
	ddl, press := len(tidb.Server.Disturbances.Redefine), len(tidb.Server.Disturbances.Press)
	for name, c := range map[string]struct {
		server  *exec.Server
		nemeses []Nemesis
		acts    []string
		want    []string
	}{
		"all": {tidb.Server, []Nemesis{DDL, Pressure}, nil, nil},
		"crash": {tidb.Server, []Nemesis{Crash, DDL, Pressure}, nil, []string{fmt.Sprintf("ddl: 2 of %d acts%s", ddl,
			why), fmt.Sprintf("pressure: 4 of %d acts%s", press, why)}},
		"one act": {tidb.Server, []Nemesis{Crash, Pressure}, []string{drop}, []string{"pressure: 1 of 1 acts" + why}},
		"no act": {tidb.Server, []Nemesis{Kill, DDL}, []string{drop},
			[]string{fmt.Sprintf("%q, because none of these nemeses does it", drop)}},
		"durable":        {mariadb.Server, []Nemesis{Crash, DDL, Locks, Pressure}, nil, nil},
		"without either": {postgresql.Server, []Nemesis{Kill}, nil, nil},
	} {
		o := &Options{Nemeses: c.nemeses, Acts: c.acts}
		if got := o.leftOut(&c.server.Disturbances); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, n := range c.nemeses {
			for _, s := range o.sent(n, &c.server.Disturbances) {
				if s.Volatile && slices.ContainsFunc(c.nemeses, Nemesis.Durable) || len(c.acts) > 0 &&
					!slices.Contains(c.acts, NameOf(s)) {
					t.Errorf("%s: %s is sent", name, NameOf(s))
				}
			}
		}
	}
}
