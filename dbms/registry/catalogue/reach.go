package catalogue

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/gen/reach"
	"txweave/internal/input"
	"txweave/internal/outcome"
	"txweave/testcase"
)

// searchedCases is in how many cases of a level a bug's features are looked for.
const searchedCases = 20000

// soughtBugs reads a list of bugs; the cases that are looked at are of one isolation level where it is given.
func soughtBugs(ctx context.Context, path, isolation string) (_ []*reach.Sought, err error) {
	text, err := input.Read(ctx, path, input.Config)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	bugs, err := reach.Read(string(text), path)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	targets := map[string]*reach.Aim{}
	return reach.Seek(bugs, func(dbms string) (*reach.Aim, error) {
		name := targetOf(dbms)
		if targets[name] == nil {
			if targets[name], err = reachTarget(name, isolation); err != nil {
				return nil, err
			}
		}
		return targets[name], nil
	})
}

// targetOf returns the target that generates for the DBMS of a bug: InnoDB's and other forks' bugs are tried on
// MariaDB.
func targetOf(dbms string) string {
	for _, name := range registry.Names() {
		if strings.Contains(dbms, name) {
			return name
		}
	}
	return registry.DefaultServer
}

// reachTarget is a target with its usual level, or the one given, and those at which more is generated.
func reachTarget(name, isolation string) (*reach.Aim, error) {
	d, err := registry.Lookup(name)
	if err != nil {
		return nil, err
	}
	p, err := dbms.Lookup(name, isolation)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	t := &reach.Aim{Name: name, Dialect: d.Dialect, Levels: []string{p.Isolation}, Settings: map[string]string{}}
	for _, s := range p.Settings() {
		for _, word := range s.Covers {
			t.Settings[word] = s.Name
		}
	}
	for _, l := range dbms.Levels(name) {
		if isolation == "" && l.Isolation != p.Isolation && len(d.Dialect.Capabilities.Levels) > 0 {
			// else there is nothing that some levels have and others not
			t.Levels = append(t.Levels, l.Isolation)
		}
	}
	return t, nil
}

// Reach prints how many bugs of a list the generator can express, and what is missing for the others.
func Reach(ctx context.Context, w io.Writer, path string) error {
	bugs, err := soughtBugs(ctx, path, "")
	if err != nil {
		return err
	}
	of, missing := reach.Tally(bugs)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "DBMS\tbugs\texpressible by the list\tnow")
	all := of["all"]
	delete(of, "all")
	for _, dbms := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\n", dbms, of[dbms].Bugs, of[dbms].Before, of[dbms].Now)
	}
	fmt.Fprintf(t, "all\t%d\t%d\t%d\n", all.Bugs, all.Before, all.Now)
	fmt.Fprintln(t, "\nstill missing\tneeded by\tby nothing else missing")
	for _, m := range missing {
		fmt.Fprintf(t, "%s\t%d\t%d\n", m.Word, m.By, m.Alone)
	}
	return t.Flush()
}

// FindCase prints the first generated case that is made of all that a bug needs.
func FindCase(ctx context.Context, w io.Writer, path, id, isolation string) error {
	bugs, err := soughtBugs(ctx, path, isolation)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(bugs, func(s *reach.Sought) bool { return s.ID == id })
	if at < 0 {
		return outcome.Misusef("%s has no bug %s", path, id)
	}
	s := bugs[at]
	if len(s.Lacks) > 0 {
		return outcome.Misusef("%s needs %q, which nothing generates for %s", id, s.Lacks[0], s.Target.Name)
	}
	if err := reach.Find(bugs[at:at+1], searchedCases); err != nil {
		return err
	}
	if s.Case < 0 {
		return fmt.Errorf("none of %d cases has all that %s needs", searchedCases, id)
	}
	c, err := gen.Generate(gen.CaseSeed(0, s.Case), s.Target.Dialect, gen.Options{Isolation: s.Level})
	if err != nil {
		return err
	}
	if name := s.Setting(); name != "" {
		c.Options = append(c.Options, testcase.Option{Key: testcase.OptionSetting, Value: name})
	}
	fmt.Fprintf(w, "# has what %s needs: %s\n", id, strings.Join(s.Needs, ", "))
	_, err = w.Write(c.Print())
	return err
}

// ShowCases prints, for each bug of a list that the generator can express, a case which holds all that it needs, and
// fails where there is none.
func ShowCases(ctx context.Context, w io.Writer, path, isolation string) error {
	bugs, err := soughtBugs(ctx, path, isolation)
	if err != nil {
		return err
	}
	all := len(bugs)
	bugs = slices.DeleteFunc(bugs, func(s *reach.Sought) bool { return len(s.Lacks) > 0 })
	if err := reach.Find(bugs, searchedCases); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "bug\tcase (txweave gen --seed 0 …)\tneeds")
	shown := 0
	for _, s := range bugs {
		where := fmt.Sprintf("none of %d", searchedCases)
		if s.Case >= 0 {
			where = fmt.Sprintf("--target %s --isolation %s --case %d", s.Target.Name, s.Level, s.Case)
			if name := s.Setting(); name != "" {
				where += ", setting: " + name
			}
			shown++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", s.ID, where, strings.Join(s.Needs, "; "))
	}
	fmt.Fprintf(t, "\n%d of %d bugs are expressible, %d of these shown\n", len(bugs), all, shown)
	if err := t.Flush(); err != nil || shown == len(bugs) {
		return err
	}
	return fmt.Errorf("%d bugs that should be expressible are in no case", len(bugs)-shown)
}
