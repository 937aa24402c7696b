package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// dialects are the databases that txweave knows.
var dialects = []string{"sqlite", "mariadb", "mysql", "postgresql", "tidb"}

// verdict is what a side says of something, and all that it tells beside that.
type verdict struct {
	code  int
	tells string
}

// outcome is what both sides say of one thing: every answer that each of them gave.
type outcome struct {
	name string
	old  []verdict
	now  []verdict
}

func (o *outcome) of(side int) *[]verdict {
	if side == 0 {
		return &o.old
	}
	return &o.now
}

// differs says whether the sides have no exit code in common, and whether none of what they tell.
func (o *outcome) differs() (code, tells bool) {
	code, tells = true, true
	for _, a := range o.old {
		for _, b := range o.now {
			code = code && a.code != b.code
			tells = tells && a != b
		}
	}
	return code, tells
}

// attempts are how often something is asked again that the sides do not agree about: what a server does may vary.
const attempts = 3

// asked asks both sides about things, and again about those that they do not agree about.
func (b *bench) asked(name string, things []string, ask func(side int, things []string) ([]verdict, error)) ([]*outcome, error) {
	all := make([]*outcome, len(things))
	for i, t := range things {
		all[i] = &outcome{name: t}
	}
	left := all
	for range attempts {
		if len(left) == 0 {
			break
		}
		var again []string
		for _, o := range left {
			again = append(again, o.name)
		}
		half := (len(left) + 1) / 2 // one for each processor
		err := b.pairs(name, min(len(left), 2), func(i, side int) error {
			from, to := i*half, min(i*half+half, len(left))
			got, err := ask(side, again[from:to])
			if err != nil {
				return err
			}
			for k, o := range left[from:to] {
				at := o.of(side)
				*at = append(*at, got[k])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(slices.Clone(left), func(o *outcome) bool { _, tells := o.differs(); return !tells })
	}
	return all, nil
}

// exits counts exit codes for a cell.
func exits(all []*outcome, side int) string {
	count := map[int]int{}
	for _, o := range all {
		count[(*o.of(side))[0].code]++
	}
	var out []string
	for _, name := range []struct {
		code int
		text string
	}{{0, "clean"}, {1, "found"}, {2, "unclear"}, {64, "refused"}, {69, "not here"}} {
		if n := count[name.code]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, name.text))
			delete(count, name.code)
		}
	}
	for _, n := range count {
		out = append(out, fmt.Sprintf("%d failed", n))
	}
	return strings.Join(out, ", ")
}

// agreement is the row of verdicts. Another exit code is worse but where something is understood or judged that was not;
// whether what is told beside it may change is the caller's to say.
func agreement(part, what string, all []*outcome, strict bool) *measure {
	m := &measure{part: part, what: what, old: exits(all, 0), new: exits(all, 1), says: equal}
	if len(all) == 0 {
		m.says = unsure
	}
	for _, o := range all {
		code, tells := o.differs()
		if !tells && o.old[0].code > exitUsage && m.says != worse { // neither could do it
			m.says = unsure
			m.detail = append(m.detail, fmt.Sprintf("%s: both end with %d", o.name, o.old[0].code))
		}
		if !tells {
			continue
		}
		old, now := o.old[0], o.now[0]
		switch {
		case code && (old.code == 64 || old.code == 2) && (now.code == 0 || now.code == 2 || old.code == 2 && now.code == 1):
			m.detail = append(m.detail, fmt.Sprintf("better: %s: exit %d, %d before", o.name, now.code, old.code))
		case code || strict:
			m.says = worse
		case m.says == equal:
			m.says = changed
		}
		m.detail = append(m.detail, fmt.Sprintf("%s: %d %s\n  before: %d %s", o.name, now.code, now.tells, old.code, old.tells))
	}
	return m
}

// replayed is what this reads of the object that replay prints of a case.
type replayed struct {
	Case       string `json:"case"`
	Code       int    `json:"exit"`
	Refused    string `json:"refused"`
	Findings   []json.RawMessage
	Statements []struct {
		Name     string   `json:"name"`
		Fate     string   `json:"fate"`
		Kind     string   `json:"kind"`
		Error    int      `json:"error"`
		Affected int64    `json:"affected"`
		Writes   string   `json:"writes"`
		Reads    []string `json:"reads"`
		Searches string   `json:"searches"`
	} `json:"statements"`
}

// told is what replay tells of each statement.
func (r *replayed) told() string {
	var out []string
	for _, s := range r.Statements {
		slices.Sort(s.Reads)
		out = append(out, fmt.Sprintf("%s %s %s error %d affected %d writes %q reads %q searches %q", s.Name, s.Fate, s.Kind, s.Error, s.Affected, s.Writes, s.Reads, s.Searches))
	}
	return strings.Join(append(out, r.found()), "; ")
}

// found is what replay tells of findings.
func (r *replayed) found() string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, string(f))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// replay asks a side about cases of one target and level over one server, in as many commands as it takes.
func (b *bench) replay(side int, cases []string, tells func(*replayed) string) ([]verdict, error) {
	e, err := b.run(side, append([]string{"replay", "--format", "json"}, cases...)...)
	if err != nil {
		return nil, err
	}
	defer e.forget()
	all := make([]verdict, len(cases))
	for i := range all {
		all[i] = verdict{e.code, "not told"}
	}
	for d := json.NewDecoder(bytes.NewReader(e.out)); d.More(); {
		var r replayed
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("replay of the %s build: %w", sideName(side), err)
		}
		if i := slices.Index(cases, r.Case); i >= 0 {
			all[i] = verdict{r.Code, tells(&r)}
		}
	}
	return all, nil
}

// replayOne asks a side about each case by itself: of a build that knows no more, the exit codes.
func (b *bench) replayOne(side int, cases []string, _ func(*replayed) string) ([]verdict, error) {
	var all []verdict
	for _, c := range cases {
		e, err := b.run(side, "replay", c)
		if err != nil {
			return nil, err
		}
		e.forget()
		all = append(all, verdict{code: e.code})
	}
	return all, nil
}

// verdicts replays the cases of the tree.
func (b *bench) verdicts() error {
	groups, err := b.cases()
	if err != nil {
		return err
	}
	json, err := b.tells("replay", "--format", "json")
	if err != nil {
		return err
	}
	ask, note := b.replay, ""
	if !json {
		ask, note = b.replayOne, ", exit codes"
	}
	for _, g := range groups {
		if !slices.Contains(b.targets, g.target) {
			b.add(&measure{part: "verdicts", what: fmt.Sprintf("%s %s: not among --targets", g.target, g.level), old: fmt.Sprintf("%d cases", len(g.paths)), says: untold})
			continue
		}
		paths := g.paths
		if !json && !b.full && g.target != "sqlite" { // a server for each
			paths = every(paths, 8)
		}
		all, err := b.asked("verdicts, "+g.target+" "+g.level, paths, func(side int, cases []string) ([]verdict, error) { return ask(side, cases, (*replayed).found) })
		if err != nil {
			return err
		}
		b.shorten(all)
		b.add(agreement("verdicts", fmt.Sprintf("%s %s: %d of %d cases of the tree%s", g.target, g.level, len(paths), len(g.paths), note), all, false))
	}
	return nil
}

// shorten names cases as the tree does.
func (b *bench) shorten(all []*outcome) {
	for _, o := range all {
		if rel, err := filepath.Rel(b.tree, o.name); err == nil && filepath.IsLocal(rel) {
			o.name = rel
		}
	}
}

// every takes one in so many.
func every(all []string, n int) (out []string) {
	for i := 0; i < len(all); i += n {
		out = append(out, all[i])
	}
	return out
}

// group are cases of one target and level.
type group struct {
	target, level string
	paths         []string
}

// cases returns the cases of the tree by target and level.
func (b *bench) cases() (groups []group, err error) {
	err = filepath.WalkDir(b.tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txw" || d.IsDir() {
			if d != nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != b.tree {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		g := group{}
		for line := range strings.Lines(string(text)) {
			if v, ok := strings.CutPrefix(line, "target: "); ok && g.target == "" {
				g.target = strings.TrimSpace(v)
			}
			if v, ok := strings.CutPrefix(line, "isolation: "); ok && g.level == "" {
				g.level = strings.TrimSpace(v)
			}
		}
		i := slices.IndexFunc(groups, func(h group) bool { return h.target == g.target && h.level == g.level })
		if i < 0 {
			i, groups = len(groups), append(groups, g)
		}
		groups[i].paths = append(groups[i].paths, path)
		return nil
	})
	slices.SortFunc(groups, func(a, c group) int { return strings.Compare(a.target+a.level, c.target+c.level) })
	return groups, err
}

// exhibited is what this reads of what phenomena prints of a case.
type exhibited struct {
	Case   string          `json:"case"`
	Levels json.RawMessage `json:"levels"`
}

// phenomena compares what happens in the woven cases of docs/hermitage at every level.
func (b *bench) phenomena() error {
	tells, err := b.tells("phenomena", "--format", "json")
	if err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(b.tree, "docs", "hermitage", "*.txw"))
	if err != nil {
		return err
	}
	for _, target := range b.targets {
		what := fmt.Sprintf("%s: %d cases of docs/hermitage", target, len(paths))
		if !tells {
			b.add(notTold("phenomena", what))
			continue
		}
		all, err := b.asked("phenomena, "+target, paths, func(side int, cases []string) ([]verdict, error) {
			var got []exhibited
			e, err := b.object(side, &got, append([]string{"phenomena", "--format", "json", "--target", target}, cases...)...)
			if err != nil {
				return nil, err
			}
			defer e.forget()
			all := make([]verdict, len(cases))
			for i, path := range cases {
				all[i] = verdict{code: e.code}
				for _, x := range got {
					if x.Case+".txw" == filepath.Base(path) {
						all[i].tells = string(x.Levels)
					}
				}
			}
			return all, nil
		})
		if err != nil {
			return err
		}
		b.shorten(all)
		b.add(agreement("phenomena", what, all, true))
	}
	return nil
}

// historyLevels are those that histories are checked at.
var historyLevels = []string{"rc", "ra", "tcc", "si", "ser", "sser", "lin"}

// histories checks those that history/format reads, and those of cases and storms that the old build has recorded.
func (b *bench) histories() error {
	dir := filepath.Join(b.tmp, "histories")
	files, err := b.recorded(dir)
	if err != nil {
		return err
	}
	for _, level := range pick(b, []string{"rc", "si", "ser"}, historyLevels) {
		all, err := b.asked("histories at "+level, files, func(side int, files []string) ([]verdict, error) {
			var all []verdict
			for _, f := range files {
				e, err := b.run(side, "check", "--level", level, "--timeout", "20s", f)
				if err != nil {
					return nil, err
				}
				e.forget()
				all = append(all, verdict{code: e.code})
			}
			return all, nil
		})
		if err != nil {
			return err
		}
		for _, o := range all {
			o.name = filepath.Base(o.name)
		}
		b.add(agreement("histories", fmt.Sprintf("%d at %s", len(files), level), all, false))
	}
	return nil
}

// recorded writes histories to a folder.
func (b *bench) recorded(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	sources, err := filepath.Glob(filepath.Join(b.tree, "history", "format", "testdata", "read", "*"))
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		for i, h := range blocks(string(text)) {
			if i%pick(b, 8, 1) != 0 {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(source)+"-"+strconv.Itoa(i)), []byte(h), 0o644); err != nil {
				return nil, err
			}
		}
	}
	for _, workload := range []string{"blindw-w", "blindw-rw", "blindw-rw+", "smallbank", "ycsb-a", "mini", "cas"} {
		for _, bug := range pick(b, []string{"stale-snapshot"}, []string{"", "lost-commit", "stale-snapshot", "dirty-write"}) {
			e, err := b.run(0, "storm", "--workload", workload, "--keys", "20", "--sessions", "4", "--duration", "60ms", "--faults", bug,
				"--history", filepath.Join(dir, "storm-"+workload+"-"+bug+".jsonl"))
			if err != nil {
				return nil, err
			}
			e.forget() // a workload that has no history leaves no file
		}
	}
	entries, err := os.ReadDir(dir)
	var files []string
	for _, e := range entries {
		files = append(files, filepath.Join(dir, e.Name()))
	}
	if err == nil && len(files) == 0 {
		err = errors.New("no histories")
	}
	return files, err
}

// blocks returns the histories of a file of test data: what stands between a line "read" and one of dashes.
func blocks(text string) (out []string) {
	for _, part := range strings.Split("\n"+text, "\nread\n")[1:] {
		if h, _, ok := strings.Cut(part, "\n----\n"); ok {
			out = append(out, h+"\n")
		}
	}
	return out
}
