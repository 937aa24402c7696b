package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"txweave/internal/former"
)

// Status is what people have found out about a bug.
type Status string

// The states of a bug.
const (
	StatusOpen        Status = "open"
	StatusUnconfirmed Status = "unconfirmed" // its findings did not come back each time, and there are few of them
	StatusDuplicate   Status = "duplicate"   // of another one, Bug.Of; findings are counted there
	StatusInvalid     Status = "invalid"     // no bug: findings are counted and not reported
	StatusFixed       Status = "fixed"       // in Bug.FixedIn; a finding in that version or a later one opens it again
	StatusUnreduced   Status = "unreduced"   // as shown: open, but it may be one of Bug.MayBe
)

// UnmarshalText reads a status, also by its earlier name.
func (s *Status) UnmarshalText(text []byte) error {
	*s = Status(former.Statuses.Now(string(text)))
	return nil
}

// Bug is a group of findings that have one cause, as far as their signatures tell.
type Bug struct {
	ID          string         `json:"id"` // "B7"
	DBMS        string         `json:"dbms"`
	Status      Status         `json:"status"`
	Class       string         `json:"class"`
	Signature   Signature      `json:"signature"`
	Also        []Signature    `json:"also,omitempty"`     // of bugs that were merged into it
	ShownAs     []string       `json:"shown_as,omitempty"` // first parts of its findings' signatures, sorted
	Title       string         `json:"title,omitempty"`    // of the finding whose case was reduced last
	Summary     string         `json:"summary"`            // of the first finding
	Of          string         `json:"of,omitempty"`
	FixedIn     string         `json:"fixed_in,omitempty"`
	Note        string         `json:"note,omitempty"` // why it is invalid, why it was opened again
	Labels      []string       `json:"labels,omitempty"`
	Count       int            `json:"count"`                 // findings, kept or not
	Unconfirmed int            `json:"unconfirmed,omitempty"` // those of them that did not come back each time
	Planted     []string       `json:"planted,omitempty"`     // see Environment.Planted: no bug of the engine
	Origin      Origin         `json:"origin"`                // of the first finding
	First       time.Time      `json:"first"`
	Last        time.Time      `json:"last"`
	Versions    []string       `json:"versions"` // on which it was found
	Isolations  []string       `json:"isolations"`
	Kept        []Kept         `json:"kept"` // findings whose files are kept, oldest first
	Verified    []Verification `json:"verified,omitempty"`
	// MayBe are the bugs of reduced cases that it may be, where none of its findings is reduced to the end: see Explain.
	// Like Unreduced it is of bugs as they are shown.
	MayBe []string `json:"may_be,omitempty"`
	// Unreduced are those of its findings that no campaign has reduced and counted yet: of bugs as they are shown, never
	// as they are kept.
	Unreduced int `json:"unreduced,omitempty"`
}

// UnmarshalJSON reads a bug, also one of an earlier version.
func (g *Bug) UnmarshalJSON(data []byte) error {
	type plain Bug
	return former.Bug.Unmarshal(data, (*plain)(g))
}

// Origin says which case of which campaign a finding is: with it the case can be made again, whether its files are kept
// or not.
type Origin struct {
	Seed    uint64 `json:"seed"`
	Case    int    `json:"case"`
	Command string `json:"command,omitempty"` // of the campaign, without passwords
}

// Origin says where a record comes from.
func (r *Record) Origin() Origin {
	return Origin{Seed: r.Environment.Seed, Case: r.Environment.Case, Command: r.Environment.Command}
}

// Kept is a finding whose files are kept.
type Kept struct {
	Dir       string    `json:"dir"` // name of its directory, below the store's
	Signature Signature `json:"signature"`
	Title     string    `json:"title,omitempty"` // of the finding
	Again     bool      `json:"again,omitempty"` // a campaign has begun to reduce it a second time
	Origin
}

// Verification is the outcome of running a bug's case again on some build.
type Verification struct {
	Time    time.Time `json:"time"`
	DBMS    string    `json:"dbms"`
	Version string    `json:"version"`
	Shown   int       `json:"shown"` // it was seen again this many times …
	Runs    int       `json:"runs"`  // … of this many
	Note    string    `json:"note,omitempty"`
}

// BugsFormat is the number of the format in which bugs are written. A txweave reads its own and those before it.
const BugsFormat = 2

// Bugs are the bugs of a store, and what is counted beside them.
type Bugs struct {
	Format int            `json:"format"` // see BugsFormat; 0: written before formats had numbers
	Next   int            `json:"next"`   // number of the next bug
	Bugs   []*Bug         `json:"bugs"`
	Known  map[string]int `json:"known,omitempty"` // findings that are known bugs, by the bug's name
	// Said is what was said of findings, by their names, before they were counted to a bug.
	Said map[string]Said `json:"said,omitempty"`
	// Unconfirmed is how many findings that do not come back each time, of one signature, are a bug: 0 is 3.
	Unconfirmed int `json:"-"`

	index map[string][]*Bug // by DBMS and Signature.key, in the order of Bugs; nil: to be made
}

// defaultUnconfirmed is how many unconfirmed findings of one signature make a bug.
const defaultUnconfirmed = 3

// Check says what is wrong with bugs that were read from a file, on one line.
func (b *Bugs) Check() error {
	if err := CheckFormat(b.Format, BugsFormat); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, g := range b.Bugs {
		switch {
		case g == nil:
			return fmt.Errorf("bug %d is null", i+1)
		case g.ID == "" || seen[g.ID]:
			return fmt.Errorf("bug %d has no name of its own: %q", i+1, g.ID)
		}
		seen[g.ID] = true
		for i := range g.ShownAs {
			g.ShownAs[i] = Renamed(g.ShownAs[i])
		}
		slices.Sort(g.ShownAs)
		for _, k := range g.Kept {
			if !ValidName(k.Dir) {
				return fmt.Errorf("%s keeps %q, which is not a directory beside this file", g.ID, k.Dir)
			}
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(g.ID, "B")); err == nil {
			b.Next = max(b.Next, n+1)
		}
	}
	return nil
}

// alike lists the bugs that a finding of a DBMS with a key may be one of.
func (b *Bugs) alike(dbms, key string) []*Bug {
	if b.index == nil {
		b.index = map[string][]*Bug{}
		for _, g := range b.Bugs {
			b.enter(g)
		}
	}
	return b.index[dbms+"\x00"+key]
}

// enter adds a bug to the index.
func (b *Bugs) enter(g *Bug) {
	if b.index == nil {
		return
	}
	for _, key := range g.Keys() {
		b.enterUnder(g, key)
	}
}

// Keys are the texts under which a store finds the bug again, each once, sorted: of its signatures and of what it was
// shown as.
func (g *Bug) Keys() []string {
	under := slices.Clone(g.ShownAs)
	for _, s := range append([]Signature{g.Signature}, g.Also...) {
		under = append(under, s.key(), s.Coarse)
	}
	slices.Sort(under)
	return slices.Compact(under)
}

// Keys are the texts under which the bugs lie that a finding with this signature may be one of, see Bug.Keys; also
// under the names of before.
func (s Signature) Keys() []string {
	keys := append([]string{s.key()}, earlier(s.Coarse)...)
	if s.Cause.IsZero() {
		return keys
	}
	return append(append(keys, s.Cause.earlier()...), s.Cause.String(), s.Coarse)
}

// enterUnder adds a bug to the index under one key.
func (b *Bugs) enterUnder(g *Bug, key string) {
	if b.index == nil {
		return
	}
	key = g.DBMS + "\x00" + key
	if !slices.Contains(b.index[key], g) {
		b.index[key] = append(b.index[key], g)
	}
}

// Changed forgets what was derived from the bugs: whoever edits them by hand calls it.
func (b *Bugs) Changed() { b.index = nil }

// Find returns a bug by its name.
func (b *Bugs) Find(id string) (*Bug, error) {
	i := slices.IndexFunc(b.Bugs, func(g *Bug) bool { return strings.EqualFold(g.ID, id) })
	if i < 0 {
		return nil, fmt.Errorf("there is no bug %s", id)
	}
	return b.Bugs[i], nil
}

// resolve follows duplicates to the bug that stands for them.
func (b *Bugs) resolve(g *Bug) *Bug {
	for range b.Bugs {
		if g.Status != StatusDuplicate {
			break
		}
		of, err := b.Find(g.Of)
		if err != nil {
			break // edited by hand: it stands for itself
		}
		g = of
	}
	return g
}

// match returns the bug that a finding is one of, nil if it is new: one with an equal signature; else one, open or
// fixed, of the same cause, where the features allow it; without a cause one that is found inside a reduced case or the
// other way round, or that a case which is not reduced to the end covers, the most specific one; for such a case
// failing that, one of findings that are not reduced to the end either.
func (b *Bugs) match(env *Environment, sig Signature) *Bug {
	var best *Bug
	var by Signature // of best
	list := b.alike(env.DBMS, sig.key())
	if !sig.Cause.IsZero() { // of before findings had causes, and of large cases that tell none
		list = slices.Concat(list, b.alike(env.DBMS, sig.Coarse))
	}
	for _, g := range list {
		for _, own := range append([]Signature{g.Signature}, g.Also...) {
			equal := own.Minimal == sig.Minimal && own.Equal(sig)
			switch {
			case (len(g.Planted) > 0) != (len(env.Planted) > 0):
			case own.Coarse != sig.Coarse && own.key() != sig.key() && !slices.Contains(g.ShownAs, sig.Coarse):
			case equal && (own.Cause == sig.Cause || own.Cause.IsZero()):
				return b.resolve(g)
			case g.Status != StatusOpen && g.Status != StatusUnconfirmed && g.Status != StatusFixed:
			case !b.mayBe(sig, own):
			case best == nil || own.Minimal && (!by.Minimal || len(own.Features) > len(by.Features)):
				best, by = g, own
			}
		}
	}
	return best
}

// Explain names at each open bug none of whose findings is reduced the reduced ones that it may be, if each of its
// findings may be one of them: as long as that is so nobody knows of a bug of its own. The order in which findings
// came is no matter.
func (b *Bugs) Explain() {
	var reduced, others []*Bug
	for _, g := range b.Bugs {
		g.MayBe = nil
		switch {
		case g.Status != StatusOpen:
		case g.Reduced():
			reduced = append(reduced, g)
		default:
			others = append(others, g)
		}
	}
	for _, g := range others {
		g.MayBe = g.Explained(reduced)
	}
}

// Told is how many bugs there are, whatever was found out about them, and how many groups beside them are not reduced
// and may be one of them; see Explain.
func (b *Bugs) Told() (bugs, unreduced int) {
	for _, g := range b.Bugs {
		if len(g.MayBe) > 0 {
			unreduced++
		}
	}
	return len(b.Bugs) - unreduced, unreduced
}

// CountBugs writes for people how many bugs there are, and groups that are not reduced and may be one of them.
func CountBugs(bugs, unreduced int) string {
	if unreduced == 0 {
		return Count(bugs, "bug")
	}
	return fmt.Sprintf("%s and %s", Count(bugs, "bug"), Count(unreduced, "unreduced group"))
}

// Recount is told of a kept finding whose case was reduced after it had been counted. If none of its bug's findings was
// reduced before, the bug is from then on what this one is: it goes into another bug of that signature, or stays one of
// its own. Where others of its findings can be none of that other bug the finding goes there alone. Recount returns the
// bug that the finding was counted to, and the one that it is counted to now, which is the same in most cases; nil
// where none keeps it. known names the known bug that the finding is; one of its own is a duplicate of that, then.
func (b *Bugs) Recount(name string, r *Record, sig Signature, known string) (was, is *Bug) {
	at := -1
	i := slices.IndexFunc(b.Bugs, func(g *Bug) bool {
		at = slices.IndexFunc(g.Kept, func(k Kept) bool { return k.Dir == name })
		return at >= 0
	})
	if i < 0 {
		return nil, nil
	}
	g := b.Bugs[i]
	first, large := sig.Minimal && !g.Reduced(), g.Kept[at].Signature
	g.Kept[at].Signature = sig
	if !first {
		return g, g
	}
	others := &Bugs{Bugs: slices.Delete(slices.Clone(b.Bugs), i, i+1)}
	if same := others.match(&r.Environment, sig); same != nil && same.Status == StatusOpen && g.Status == StatusOpen {
		from, into := g, same
		switch {
		case !same.Reduced(): // it was grouped as it was found, too
			from, into = same, g
		case len(g.Kept) > 1 && !g.mayBe(same, large, sig):
			same.absorb(&Bug{Signature: sig, Count: 1, ShownAs: []string{sig.Coarse}, Kept: []Kept{g.Kept[at]}, First: g.First,
				Last: g.Last, Versions: []string{r.Environment.Version}, Isolations: []string{r.Environment.Isolation}})
			g.Kept = slices.Delete(slices.Clone(g.Kept), at, at+1)
			g.Count--
			b.Changed()
			return g, same
		}
		if _, err := b.Merge(into.ID, []string{from.ID}); err == nil && into == same {
			return g, same
		}
	}
	g.Signature, g.Title = sig, cmp.Or(r.Title, g.Title)
	g.ShownAs = insert(g.ShownAs, sig.Coarse)
	if known != "" && g.Status == StatusOpen {
		g.Settle(StatusDuplicate, "a known bug")
		g.Of = known
	}
	b.Changed()
	return g, g
}

// mayBe says whether all of its findings may be one of another bug, but for those with some signatures.
func (g *Bug) mayBe(o *Bug, but ...Signature) bool {
	return !slices.ContainsFunc(g.signatures(), func(sig Signature) bool {
		return !slices.ContainsFunc(but, sig.Equal) &&
			!slices.ContainsFunc(o.signatures(), func(s Signature) bool { return s.Explains(sig) })
	})
}

// signatures are those of the bug, of the ones that were merged into it, and of its kept findings.
func (g *Bug) signatures() []Signature {
	out := append([]Signature{g.Signature}, g.Also...)
	for i := range g.Kept {
		out = append(out, g.Kept[i].Signature)
	}
	return out
}

// Reduced says whether the case of one of its findings is reduced to the end.
func (g *Bug) Reduced() bool {
	return slices.ContainsFunc(g.signatures(), func(s Signature) bool { return s.Minimal })
}

// Explained are the names of those of some bugs with reduced cases that a finding of this one may be; none where one of
// its findings can be none of them.
func (g *Bug) Explained(by []*Bug) []string {
	var names []string
	for _, sig := range g.signatures() {
		found := false
		for _, o := range by {
			if o.Status != StatusOpen || o.DBMS != g.DBMS || (len(o.Planted) > 0) != (len(g.Planted) > 0) ||
				!slices.ContainsFunc(o.signatures(), func(s Signature) bool { return s.Explains(sig) }) {
				continue
			}
			if found = true; !slices.Contains(names, o.ID) {
				names = append(names, o.ID)
			}
		}
		if !found {
			return nil
		}
	}
	return names
}

// Shown is the bug's status as it is shown.
func (g *Bug) Shown() Status {
	if g.Status == StatusOpen && len(g.MayBe) > 0 {
		return StatusUnreduced
	}
	return g.Status
}

// State says for people what has been found out about the bug.
func (g *Bug) State() string {
	switch state := string(g.Shown()); g.Shown() {
	case StatusDuplicate:
		return state + " of " + g.Of
	case StatusFixed:
		return state + " in " + g.FixedIn
	case StatusUnreduced:
		return state + ", may be " + strings.Join(g.MayBe, " or ")
	default:
		return state
	}
}

// mayBe says whether a finding with signature sig may be one of a bug with signature own, which has the same key.
func (b *Bugs) mayBe(sig, own Signature) bool {
	switch {
	case !sig.Cause.IsZero() && own.key() == sig.key():
		// own may be what it is derived of, which is its own cause
		return sig.sameCause(own)
	case !sig.Cause.IsZero():
		return false
	case own.Cause.String() == sig.Coarse: // and the other way round
		return own.sameCause(sig)
	case !own.Cause.IsZero(): // a large case need not tell the cause
		return !sig.Minimal
	case own.Coarse != sig.Coarse:
		return false
	case sig.ofStack():
		return true
	case !own.Minimal:
		return !sig.Minimal
	case sig.Minimal:
		return own.Within(sig) || sig.Within(own)
	}
	return own.Covers(sig)
}

// Place counts a finding to the bug that it is one of, a new one if need be.
func (b *Bugs) Place(r *Record, sig Signature, now time.Time) (g *Bug, fresh bool) {
	env := &r.Environment
	if g = b.match(env, sig); g == nil {
		b.Next = max(b.Next, 1)
		g = &Bug{ID: "B" + strconv.Itoa(b.Next), DBMS: env.DBMS, Status: StatusOpen, Class: r.Class, Signature: sig,
			Summary: r.Summary, First: now,
			Origin:   r.Origin(),
			Versions: []string{}, Isolations: []string{}, Kept: []Kept{}}
		b.Next++
		if r.Unconfirmed {
			g.Status = StatusUnconfirmed
		}
		b.Bugs = append(b.Bugs, g)
		b.enter(g)
		fresh = true
	}
	plainer := g.Title == "" || sig.Minimal && !g.Signature.Minimal && !slices.ContainsFunc(g.Kept, func(k Kept) bool {
		return k.Signature.Minimal
	})
	switch {
	case !sig.Minimal:
	case !g.Signature.Minimal:
		g.Signature = sig // it tells what the bug needs
		b.enterUnder(g, sig.key())
	case sig.Within(g.Signature):
		plainer = plainer || len(sig.Features) < len(g.Signature.Features)
		g.Signature = sig // it needs less than was thought
	}
	g.ShownAs = insert(g.ShownAs, sig.Coarse)
	b.enterUnder(g, sig.Coarse)
	if g.Count++; r.Unconfirmed {
		g.Unconfirmed++
	}
	enough := cmp.Or(b.Unconfirmed, defaultUnconfirmed)
	if g.Status == StatusUnconfirmed && (g.Count > g.Unconfirmed || g.Unconfirmed >= enough) {
		g.Status = StatusOpen
	}
	g.Last = now
	if r.Title != "" && plainer {
		g.Title = r.Title
	}
	for _, name := range env.Planted {
		g.Planted = insert(g.Planted, name)
	}
	g.Versions = insert(g.Versions, env.Version)
	g.Isolations = insert(g.Isolations, env.Isolation)
	if g.Status == StatusFixed && CompareVersions(env.Version, g.FixedIn) >= 0 {
		g.Status, g.Note = StatusOpen, fmt.Sprintf("was fixed in %s, came back in %s", g.FixedIn, env.Version)
		g.FixedIn = ""
	}
	return g, fresh
}

// Placed are the findings that were counted to a bug, and that are kept.
func (b *Bugs) Placed() map[string]bool {
	placed := map[string]bool{}
	for _, g := range b.Bugs {
		for _, k := range g.Kept {
			placed[k.Dir] = true
		}
	}
	return placed
}

// Shows says whether a finding of the bug's own case is the bug.
func (g *Bug) Shows(f *Finding) bool {
	return f.Signature == g.Signature.Coarse || slices.Contains(g.ShownAs, f.Signature)
}

// Keep adds a finding to those that are kept, and says which one's files are to go for it: the last of a signature that
// another one has too, where the bug has enough and this signature is a new one. What is grouped wrongly is then still
// seen. It returns false where the finding is not kept.
func (g *Bug) Keep(k Kept, limit int) (gone string, kept bool) {
	same := func(s Signature) int {
		n := 0
		for _, x := range g.Kept {
			if x.Signature.Equal(s) {
				n++
			}
		}
		return n
	}
	if len(g.Kept) >= limit {
		if same(k.Signature) > 0 {
			return "", false
		}
		at := len(g.Kept) - 1
		for at >= 0 && same(g.Kept[at].Signature) == 1 {
			at--
		}
		if at < 0 {
			return "", false
		}
		gone = g.Kept[at].Dir
		g.Kept = slices.Delete(g.Kept, at, at+1)
	}
	g.Kept = append(g.Kept, k)
	return gone, true
}

// insert adds a value to a sorted set.
func insert(set []string, v string) []string {
	at, has := slices.BinarySearch(set, v)
	if has || v == "" {
		return set
	}
	return slices.Insert(set, at, v)
}

// CompareVersions compares the leading numbers of two version texts, "10.11.19-log" and the like.
func CompareVersions(a, b string) int {
	return slices.Compare(versionNumbers(a), versionNumbers(b))
}

func versionNumbers(v string) []int {
	end := strings.IndexFunc(v, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end >= 0 {
		v = v[:end]
	}
	var out []int
	for part := range strings.SplitSeq(v, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}

// IsVersion says whether a text begins with a version's numbers.
func IsVersion(v string) bool { return len(versionNumbers(v)) > 0 }
