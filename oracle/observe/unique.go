package observe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/sdg"
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// pastSnapshot notes the writes whose keys may have been judged by other rows than they saw: where statements read
// their transaction's snapshot, whether a unique key is free, and whether rows refer to one that goes, is asked of what
// is committed by then. Such a statement has two views, and no order need explain it.
func (o *observer) pastSnapshot() {
	for _, s := range o.out.Stmts {
		p := o.plan.Txns[s.Txn].Profile
		if !p.FixedViews() || !p.KeysReborn || s.Target == "" {
			continue
		}
		info := s.Run.Block.Info
		children, unique := o.plan.Asking(info, s.Target), info.ChecksUnique
		s.Mixed = s.Mixed || slices.ContainsFunc(o.out.Stmts, func(other *ObservedStmt) bool {
			txn := &o.out.Txns[other.Txn]
			if other.Txn == s.Txn || other.Undone || txn.Outcome != history.Committed || txn.Sent > s.Done {
				return false
			}
			return unique && o.freed(s, other) || slices.ContainsFunc(children, func(child string) bool {
				return o.referred(s, other, child)
			})
		})
	}
}

// referred says whether another statement may have changed, behind a write's snapshot, which rows of a table refer to a
// row that the write takes away, or would have. A row that refers to the same as before makes no difference.
func (o *observer) referred(s, other *ObservedStmt, child string) bool {
	if s.Kind == sqltext.Insert && !s.Run.Block.Info.Diff {
		return false
	}
	if slices.Contains(other.Unsure, child) {
		return true
	}
	seen, takes := s.Seen(child), instrument.TakesKeys(s.Run.Block.Info, s.Target)
	for _, w := range other.Writes {
		vkey, visible := seen[w.PKey]
		if w.Table != child || w.To >= 0 && visible && vkey == int64(w.To) {
			continue
		}
		was, wasKnown := []string{}, true
		if w.From >= 0 {
			was, wasKnown = o.refersTo(s.Target, takes, history.Version{Item: w.Item, VKey: int64(w.From)})
		}
		is, known := []string{}, true
		if w.To >= 0 {
			is, known = o.refersTo(s.Target, takes, history.Version{Item: w.Item, VKey: int64(w.To)})
		}
		if !wasKnown || !known || !slices.Equal(was, is) && o.takes(s, append(was, is...)) {
			return true
		}
	}
	return false
}

// refersTo returns the keys of a table's rows to which a version of a row refers, those that no UPDATE changes only
// where rows are taken away; false where it is not known.
func (o *observer) refersTo(parent string, takes bool, v history.Version) (keys []string, known bool) {
	row := o.row(v)
	for _, r := range o.plan.Schema.Table(v.Table).References {
		if r.Parent != parent || !takes && o.plan.Schema.Fixed(&r) {
			continue
		}
		if row == nil || r.Column == "" || r.Key == "" {
			return nil, false
		}
		keys = append(keys, r.Key+" "+row[r.Column])
	}
	return keys, true
}

// refused returns the key of one column that a write's error names, as refersTo does; false where it is not told.
func (o *observer) refused(s *ObservedStmt) (key string, told bool) {
	read := o.plan.Txns[s.Txn].Profile.Errors.DuplicateKey
	if read == nil {
		return "", false
	}
	columns, value := read(s.Err.Message)
	if len(columns) != 1 {
		return "", false
	}
	c := o.plan.Schema.Table(s.Target).Column(columns[0])
	switch {
	case c == nil:
		return "", false
	case c.Class == sqltext.Text:
		return columns[0] + " " + history.Value{Kind: history.Text, S: value}.String(), true
	}
	_, err := strconv.ParseInt(value, 10, 64)
	return columns[0] + " " + value, c.Class == sqltext.Exact && err == nil
}

// takes says whether a write may have taken away, or failed to, a row with one of the keys.
func (o *observer) takes(s *ObservedStmt, keys []string) bool {
	if s.Err != nil {
		key, told := o.refused(s)
		return !told || slices.Contains(keys, key)
	}
	if len(s.Unsure) > 0 {
		return true
	}
	for _, w := range s.Writes {
		if w.Table != s.Target || w.From < 0 {
			continue
		}
		row := o.row(history.Version{Item: w.Item, VKey: int64(w.From)})
		if row == nil || slices.ContainsFunc(keys, func(k string) bool {
			column, value, _ := strings.Cut(k, " ")
			return row[column] == value
		}) {
			return true
		}
	}
	return false
}

// freed says whether another statement may have freed a key for a write, or taken it, behind the write's snapshot.
func (o *observer) freed(s, other *ObservedStmt) bool {
	if slices.Contains(other.Unsure, s.Target) {
		return true
	}
	at := slices.IndexFunc(s.Reads, func(r sdg.TableRead) bool { return r.Table == s.Target })
	if at < 0 {
		return false
	}
	seen := s.Reads[at].Seen
	duplicate := s.Err != nil && slices.Contains(o.plan.Txns[s.Txn].Profile.Errors.Duplicate, s.Err.Code)
	several := len(o.plan.Schema.Table(s.Target).Keys()) > 1
	for _, w := range other.Writes {
		if w.Table != s.Target {
			continue
		}
		vkey, visible := seen[w.PKey]
		switch {
		case duplicate && w.To >= 0 && !(visible && vkey == int64(w.To)) &&
			o.mayHold(s, history.Version{Item: w.Item, VKey: int64(w.To)}):
			return true
		case !visible || w.From < 0 || vkey != int64(w.From):
		case s.Err != nil && (!duplicate || several):
			// which keys it asked for, before it failed for another one or another reason, is not told
			return true
		case o.meets(s, history.Version{Item: w.Item, VKey: vkey}):
			return true
		}
	}
	return false
}

// mayHold says whether a version may have the key that a statement's error says was there already.
func (o *observer) mayHold(s *ObservedStmt, v history.Version) bool {
	c, known := o.content[v]
	read := o.plan.Txns[s.Txn].Profile.Errors.DuplicateKey
	if read == nil || !known {
		return true
	}
	for _, d := range o.plan.Case.Schema { // texts that differ may be equal
		if strings.Contains(strings.ToLower(d.SQL), "collat") {
			return true
		}
	}
	columns, values := read(s.Err.Message)
	parts := make([][2]string, len(columns)) // a truth value is a number in what is read
	for i, name := range columns {
		column := o.plan.Schema.Table(v.Table).Column(name)
		at := slices.IndexFunc(c.rows.Columns, func(other string) bool { return strings.EqualFold(other, name) })
		if column == nil || at < 0 {
			return true
		}
		switch value := c.rows.Row(c.at)[at]; {
		case column.Class == sqltext.Exact && value.Kind == history.Int:
			number := strconv.FormatInt(value.N, 10)
			parts[i] = [2]string{number, cmp.Or(map[int64]string{0: "f", 1: "t"}[value.N], number)}
		case (column.Class == sqltext.Exact || column.Class == sqltext.Text || column.Class == sqltext.Temporal) &&
			value.Kind == history.Text:
			parts[i] = [2]string{value.S, value.S}
		default:
			return true
		}
	}
	return len(columns) == 0 || lists(values, parts)
}

// lists says whether a text is a list of values, of each one of its two spellings.
func lists(text string, parts [][2]string) bool {
	for i, p := range parts {
		sep := ", "
		if i == 0 {
			sep = ""
		}
		rest, ok := strings.CutPrefix(text, sep+p[0])
		if !ok {
			rest, ok = strings.CutPrefix(text, sep+p[1])
		}
		if !ok {
			return false
		}
		text = rest
	}
	return text == ""
}

// meets says whether a row that a write left may have a key in common with another version of its table.
func (o *observer) meets(s *ObservedStmt, v history.Version) bool {
	for _, key := range o.plan.Schema.Table(s.Target).Deciding() {
		held, known := o.keyOf(key, v)
		for _, w := range s.Writes {
			if w.Table != s.Target || w.To < 0 {
				continue
			}
			if wrote, told := o.keyOf(key, history.Version{Item: w.Item, VKey: int64(w.To)}); !known || !told || held == wrote {
				return true
			}
		}
	}
	return len(s.Unsure) > 0 || s.Run.Block.Info.Kind == sqltext.Insert && !s.Run.Block.Info.Plain
}

// kept notes the row that kept an INSERT … ON CONFLICT DO NOTHING of one row from writing it, where that is certain: of
// the rows that it saw one has a key of the row that it offered, and nobody else wrote such a row.
func (o *observer) kept() {
	for _, s := range o.out.Stmts {
		info := s.Run.Block.Info
		if info.Kind != sqltext.Insert || !info.ChecksUnique || !info.Plain || s.Err != nil || s.Affected != 0 || s.Waited ||
			s.Undone || s.SawUndone {
			continue
		}
		at := slices.IndexFunc(s.Reads, func(r sdg.TableRead) bool { return r.Table == s.Target })
		values, ok := analysis.Offered(s.Run.Block.Tree)
		if at < 0 || !ok {
			continue
		}
		var met []history.Version
		for v := range o.content {
			if v.Table != s.Target || !o.offers(values, v) {
				continue
			}
			if vkey, seen := s.Reads[at].Seen[v.PKey]; seen && vkey == v.VKey {
				met = append(met, v)
			} else if !seen {
				met = append(met, v, v) // another row has the key at some time
			}
		}
		if len(met) == 1 {
			s.Kept = &met[0]
		}
	}
}

// offers says whether a row that is offered, its values by column, has a key in common with a version.
func (o *observer) offers(values map[string]sql.Expr, v history.Version) bool {
	row := o.row(v)
	return slices.ContainsFunc(o.plan.Schema.Table(v.Table).Deciding(), func(key []sqltext.KeyPart) bool {
		return !slices.ContainsFunc(key, func(p sqltext.KeyPart) bool {
			value := values[p.Column]
			return value == nil || p.Prefix > 0 || analysis.IsNull(value) || analysis.Spelling(value) != row[p.Column]
		})
	})
}

// alike notes rows that one statement saw together and that have the same unique key, where that may be for once: keys
// are checked late, and statements read one state of the database each, that of a snapshot and of their transaction's
// own writes.
func (o *observer) alike() {
	for _, s := range o.out.Stmts {
		if p := o.plan.Txns[s.Txn].Profile; !p.Errors.KeysAtCommit || p.DMLView != dbms.Snapshot || p.ReadModes.SelectView !=
			dbms.Snapshot ||
			s.Waited || s.Bad != nil {
			continue
		}
		for _, r := range s.Reads {
			if s.Alike = o.sameKey(s.Txn, r); s.Alike != nil {
				break
			}
		}
	}
}

// sameKey returns two rows of a version set that a transaction read with the same unique key; nil where there are none,
// or they are not known.
func (o *observer) sameKey(txn int, r sdg.TableRead) *Alike {
	t := o.plan.Schema.Table(r.Table)
	for _, key := range t.Deciding() {
		first := map[string]int64{}
		for _, pkey := range slices.Sorted(maps.Keys(r.Seen)) {
			v := history.Version{Item: history.Item{Table: r.Table, PKey: pkey}, VKey: r.Seen[pkey]}
			held, known := o.keyOf(key, v)
			if !known || o.holdsNull(key, v) {
				continue
			}
			if other, twice := first[held]; twice {
				before := history.Version{Item: history.Item{Table: r.Table, PKey: other}, VKey: r.Seen[other]}
				// no two rows lie there, not even one of the transaction's own beside another
				placed := !t.Apart && slices.Equal(key, t.Primary())
				return &Alike{Table: r.Table, PKeys: [2]int64{other, pkey}, Key: held, Late: !placed && o.made(txn,
					v) != o.made(txn, before)}
			}
			first[held] = pkey
		}
	}
	return nil
}

// made says whether a transaction wrote a version, and did not go back behind that.
func (o *observer) made(txn int, v history.Version) bool {
	return slices.ContainsFunc(o.out.Stmts, func(s *ObservedStmt) bool {
		return s.Txn == txn && !s.Undone && slices.ContainsFunc(s.Writes, func(w history.Write) bool {
			return w.Item == v.Item && int64(w.To) == v.VKey
		})
	})
}

// holdsNull says whether a version's row holds NULL in a column of a key, or that column is not there.
func (o *observer) holdsNull(key []sqltext.KeyPart, v history.Version) bool {
	c := o.content[v]
	return slices.ContainsFunc(key, func(p sqltext.KeyPart) bool {
		at := slices.IndexFunc(c.rows.Columns, func(name string) bool { return strings.EqualFold(name, p.Column) })
		return at < 0 || c.rows.Row(c.at)[at].Kind == history.Null
	})
}
