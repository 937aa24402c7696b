package finding

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"txweave/history"
)

// Sentence is one step of why something is wrong: constant words with places, which are the name of the kind of step,
// too, and what stands in these, typed. Whoever wants to know which statements, transactions or rows it is about asks
// Args; the text is for people, and whoever has other words for a kind of step puts them in the place of Say.
type Sentence struct {
	Say  string `json:"say"` // with a %v for each of Args
	Args []Arg  `json:"args,omitempty"`
	// Edge says that the step is a dependency, which puts its first statement before its second one.
	Edge history.EdgeKind `json:"edge,omitzero"`
}

// Arg is what stands in one place of a step. Exactly one field is set.
type Arg struct {
	Stmt    string           `json:"stmt,omitempty"` // "T1.S3"
	Txn     *int             `json:"txn,omitempty"`
	Row     *history.Item    `json:"row,omitempty"`
	Version *history.Version `json:"version,omitempty"`
	State   *history.State   `json:"state,omitempty"`
	Writes  []history.Write  `json:"writes,omitempty"` // at least one
	Count   *int64           `json:"count,omitempty"`
	During  *Interval        `json:"during,omitempty"`
	// ItemName and VersionName name what a trace is of: "t0:4", "7".
	ItemName    string           `json:"item_name,omitempty"`
	VersionName string           `json:"version_name,omitempty"`
	Err         *history.DBError `json:"err,omitempty"`
	SQL         string           `json:"sql,omitempty"`
	Text        string           `json:"text,omitempty"`
}

// StmtName is a statement's name where a step is said.
type StmtName string

// TxnNumber is a transaction's number where a step is said.
type TxnNumber int

// Query is the text of a statement where a step is said.
type Query string

// ItemName is the name of an item of a trace where a step is said, and VersionName that of one of its versions.
type (
	ItemName    string
	VersionName string
)

// Interval is a time of which two ends are known, in nanoseconds since the trace began.
type Interval struct {
	From int64 `json:"from"`
	To   int64 `json:"to"` // math.MaxInt64: it has not ended
}

// String prints the interval.
func (i Interval) String() string {
	if i.To == math.MaxInt64 {
		return fmt.Sprintf("[%d, …]", i.From)
	}
	return fmt.Sprintf("[%d, %d]", i.From, i.To)
}

// Say makes a step of a sentence with a %v for each of what stands in it: StmtName, TxnNumber, Query, history's items,
// versions, states, writes and errors, numbers of things, a Sentence that is a part of the sentence, or anything else
// as a text.
func Say(sentence string, args ...any) Sentence {
	var s Sentence
	words := strings.SplitN(sentence, "%v", len(args)+1)
	for i, w := range words {
		s.Say += w
		if i == len(args) || i == len(words)-1 {
			break
		}
		if part, is := args[i].(Sentence); is {
			s.Say, s.Args = s.Say+part.Say, append(s.Args, part.Args...)
			continue
		}
		s.Say, s.Args = s.Say+"%v", append(s.Args, argOf(args[i]))
	}
	return s
}

func argOf(a any) Arg {
	switch x := a.(type) {
	case StmtName:
		return Arg{Stmt: string(x)}
	case TxnNumber:
		n := int(x)
		return Arg{Txn: &n}
	case Query:
		return Arg{SQL: string(x)}
	case history.Item:
		return Arg{Row: &x}
	case history.Version:
		return Arg{Version: &x}
	case history.State:
		return Arg{State: &x}
	case []history.Write:
		if len(x) == 0 {
			return Arg{Text: "nothing"}
		}
		return Arg{Writes: x}
	case *history.DBError:
		return Arg{Err: x}
	case Interval:
		return Arg{During: &x}
	case ItemName:
		return Arg{ItemName: string(x)}
	case VersionName:
		return Arg{VersionName: string(x)}
	case int:
		n := int64(x)
		return Arg{Count: &n}
	case int64:
		return Arg{Count: &x}
	case uint64:
		n := int64(x)
		return Arg{Count: &n}
	}
	return Arg{Text: fmt.Sprint(a)}
}

// String prints what stands in a place.
func (a Arg) String() string {
	switch {
	case a.Stmt != "":
		return a.Stmt
	case a.Txn != nil:
		return history.SessionName(*a.Txn)
	case a.Row != nil:
		return a.Row.String()
	case a.Version != nil:
		return a.Version.String()
	case a.State != nil:
		return a.State.Seen()
	case len(a.Writes) > 0:
		out := make([]string, len(a.Writes))
		for i, w := range a.Writes {
			out[i] = w.String()
		}
		return strings.Join(out, "; ")
	case a.Count != nil:
		return fmt.Sprint(*a.Count)
	case a.During != nil:
		return a.During.String()
	case a.Err != nil:
		return Line(a.Err.String())
	case a.SQL != "":
		return a.SQL
	}
	return a.ItemName + a.VersionName + a.Text
}

// Parts cuts the sentence at its places: words and what stands between them, by turns, words first and last.
func (s Sentence) Parts() (words []string, args []Arg) {
	words = strings.SplitN(s.Say, "%v", len(s.Args)+1)
	return words, s.Args[:min(len(s.Args), len(words)-1)]
}

// String prints the step for people.
func (s Sentence) String() string {
	words, args := s.Parts()
	var b strings.Builder
	for i, w := range words {
		b.WriteString(w)
		if i < len(args) {
			b.WriteString(args[i].String())
		}
	}
	return b.String()
}

// Stmts are the statements that the step names, each once, in order.
func (s *Sentence) Stmts() []string {
	var out []string
	for _, a := range s.Args {
		if a.Stmt != "" && !slices.Contains(out, a.Stmt) {
			out = append(out, a.Stmt)
		}
	}
	return out
}

// Precedes says, of a step that is a dependency, which statement comes before which.
func (s *Sentence) Precedes() (from, to string, ok bool) {
	if s.Edge == 0 {
		return "", "", false
	}
	named := s.Stmts()
	if len(named) < 2 {
		return "", "", false
	}
	return named[0], named[1], true
}

// Sentences are the steps of why something is wrong. Files of before hold one text in their place.
type Sentences []Sentence

// String prints the steps on one line.
func (ss Sentences) String() string {
	out := make([]string, len(ss))
	for i := range ss {
		out[i] = ss[i].String()
	}
	return strings.Join(out, "; ")
}
