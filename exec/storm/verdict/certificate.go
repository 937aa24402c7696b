package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"txweave/checker"
	"txweave/checker/certificate"
	"txweave/checker/certificate/commits"
	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/fault"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
)

// certify recovers the certificate of a storm. What contradicts itself already is a finding.
func (j *Judge) certify(ctx context.Context, t exec.Connections, r *storm.Recording, h *register.History) (
	*certificate.Certificate, *finding.Listed, error) {
	txns := r.Txns()
	c, err := j.certifier(ctx, t, r, h, txns)
	if err != nil {
		return nil, nil, err
	}
	out, err := c.Certify(h)
	if contradiction, ok := errors.AsType[*commits.ContradictionError](err); ok {
		return nil, ofCertificate(fault.Contradiction, contradiction.Error()), nil
	}
	if err != nil {
		return nil, nil, err
	}
	wrong := addRows(out, j.Workload, r, h)
	addStatements(out, h, txns)
	addSearches(out, j.Profile, j.Workload, r, h, txns)
	if f := contradicted(out, h); f != nil || wrong == "" {
		return out, f, nil
	}
	return out, ofCertificate(fault.Contents, wrong), nil
}

// ofCertificate lists what contradicts a certificate.
func ofCertificate(what fault.Kind, summary string, txns ...int64) *finding.Listed {
	l := finding.List("certificate", what, summary, txns)
	return &l
}

// contradicted compares who committed with what the client was told. A database that tells the order of commits tells
// all of them.
func contradicted(c *certificate.Certificate, h *register.History) *finding.Listed {
	for t := range h.Txns {
		x := &h.Txns[t]
		var text string
		switch wrote := slices.ContainsFunc(h.TxnOps(t), func(op register.Op) bool { return op.Kind == register.Write }); {
		case t == h.Initial || !wrote:
		case x.Status == history.Committed && c.Times[t].Commit == 0:
			text = fmt.Sprintf("%s wrote and committed, but the database (%s) knows nothing of it", h.TxnName(t), c.Source)
		case x.Status == history.Aborted && c.Times[t].Commit != 0:
			text = fmt.Sprintf("%s was rolled back, but by the database (%s) it committed", h.TxnName(t), c.Source)
		}
		if text != "" {
			return ofCertificate(fault.Outcome, text, x.ID)
		}
	}
	return nil
}

// undecided says which transaction may have committed versions that the certificate lacks: one of unknown outcome,
// where only the client could have told its place. A log has what committed, whether a client knows or not. "" if there
// is none.
func undecided(p *dbms.Profile, c *certificate.Certificate, h *register.History) string {
	for t := range h.Txns {
		if !p.Order.Log() && h.Txns[t].Status == history.Unknown && c.Times[t].Commit == 0 &&
			slices.ContainsFunc(h.TxnOps(t), func(op register.Op) bool { return op.Kind == register.Write }) {
			return fmt.Sprintf("not made: whether %s committed, and when, is not known", h.TxnName(t))
		}
	}
	return ""
}

// certifier returns what recovers the order of versions.
func (j *Judge) certifier(ctx context.Context, t exec.Connections, r *storm.Recording, h *register.History,
	txns []storm.TxnNotes) (certificate.Issuer, error) {
	switch p := j.Profile; p.Order {
	case dbms.BinaryLog, dbms.WriteAheadLog:
		return j.logIssuer(ctx, t, r, txns)
	case dbms.DatabaseClock:
		c := &certificate.CommitClock{Source: p.DBMS + "'s clock", Times: make([]certificate.Times, len(txns))}
		for i, x := range txns {
			c.Times[i] = certificate.Times{Start: int64(x.Stamps.Start), Commit: int64(x.Stamps.Commit)}
		}
		return c, nil
	default: // the order in which they had the lock
		c := &certificate.CommitClock{Source: "write locks", Times: make([]certificate.Times, len(txns))}
		for i, x := range txns {
			if h.Txns[i].Status == history.Committed {
				c.Times[i].Commit = x.Locked
			}
		}
		return c, nil
	}
}

// logIssuer reads the server's log, and what each transaction said that it saw. It asks for it on a connection of its
// own: the control connection may have been given up when a stall was looked into.
func (j *Judge) logIssuer(ctx context.Context, t exec.Connections, r *storm.Recording, txns []storm.TxnNotes) (
	certificate.Issuer, error) {
	session, err := t.Open(ctx, exec.FirstNode, j.Profile)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	c := &commits.Issuer{Source: j.Log.Source, Tables: layouts(j.Workload, r), Reborn: j.Profile.KeysReborn}
	if j.Log.Mark == nil {
		c.Snapshots = make([]history.Snapshot, len(txns))
		for i := range txns {
			c.Snapshots[i] = txns[i].Snapshot
		}
	}
	c.Log, err = j.readLog(ctx, session, c.Tables)
	return c, err
}

// mostReading is how long the log of a server is waited for: a server that stands still sends none.
const mostReading = 10 * time.Minute

// readLog reads the server's log. What the storm found is not to wait for it for ever.
func (j *Judge) readLog(ctx context.Context, s commits.Connection, tables []commits.Layout) ([]commits.Commit, error) {
	most := cmp.Or(j.MostReading, mostReading)
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	log, err := j.Log.Read(limited, s, j.From, tables)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, &commits.UnreadableError{Source: j.Log.Source, Why: fmt.Sprintf("it was not sent within %v", most)}
	}
	return log, err
}

// payload is the column of the payload in the layouts of tables.
const payload = 2

// layouts says where keys and versions are in the rows of the workload's tables.
func layouts(w *workload.Workload, r *storm.Recording) []commits.Layout {
	var out []commits.Layout
	for i, table := range w.Tables {
		out = append(out, commits.Layout{Table: table.Name, Key: 0, Version: 1,
			Name: func(key int64) string { return r.Key(i, key) },
			Columns: []certificate.ColumnType{{Name: "pkey", Type: "BIGINT"}, {Name: "vkey", Type: "BIGINT"},
				{Name: "v", Type: "BIGINT"}, {Name: "pvkey", Type: "BIGINT"}}})
	}
	return out
}

// Keep has the database keep what certify is going to read, and transactions say what it needs, where either has to be
// asked for. The storm must not have begun. It returns where in the server's log it begins.
func Keep(ctx context.Context, t exec.Connections, log *commits.ServerLog, p *dbms.Profile, o *storm.Options) (
	from string, err error) {
	o.Stamps, o.Statements = p.Order == dbms.DatabaseClock, p.SnapshotScope() == dbms.PerStatement
	if !p.Order.Log() {
		return "", nil
	}
	o.Mark, o.Snapshots = log.Mark, log.Mark == nil
	if log.Whole != nil {
		var tables []string
		for _, t := range o.Workload.Tables {
			tables = append(tables, t.Name)
		}
		o.Filled = func(ctx context.Context) error { return log.Whole(ctx, t.Control(), tables...) }
	}
	session, err := t.Open(ctx, exec.FirstNode, p)
	if err != nil {
		return "", err
	}
	defer session.Close()
	return log.Keep(ctx, session)
}

// addRows adds the tables and what the clients know of their rows, where the certificate has none, and the keys of rows
// that only the clients know. Where it has rows it says what is wrong with one: it does not hold what its writer left
// there.
func addRows(c *certificate.Certificate, w *workload.Workload, r *storm.Recording, h *register.History) (wrong string) {
	keys, listed, known := keyNumbers(h), make([]bool, h.Keys()), c.Tables != nil
	for i, t := range w.Tables {
		if !known {
			c.Tables = append(c.Tables, certificate.Relation{Name: t.Name, Columns: []certificate.ColumnType{
				{Name: "v", Type: "BIGINT"}}, Rows: map[certificate.KeyVersion][]history.Value{}})
		}
		for _, key := range c.Tables[i].Keys {
			listed[key] = true
		}
	}
	r.Rows(func(row storm.RowVersion) {
		key, used := keys[r.Key(row.Table, row.Key)]
		if !used {
			return
		}
		t := &c.Tables[row.Table]
		if !listed[key] {
			listed[key] = true
			t.Keys = append(t.Keys, key)
		}
		v := certificate.KeyVersion{Key: key, Value: row.Version}
		if known {
			if has := t.Rows[v]; wrong == "" && len(has) > payload && !row.Gone && has[payload] != history.IntValue(row.Value) {
				wrong = fmt.Sprintf("version %d of %s was left with the value %d, but the database (%s) has it with %s",
					row.Version, h.KeyName(key), row.Value, c.Source, has[payload])
			}
			return
		}
		if t.Rows[v] = nil; !row.Gone {
			t.Rows[v] = []history.Value{history.IntValue(row.Value)}
		}
	})
	return wrong
}

// keyNumbers returns the keys of a history by name.
func keyNumbers(h *register.History) map[string]int32 {
	out := make(map[string]int32, h.Keys())
	for k := range int32(h.Keys()) {
		out[h.KeyName(k)] = k
	}
	return out
}

// numbered is a key of a table with its number in the history.
type numbered struct {
	key int64
	id  int32
}

// addStatements adds the statements that read snapshots of their own.
func addStatements(c *certificate.Certificate, h *register.History, txns []storm.TxnNotes) {
	for t, x := range txns {
		if len(x.Statements) == 0 || h.Txns[t].Status == history.Aborted {
			continue
		}
		if c.Committing == nil {
			c.Committing = make([]int64, len(txns))
		}
		c.Committing[t] = x.Committing
		for _, s := range x.Statements {
			c.Statements = append(c.Statements, certificate.Statement{Txn: t, At: s.At, Ops: s.Ops, Start: s.Start, End: s.End})
		}
	}
}

// asOf is the instant whose versions a search looked at in a transaction with a start by the database's clock; 0 where
// that does not tell: each statement has a snapshot of its own, or it looked at current rows.
func asOf(p *dbms.Profile, s *storm.RangeSearch, start uint64) int64 {
	if s.Current || p.SnapshotScope() != dbms.PerTransaction {
		return 0
	}
	return int64(start)
}

// addSearches adds what the transactions searched.
func addSearches(c *certificate.Certificate, profile *dbms.Profile, w *workload.Workload, r *storm.Recording,
	h *register.History, txns []storm.TxnNotes) {
	ids := keyNumbers(h)
	keys := keysUsed(w, r, h, ids)
	statements := 0
	for t := range txns {
		if h.Txns[t].Status == history.Aborted {
			continue
		}
		first := statements
		statements += len(txns[t].Statements)
		for _, s := range txns[t].Searches {
			p := certificate.Predicate{Txn: t, At: s.At, Table: s.Table, Where: s.Where, Current: s.Current, Listed: true,
				Among: among(keys[s.Table], s.Lo, s.Hi), Result: found(ids, r, &s)}
			if s.Statement > 0 {
				p.Statement = first + s.Statement
			}
			p.AsOf = asOf(profile, &s, txns[t].Stamps.Start)
			if len(p.Result) > 0 || p.Among == nil || len(p.Among) > 0 {
				c.Predicates = append(c.Predicates, p)
			}
		}
	}
}

// found are the keys that a search found, as far as the history has them.
func found(ids map[string]int32, r *storm.Recording, s *storm.RangeSearch) (out []int32) {
	for _, key := range s.Found {
		if id, known := ids[r.Key(s.Table, key)]; known {
			out = append(out, id)
		}
	}
	return out
}

// keysUsed are the keys of each table that the history has, in their order.
func keysUsed(w *workload.Workload, r *storm.Recording, h *register.History, ids map[string]int32) [][]numbered {
	keys, seen := make([][]numbered, len(w.Tables)), make([]bool, h.Keys())
	r.Rows(func(row storm.RowVersion) {
		if id, used := ids[r.Key(row.Table, row.Key)]; used && !seen[id] {
			seen[id] = true
			keys[row.Table] = append(keys[row.Table], numbered{row.Key, id})
		}
	})
	for i := range keys {
		slices.SortFunc(keys[i], func(a, b numbered) int { return cmp.Compare(a.key, b.key) })
	}
	return keys
}

// among are the keys of a table from lo to hi; nil where these are all that there are.
func among(all []numbered, lo, hi int64) []int32 {
	from, _ := slices.BinarySearchFunc(all, lo, func(n numbered, lo int64) int { return cmp.Compare(n.key, lo) })
	to, there := slices.BinarySearchFunc(all, hi, func(n numbered, hi int64) int { return cmp.Compare(n.key, hi) })
	if there {
		to++
	}
	to = max(to, from) // a range may be empty by its bounds
	if len(all) <= to-from {
		return nil
	}
	out := make([]int32, 0, to-from)
	for _, n := range all[from:to] {
		out = append(out, n.id)
	}
	return out
}

// certified are the levels that a certificate is checked at, by the level that a history keeps. At the others a locking
// read may see what the snapshot of later ones has not.
var certified = map[dbms.Level]dbms.Level{dbms.SSER: dbms.SER, dbms.SI: dbms.SI, dbms.RC: dbms.RC}

// judgeCertificate checks a history with its certificate at the level that the target promises: as a graph, where all
// version sets are known, and in the order of commits.
func judgeCertificate(ctx context.Context, engine func() (certificate.Engine, error), p *dbms.Profile,
	h *register.History, c *certificate.Certificate, out *Judgements) (*Judgement, error) {
	level := certified[p.HistoryLevel()]
	if level == "" {
		return &Judgement{Text: "not checked: the level promises neither ser nor si nor rc"}, nil
	}
	e, err := engine()
	if err != nil {
		return nil, err
	}
	in := certificate.NewInterpreter(e)
	defer in.Close()
	opt := checker.Options{SessionOrder: true}
	verdicts := map[string]checker.Verdict{}
	if c.Snapshots == nil && level != dbms.RC { // else no order of commits need be one of execution
		verdicts["in the order of commits"] = certificate.Replay(ctx, h, c, level, opt, in)
	}
	// Which versions a search looked at is not known where each statement has a snapshot of its own.
	known := *c
	known.Predicates = slices.DeleteFunc(slices.Clone(c.Predicates), func(p certificate.Predicate) bool {
		return p.Seen == nil && p.AsOf == 0 && !c.Sighted(&p) && (level != dbms.RC || p.Statement == 0)
	})
	graph, n := "as a graph", len(c.Predicates)-len(known.Predicates)
	if n > 0 {
		graph = fmt.Sprintf("as a graph (without %d searches whose version sets are not known)", n)
	}
	if n == 0 || len(verdicts) == 0 {
		verdicts[graph] = certificate.Check(ctx, h, &known, level, opt, in)
	}
	j := &Judgement{}
	var texts []string
	for _, how := range []string{graph, "in the order of commits"} {
		v, done := verdicts[how]
		if !done {
			continue
		}
		text := fmt.Sprintf("%s %s %s", level, v.Outcome, how)
		if v.Reason != "" {
			text += ": " + v.Reason
		}
		for _, what := range v.NotChecked {
			text += ", not checked: " + what
		}
		texts = append(texts, text)
		j.Unknown = j.Unknown || v.Outcome == checker.Unknown
		if v.Outcome == checker.Invalid {
			out.add(Invalid("certificate", fmt.Sprintf("with its certificate, %s,", how), h, &v))
		}
	}
	j.Text = strings.Join(texts, "; ")
	return j, nil
}

// Invalid is an invalid verdict as a finding.
func Invalid(kind, how string, h *register.History, v *checker.Verdict) finding.Listed {
	var why []finding.Sentence
	var txns []int64
	for _, e := range v.Counterexample {
		why = append(why, finding.Say("%v", e.Text))
		if e.ToTxn >= 0 {
			txns = append(txns, h.Txns[e.ToTxn].ID)
		}
	}
	summary := strings.ReplaceAll(fmt.Sprintf("the history %s is not %s: %s", how, v.Level, v.Reason), "  ", " ")
	return finding.List(fmt.Sprintf("%s/%s", kind, v.Level), fault.Kind(v.Anomaly), summary, txns, why...)
}
