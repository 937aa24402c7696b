package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	name    string
	answers [2][]verdict
}

// differs says whether the sides have no exit code in common, and whether none of what they tell.
func (o *outcome) differs() (code, tells bool) {
	code, tells = true, true
	for _, a := range o.answers[0] {
		for _, b := range o.answers[1] {
			code = code && a.code != b.code
			tells = tells && a != b
		}
	}
	return code, tells
}

// attempts are how often something is asked again that the sides do not agree about: what a server does may vary.
const attempts = 3

// asked asks both sides about things, and again about those that they do not agree about.
func (b *bench) asked(name string, things []string, ask func(side int, things []string) ([]verdict, error)) (
	[]*outcome, error) {
	all := make([]*outcome, len(things))
	for i, t := range things {
		all[i] = &outcome{name: t}
	}
	left := all
	for try := 0; try < attempts && len(left) > 0; try++ {
		if err := b.askOnce(name, left, ask); err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(slices.Clone(left), func(o *outcome) bool { _, tells := o.differs(); return !tells })
	}
	for _, o := range all { // as the tree names it
		if rel, err := filepath.Rel(b.tree, o.name); err == nil && filepath.IsLocal(rel) {
			o.name = rel
		}
	}
	return all, nil
}

// askOnce asks both sides once and files their answers.
func (b *bench) askOnce(name string, about []*outcome, ask func(side int, things []string) ([]verdict, error)) error {
	halves := slices.Collect(slices.Chunk(about, (len(about)+1)/2)) // one for each processor
	got, err := both(b, name, len(halves), func(i, side int) ([]verdict, error) {
		var names []string
		for _, o := range halves[i] {
			names = append(names, o.name)
		}
		return ask(side, names)
	})
	if err != nil {
		return err
	}
	for i, half := range halves {
		for k, o := range half {
			for side := range 2 {
				o.answers[side] = append(o.answers[side], got[i][side][k])
			}
		}
	}
	return nil
}

// exits counts exit codes for a cell.
func exits(all []*outcome, side int) string {
	words := map[int]string{0: "clean", 1: "found", 2: "unclear", 64: "refused", 69: "not here"}
	count := map[int]int{}
	for _, o := range all {
		count[o.answers[side][0].code]++
	}
	var out []string
	for _, code := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("%d %s", count[code], cmp.Or(words[code], fmt.Sprint("ended with ", code))))
	}
	return strings.Join(out, ", ")
}

// agreement is the row of verdicts. Another exit code is worse but where something is understood or judged that was
// not; whether what is told beside it may change is the caller's to say.
func agreement(part, what string, all []*outcome, strict bool) *measure {
	m := &measure{part: part, what: what, old: exits(all, 0), new: exits(all, 1), says: equal}
	if len(all) == 0 {
		m.says = unsure
	}
	for _, o := range all {
		code, tells := o.differs()
		old, now := o.answers[0][0], o.answers[1][0]
		if !tells && old.code > exitUsage && m.says != worse { // neither could do it
			m.says = unsure
			m.detail = append(m.detail, fmt.Sprintf("%s: both end with %d", o.name, old.code))
		}
		if !tells {
			continue
		}
		switch {
		case code && (old.code == 64 || old.code == 2) && (now.code == 0 || now.code == 2 || old.code == 2 && now.code == 1):
			m.detail = append(m.detail, fmt.Sprintf("better: %s: exit %d, %d before", o.name, now.code, old.code))
		case code || strict:
			m.says = worse
		case m.says == equal:
			m.says = changed
		}
		m.detail = append(m.detail, fmt.Sprintf("%s: %d %s\n  before: %d %s", o.name, now.code, now.tells,
			old.code, old.tells))
	}
	return m
}

// replayed is what this reads of the object that replay prints of a case.
type replayed struct {
	Case       string            `json:"case"`
	Code       int               `json:"exit"`
	Findings   []json.RawMessage `json:"findings"`
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
	for _, s := range r.Statements {
		slices.Sort(s.Reads)
	}
	return strings.Trim(fmt.Sprintf("%+v", r.Statements), "[]") + "; " + r.found()
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

// signatures are those of the findings, a line each.
func (r *replayed) signatures() string {
	var out []string
	for _, text := range r.Findings {
		var f struct {
			Signature string `json:"signature"`
		}
		if err := json.Unmarshal(text, &f); err == nil {
			out = append(out, f.Signature)
		}
	}
	return strings.Join(out, "\n")
}

// replay asks a side about cases of one target and level over one server.
func (b *bench) replay(side int, cases []string, tells func(*replayed) string, flags ...string) ([]verdict, error) {
	e, err := b.run(side, false, slices.Concat([]string{"replay", "--format", "json"}, flags, cases)...)
	if err != nil {
		return nil, err
	}
	all := make([]verdict, len(cases))
	for i := range all {
		all[i] = verdict{e.Code, "not told"}
	}
	for d := json.NewDecoder(bytes.NewReader(e.Out)); d.More(); {
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

// each asks a side about each file by itself, with the file as the last argument.
func (b *bench) each(side int, files []string, tells func(string) string, args ...string) ([]verdict, error) {
	var all []verdict
	for _, f := range files {
		e, err := b.run(side, false, append(slices.Clone(args), f)...)
		if err != nil {
			return nil, err
		}
		all = append(all, verdict{e.Code, tells(string(e.Out))})
	}
	return all, nil
}

// verdicts replays the cases of the tree.
func (b *bench) verdicts() error {
	groups, err := b.cases()
	if err != nil {
		return err
	}
	for _, of := range slices.SortedFunc(maps.Keys(groups), func(a, c [2]string) int {
		return slices.Compare(a[:], c[:])
	}) {
		name := strings.Join(of[:], " ")
		what := fmt.Sprintf("%s: %d cases of the tree", name, len(groups[of]))
		if !slices.Contains(b.targets, of[0]) {
			b.add(elsewhere("verdicts", what))
			continue
		}
		all, err := b.asked("verdicts, "+name, groups[of], func(side int, cases []string) ([]verdict, error) {
			return b.replay(side, cases, (*replayed).found)
		})
		if err != nil {
			return err
		}
		b.add(agreement("verdicts", what, all, false))
	}
	return nil
}

// elsewhere is the row of what needs a database that is not here.
func elsewhere(part, what string) *measure {
	return &measure{part: part, what: what + ": not among --targets", says: untold}
}

// cases returns the cases of the tree by target and level.
func (b *bench) cases() (map[[2]string][]string, error) {
	groups := map[[2]string][]string{}
	err := filepath.WalkDir(b.tree, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != b.tree:
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".txw":
			return nil
		}
		text, err := os.ReadFile(path)
		var of [2]string
		for i, key := range []string{"\ntarget: ", "\nisolation: "} {
			_, rest, _ := strings.Cut("\n"+string(text), key)
			of[i], _, _ = strings.Cut(rest, "\n")
		}
		groups[of] = append(groups[of], path)
		return err
	})
	return groups, err
}

// exhibited is what this reads of what phenomena prints of a case.
type exhibited struct {
	Case   string          `json:"case"`
	Levels json.RawMessage `json:"levels"`
}

// phenomena compares what happens in the cases of docs/hermitage at every level.
func (b *bench) phenomena() error {
	paths, err := filepath.Glob(filepath.Join(b.tree, "docs", "hermitage", "*.txw"))
	if err != nil {
		return err
	}
	for _, target := range b.targets {
		all, err := b.asked("phenomena, "+target, paths, func(side int, cases []string) ([]verdict, error) {
			var got []exhibited
			e, err := b.json(side, &got, append([]string{"phenomena", "--format", "json", "--target", target}, cases...)...)
			if err != nil {
				return nil, err
			}
			all := make([]verdict, len(cases))
			for i, path := range cases {
				all[i].code = e.Code
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
		b.add(agreement("phenomena", fmt.Sprintf("%s: %d cases of docs/hermitage", target, len(paths)), all, true))
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
			return b.each(side, files, func(string) string { return "" }, "check", "--level", level, "--timeout", "20s")
		})
		if err != nil {
			return err
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
	if err := b.formats(dir); err != nil {
		return nil, err
	}
	for _, workload := range []string{"blindw-w", "blindw-rw", "blindw-rw+", "smallbank", "ycsb-a", "mini", "cas"} {
		for _, bug := range pick(b, []string{"stale-snapshot"}, []string{"", "lost-commit", "stale-snapshot",
			"dirty-write"}) {
			e, err := b.command(0, "", b.programs[0], "storm", "--workload", workload, "--keys", "20", "--sessions", "4",
				"--duration", "60ms", "--faults", bug,
				"--history", filepath.Join(dir, "storm-"+workload+"-"+bug+".jsonl"))
			if err != nil {
				return nil, err
			}
			e.forget() // a workload that has no history leaves no file
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err == nil && len(files) == 0 {
		err = errors.New("no histories")
	}
	return files, err
}

// formats writes the histories of the formats' tests to a folder, or one in eight.
func (b *bench) formats(dir string) error {
	sources, err := filepath.Glob(filepath.Join(b.tree, "history", "format", "testdata", "read", "*"))
	if err != nil {
		return err
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		for i, part := range strings.Split("\n"+string(text), "\nread\n")[1:] { // each up to a line of dashes
			history, _, ok := strings.Cut(part, "\n----\n")
			if !ok || i%pick(b, 8, 1) != 0 {
				continue
			}
			name := filepath.Join(dir, filepath.Base(source)+"-"+strconv.Itoa(i))
			if err := os.WriteFile(name, []byte(history+"\n"), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
