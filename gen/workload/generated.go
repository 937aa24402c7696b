package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"txweave/gen"
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// Generated is a statement of the generator's, as a storm sends it again and again.
type Generated struct {
	SQL string
	// Mark is the version key in its text, in place of which each execution has one of its own; "" where it gives rows
	// none.
	Mark string
	// Before asks for the rows that a DELETE removes, with a lock where the statement itself takes one; "" for others.
	Before string
	// Matching asks, in the same way, for the rows that an UPDATE's condition holds of, where that goes by each row alone;
	// else "".
	Matching string
	Info     *sqltext.Analysis
	// Reads are the numbers of the tables that its answer depends on, Writes of those whose rows it may give its version
	// to.
	Reads, Writes []int
	// Key is one that a comparison of pkey in it names, of a row of Table, if there is one (Keyed).
	Key   int64
	Table int
	Keyed bool
	// References is how many tables and derived tables it reads, one that is named twice counted twice; Rollup and Windows
	// say that it has WITH ROLLUP, and functions over windows.
	References      int
	Rollup, Windows bool
	// Adds is how many rows an INSERT of literal rows adds unless it fails; 0 where that is not certain.
	Adds int
	// Ran says that it has been answered without an error, NoCopies that it cannot be asked of copies, NoOpaque that it
	// cannot with its conditions hidden.
	Ran, NoCopies, NoOpaque atomic.Bool

	slow atomic.Int32 // how often in a row it took too long
}

// How the generator is used.
const (
	poolCases  = 256  // a pool of transactions of so many cases
	poolRows   = 100  // at most: queries join three references to a table
	poolMark   = 8e15 // the version keys of its statements begin here: nothing else in a text looks like one
	poolLevels = 8    // bounds of the keys that new rows have
	trimShare  = 20   // one transaction in so many removes rows that others have added
	ownShare   = 5    // one statement in so many is one of random-sql, whose condition the verifier knows
	poolBeside = "v BIGINT NOT NULL DEFAULT 500"
)

// notPooled are productions whose effects a session cannot learn from inside its transaction: writes that leave rows
// without a version of the statement's own, statements that carry their effects to other tables, what ends
// transactions, and other keys than pkey, by which rows would no longer be told apart.
var notPooled = []string{"key-column", "key-composite", "key-and-pkey", "key-prefix", "key-none", "no-version-key",
	"no-op-update", "replace", "merge", "delete-ignore",
	"delete-several", "delete-using", "or-ignore", "returning", "scratch-table", "trigger", "system-versioned",
	"delete-cascade", "delete-set-null", "update-cascade",
	"all-cascade", "update-set-null", "savepoint", "mixed-levels", "switched-autocommit", "xa", "lock-mode", "lock-alone",
	"advisory-lock", "read-only-write", "prepared",
	"access-mode", "read-deferrable", "implicit-commit", "autocommit", "ddl-index", "ddl-column",
	"ddl-rebuild", "ddl-rename", "ddl-table", "ddl-analyze", "view-there", "partition-of", "inherited",
	"unique-deferrable", "unique-exclude", "deferred-key"}

// pool are the transactions that a storm draws from, made case by case as they are drawn.
type pool struct {
	mu      sync.Mutex
	parser  *analysis.Texts // for one goroutine at a time
	schema  *sqltext.Schema
	seed    uint64
	dialect *gen.Dialect
	options gen.Options
	cases   [poolCases][][]*Generated
	tables  []TableSpec
	// Of reads before a DELETE: whether they lock, and whether their subqueries do.
	locks, inner bool
}

// generated sends what the generator of cases writes: joins, subqueries, upserts, foreign keys, secondary indexes,
// several tables. Where a transaction keeps its snapshot, queries are asked a second time of copies of their tables.
func generated(c Config, keys *Keys) *Workload {
	if c.Dialect == nil {
		return nil
	}
	p := &pool{seed: c.Seed, dialect: c.Dialect, locks: c.Locks, inner: c.LocksInner,
		parser: analysis.TextsOf(sqltext.SyntaxOf(c.Dialect.Name))}
	weights := map[string]int{}
	for _, name := range notPooled {
		weights[name] = 0
	}
	n := min(c.Keys, poolRows)
	p.options = gen.Options{Isolation: c.Isolation, Tables: gen.Range{Min: 2, Max: 3}, Rows: gen.Range{Min: n, Max: n},
		Txns:  gen.Range{Min: 4, Max: 6},
		Stmts: gen.Range{Min: 12, Max: 24}, Refs: 3, Beside: poolBeside, FirstVKey: poolMark, Weights: weights}
	w := &Workload{Kind: Relational, Made: &Made{}}
	first, err := gen.Generate(c.Seed, c.Dialect, p.options)
	if err != nil {
		return nil
	}
	for _, s := range first.Schema {
		w.Made.Schema = append(w.Made.Schema, s.SQL)
	}
	p.schema = sqltext.SyntaxOf(p.dialect.Name).Schema(w.Made.Schema)
	for _, t := range p.schema.Tables {
		w.Tables = append(w.Tables, TableSpec{Name: t.Name, Initial: 500, Present: []int64{}})
	}
	p.tables = w.Tables
	for _, s := range first.Rows {
		w.Made.Rows = append(w.Made.Rows, s.SQL)
		stmt, _ := sqltext.SyntaxOf(p.dialect.Name).Tree.Parse(s.SQL)
		v, ok := analysis.SpelledBy(stmt)
		at := p.table(v.Table)
		if !ok || at < 0 {
			return nil
		}
		for _, row := range v.Rows {
			key, err := strconv.ParseInt(analysis.Spelling(row.Items[0]), 10, 64)
			if err != nil {
				return nil
			}
			w.Tables[at].Present = append(w.Tables[at].Present, key)
		}
	}
	for _, t := range w.Tables { // the version of what is there at first
		w.Made.Rows = append(w.Made.Rows, fmt.Sprintf("UPDATE %s SET vkey = 0, pvkey = 0", t.Name))
	}
	w.Next = func(rng *rand.Rand, _ *SessionMemory) Program {
		statements := p.draw(rng)
		return func(tx Tx) error { return p.run(rng, tx, statements, keys, c.Keys) }
	}
	return w
}

// table is the number of a table by its name; -1 where there is none.
func (p *pool) table(name string) int {
	return slices.IndexFunc(p.tables, func(t TableSpec) bool { return t.Name == name })
}

// draw returns the statements of one transaction.
func (p *pool) draw(rng *rand.Rand) []*Generated {
	n, which := rng.IntN(poolCases), rng.IntN(1<<20)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cases[n] == nil {
		p.cases[n] = p.make(n)
	}
	return p.cases[n][which%len(p.cases[n])]
}

// make generates case n on the tables that there are.
func (p *pool) make(n int) [][]*Generated {
	o := p.options
	o.Statements = gen.CaseSeed(p.seed, n+1)
	c, err := gen.Generate(p.seed, p.dialect, o)
	if err != nil {
		return [][]*Generated{{}}
	}
	var out [][]*Generated
	for _, txn := range c.Txns {
		var statements []*Generated
		for _, s := range txn.Stmts {
			if x := p.read(s.SQL); x != nil {
				statements = append(statements, x)
			}
		}
		out = append(out, statements)
	}
	return append(out, []*Generated{})
}

// read understands a statement; nil where what it does could not be learned.
func (p *pool) read(text string) *Generated {
	if kind := sqltext.KindOf(text); !kind.IsTarget() {
		return nil
	}
	info, err := p.parser.Analyze(p.schema, text)
	if err != nil || info.Unkeyed || info.Returns {
		return nil
	}
	s := &Generated{SQL: text, Info: info}
	if info.VKey != 0 {
		s.Mark = strconv.FormatInt(info.VKey, 10)
	}
	for _, t := range info.Tables {
		if at := p.table(t); at >= 0 {
			s.Reads = append(s.Reads, at)
		}
	}
	if !p.writes(s) {
		return nil
	}
	stmt, _ := sqltext.SyntaxOf(p.dialect.Name).Tree.Parse(text)
	if touched := slices.Concat(s.Writes, s.Reads); stmt != nil && len(touched) > 0 {
		s.Table = touched[0]
		s.Key, s.Keyed = keyNamed(stmt)
	}
	s.describe(stmt)
	if v, ok := analysis.SpelledBy(stmt); ok && info.Kind == sqltext.Insert && info.Plain && !passesOver(stmt) {
		s.Adds = len(v.Rows)
	}
	if !p.watch(s) {
		return nil
	}
	return s
}

// writes notes the tables that a statement writes; false where rows that nobody asks for change with them.
func (p *pool) writes(s *Generated) bool {
	if s.Info.Target == "" {
		return true
	}
	for _, t := range append([]string{s.Info.Target}, s.Info.Also...) {
		if len(p.schema.Carried(t)) > 0 && !(s.Info.Kind == sqltext.Insert && s.Info.Plain) {
			return false
		}
		s.Writes = append(s.Writes, p.table(t))
	}
	return true
}

// watch notes what tells which rows a write finds or wrote; false where nothing does.
func (p *pool) watch(s *Generated) bool {
	if s.Info.Kind == sqltext.Select {
		return true
	}
	if s.Info.Kind == sqltext.Delete {
		if p.inner && s.Info.SetOrCTE {
			return false // the operands of a set operation have no place for a lock clause
		}
		var err error
		s.Before, err = p.parser.BeforeRead(p.schema, s.SQL, p.locks, p.inner)
		return err == nil && s.Before != "" && len(s.Writes) == 1
	}
	if s.Info.Kind == sqltext.Update && s.Info.MatchTable == s.Info.Target {
		var err error
		if s.Matching, err = p.parser.BeforeRead(p.schema, s.SQL, p.locks, p.inner); err != nil {
			return false
		}
	}
	return s.Mark != "" && !slices.Contains(s.Writes, -1)
}

// keyNamed is the first key that a comparison of pkey names.
func keyNamed(stmt sql.Stmt) (key int64, ok bool) {
	sql.Walk(stmt, func(n sql.Node) bool {
		b, is := n.(*sql.Binary)
		if !is || ok || b.Op != sql.OpEq {
			return !ok
		}
		if c, is := b.Left.(*sql.Column); is && strings.EqualFold(c.Name.Value, "pkey") {
			key, ok = classes.Integer(b.Right)
		}
		return !ok
	})
	return key, ok
}

// slowTimes is how often in a row a query may take too long before it is sent no more: once may be for a wait, or for
// what befalls the database.
const slowTimes = 2

// TooLong says that it is sent no more, and whether nobody had said so before.
func (s *Generated) TooLong() (retired bool) { return s.slow.Swap(slowTimes) < slowTimes }

// Took notes whether an execution took too long, and says whether it is sent no more because of this one.
func (s *Generated) Took(long bool) (retired bool) {
	n := s.slow.Load()
	switch {
	case n >= slowTimes:
		return false
	case long:
		return s.slow.Add(1) == slowTimes
	}
	s.slow.CompareAndSwap(n, 0)
	return false
}

// describe notes what is known of a statement by its tree.
func (s *Generated) describe(stmt sql.Stmt) {
	if stmt == nil {
		return
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Table, *sql.Derived:
			s.References++
		case *sql.Select:
			s.Rollup = s.Rollup || n.Rollup
		case *sql.Window:
			s.Windows = true
		}
		return true
	})
}

// passesOver says whether an INSERT passes over rows that it cannot add, or takes others away for them.
func passesOver(stmt sql.Stmt) bool {
	n, ok := stmt.(*sql.Insert)
	return ok && (n.Replace || n.Ignore || len(n.Conflicts) > 0 || slices.Contains([]string{"IGNORE", "REPLACE"},
		strings.ToUpper(n.Or)))
}

// run runs one transaction.
func (p *pool) run(rng *rand.Rand, tx Tx, statements []*Generated, keys *Keys, n int) error {
	for _, s := range statements {
		if rng.IntN(ownShare) == 0 {
			if err := p.own(rng, tx, int64(1+keys.Draw(rng)%n)); err != nil {
				return err
			}
		}
		if s.slow.Load() >= slowTimes {
			continue
		}
		if err := tx.Send(s); err != nil {
			return err
		}
	}
	if rng.IntN(trimShare) == 0 {
		if s := p.trim(rng); s != nil {
			if err := tx.Send(s); err != nil {
				return err
			}
		}
	}
	if rng.IntN(20) == 0 {
		return ErrRollback
	}
	return nil
}

// own is a statement of random-sql on one of the tables.
func (p *pool) own(rng *rand.Rand, tx Tx, key int64) error {
	table, hi := rng.IntN(len(p.tables)), key+rng.Int64N(randomWidth)
	var err error
	switch rng.IntN(6) {
	case 0:
		_, _, err = tx.Get(table, key, rng.IntN(4) == 0)
	case 1:
		_, err = tx.Scan(table, key, hi, Where{}, rng.IntN(4) == 0)
	case 2:
		_, err = tx.Scan(table, key, hi, predicate(rng), rng.IntN(4) == 0)
	case 3:
		_, err = tx.Put(table, key, payload(rng))
	case 4:
		_, err = tx.PutRange(table, key, hi, predicate(rng), 1+payload(rng)%9)
	default:
		_, err = tx.Delete(table, key)
	}
	return err
}

// trim removes from a table what INSERTs have added to it, so that it does not grow for ever.
func (p *pool) trim(rng *rand.Rand) *Generated {
	t, from := p.tables[rng.IntN(len(p.tables))].Name, 1000<<rng.IntN(poolLevels)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read(fmt.Sprintf("DELETE FROM %s WHERE %s.pkey >= %d", t, t, from))
}

// Made are tables that a workload makes itself, and their rows.
type Made struct{ Schema, Rows []string }

// Loaded calls add for the key of each row that is there at first.
func (t *TableSpec) Loaded(add func(key int64)) {
	for _, key := range t.Present {
		add(key)
	}
	for key := range t.Rows {
		add(int64(key))
	}
}
