package certificate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"txweave/history"
	"txweave/history/register"
	"txweave/internal/input"
	"txweave/internal/strict"
)

// fileFormat is what the header of a certificate file says.
const fileFormat = "txweave-certificate"

// fileLine is one line of a certificate file. Keys, transactions and tables are named as the history names them.
type fileLine struct {
	Format  string `json:"format,omitempty"`
	Version int    `json:"version,omitempty"`
	Source  string `json:"source,omitempty"`
	Reborn  bool   `json:"reborn,omitempty"`
	// NotChecked are, of the header, the searches that the file does not have.
	NotChecked []string `json:"not_checked,omitempty"`
	// A key's version order, or one version's row; of which table, where it is in several.
	Key   string           `json:"key,omitempty"`
	Order *[]int64         `json:"order,omitempty"`
	Value *int64           `json:"value,omitempty"`
	Row   *[]history.Value `json:"row,omitempty"` // absent: the version is a deletion
	// A table.
	Table   string       `json:"table,omitempty"`
	Columns []ColumnType `json:"columns,omitempty"`
	Keys    []string     `json:"keys,omitempty"`
	// A transaction's times, or its number and snapshot, or one of its searches.
	Txn    *int64  `json:"txn,omitempty"`
	Start  int64   `json:"start,omitempty"`
	Commit int64   `json:"commit,omitempty"`
	Number uint64  `json:"number,omitempty"`
	Saw    *string `json:"snapshot,omitempty"`
	// Its statements, each [operation, number of operations, start, end], and when its commit was asked for.
	Statements [][4]int64         `json:"statements,omitempty"`
	Committing int64              `json:"committing,omitempty"`
	Statement  int                `json:"statement,omitempty"` // of a search: which of these, from 1 on
	At         int                `json:"at,omitempty"`
	Where      *string            `json:"where,omitempty"`
	Among      *[]string          `json:"among,omitempty"`
	Seen       *map[string]*int64 `json:"seen,omitempty"`
	AsOf       int64              `json:"as_of,omitempty"`
	Current    bool               `json:"current,omitempty"`
	Result     *[]string          `json:"result,omitempty"`
}

// fileReader reads a certificate for a history.
type fileReader struct {
	h      *register.History
	c      *Certificate
	keys   map[string]int32
	txns   map[int64]int // -1: several
	tables map[string]int
	of     map[int32][]int // tables of a key
	first  map[int]int     // by transaction: its first statement
	begun  bool
}

// Read reads a certificate of the history: JSON lines, a header, then tables, version orders, rows, times and searches,
// tables before what names them.
func Read(in io.Reader, h *register.History) (*Certificate, error) {
	r := &fileReader{h: h, c: &Certificate{Order: make([][]int64, h.Keys())}, keys: make(map[string]int32, h.Keys()),
		txns: make(map[int64]int, len(h.Txns)), tables: map[string]int{}, of: map[int32][]int{}, first: map[int]int{}}
	for k := range int32(h.Keys()) {
		r.keys[h.KeyName(k)] = k
	}
	for t := range h.Txns {
		if t == h.Initial {
			continue
		}
		id := h.Txns[t].ID
		if _, again := r.txns[id]; again {
			t = -1
		}
		r.txns[id] = t
	}
	scan := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := input.Line(scan, input.MaxLine)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := r.line(line); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
	}
	if !r.begun {
		return nil, fmt.Errorf("want the header {\"format\":%q,\"version\":1}", fileFormat)
	}
	return r.c, nil
}

func (r *fileReader) line(text []byte) error {
	var l fileLine
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return strict.Unread(text, err)
	}
	switch {
	case !r.begun:
		if l.Format != fileFormat || l.Version != 1 {
			return fmt.Errorf("want the header {\"format\":%q,\"version\":1}", fileFormat)
		}
		r.begun, r.c.Source, r.c.Reborn, r.c.NotChecked = true, l.Source, l.Reborn, l.NotChecked
		return nil
	case l.Txn != nil && l.Where != nil:
		return r.search(&l)
	case l.Txn != nil:
		t, err := r.txn(*l.Txn)
		if err != nil {
			return err
		}
		if r.c.Times == nil {
			r.c.Times = make([]Times, len(r.h.Txns))
		}
		r.c.Times[t] = Times{l.Start, l.Commit}
		if err := r.statements(t, &l); err != nil {
			return err
		}
		return r.snapshot(t, &l)
	case l.Key != "":
		return r.version(&l)
	case l.Table != "":
		return r.table(&l)
	}
	return fmt.Errorf("want a table, a key or a transaction")
}

func (r *fileReader) key(name string) (int32, error) {
	k, ok := r.keys[name]
	if !ok {
		return 0, fmt.Errorf("the history has no key %q: is this the certificate of another history?", name)
	}
	return k, nil
}

func (r *fileReader) txn(id int64) (int, error) {
	t, ok := r.txns[id]
	switch {
	case !ok:
		return 0, fmt.Errorf("the history has no transaction %d: is this the certificate of another history?", id)
	case t < 0:
		return 0, fmt.Errorf("the history has several transactions %d", id)
	}
	return t, nil
}

// snapshot reads what a transaction saw, where the file says it.
func (r *fileReader) snapshot(t int, l *fileLine) error {
	if l.Number == 0 && l.Saw == nil {
		return nil
	}
	if r.c.Snapshots == nil {
		r.c.Snapshots = make([]history.Snapshot, len(r.h.Txns))
	}
	text := ""
	if l.Saw != nil {
		text = *l.Saw
	}
	var err error
	r.c.Snapshots[t], err = history.ParseSnapshot(l.Number, text)
	return err
}

// statements reads those of a transaction.
func (r *fileReader) statements(t int, l *fileLine) error {
	if l.Committing != 0 {
		if r.c.Committing == nil {
			r.c.Committing = make([]int64, len(r.h.Txns))
		}
		r.c.Committing[t] = l.Committing
	}
	if l.Statements == nil {
		return nil
	}
	if _, again := r.first[t]; again {
		return fmt.Errorf("a second list of the statements of transaction %d", *l.Txn)
	}
	r.first[t] = len(r.c.Statements)
	end := int64(0)
	for _, s := range l.Statements {
		if s[0] < end || s[1] < 0 || s[0] > int64(len(r.h.TxnOps(t))) || s[1] > int64(len(r.h.TxnOps(t)))-s[0] {
			return fmt.Errorf("transaction %d has no operations from %d on, %d of them, after those of its statement before",
				*l.Txn, s[0], s[1])
		}
		end = s[0] + s[1]
		r.c.Statements = append(r.c.Statements, Statement{Txn: t, At: int(s[0]), Ops: int(s[1]), Start: s[2], End: s[3]})
	}
	return nil
}

// statement is which of the certificate's statements a search of a transaction is of.
func (r *fileReader) statement(t int, l *fileLine) (int, error) {
	if l.Statement == 0 {
		return 0, nil
	}
	first, known := r.first[t]
	n := first + l.Statement
	if !known || l.Statement < 0 || n > len(r.c.Statements) || r.c.Statements[n-1].Txn != t {
		return 0, fmt.Errorf("transaction %d has no statement %d that stands before it", *l.Txn, l.Statement)
	}
	return n, nil
}

// version reads the order of a key's versions, or the row of one.
func (r *fileReader) version(l *fileLine) error {
	key, err := r.key(l.Key)
	switch {
	case err != nil:
		return err
	case l.Order != nil:
		if r.c.Order[key] != nil {
			return fmt.Errorf("a second order of %s", l.Key)
		}
		r.c.Order[key] = *l.Order
		return nil
	case l.Value == nil:
		return fmt.Errorf("want the order of %s, or a value of it and its row", l.Key)
	}
	i := -1
	switch of := r.of[key]; {
	case l.Table != "":
		if n := slices.IndexFunc(of, func(i int) bool { return r.c.Tables[i].Name == l.Table }); n >= 0 {
			i = of[n]
		}
	case len(of) > 1:
		return fmt.Errorf("key %s is in several tables: which one's row is it?", l.Key)
	case len(of) == 1:
		i = of[0]
	}
	if i < 0 {
		return fmt.Errorf("key %s is in no such table that stands before it", l.Key)
	}
	t := &r.c.Tables[i]
	v := KeyVersion{key, *l.Value}
	switch _, again := t.Rows[v]; {
	case again:
		return fmt.Errorf("a second row of version %d of %s", v.Value, l.Key)
	case l.Row == nil:
		t.Rows[v] = nil
	case len(*l.Row) != len(t.columns()):
		return fmt.Errorf("%d columns, but table %s has %d", len(*l.Row), t.Name, len(t.columns()))
	default:
		t.Rows[v] = *l.Row
	}
	return nil
}

func (r *fileReader) table(l *fileLine) error {
	if _, again := r.tables[l.Table]; again {
		return fmt.Errorf("a second table %s", l.Table)
	}
	t := Relation{Name: l.Table, Columns: l.Columns, Rows: map[KeyVersion][]history.Value{}}
	i := len(r.c.Tables)
	for _, name := range l.Keys {
		key, err := r.key(name)
		if err != nil {
			return err
		}
		if slices.Contains(r.of[key], i) {
			return fmt.Errorf("key %s is in the table already", name)
		}
		r.of[key] = append(r.of[key], i)
		t.Keys = append(t.Keys, key)
	}
	r.tables[l.Table] = i
	r.c.Tables = append(r.c.Tables, t)
	return nil
}

func (r *fileReader) search(l *fileLine) error {
	t, err := r.txn(*l.Txn)
	if err != nil {
		return err
	}
	table, ok := r.tables[l.Table]
	if !ok {
		return fmt.Errorf("no table %q stands before it", l.Table)
	}
	p := Predicate{Txn: t, At: l.At, Table: table, Where: strings.TrimSpace(*l.Where), AsOf: l.AsOf, Current: l.Current}
	if p.At < 0 || p.At > len(r.h.TxnOps(t)) {
		return fmt.Errorf("transaction %d has no operation %d", *l.Txn, p.At)
	}
	if l.AsOf != 0 && l.Seen != nil {
		return fmt.Errorf("want seen or as_of, not both")
	}
	if p.Statement, err = r.statement(t, l); err != nil {
		return err
	}
	if p.Seen, err = r.seen(l); err != nil {
		return err
	}
	if p.Among, err = r.keysIn(l.Table, l.Among); err != nil {
		return err
	}
	p.Listed = l.Result != nil
	if p.Result, err = r.keysIn(l.Table, l.Result); err != nil {
		return err
	}
	r.c.Predicates = append(r.c.Predicates, p)
	return nil
}

// seen are the versions that a search looked at, by key; nil where the line does not say it.
func (r *fileReader) seen(l *fileLine) (map[int32]int64, error) {
	if l.Seen == nil {
		return nil, nil
	}
	out := map[int32]int64{}
	for _, name := range slices.Sorted(maps.Keys(*l.Seen)) {
		key, err := r.keyIn(l.Table, name)
		if err != nil {
			return nil, err
		}
		if v := (*l.Seen)[name]; v != nil {
			out[key] = *v
		}
	}
	return out, nil
}

// keyIn is a key of a table.
func (r *fileReader) keyIn(table, name string) (int32, error) {
	key, err := r.key(name)
	if err == nil && !slices.Contains(r.of[key], r.tables[table]) {
		err = fmt.Errorf("key %s is not in table %s", name, table)
	}
	return key, err
}

// keysIn are keys of a table; nil where the line does not name them.
func (r *fileReader) keysIn(table string, names *[]string) ([]int32, error) {
	if names == nil {
		return nil, nil
	}
	out := make([]int32, len(*names))
	for i, name := range *names {
		var err error
		if out[i], err = r.keyIn(table, name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Write writes a certificate as Read reads it.
func Write(out io.Writer, h *register.History, c *Certificate) error {
	w := bufio.NewWriter(out)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	lines := []fileLine{{Format: fileFormat, Version: 1, Source: c.Source, Reborn: c.Reborn, NotChecked: c.NotChecked}}
	for i := range c.Tables {
		t := &c.Tables[i]
		lines = append(lines, fileLine{Table: t.Name, Columns: t.Columns, Keys: names(h, t.Keys)})
	}
	for key, order := range c.Order {
		if order != nil {
			lines = append(lines, fileLine{Key: h.KeyName(int32(key)), Order: &order})
		}
	}
	lines = append(lines, c.rowLines(h)...)
	statements := make([][][4]int64, len(h.Txns))
	number := make([]int, len(c.Statements)) // in its transaction, from 1
	for i, s := range c.Statements {
		statements[s.Txn] = append(statements[s.Txn], [4]int64{int64(s.At), int64(s.Ops), s.Start, s.End})
		number[i] = len(statements[s.Txn])
	}
	for t := range h.Txns {
		l := c.transaction(t)
		l.Statements = statements[t]
		if l.Start != 0 || l.Commit != 0 || l.Number != 0 || l.Saw != nil || l.Committing != 0 || l.Statements != nil {
			l.Txn = &h.Txns[t].ID
			lines = append(lines, l)
		}
	}
	for i := range c.Predicates {
		l := c.searchLine(h, &c.Predicates[i])
		if n := c.Predicates[i].Statement; n > 0 {
			l.Statement = number[n-1]
		}
		lines = append(lines, l)
	}
	for i := range lines {
		if err := enc.Encode(&lines[i]); err != nil {
			return err
		}
	}
	return w.Flush()
}

// rowLines are the rows of all tables. Of a key that is in several a row says in which.
func (c *Certificate) rowLines(h *register.History) (lines []fileLine) {
	tables := map[int32]int{} // how many a key is in
	for i := range c.Tables {
		for _, key := range c.Tables[i].Keys {
			tables[key]++
		}
	}
	for i := range c.Tables {
		rows := c.Tables[i].Rows
		for _, v := range slices.SortedFunc(maps.Keys(rows), compareVersions) {
			l := fileLine{Key: h.KeyName(v.Key), Value: &v.Value}
			if tables[v.Key] > 1 {
				l.Table = c.Tables[i].Name
			}
			if row := rows[v]; row != nil {
				l.Row = &row
			}
			lines = append(lines, l)
		}
	}
	return lines
}

func (c *Certificate) searchLine(h *register.History, p *Predicate) fileLine {
	l := fileLine{Txn: &h.Txns[p.Txn].ID, At: p.At, Table: c.Tables[p.Table].Name, Where: &p.Where, AsOf: p.AsOf,
		Current: p.Current}
	if p.Seen != nil {
		seen := make(map[string]*int64, len(p.Seen))
		for key, v := range p.Seen {
			seen[h.KeyName(key)] = &v
		}
		l.Seen = &seen
	}
	if p.Among != nil {
		among := names(h, p.Among)
		l.Among = &among
	}
	if p.Listed {
		result := names(h, p.Result)
		l.Result = &result
	}
	return l
}

// transaction is the line of a transaction, without its name.
func (c *Certificate) transaction(t int) fileLine {
	var l fileLine
	if c.Committing != nil {
		l.Committing = c.Committing[t]
	}
	if c.Times != nil {
		l.Start, l.Commit = c.Times[t].Start, c.Times[t].Commit
	}
	if c.Snapshots != nil {
		l.Number = c.Snapshots[t].Own
		if s := &c.Snapshots[t]; s.Known() {
			text := s.String()
			l.Saw = &text
		}
	}
	return l
}

func names(h *register.History, keys []int32) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = h.KeyName(k)
	}
	return out
}

func compareVersions(a, b KeyVersion) int {
	if a.Key != b.Key {
		return int(a.Key) - int(b.Key)
	}
	if a.Value < b.Value {
		return -1
	}
	return 1
}
