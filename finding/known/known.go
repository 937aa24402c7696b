// Package known recognises findings that are bugs which somebody has reported already, or which this project tells of.
//
// Its claim: a finding that an entry matches has everything that the entry asks for: all the patterns that it names
// hold.
package known

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/internal/former"
	"txweave/internal/input"
	"txweave/internal/strict"
)

// Entry is a known bug: one entry of known.toml. At least one of Signature, Error and Features is there; all that are
// have to hold.
type Entry struct {
	Name      string `toml:"name"`      // short and unique: "vendor-28212"
	Link      string `toml:"link"`      // the report upstream, or the page below Pages
	Title     string `toml:"title"`     // what it is, in a line
	DBMS      string `toml:"dbms"`      // the dialect; empty: any
	Versions  string `toml:"versions"`  // regular expression over the server's version; empty: any
	Isolation string `toml:"isolation"` // the level; empty: any
	Signature string `toml:"signature"` // regular expression over the signature, features left out
	Cause     string `toml:"cause"`     // the kind of its cause, as the catalogue calls it; empty: any
	// regular expression over what a finding quotes of the server and of the case, see Difference.Quoted, and over its log
	Error string `toml:"error"`
	// codes: a statement of the transactions that the finding names had failed before with one of them
	Failed   []int    `toml:"failed"`
	Features []string `toml:"features"` // what the reduced case must have, all of it: see signature.Of
	// what the transactions or ("in:…") the statement that the finding names must have in a case that is not reduced to
	// the end
	Blamed []string `toml:"blamed"`
	// what one of the statements that its first difference names must have, all of it: see Signature.Named
	Named []string `toml:"named"`
	SQL   string   `toml:"sql"` // regular expression over the text of such a statement
	// what the generator leaves out while the entry is in force: productions of package gen
	Without []string `toml:"without"`

	versions, signature, errors, sql *regexp.Regexp
}

// Pages is where the bugs are told that this project has found: a link to one of those is a path in its repository.
const Pages = "docs/findings/"

// List is a list of known bugs.
type List []*Entry

//go:embed known.toml
var builtin []byte

// Default returns the known bugs that txweave comes with.
func Default() (List, error) { return parse("known.toml", builtin) }

// Read reads a file of known bugs.
func Read(ctx context.Context, path string) (List, error) {
	text, err := input.Read(ctx, path, input.Config)
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

func parse(path string, text []byte) (List, error) {
	var file struct {
		Bug List `toml:"bug"`
	}
	if _, err := strict.TOML(path, text, "a known bug", &file, former.Known); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, b := range file.Bug {
		if err := b.check(); err != nil {
			return nil, fmt.Errorf("%s: bug %d %q: %w", path, i+1, b.Name, err)
		}
		if seen[b.Name] {
			return nil, fmt.Errorf("%s: two bugs are called %q", path, b.Name)
		}
		seen[b.Name] = true
	}
	return file.Bug, nil
}

// check compiles the patterns and refuses an entry that says too little.
func (b *Entry) check() error {
	switch {
	case b.Name == "" || strings.ContainsAny(b.Name, " \t\n"):
		return errors.New("it needs a name without spaces")
	case !strings.HasPrefix(b.Link, "https://") && !strings.HasPrefix(b.Link, "http://") &&
		!strings.HasPrefix(b.Link, Pages):
		return fmt.Errorf("it needs a link to the report, or to a page below %s", Pages)
	case b.Signature == "" && b.Error == "" && len(b.Features) == 0:
		return errors.New("it needs a signature, an error or features: it would match everything")
	}
	if b.Cause != "" && fault.Of(fault.Kind(b.Cause)) == nil {
		return fmt.Errorf("cause %q: the catalogue of faults has no such kind", b.Cause)
	}
	for _, p := range []struct {
		name, text string
		into       **regexp.Regexp
	}{{"versions", b.Versions, &b.versions}, {"signature", b.Signature, &b.signature}, {"error", b.Error, &b.errors},
		{"sql", b.SQL, &b.sql}} {
		re, err := regexp.Compile(p.text)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		*p.into = re
	}
	return nil
}

// In returns the entries that can match on one server.
func (bs List) In(e *finding.Environment) List {
	var out List
	for _, b := range bs {
		if b.about(e) {
			out = append(out, b)
		}
	}
	return out
}

// On returns the entries about one DBMS.
func (bs List) On(dbms string) List {
	return slices.DeleteFunc(slices.Clone(bs), func(b *Entry) bool { return b.DBMS != "" && b.DBMS != dbms })
}

// about says whether the entry is about a server.
func (b *Entry) about(e *finding.Environment) bool {
	return (b.DBMS == "" || b.DBMS == e.DBMS) && (b.Isolation == "" || b.Isolation == e.Isolation) &&
		b.versions.MatchString(e.Version)
}

// Without lists what the generator is to leave out, each once, sorted.
func (bs List) Without() []string {
	var out []string
	for _, b := range bs {
		out = append(out, b.Without...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Usually names what the generator leaves out for a DBMS where nobody says otherwise: for the bugs that txweave comes
// with.
func Usually(dbms string) []string {
	bugs, err := Default()
	if err != nil { // a test holds the file to be one
		panic(err)
	}
	return bugs.On(dbms).Without()
}

// Match returns the first entry that a finding is; nil if it is none.
func (bs List) Match(f *finding.Finding, sig finding.Signature) *Entry {
	for _, b := range bs {
		if b.matches(f, sig) {
			return b
		}
	}
	return nil
}

// matches asks for features of minimal cases only: a large case has nearly all of them, and the entry would swallow
// bugs that nobody knows. Of a large one it goes by the transactions that the finding names, where the entry says what
// these must have.
func (b *Entry) matches(f *finding.Finding, sig finding.Signature) bool {
	wanted, there := b.Features, sig.Features
	if len(b.Features) > 0 && !sig.Minimal {
		if len(b.Blamed) == 0 {
			return false
		}
		wanted, there = b.Blamed, sig.Blamed
	}
	for _, feature := range wanted {
		if _, has := slices.BinarySearch(there, feature); !has {
			return false
		}
	}
	has := func(statement []string) bool {
		return !slices.ContainsFunc(b.Named, func(feature string) bool { return !slices.Contains(statement, feature) })
	}
	if len(b.Named) > 0 && !slices.ContainsFunc(sig.Named, has) {
		return false
	}
	if b.SQL != "" && !slices.ContainsFunc(sig.Said, b.sql.MatchString) {
		return false
	}
	if b.Cause != "" && b.Cause != string(f.Cause.Kind) {
		return false
	}
	return b.signature.MatchString(sig.Coarse) && (b.Error == "" || b.hasError(f)) &&
		(len(b.Failed) == 0 || b.hadFailed(f))
}

// MayBe returns the entries that a finding could turn out to be, were its case reduced to the end: all that holds of a
// large case holds, and the features that a reduced one has to have are there.
func (bs List) MayBe(f *finding.Finding, sig finding.Signature) List {
	sig.Minimal = true
	return slices.DeleteFunc(slices.Clone(bs), func(b *Entry) bool { return !b.matches(f, sig) })
}

// hasError looks for the error's pattern in what the finding quotes of the server and of the case.
func (b *Entry) hasError(f *finding.Finding) bool {
	return b.errors.MatchString(f.Log) || slices.ContainsFunc(f.Differences, func(d finding.Difference) bool {
		return slices.ContainsFunc(d.Quoted(), b.errors.MatchString)
	})
}

// hadFailed says whether a statement of the transactions that the finding names had failed before with one of the
// entry's errors.
func (b *Entry) hadFailed(f *finding.Finding) bool {
	return slices.ContainsFunc(f.Differences, func(d finding.Difference) bool {
		return slices.ContainsFunc(d.Failed, func(x finding.Failure) bool { return slices.Contains(b.Failed, x.Err.Code) })
	})
}
