package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/fault"
	"txweave/history"
	"txweave/internal/former"
)

// Signature is what findings are grouped by.
type Signature struct {
	// Coarse is oracle.Finding's signature, which a reduction holds on to.
	Coarse string `json:"coarse"`
	// Cause is the finding's, if it has one.
	Cause Cause `json:"cause,omitzero"`
	// Features are what the case consists of, sorted; see Of.
	Features []string `json:"features"`
	// Blamed are features of the transactions that the finding names, sorted: they tell of a case that is not reduced,
	// too.
	Blamed []string `json:"-"`
	// Named are those of each statement that the first difference names, sorted: one of several may be what the finding
	// comes down to.
	Named [][]string `json:"-"`
	// Said are the texts of those statements.
	Said []string `json:"-"`
	// Minimal says that the case is reduced until nothing more could go, so that each feature is needed.
	Minimal bool `json:"minimal"`
	// Whole are, of a case that is not reduced to the end, the features of all its statements, sorted: those that its bug
	// needs are among them. Bugs of before have none.
	Whole []string `json:"whole,omitempty"`
}

// key is what two findings that may be one bug have in common: the cause, else what one oracle says.
func (s Signature) key() string {
	if s.missearches() {
		return string(fault.WritesOthers)
	}
	return cmp.Or(s.Cause.String(), s.Coarse)
}

// missearches says whether a write finds other rows than its WHERE clause is true for: too many or too few, which is a
// matter of the rows and of the kind of write.
func (s Signature) missearches() bool {
	return s.Cause.Kind == fault.PassesOver || s.Cause.Kind == fault.WritesOthers
}

// essence are the features that tell something, of those that the cause needs: also whether it takes two transactions.
func (s Signature) essence() []string {
	return slices.DeleteFunc(slices.Clone(s.Features), func(f string) bool {
		return s.byChance(f) || f != "transactions" && !decisive(f)
	})
}

// byChance says whether a feature is no matter of the cause: of a wrong answer whether it took a second transaction,
// and the constraints, which are a matter of writes.
func (s Signature) byChance(feature string) bool {
	return s.Cause.ofAnswer() && slices.Contains(chance, feature)
}

var chance = []string{"constraint", "deferred-key", "foreign-key", "transactions"}

// Features of cases with a stale read: what must have gone before, in a reduced one. Other causes of transactions show
// with and without: one lost commit, in a session's next transaction or between two reads of another one.
const (
	OneSession = "session"     // two transactions are of one session
	ReadsAgain = "reads-again" // a transaction has two statements of one table
	ReadsOn    = "reads-on"    // a transaction has two statements, of two tables
)

// order are those of these features that the signature has.
func (s Signature) order() []string {
	return slices.DeleteFunc(slices.Clone(s.Features), func(f string) bool {
		return f != OneSession && f != ReadsAgain && f != ReadsOn
	})
}

// sameCause says of two signatures with one cause whether they are one bug: where statements matter, those that need
// something of SQL do not go with those that need nothing; a stale read that needs an order does not go with one that
// needs another (a session that misses its own write; a read that goes back behind an earlier one; one that misses a
// part of what an earlier one saw).
func (s Signature) sameCause(o Signature) bool {
	if s.ofTool() || o.ofTool() {
		return true
	}
	if !s.Cause.IsZero() && !OfStatements(s.Cause) {
		return !s.Minimal || !o.Minimal || within(s.order(), o.Features) || within(o.order(), s.Features)
	}
	a, b := s.essence(), o.essence()
	switch {
	case s.Cause != o.Cause && s.missearches() && o.missearches() && !(s.Minimal && o.Minimal && len(a) > 0 && len(b) > 0):
		return false // nothing but the cause tells of them
	case !o.Minimal:
		return !s.Minimal
	case !s.Minimal: // s may have more than it needs
		return within(b, s.Features)
	case len(a) == 0 || len(b) == 0:
		return len(a) == len(b)
	}
	return within(a, o.Features) || within(b, s.Features)
}

// Reduced is the signature of a case that is reduced to the end: its features are what the bug needs.
func (s Signature) Reduced() Signature {
	s.Minimal, s.Whole = true, nil
	return s
}

// ofAnswers are the classes of findings that wrong data, or a wrong read of it, shows as: one bug shows as several.
var ofAnswers = []string{ClassReplay, ClassPlan, ClassInconsistent, ClassUnexplained, ClassIsolation, ClassSnapshot,
	ClassMechanism, ClassCertificate}

// put are features of what a trial puts in the place of a statement, or beside it.
var put = []string{"INSERT", "ROLLBACK", "SELECT", "read"}

// Explains says whether a finding with signature o, whose case is not reduced to the end, may be the bug of one with
// signature s, whose case is: it shows as a kind that this bug may show as, and its case has, in some statement, what
// that one needs.
func (s Signature) Explains(o Signature) bool {
	if !s.Minimal || o.Minimal {
		return false
	}
	own, _, what := cutSignature(s.Coarse)
	other, _, _ := cutSignature(o.Coarse)
	if s.Coarse != o.Coarse && !(slices.Contains(ofAnswers, own) && slices.Contains(ofAnswers, other)) {
		return false
	}
	kind := s.Cause.entry()
	if s.Cause.IsZero() {
		kind = Cause{Kind: fault.Kind(what)}.entry()
	}
	needs, has := s.Features, o.Whole
	if kind.AnyRead || kind.AnySyntax {
		needs = slices.DeleteFunc(slices.Clone(needs), func(f string) bool {
			return s.byChance(f) || slices.Contains(put, f)
		})
	}
	if has == nil {
		has = o.Features
	}
	return within(needs, has)
}

// ofTool says whether a statement of the tool's own met what is wrong: what the case has besides is no matter.
func (s Signature) ofTool() bool { return strings.HasPrefix(s.Coarse, ClassCorruption+"/") }

// ofStack says whether a crash is told by its stack: which functions called each other to where the server ended says
// more of the bug than the statement does.
func (s Signature) ofStack() bool {
	return strings.HasPrefix(s.Coarse, ClassCrash+"/") && strings.Contains(s.Coarse, betweenFrames)
}

// CrashedIn is the function in which a server ended, by its signature: the innermost of its stack; "" where that is not
// known.
func (f *Finding) CrashedIn() string {
	stack, crash := strings.CutPrefix(f.Signature, ClassCrash+"/")
	if !crash || !strings.Contains(stack, betweenFrames) {
		return ""
	}
	inner, _, _ := strings.Cut(stack, betweenFrames)
	return inner[strings.LastIndexByte(inner, '/')+1:] // without the path of a package of Go's
}

// within says whether all of some features are among others, sorted.
func within(some, others []string) bool {
	return !slices.ContainsFunc(some, func(f string) bool {
		_, has := slices.BinarySearch(others, f)
		return !has
	})
}

// String prints the signature on one line.
func (s Signature) String() string {
	if len(s.Features) == 0 {
		return s.Coarse
	}
	return fmt.Sprintf("%s {%s}", s.Coarse, strings.Join(s.Features, " "))
}

// Equal says whether two signatures are the same.
func (s Signature) Equal(o Signature) bool {
	return s.Coarse == o.Coarse && slices.Equal(s.Features, o.Features)
}

// Within says whether a minimal case with signature o shows, in all likelihood, the bug of one with signature s inside
// something that a reduction does not take away, as it does not move a query out of the one around it: o covers s, and
// s has a feature that tells something. A bug that needs just a read and a write is not looked for in what needs a
// join.
func (s Signature) Within(o Signature) bool {
	return s.Covers(o) && slices.ContainsFunc(s.Features, decisive)
}

// ordinary features are those that next to every case has, or that say only how a query stands inside another one.
var ordinary = []string{"DELETE", "INSERT", "ROLLBACK", "SELECT", "UPDATE", "arithmetic", "compare", "cte", "derived",
	"index", "insert-select", "is",
	"logic", "not", "null", "read", "subquery", "transactions", "unique", "where", "write"}

func decisive(feature string) bool { return !slices.Contains(ordinary, feature) }

// Covers says whether a case with signature o has everything that one with signature s has, and more or the same, so
// that it may well show the same bug. (SQLancer++ ranks bug reports by the same test: Zhong and Rigger, "Scaling
// Automated Database System Testing", 2025, section "Bug prioritization".)
func (s Signature) Covers(o Signature) bool {
	return s.Coarse == o.Coarse && within(s.Features, o.Features)
}

// Renamed is a signature of a file or flag of before, with the names of faults that the catalogue has now; one of now
// is returned as it is.
func Renamed(signature string) string {
	class, kind, what := cutSignature(signature)
	kind = former.Executions.Now(kind)
	if now := fault.Named(kind + ":" + what); string(now) != kind+":"+what { // a name of before that has a colon in it
		return Signed(class, "", now)
	}
	if what == "" {
		if now := fault.Named(signature); classless[now] != "" {
			return Signed(classless[now], "", now)
		}
		return signature
	}
	if n, err := strconv.Atoi(what); class == ClassUnexpected && err == nil && len(what) > 5 { // an SQLSTATE's number
		what = history.ErrorName(n)
	}
	return Signed(class, kind, fault.Named(what))
}

// classless are the classes of the kinds of fault whose signatures had none before: a storm's own.
var classless = map[fault.Kind]string{
	fault.Affected: ClassInconsistent, fault.ForgottenBranch: ClassInconsistent, fault.Gone: ClassInconsistent,
	fault.PassedOver: ClassInconsistent,
	fault.Receipt:    ClassInconsistent, fault.RowTwice: ClassInconsistent, fault.TornRow: ClassInconsistent,
	fault.WrongRow:  ClassInconsistent,
	fault.TableLock: ClassMechanism, fault.LockKept: ClassHang, fault.Corruption: ClassCorruption,
}

// earlier are the signatures of files of before that are this one now.
func earlier(signature string) []string {
	class, kind, what := cutSignature(signature)
	var out []string
	for _, of := range former.Executions.Before(kind) {
		out = append(out, Signed(class, of, fault.Kind(what)))
	}
	if n, err := strconv.ParseInt(what, 36, 64); class == ClassUnexpected && err == nil &&
		history.ErrorName(int(n)) == what {
		out = append(out, Signed(class, kind, fault.Kind(strconv.FormatInt(n, 10))))
	}
	e := fault.Of(fault.Kind(what))
	if e == nil {
		return out
	}
	for _, name := range e.Old {
		out = append(out, Signed(class, kind, fault.Kind(name)))
	}
	if classless[e.Kind] == class {
		out = append(append(out, string(e.Kind)), e.Old...)
	}
	return out
}

// cutSignature takes a signature apart as Signed put it together.
func cutSignature(signature string) (class, kind, what string) {
	class, what, _ = strings.Cut(signature, "/")
	if before, after, has := strings.Cut(what, ":"); has {
		kind, what = before, after
	}
	return class, kind, what
}

// UnmarshalJSON reads a signature, also one of a file of before.
func (s *Signature) UnmarshalJSON(data []byte) error {
	type plain Signature
	if err := json.Unmarshal(data, (*plain)(s)); err != nil {
		return err
	}
	s.Coarse = Renamed(s.Coarse)
	return nil
}
