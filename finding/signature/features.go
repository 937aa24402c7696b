package signature

import (
	"maps"
	"slices"
	"strings"

	"txweave/sql/edits"
	"txweave/sql/sqltext"
)

// features is a set of features.
type features struct {
	seen   map[string]bool
	parser *edits.Rewriter
}

func (f *features) add(names ...string) {
	for _, n := range names {
		f.seen[n] = true
	}
}

func (f *features) sorted() []string { return slices.Sorted(maps.Keys(f.seen)) }

// kind adds the kind of a statement, its own or just what it does.
func (f *features) kind(verb string, exact bool) {
	switch {
	case exact:
		f.add(verb)
	case verb == "SELECT":
		f.add("read")
	default:
		f.add("write")
	}
}

// control adds a statement that neither reads nor writes rows. A savepoint that a transaction sets before it has done
// anything else goes by a name of its own: it is set before the database knows which tables will be used.
func (f *features) control(sql string, kind sqltext.Kind, first bool) {
	switch {
	case kind == sqltext.Savepoint && first:
		f.add("early-savepoint")
	case kind.IsSavepoint():
		f.add("savepoint")
	default:
		f.add("ddl:" + sqltext.Verb(sql))
	}
}

// locksAtBegin are words for when a transaction takes its lock; the generator always says one where there are any.
var locksAtBegin = []string{"DEFERRED", "IMMEDIATE", "EXCLUSIVE"}

// begin adds how a transaction begins, where that is not just BEGIN.
func (f *features) begin(sql string) {
	if rest := strings.Join(sqltext.BeginOptions(sql), "-"); rest != "" && !slices.Contains(locksAtBegin, rest) {
		f.add("begin:" + rest)
	}
}

// statement adds what a statement has. Of one of several statements that may be blamed only what is unusual counts:
// nearly every statement compares something.
func (f *features) statement(sql string, named bool) {
	names, ok := f.parser.Features(sql, named)
	if !ok {
		names = []string{"unparsed"}
	}
	f.add(names...)
}
