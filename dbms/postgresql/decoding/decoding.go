// Package decoding reads the write-ahead log of PostgreSQL as logical decoding and its output plug-in test_decoding
// tell it (postgresql.org/docs, Logical Decoding; Clark et al., Emme, section 5.3, which takes Debezium for it):
// transactions stand in it in the order in which they committed, with their numbers and with the rows that they wrote
// before and after.
//
// It reads integers and strings. A server must have wal_level = logical. A slot keeps the log until it is read or its
// database is dropped.
package decoding

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/checker/certificate"
	"txweave/checker/certificate/commits"
	"txweave/exec"
	"txweave/history"
)

// Log is what logical decoding tells of the schema public. There is no mark: a commit has its transaction's number.
var Log = &commits.ServerLog{Source: source, Keep: keep, Whole: whole, Read: read}

const source = "logical decoding"

// schema is that of the tables.
const schema = "public"

// keep has the log kept from now on: by a slot of the database that the connection is in, with which it ends.
func keep(ctx context.Context, s commits.Connection) (slot string, err error) {
	rows, err := s.Read(ctx, "SELECT current_database(), current_setting('wal_level')")
	if err != nil {
		return "", fmt.Errorf("%s: %w", source, err)
	}
	if level := rows.Cell(0, 1).S; level != "logical" {
		return "", &commits.UnreadableError{Source: source, Why: "the server must run with wal_level = logical, not " + level}
	}
	slot = prefix + rows.Cell(0, 0).S
	if rows, err = s.Read(ctx, "SELECT count(*) FROM pg_replication_slots WHERE slot_name = '"+slot+"'"); err != nil {
		return "", fmt.Errorf("%s: %w", source, err)
	}
	if n, _ := rows.Cell(0, 0).Int64(); n > 0 {
		if err := s.Must(ctx, drop(slot)); err != nil {
			return "", fmt.Errorf("%s: %w", source, err)
		}
	}
	// It waits for each transaction that is open on the server, whoever's, and else for as long as that lasts.
	err = s.Must(ctx, "SET statement_timeout = '"+patience+"'",
		"SELECT pg_create_logical_replication_slot('"+slot+"', 'test_decoding')")
	if err == nil {
		err = s.Must(ctx, "RESET statement_timeout")
	}
	var refused *exec.AnswerError
	switch {
	case errors.As(err, &refused) && refused.Err.State == canceled:
		return "", &commits.UnreadableError{Source: source, Why: "a transaction on the server has been open for more than " +
			patience + ", and a replication slot waits for it"}
	case errors.As(err, &refused):
		return "", &commits.UnreadableError{Source: source, Why: err.Error()}
	case err != nil:
		return "", fmt.Errorf("%s: %w", source, err)
	}
	return slot, nil
}

// patience is how long a slot may wait; canceled is the state of a statement that took longer.
const (
	patience = "10s"
	canceled = "57014"
)

// prefix begins the names of slots.
const prefix = "txweave_"

func drop(slot string) string { return "SELECT pg_drop_replication_slot('" + slot + "')" }

// whole has the log keep the rows of tables as they were before each change.
func whole(ctx context.Context, s certificate.Querier, tables ...string) error {
	for _, t := range tables {
		if err := s.Must(ctx, "ALTER TABLE "+t+" REPLICA IDENTITY FULL"); err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
	}
	return nil
}

// batch is how many changes are asked for at once: they are held in memory, about 200 bytes each.
const batch = 400_000

// read returns what committed since keep and changed tables that have a layout, and forgets it in the server. Of what
// was committed asynchronously the log has only what is written, so that something is committed for good first.
func read(ctx context.Context, s commits.Connection, slot string, layouts []commits.Layout) (out []commits.Commit,
	err error) {
	defer func() { // what it has given away it does not give again
		if derr := s.Must(context.WithoutCancel(ctx), drop(slot)); err == nil && derr != nil {
			err = fmt.Errorf("%s: %w", source, derr)
		}
	}()
	err = s.Must(ctx, "SET synchronous_commit = on", "SELECT pg_logical_emit_message(true, '"+prefix+"', 'end')",
		"RESET synchronous_commit")
	p := &parser{layouts: layouts}
	for err == nil {
		var rows *history.Rows
		rows, err = s.Read(ctx, fmt.Sprintf("SELECT data FROM pg_logical_slot_get_changes('%s', NULL, %d, "+
			"'skip-empty-xacts', '1')", slot, batch))
		if err != nil || rows.Len() == 0 {
			break
		}
		for i := 0; i < rows.Len() && err == nil; i++ {
			err = p.line(rows.Cell(i, 0).S)
		}
	}
	if err == nil {
		err = p.whole()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return p.out, nil
}

// parser reads the lines of test_decoding.
type parser struct {
	layouts []commits.Layout
	now     commits.Commit
	open    bool // within a transaction
	ended   bool // the message of read has come
	out     []commits.Commit
}

// whole says whether the lines were a log to its end.
func (p *parser) whole() error {
	switch {
	case p.open:
		return errors.New("it ends within a transaction")
	case !p.ended:
		return errors.New("it lacks what was committed last")
	}
	return nil
}

func (p *parser) line(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case word == "BEGIN" && !p.open:
		number, err := strconv.ParseUint(rest, 10, 64)
		if err != nil {
			return fmt.Errorf("%.80q begins no transaction", text)
		}
		p.now, p.open = commits.Commit{Number: number}, true
	case word == "COMMIT" && p.open && rest == strconv.FormatUint(p.now.Number, 10):
		if len(p.now.Changes) > 0 {
			p.out = append(p.out, p.now)
		}
		p.open = false
	case word == "table" && p.open:
		return p.change(rest)
	case word == "message:":
		p.ended = p.ended || strings.HasSuffix(rest, " prefix: "+prefix+", sz: 3 content:end")
	default:
		return fmt.Errorf("%.80q is not what test_decoding writes there", text)
	}
	return nil
}

// change reads one row of a table: "public.t0: UPDATE: old-key: pkey[bigint]:1 … new-tuple: pkey[bigint]:1 …".
func (p *parser) change(text string) error {
	name, rest, _ := strings.Cut(text, ": ")
	of, table, _ := strings.Cut(name, ".")
	at := slices.IndexFunc(p.layouts, func(l commits.Layout) bool { return l.Table == table })
	if of != schema || at < 0 {
		return nil
	}
	c := commits.Change{Table: p.layouts[at].Table}
	operation, row, _ := strings.Cut(rest, ": ")
	var err error
	switch operation {
	case "INSERT":
		c.After, err = tuple(row, &p.layouts[at])
	case "DELETE":
		c.Before, err = tuple(row, &p.layouts[at])
	case "UPDATE":
		old, there := strings.CutPrefix(row, "old-key: ")
		before, after, found := cutNew(old)
		if !there || !found {
			return fmt.Errorf("%.80q does not say what the row was before: the table needs REPLICA IDENTITY FULL", text)
		}
		if c.Before, err = tuple(before, &p.layouts[at]); err == nil {
			c.After, err = tuple(after, &p.layouts[at])
		}
	default:
		err = fmt.Errorf("%s: %.80q is no change of a row", name, operation)
	}
	p.now.Changes = append(p.now.Changes, c)
	return err
}

// cutNew finds where the new row begins, outside of strings.
func cutNew(text string) (before, after string, found bool) {
	const mark = " new-tuple: "
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '\'':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], mark):
			return text[:i], text[i+len(mark):], true
		}
	}
	return text, "", false
}

// tuple reads the columns of a row, "pkey[bigint]:1 s[character varying]:'it”s'", and puts them where the layout has
// them. Those that are NULL are left out of old rows.
func tuple(text string, l *commits.Layout) ([]commits.Field, error) {
	if strings.HasPrefix(text, "(no-tuple-data)") {
		return nil, fmt.Errorf("a row of %s is not in the log: the table needs REPLICA IDENTITY FULL", l.Table)
	}
	out := make([]commits.Field, len(l.Columns))
	for i := range out {
		out[i].Known = true // NULL
	}
	for text != "" {
		name, rest, ok := strings.Cut(text, "[")
		_, rest, typed := strings.Cut(rest, "]:")
		if !ok || !typed {
			return nil, fmt.Errorf("%.80q is no column", text)
		}
		field, rest, err := value(rest)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(l.Columns, func(c certificate.ColumnType) bool { return c.Name == name }); i >= 0 {
			out[i] = field
		}
		text = strings.TrimPrefix(rest, " ")
	}
	return out, nil
}

// value reads the value at the beginning of a text: NULL, an integer, a string, or what is not known.
func value(text string) (commits.Field, string, error) {
	if strings.HasPrefix(text, "'") {
		var b strings.Builder
		for i := 1; i < len(text); i++ {
			switch {
			case text[i] != '\'':
				b.WriteByte(text[i])
			case strings.HasPrefix(text[i:], "''"):
				b.WriteByte('\'')
				i++
			default:
				return commits.Field{Value: history.TextValue(b.String()), Known: true}, text[i+1:], nil
			}
		}
		return commits.Field{}, "", fmt.Errorf("%.80q does not end", text)
	}
	word, rest, _ := strings.Cut(text, " ")
	if word == "null" {
		return commits.Field{Known: true}, rest, nil
	}
	n, err := strconv.ParseInt(word, 10, 64)
	return commits.Field{Value: history.IntValue(n), Known: err == nil}, rest, nil
}
