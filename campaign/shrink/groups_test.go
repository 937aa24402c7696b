package shrink_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/detect"
	"txweave/campaign/shrink"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/finding/signature"
	"txweave/internal/testkit/effort"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

var (
	groupsFaults = flag.String("groups.faults", "lost-commit,dirty-read,two-versions,wrong-affected",
		"planted bugs by name, or all; none where the engine has one of its own")
	groupsCases = flag.Int("groups.cases", 6, "cases for each")
	groupsSeed  = flag.Uint64("groups.seed", 1, "seed of the cases")
	groupsEach  = flag.Int("groups.each", 1, "findings of each first part of a signature that are reduced")
	groupsAt    = flag.Int("groups.at", 1, "how many of them are planted at a time by BenchmarkTrialsGain")
	groupsShow  = flag.Bool("groups.show", false, "print what each bug was first found as, and its reduced case")
)

// TestGroups plants bugs one at a time, reduces what is found, and counts the bugs that it is grouped to: one, or at
// most two, as one bug shows to several oracles in several kinds of statements. With -v, -groups.faults all and more
// cases it is the measurement that docs/explanation/grouping.md names.
func TestGroups(t *testing.T) {
	effort.Full(t)
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	var counts []float64
	for _, fault := range wanted(p) {
		bugs, _ := bugsOf(t, p, []*planted.Fault{fault}, *groupsCases, *groupsEach, func(*finding.Bugs) bool { return false })
		t.Logf("%-28s %d: %s", fault.Name, len(bugs.Bugs), printBugs(bugs))
		if len(bugs.Bugs) > 2 {
			t.Errorf("%s becomes %d bugs, want at most 2: %s", fault.Name, len(bugs.Bugs), printBugs(bugs))
		}
		if len(bugs.Bugs) > 0 {
			counts = append(counts, float64(len(bugs.Bugs)))
		}
	}
	if len(counts) == 0 || *detect.Median(counts) > 1 {
		t.Errorf("%d planted bugs found, each of them %v bugs, want a median of 1", len(counts), counts)
	}
}

// wanted are the planted bugs that -groups.faults names and the profile can have.
func wanted(p *dbms.Profile) []*planted.Fault {
	const crash = "crash-while-blocked" // it leaves the transactions of the server that it says is gone open
	return slices.DeleteFunc(slices.Concat(planted.Faults(), planted.Semantic()), func(f *planted.Fault) bool {
		named := *groupsFaults == "all" || slices.Contains(strings.Split(*groupsFaults, ","), f.Name)
		return !named || f.Inapplicable(p) != "" || f.Name == crash
	})
}

// gained is what findings of planted bugs are grouped to.
type gained struct{ groups, merged int }

// BenchmarkTrialsGain leaves the trials out one at a time, for the planted bugs that one tells something of. It prints
// to how many groups their findings fall with it and without it, and how many groups then hold findings of two planted
// bugs that have none in common. Where a trial changes neither, whatever the seed, and no case of TestCausesOfPlanted
// needs it, it is to be taken out. docs/explanation/grouping.md adds up 12 cases of seed 1, 12 of seed 3 with
// -groups.each 2, and 6 of seeds 5 and 7 with -groups.at 3 -groups.each 3: an hour in all.
func BenchmarkTrialsGain(b *testing.B) {
	for range b.N {
		trialsGain(b)
	}
}

func trialsGain(t testing.TB) {
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	with, without, of := map[string]gained{}, map[string]gained{}, map[string][]string{}
	var all gained
	told := shrink.Told(t)
	sets := slices.Collect(slices.Chunk(wanted(p), *groupsAt))
	if *groupsFaults == "none" {
		sets = [][]*planted.Fault{nil}
	}
	for _, faults := range sets {
		*told = nil
		base := gain(t, p, faults)
		all.groups, all.merged = all.groups+base.groups, all.merged+base.merged
		name := names(faults)
		fmt.Printf("%s: %+v, %v\n", name, base, *told)
		for _, trial := range slices.Clone(*told) {
			back := shrink.LeaveOut(trial)
			lacking := gain(t, p, faults)
			back()
			with[trial] = gained{with[trial].groups + base.groups, with[trial].merged + base.merged}
			without[trial] = gained{without[trial].groups + lacking.groups, without[trial].merged + lacking.merged}
			if lacking != base {
				of[trial] = append(of[trial], fmt.Sprintf("%s %+v, not %+v", name, lacking, base))
			}
		}
	}
	fmt.Printf("all: %+v\n", all)
	for _, trial := range shrink.Trials() {
		fmt.Printf("%-20s with %+v, without %+v: %s\n", trial, with[trial], without[trial], strings.Join(of[trial], "; "))
	}
	if all.merged > 0 {
		t.Errorf("%d groups have findings of two planted bugs", all.merged)
	}
}

// gain groups what some planted bugs show. A finding is of those of them that its reduced case shows alone.
func gain(t testing.TB, p *dbms.Profile, faults []*planted.Fault) (out gained) {
	t.Helper()
	bugs, placed := bugsOf(t, p, faults, *groupsCases, *groupsEach, func(*finding.Bugs) bool { return false })
	out.groups = len(bugs.Bugs)
	if len(faults) < 2 {
		return out
	}
	of := shownBy(t, p, faults, placed)
	for _, g := range bugs.Bugs {
		if a, b := apart(g, placed, of); a != nil {
			out.merged++
			fmt.Printf("%s has findings of two:\n%s\n%s\n%s\n%s\n", printBugs(&finding.Bugs{Bugs: []*finding.Bug{g}}),
				a.signature, a.text, b.signature, b.text)
		}
	}
	return out
}

// shownBy are, of each of some reduced cases, those of the planted bugs that it shows alone.
func shownBy(t testing.TB, p *dbms.Profile, faults []*planted.Fault, placed []placedCase) []map[string]bool {
	t.Helper()
	of := make([]map[string]bool, len(placed))
	for i := range of {
		of[i] = map[string]bool{}
	}
	for _, fault := range faults {
		err := withPlanted(t, p, []*planted.Fault{fault}, func(target exec.Target) error {
			w := worker.On(target, p, weave.Options{Precision: sdg.Match})
			defer w.Release()
			for i, f := range placed {
				res, err := w.Check(t.Context(), campaign.Job{Text: f.text, Repeats: 1, Bare: true})
				if err != nil {
					return err
				}
				if campaign.FindBySignature(res, f.signature) != nil {
					of[i][fault.Name] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return of
}

// apart are two findings of a group that have planted bugs each and none in common; nil where there are none such.
func apart(g *finding.Bug, placed []placedCase, of []map[string]bool) (_, _ *placedCase) {
	for i, a := range placed {
		for k, b := range placed[:i] {
			if a.bug == g && b.bug == g && len(of[i]) > 0 && len(of[k]) > 0 && !slices.ContainsFunc(
				slices.Collect(maps.Keys(of[i])), func(name string) bool { return of[k][name] }) {
				return &placed[k], &placed[i]
			}
		}
	}
	return nil, nil
}

// names are those of planted bugs, with commas between them.
func names(faults []*planted.Fault) string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Name)
	}
	return strings.Join(out, ",")
}

// TestGroupsApart plants several bugs at once: each is a bug of its own.
func TestGroupsApart(t *testing.T) {
	effort.Full(t)
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	combinations := []struct {
		faults string
		want   []string // causes, or what signatures begin with, that must be there; | between those of which one must
	}{
		{"lost-insert,stale-snapshot,wrong-own-aggregate,rollback-has-effects",
			[]string{"inconsistent-read-write/INSERT:affected-versus-written",
				finding.CauseStale.String(), "replay-difference/SELECT:rows|inconsistent-read-write/SELECT:count-versus-seen",
				finding.CauseKept.String()}},
		{"update-other-rows,vanished-error,lost-commit", []string{"passes-over-rows: UPDATE",
			"replay-difference/INSERT:error(none,|replay-difference/UPDATE:error(none,|" +
				"inconsistent-read-write/COMMIT:committed-versus-unmatched", finding.CauseLost.String()}},
	}
	for _, c := range combinations {
		var faults []*planted.Fault
		for _, f := range planted.Faults() {
			if slices.Contains(strings.Split(c.faults, ","), f.Name) {
				faults = append(faults, f)
			}
		}
		missing := func(bugs *finding.Bugs) []string {
			return slices.DeleteFunc(slices.Clone(c.want), func(want string) bool {
				return slices.ContainsFunc(bugs.Bugs, func(b *finding.Bug) bool {
					return want == b.Signature.Cause.String() || slices.ContainsFunc(strings.Split(want, "|"), func(one string) bool {
						return strings.HasPrefix(b.Signature.Coarse, one)
					})
				})
			})
		}
		// In which case each of them shows moves with the generator: the test is about what they are grouped to.
		const most, each = 200, 6 // cases; findings of a signature: of most of them another one of the bugs is the cause, too
		bugs, _ := bugsOf(t, p, faults, most, each, func(bugs *finding.Bugs) bool { return len(missing(bugs)) == 0 })
		if lacks := missing(bugs); len(lacks) > 0 {
			t.Errorf("of %s no bug is %q: %s", c.faults, lacks, printBugs(bugs))
		}
		t.Logf("%s: %s", c.faults, printBugs(bugs))
	}
}

// bugsOf runs cases with planted bugs that strike at every occasion, until the bugs are enough, reduces the first
// findings of each kind, and groups them.
func bugsOf(t testing.TB, p *dbms.Profile, faults []*planted.Fault, cases, each int,
	enough func(*finding.Bugs) bool) (bugs *finding.Bugs, placed []placedCase) {
	t.Helper()
	bugs = &finding.Bugs{}
	// use opens a target with the planted bugs: one runs the cases, the other reduces what they found.
	use := func(do func(exec.Target) error) error { return withPlanted(t, p, faults, do) }
	src, err := casesource.NewCases(*groupsSeed, p)
	if err != nil {
		t.Fatal(err)
	}
	run := func(target exec.Target, w *worker.Worker) error {
		seen := map[string]int{}
		var failed error
		_, err := detect.EachResult(t.Context(), target, p, src, cases, func(res *campaign.CaseResult) bool {
			for i := range res.Findings {
				x := &res.Findings[i]
				if seen[x.Signature]++; seen[x.Signature] <= each && failed == nil {
					f, err := place(t.Context(), bugs, w, p, x)
					if failed = err; f.bug != nil {
						placed = append(placed, f)
					}
				}
			}
			return failed == nil && !enough(bugs)
		})
		return errors.Join(err, failed)
	}
	err = use(func(target exec.Target) error {
		return use(func(second exec.Target) error {
			w := worker.On(second, p, weave.Options{Precision: sdg.Match})
			defer w.Release()
			return run(target, w)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return bugs, placed
}

// placedCase is a case that was counted to a bug by the finding that it shows.
type placedCase struct {
	bug       *finding.Bug
	signature string
	text      []byte
}

// withPlanted opens a target with bugs that strike at every occasion.
func withPlanted(t testing.TB, p *dbms.Profile, faults []*planted.Fault, do func(exec.Target) error) error {
	on, err := target.Config{Target: p.DBMS, Isolation: p.Isolation}.Resolve(t.Context())
	if err != nil {
		return err
	}
	return on.Use(t.Context(), func(target exec.Target) error {
		for _, fault := range faults {
			target = planted.PlantAlways(target, fault)
		}
		return do(target)
	})
}

// place reduces a finding and counts it to its bug; to none where the reduced case shows another one.
func place(ctx context.Context, bugs *finding.Bugs, w *worker.Worker, p *dbms.Profile, f *campaign.Found) (placedCase,
	error) {
	c, err := testcase.Parse(finding.CaseFile, f.Files[finding.CaseFile])
	if err != nil {
		return placedCase{}, err
	}
	small, minimal := &f.Finding, false
	out, err := shrink.Run(ctx, w, p, c, shrink.Options{Signature: f.Signature, Cause: f.OwnCause(), Repeat: 1})
	if err != nil && !errors.Is(err, shrink.ErrShowsNothing) {
		return placedCase{}, fmt.Errorf("%s: %w", f.Signature, err)
	}
	if err == nil { // else it comes too seldom to be reduced: a campaign keeps it as it is
		evidence, err := shrink.Evidence(ctx, w, out)
		if err != nil || evidence == nil {
			return placedCase{}, err
		}
		small, c, minimal = &evidence.Finding, out.Case, true
	}
	sig := signature.Of(small, c)
	sig.Minimal = minimal
	bug, fresh := bugs.Place(&finding.Record{Finding: *small, Environment: finding.Environment{DBMS: p.DBMS,
		Version: "1"}}, sig, time.Unix(1, 0))
	if fresh && *groupsShow {
		fmt.Printf("%s, found as %s (%s): %s: %s\n%+v\n%s\n", bug.ID, f.Signature, f.OwnCause(), sig.Cause, sig,
			small.Differences, c.Print())
	}
	return placedCase{bug, small.Signature, c.Print()}, nil
}

// printBugs lists bugs by cause and signature.
func printBugs(b *finding.Bugs) string {
	var out []string
	for _, g := range b.Bugs {
		out = append(out, strings.TrimPrefix(g.Signature.Cause.String()+": "+g.Signature.String(), ": "))
	}
	return strings.Join(out, "; ")
}
