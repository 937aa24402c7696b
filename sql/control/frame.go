package control

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/sql/sqltext"
)

// Frame is the way in which a transaction is opened, and so how it may end.
type Frame uint8

// The frames.
const (
	NoFrame Frame = iota
	Begun         // BEGIN or START TRANSACTION; COMMIT or ROLLBACK
	// SET autocommit = 0; COMMIT, ROLLBACK or SET autocommit = 1, which commits; UNLOCK TABLES behind LOCK TABLES, too
	Switched
	Prepared // XA START; XA END, and XA PREPARE before XA COMMIT without ONE PHASE; XA COMMIT or XA ROLLBACK
)

// Opens returns the frame of the transaction that a statement opens; NoFrame if it opens none.
func (s Statement) Opens() Frame {
	switch on, switches := s.autocommit(); {
	case s.Kind == sqltext.Begin:
		return Begun
	case switches && !on:
		return Switched
	case s.xa() == "START":
		return Prepared
	}
	return NoFrame
}

// Ends says whether a statement ends a transaction of a frame. Frames are of databases that commit a transaction before
// they change a table: such a change ends one, too.
func (s Statement) Ends(f Frame) bool {
	on, switches := s.autocommit()
	_, redefines := s.Redefinition()
	switch {
	case f == Prepared:
		return s.xa() == "COMMIT" || s.xa() == "ROLLBACK"
	case s.Disconnects():
		return f != NoFrame
	case s.Kind == sqltext.Commit:
		return sqltext.FirstWord(s.text) == "COMMIT"
	case s.Kind == sqltext.Rollback:
		return true
	}
	return f == Switched && (switches && on || s.Unlocks()) || redefines && f != NoFrame
}

// Chains says whether a statement that ends a transaction begins another one like it at once.
func (s Statement) Chains() bool {
	chain, _ := s.Chain()
	return chain == "AND CHAIN"
}

// Unchained is the statement that ends a transaction and begins none.
func (s Statement) Unchained() string {
	if !s.Chains() {
		return s.text
	}
	if _, commits := s.Tree.(*sql.Commit); commits {
		return "COMMIT"
	}
	return "ROLLBACK"
}

// Chain is what COMMIT or ROLLBACK says of the next transaction: AND CHAIN, AND NO CHAIN or nothing; ok is false for
// other statements.
func (s Statement) Chain() (chain string, ok bool) {
	switch n := s.Tree.(type) {
	case *sql.Commit:
		return n.Chain, true
	case *sql.Rollback:
		return n.Chain, n.To == nil
	}
	return "", false
}

// ReadOnly says whether a statement opens a transaction that may not write.
func (s Statement) ReadOnly() bool { return s.hasTrait("READ ONLY") }

// TakesSnapshot says whether the transaction that a statement opens has its snapshot from the beginning.
func (s Statement) TakesSnapshot() bool { return s.hasTrait("WITH CONSISTENT SNAPSHOT") }

// Traits are what a statement that opens a transaction asks for beyond that, in upper case.
func (s Statement) Traits() (out []string) {
	n, ok := s.Tree.(*sql.Begin)
	if !ok {
		return nil
	}
	if n.Mode != "" {
		out = append(out, n.Mode)
	}
	for _, t := range n.Traits {
		out = append(out, t.Words)
	}
	return out
}

func (s Statement) hasTrait(words string) bool {
	return slices.ContainsFunc(s.Traits(), func(t string) bool { return t == words || strings.HasPrefix(t, words+" ") })
}

// Continues says whether a transaction that begins so is what comes of AND CHAIN behind one that began so: it has the
// same access mode, and no snapshot yet.
func Continues(before, begin Statement) bool {
	return before.Opens() == Begun && begin.Opens() == Begun && before.ReadOnly() == begin.ReadOnly() &&
		!begin.TakesSnapshot()
}

// RollsBack says whether a statement ends its transaction without a trace.
func (s Statement) RollsBack() bool {
	return s.Kind == sqltext.Rollback || s.xa() == "ROLLBACK" || s.Disconnects()
}

// Disconnects says whether a statement ends its own session: KILL CONNECTION_ID(), or SELECT
// pg_terminate_backend(pg_backend_pid()).
func (s Statement) Disconnects() bool {
	if n, ok := s.Tree.(*sql.Kill); ok {
		_, own := called(n.X, "connection_id")
		return n.What == "" && own
	}
	if s.of == nil || len(s.of.Terminate) == 0 {
		return false
	}
	arguments, ok := called(s.onlyItem(), s.of.Terminate[0])
	if !ok || len(arguments) != 1 {
		return false
	}
	arguments, ok = called(arguments[0], s.of.Terminate[1])
	return ok && len(arguments) == 0
}

// onlyItem is the expression that a query prints which does nothing else; nil of other statements.
func (s Statement) onlyItem() sql.Expr {
	q, ok := s.Tree.(*sql.Query)
	if !ok {
		return nil
	}
	n, ok := q.Body.(*sql.Select)
	if !ok || len(n.Items) != 1 || !sql.Equal(q, build.Query(&sql.Select{Items: []*sql.Item{{X: n.Items[0].X}}})) {
		return nil
	}
	return n.Items[0].X
}

// called are the arguments of a call of a function, by its name in lower case.
func called(x sql.Expr, name string) (arguments []sql.Expr, ok bool) {
	c, ok := x.(*sql.Call)
	if !ok || !sql.Equal(c, &sql.Call{Name: c.Name, Args: c.Args}) {
		return nil, false
	}
	return c.Args, c.Name.Value == name || c.Name.Quote == 0 && c.Name.Folded() == name
}

// autocommit reads SET autocommit = 0 and SET autocommit = 1; ok is false for all others.
func (s Statement) autocommit() (on, ok bool) {
	n, ok := s.Tree.(*sql.Set)
	if !ok || len(n.Settings) != 1 || n.Settings[0].Scope != "" || len(n.Settings[0].More) > 0 {
		return false, false
	}
	target, named := n.Settings[0].Target.(*sql.Column)
	value, given := n.Settings[0].Value.(*sql.Literal)
	if !named || !given || target.Name.Folded() != "autocommit" {
		return false, false
	}
	return value.Text == "1", value.Text == "0" || value.Text == "1"
}

// xa returns what an XA statement does, START, END, PREPARE, COMMIT or ROLLBACK; "" where it is none of them or names
// its transaction otherwise than by one short text.
func (s Statement) xa() string {
	n, ok := s.Tree.(*sql.XA)
	if !ok || len(n.ID) != 1 || !short(n.ID[0]) || n.More != "" && (n.Step != "COMMIT" || n.More != "ONE PHASE") {
		return ""
	}
	switch n.Step {
	case "RECOVER":
		return ""
	case "BEGIN": // another word for it
		return "START"
	}
	return n.Step
}

// short says whether a literal is a text that names a transaction: 64 bytes.
func short(l *sql.Literal) bool {
	return l.Kind == sql.Text && l.Charset == "" && l.Text[0] == '\'' && len(l.Text) <= 66
}

// XAName returns the name, with its quotes, of the transaction that an XA statement is about; "" for others.
func (s Statement) XAName() string {
	if s.xa() == "" {
		return ""
	}
	return s.Tree.(*sql.XA).ID[0].Text
}

// OnePhase says whether a statement commits an XA transaction that was not prepared.
func (s Statement) OnePhase() bool { return s.xa() == "COMMIT" && s.Tree.(*sql.XA).More != "" }

// IsXA says whether a statement of an XA transaction stands between its first and its last: XA END or XA PREPARE.
func (s Statement) IsXA() bool { return s.xa() == "END" || s.xa() == "PREPARE" }

// Prepares returns the name, with its quotes, of the transaction that PREPARE TRANSACTION 'name' or XA
// PREPARE 'name' is about; "" for others.
func (s Statement) Prepares() string {
	if s.xa() == "PREPARE" {
		return s.XAName()
	}
	return s.twoPhase("PREPARE TRANSACTION")
}

// EndsPrepared returns the name, with its quotes, of the transaction that COMMIT PREPARED 'name' or ROLLBACK PREPARED
// 'name' ends; "" for others.
func (s Statement) EndsPrepared() string { return s.twoPhase("COMMIT PREPARED", "ROLLBACK PREPARED") }

func (s Statement) twoPhase(steps ...string) string {
	n, ok := s.Tree.(*sql.TwoPhase)
	if !ok || !slices.Contains(steps, n.Step) || !short(n.ID) {
		return ""
	}
	return n.ID.Text
}

// CheckPrepared checks that a transaction which is prepared does nothing behind that, and that it and no other ends as
// such a one.
func CheckPrepared(stmts []Statement) error {
	name := ""
	for i, s := range stmts {
		if s.Kind != sqltext.XA || s.IsXA() || s.Prepares() == "" {
			continue
		}
		if i != len(stmts)-2 {
			return fmt.Errorf("PREPARE TRANSACTION is the last statement before COMMIT PREPARED or ROLLBACK PREPARED")
		}
		name = s.Prepares()
	}
	if name != stmts[len(stmts)-1].EndsPrepared() {
		return fmt.Errorf(
			"what PREPARE TRANSACTION prepares, and nothing else, ends with COMMIT PREPARED or ROLLBACK PREPARED of its name")
	}
	return nil
}

// CheckXA checks the statements of an XA transaction, all that are between the first and the last one and those two:
// each is of the same name, XA END comes after everything but XA PREPARE, and what is not prepared is committed in one
// phase.
func CheckXA(stmts []Statement) error {
	open, end := stmts[0], stmts[len(stmts)-1]
	ended, prepared := false, false
	for _, s := range stmts[1 : len(stmts)-1] {
		switch step := s.xa(); {
		case step == "" && !ended && s.Kind != sqltext.XA:
		case step == "":
			return fmt.Errorf("%s has no place between XA END and the end of its transaction", s.Kind)
		case s.XAName() != open.XAName():
			return fmt.Errorf("XA %s is not of the transaction %s", strings.ToLower(step), open.XAName())
		case step == "END" && !ended:
			ended = true
		case step == "PREPARE" && ended && !prepared:
			prepared = true
		default:
			return fmt.Errorf(
				"XA %s has no place there: XA END comes once, after all other statements, and XA PREPARE behind it",
				strings.ToLower(step))
		}
	}
	switch {
	case end.XAName() != open.XAName():
		return fmt.Errorf("XA %s is not of the transaction %s", strings.ToLower(end.xa()), open.XAName())
	case !ended:
		return fmt.Errorf("XA END is missing")
	case end.xa() == "COMMIT" && end.OnePhase() == prepared:
		return fmt.Errorf("XA COMMIT has ONE PHASE where there is no XA PREPARE, and only there")
	}
	return nil
}
