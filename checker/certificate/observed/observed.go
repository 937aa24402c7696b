// Package observed makes a history and its exact certificate of a run: the added reads around each statement say which
// versions it saw and which one each write replaced. It starts from what the isolation oracle looks at, whose certain
// phenomena it reports one by one; here the run is judged as a whole.
package observed

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"txweave/checker/certificate"
	"txweave/history"
	"txweave/history/register"
	"txweave/oracle/observe"
)

// CertifiedRun is a run as a history with its certificate, and the matches oracle of its searches, which asks the
// database where the run has a way to (observe.Observation.Matches).
type CertifiedRun struct {
	run *observe.Observation
	h   *register.History
	c   *certificate.Certificate
	// tables are those of the run, by position in c.Tables: each search has one, with the rows whose state is certain.
	tables   []string
	ops      []int          // by search: its statement
	searches map[string]int // by what stands for its WHERE clause
	items    []history.Item // by key
	chains   map[history.Item]*chain
}

// chain is what committed transactions did to an item, in order.
type chain struct {
	key      int32
	initial  bool
	next     map[history.State]link
	deleted  bool // by a committed transaction
	undone   bool // a transaction that was rolled back deleted it
	inserted bool
}

type link struct {
	to  history.State
	txn int
}

// New derives the history. It gives an error where the run does not say what was written.
func New(run *observe.Observation) (*CertifiedRun, error) {
	r := &CertifiedRun{run: run, c: &certificate.Certificate{Source: "added reads"}, chains: map[history.Item]*chain{},
		searches: map[string]int{}}
	if run.Mixed() {
		return nil, errors.New("its transactions run at several levels, and a history is checked at one")
	}
	for v := range run.Recurring {
		return nil, fmt.Errorf("row %d of %s had the same contents twice, so it is not certain which write a read saw",
			v.PKey, v.Table)
	}
	b := register.NewBuilder(len(run.Txns)+1, 2*len(run.Stmts))
	b.BeginInitial()
	for _, table := range slices.Sorted(maps.Keys(run.Initial)) {
		for _, pkey := range slices.Sorted(maps.Keys(run.Initial[table])) {
			item := history.Item{Table: table, PKey: pkey}
			r.chain(b, item).initial = true
			b.Write(r.chains[item].key, run.Initial[table][pkey])
		}
	}
	b.End(history.Committed, 0, 0)
	for i := range run.Stmts {
		op := run.Stmts[i]
		if len(op.Unsure) > 0 {
			return nil, fmt.Errorf("%s may have written more rows of %s than is known", op.Name, op.Unsure[0])
		}
		for _, w := range op.Writes {
			if err := r.link(r.chain(b, w.Item), op, w); err != nil {
				return nil, err
			}
		}
	}
	for t := range run.Txns {
		r.transaction(b, t)
	}
	r.h = b.History()
	r.c.Order = make([][]int64, len(r.items))
	for _, item := range r.items {
		r.order(item)
	}
	return r, nil
}

// History returns the run as a history: keys are rows, "t0:4", values the vkeys of their versions, history.Absent a
// deletion. Transaction N of the run is N+1 of the history, after the initial one; each is a session of its own.
func (r *CertifiedRun) History() *register.History { return r.h }

func (r *CertifiedRun) chain(b *register.Builder, item history.Item) *chain {
	c := r.chains[item]
	if c == nil {
		c = &chain{key: b.Key(fmt.Sprintf("%s:%d", item.Table, item.PKey)), next: map[history.State]link{}}
		r.chains[item] = c
		r.items = append(r.items, item)
	}
	return c
}

// link notes a write. Two committed ones that replaced the same version leave the order open.
func (r *CertifiedRun) link(c *chain, op *observe.ObservedStmt, w history.Write) error {
	if !r.run.Committed(op) {
		c.undone = c.undone || w.To == history.Dead
		return nil
	}
	if _, twice := c.next[w.From]; twice {
		return fmt.Errorf("%s: version %d of %s:%d was replaced twice", op.Name, int64(w.From), w.Table, w.PKey)
	}
	c.next[w.From] = link{w.To, op.Txn}
	c.deleted = c.deleted || w.To == history.Dead
	c.inserted = c.inserted || w.From == history.Unborn
	return nil
}

// order lists what each transaction left of an item. A chain that is broken lacks versions: the check then says so.
func (r *CertifiedRun) order(item history.Item) {
	c := r.chains[item]
	state, out := history.Unborn, []int64{}
	if c.initial {
		v := r.run.Initial[item.Table][item.PKey]
		state, out = history.State(v), append(out, v)
	}
	writer := -1
	for range len(c.next) {
		l, ok := c.next[state]
		if !ok && state == history.Dead && c.initial { // whoever inserts a row again saw none
			l, ok = c.next[history.Unborn]
		}
		if !ok {
			break
		}
		if l.txn == writer {
			out = out[:len(out)-1] // it overwrote its own version
		}
		state, writer = l.to, l.txn
		out = append(out, int64(state))
	}
	r.c.Order[c.key] = out
}

// transaction adds one transaction with its searches.
func (r *CertifiedRun) transaction(b *register.Builder, t int) {
	b.Begin(int64(t), int64(t))
	n, own := 0, map[int32]int64{}
	for i := range r.run.Stmts {
		op := r.run.Stmts[i]
		if op.Txn != t || op.Undone || op.SawUndone { // what was undone never came to be, and nobody saw it
			continue
		}
		for k := range op.Search {
			r.search(i, &op.Search[k], n, own)
		}
		if why := unsearched(op); why != "" {
			r.c.NotChecked = append(r.c.NotChecked, op.Name+": "+why)
		}
		for _, v := range op.Out {
			if c := r.chains[v.Item]; c != nil {
				b.Read(c.key, v.VKey)
				n++
			}
		}
		for _, w := range op.Writes {
			key := r.chains[w.Item].key
			own[key] = int64(w.To)
			b.Write(key, own[key])
			n++
		}
	}
	status := history.Aborted
	times := certificate.Times{}
	if x := r.run.Txns[t]; x.Outcome == history.Committed {
		status = history.Committed
		if len(own) > 0 { // what only read may have had its place earlier
			times.Commit = x.Done
		}
	}
	b.End(status, 0, 0)
	if r.c.Times == nil {
		r.c.Times = make([]certificate.Times, 1, len(r.run.Txns)+1) // the initial one
	}
	r.c.Times = append(r.c.Times, times)
}

// unsearched says why what a statement searched is no search of the certificate; "" if it is one, or searched nothing.
// Which of its rows were there is known all the same, and what it returned of them are reads.
func unsearched(op *observe.ObservedStmt) string {
	switch {
	case len(op.Search) > 0 || len(op.Reads) == 0 || op.Err != nil:
		return ""
	case op.Waited:
		return "it waited, and what it then looked at is not known"
	case len(op.Reads) > 1:
		return "it reads several tables, and no row matches by itself"
	}
	return "it does not judge its rows one by one"
}

// search adds what a statement searched. A row that it did not look at was not there: because it was not born yet, or
// had been deleted; where it may be either, or somebody rolled a delete back, the row is left out.
func (r *CertifiedRun) search(at int, s *observe.PredicateRead, n int, own map[int32]int64) {
	op := r.run.Stmts[at]
	r.ops = append(r.ops, at)
	t := certificate.Relation{Name: op.Name, Columns: []certificate.ColumnType{{Name: "pkey", Type: "BIGINT"},
		{Name: "vkey", Type: "BIGINT"}},
		Rows: map[certificate.KeyVersion][]history.Value{}}
	p := certificate.Predicate{Txn: op.Txn + 1, At: n, Table: len(r.c.Tables), Where: r.standIn(), Seen: map[int32]int64{},
		Listed: s.Lists}
	for _, item := range r.items {
		c := r.chains[item]
		if item.Table != s.Table {
			continue
		}
		mine, wrote := own[c.key]
		if vkey, there := s.Seen[item.PKey]; there {
			p.Seen[c.key] = vkey
		} else {
			switch {
			case wrote && mine == int64(history.Dead):
				p.Seen[c.key] = mine
			case wrote:
				continue // its own row was not there: other oracles' business
			case c.undone, c.inserted == c.deleted: // neither: it should have been there
				continue
			case c.deleted:
				p.Seen[c.key] = int64(history.Dead)
			}
		}
		t.Keys = append(t.Keys, c.key)
		for _, v := range r.versions(item) {
			t.Rows[certificate.KeyVersion{Key: c.key, Value: v}] = []history.Value{history.IntValue(item.PKey),
				history.IntValue(v)}
		}
		t.Rows[certificate.KeyVersion{Key: c.key, Value: int64(history.Dead)}] = nil
	}
	for _, v := range op.Out {
		if c := r.chains[v.Item]; c != nil && slices.Contains(t.Keys, c.key) && v.Table == s.Table {
			p.Result = append(p.Result, c.key)
		}
	}
	slices.Sort(p.Result)
	p.Result = slices.Compact(p.Result)
	r.c.Tables, r.tables = append(r.c.Tables, t), append(r.tables, s.Table)
	r.c.Predicates = append(r.c.Predicates, p)
}

// versions lists all versions of an item that were there, deletions aside.
func (r *CertifiedRun) versions(item history.Item) []int64 {
	var out []int64
	if v, ok := r.run.Initial[item.Table][item.PKey]; ok {
		out = append(out, v)
	}
	for i := range r.run.Stmts {
		for _, w := range r.run.Stmts[i].Writes {
			if w.Item == item && w.To >= 0 {
				out = append(out, int64(w.To))
			}
		}
	}
	slices.SortFunc(out, cmp.Compare[int64])
	return slices.Compact(out)
}

// Settled is the certificate for those who cannot ask the database any more: the one column of each search's table says
// what the database answered about each version. What it did not answer is left out, and searches of which it answered
// nothing.
func (r *CertifiedRun) Settled() *certificate.Certificate { return r.settle(r.c) }

func (r *CertifiedRun) settle(c *certificate.Certificate) *certificate.Certificate {
	out := *c
	out.Tables, out.Predicates, out.NotChecked = slices.Clone(c.Tables), nil, slices.Clip(c.NotChecked)
	answered := make([]bool, len(c.Predicates))
	for i := range out.Tables {
		t := &out.Tables[i]
		rows := t.Rows
		t.Columns, t.Rows = []certificate.ColumnType{{Name: "matches", Type: "INT"}},
			map[certificate.KeyVersion][]history.Value{}
		for v, row := range rows {
			if row == nil {
				t.Rows[v] = nil
				continue
			}
			if match, err := r.match(c.Predicates[i].Where, [][]history.Value{row}); err == nil {
				answered[i] = true
				t.Rows[v] = []history.Value{history.IntValue(0)}
				if match[0] {
					t.Rows[v][0].N = 1
				}
			}
		}
		if n := slices.IndexFunc(out.Tables[:i], func(x certificate.Relation) bool { return x.Name == t.Name }); n >= 0 {
			t.Name += " in " + r.tables[i]
		}
	}
	for i, p := range c.Predicates {
		if p.Where = "matches = 1"; answered[i] {
			out.Predicates = append(out.Predicates, p)
		} else {
			out.NotChecked = append(out.NotChecked, r.run.Stmts[r.ops[i]].Name+": which rows match is not known")
		}
	}
	return &out
}

// standIn is the WHERE clause of the search that is added next: it stands for what the statement itself says.
func (r *CertifiedRun) standIn() string {
	i := len(r.c.Predicates)
	text := fmt.Sprintf("search %d matches (pkey, vkey)", i)
	r.searches[text] = i
	return text
}

func (r *CertifiedRun) match(where string, rows [][]history.Value) ([]bool, error) {
	i, ok := r.searches[where]
	if !ok {
		return nil, fmt.Errorf("%q is the condition of no search", where)
	}
	if r.run.Matches == nil {
		return nil, &certificate.UnknownError{Reason: "nobody says what matches"}
	}
	out := make([]bool, len(rows))
	for n, row := range rows {
		v := history.Version{Item: history.Item{Table: r.tables[i], PKey: row[0].N}, VKey: row[1].N}
		match, known := r.run.Matches(r.ops[i], v)
		if !known {
			return nil, &certificate.UnknownError{Reason: fmt.Sprintf("whether %s matches is not known", v)}
		}
		out[n] = match
	}
	return out, nil
}
