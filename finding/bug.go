package finding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Status is what people have found out about a bug.
type Status string

// The states of a bug.
const (
	StatusOpen      Status = "open"
	StatusDuplicate Status = "duplicate" // of another one, Bug.Of; findings are counted there
	StatusInvalid   Status = "invalid"   // no bug: findings are counted and not reported
	StatusFixed     Status = "fixed"     // in a version, Bug.FixedIn; a finding in it or a later one opens the bug again
)

// Bug is a group of findings that have one cause, as far as their signatures tell.
type Bug struct {
	ID         string         `json:"id"` // "B7"
	DBMS       string         `json:"dbms"`
	Status     Status         `json:"status"`
	Class      string         `json:"class"`
	Signature  Signature      `json:"signature"`
	Also       []Signature    `json:"also,omitempty"` // of bugs that were merged into it
	Summary    string         `json:"summary"`        // of the first finding
	Of         string         `json:"of,omitempty"`
	FixedIn    string         `json:"fixed_in,omitempty"`
	Note       string         `json:"note,omitempty"` // why it is invalid, why it was opened again
	Labels     []string       `json:"labels,omitempty"`
	Count      int            `json:"count"` // findings, kept or not
	First      time.Time      `json:"first"`
	Last       time.Time      `json:"last"`
	Versions   []string       `json:"versions"` // on which it was found
	Isolations []string       `json:"isolations"`
	Kept       []Kept         `json:"kept"` // findings whose files are kept, oldest first
	Verified   []Verification `json:"verified,omitempty"`
}

// Kept is a finding whose files are kept.
type Kept struct {
	Dir       string    `json:"dir"` // name of its directory, below the store's
	Signature Signature `json:"signature"`
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

// Bugs are the bugs of a store, and what is counted beside them.
type Bugs struct {
	Next  int            `json:"next"` // number of the next bug
	Bugs  []*Bug         `json:"bugs"`
	Known map[string]int `json:"known,omitempty"` // findings that are known bugs, by the bug's name
}

// Find returns a bug by its name.
func (b *Bugs) Find(id string) (*Bug, error) {
	i := slices.IndexFunc(b.Bugs, func(g *Bug) bool { return g.ID == id })
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

// match returns the bug that a finding is one of, nil if it is new: one with an equal signature; else one, open or fixed,
// that is found inside a reduced case or the other way round, or that a case which is not reduced to the end covers, the
// most specific one; for such a case failing that, one of findings that are not reduced to the end either.
func (b *Bugs) match(dbms string, sig Signature) *Bug {
	var best *Bug
	var by Signature // of best
	for _, g := range b.Bugs {
		for _, own := range append([]Signature{g.Signature}, g.Also...) {
			switch {
			case g.DBMS != dbms || own.Coarse != sig.Coarse:
			case own.Minimal == sig.Minimal && own.Equal(sig):
				return b.resolve(g)
			case g.Status != StatusOpen && g.Status != StatusFixed || sig.Minimal && !own.Minimal:
			case !own.Minimal: // nor is sig
				if best == nil {
					best, by = g, own
				}
			case sig.Minimal && !own.Within(sig) && !sig.Within(own) || !sig.Minimal && !own.Covers(sig):
			case best == nil || !by.Minimal || len(own.Features) > len(by.Features):
				best, by = g, own
			}
		}
	}
	return best
}

// Place counts a finding to the bug that it is one of, a new one if need be.
func (b *Bugs) Place(r *Record, sig Signature, now time.Time) (g *Bug, fresh bool) {
	env := &r.Environment
	if g = b.match(env.DBMS, sig); g == nil {
		b.Next = max(b.Next, 1)
		g = &Bug{ID: "B" + strconv.Itoa(b.Next), DBMS: env.DBMS, Status: StatusOpen, Class: r.Class, Signature: sig, Summary: r.Summary, First: now,
			Versions: []string{}, Isolations: []string{}, Kept: []Kept{}}
		b.Next++
		b.Bugs = append(b.Bugs, g)
		fresh = true
	}
	if sig.Minimal && g.Signature.Minimal && sig.Within(g.Signature) {
		g.Signature = sig // it needs less than was thought
	}
	g.Count++
	g.Last = now
	g.Versions = insert(g.Versions, env.Version)
	g.Isolations = insert(g.Isolations, env.Isolation)
	if g.Status == StatusFixed && CompareVersions(env.Version, g.FixedIn) >= 0 {
		g.Status, g.Note = StatusOpen, fmt.Sprintf("was fixed in %s, came back in %s", g.FixedIn, env.Version)
		g.FixedIn = ""
	}
	return g, fresh
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

// CompareVersions compares the leading numbers of two version texts, "10.11.19-MariaDB" and the like.
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
