package database

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// format is the number of the schema. A txweave reads its own, and brings older ones up to it.
const format = 2

// schema holds the tables of a campaign. {text} is a text of any length, {bytes} the same of bytes; times are seconds
// since 1970, 0 for never.
//
// The index of what waits gives that in its order, so that it is chosen by a database that has no statistics, or that
// planned as the table was empty.
//
// A case's number is in a cell's progress either below next_case, and then done unless it is one of the holes, or not
// done.
const schema = `
CREATE TABLE IF NOT EXISTS meta (k VARCHAR(64) NOT NULL PRIMARY KEY, v {text} NOT NULL);
CREATE TABLE IF NOT EXISTS cells (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(190) NOT NULL UNIQUE, target VARCHAR(64) NOT NULL, isolation VARCHAR(64) NOT NULL,
  mode VARCHAR(16) NOT NULL, seed BIGINT NOT NULL, spec {text} NOT NULL, active BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS progress (cell BIGINT NOT NULL, shard BIGINT NOT NULL, next_case BIGINT NOT NULL, state VARCHAR(32) NOT NULL, detail {text} NOT NULL,
  failures BIGINT NOT NULL, retry_at BIGINT NOT NULL, spent_ms BIGINT NOT NULL, version {text} NOT NULL, changed BIGINT NOT NULL, PRIMARY KEY (cell, shard));
CREATE TABLE IF NOT EXISTS holes (cell BIGINT NOT NULL, shard BIGINT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (cell, shard, n));
CREATE TABLE IF NOT EXISTS starts (id BIGINT NOT NULL PRIMARY KEY, shard BIGINT NOT NULL, host VARCHAR(190) NOT NULL, pid BIGINT NOT NULL, tool VARCHAR(190) NOT NULL,
  began BIGINT NOT NULL, beat BIGINT NOT NULL, ended BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS counts (cell BIGINT NOT NULL, shard BIGINT NOT NULL, start BIGINT NOT NULL, cases BIGINT NOT NULL, checked BIGINT NOT NULL, found BIGINT NOT NULL,
  runs BIGINT NOT NULL, replays BIGINT NOT NULL, sent BIGINT NOT NULL, statements BIGINT NOT NULL, survived BIGINT NOT NULL, aborted BIGINT NOT NULL, errored BIGINT NOT NULL,
  overlapping BIGINT NOT NULL, overlap_edge BIGINT NOT NULL, PRIMARY KEY (cell, shard, start));
CREATE TABLE IF NOT EXISTS tallies (cell BIGINT NOT NULL, shard BIGINT NOT NULL, kind VARCHAR(16) NOT NULL, name VARCHAR(190) NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (cell, shard, kind, name));
CREATE TABLE IF NOT EXISTS samples (cell BIGINT NOT NULL, shard BIGINT NOT NULL, at BIGINT NOT NULL, cases BIGINT NOT NULL, statements BIGINT NOT NULL, survived BIGINT NOT NULL,
  aborted BIGINT NOT NULL, bugs BIGINT NOT NULL, spent_ms BIGINT NOT NULL, rss BIGINT NOT NULL, disk BIGINT NOT NULL, edges BIGINT NOT NULL DEFAULT 0,
  features BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (cell, shard, at));
CREATE TABLE IF NOT EXISTS features (cell BIGINT NOT NULL, shard BIGINT NOT NULL, name VARCHAR(190) NOT NULL, cases BIGINT NOT NULL, found BIGINT NOT NULL,
  PRIMARY KEY (cell, shard, name));
CREATE TABLE IF NOT EXISTS bugs (number BIGINT NOT NULL PRIMARY KEY, signature CHAR(64) UNIQUE, doc {text} NOT NULL);
CREATE TABLE IF NOT EXISTS bug_keys (hash CHAR(64) NOT NULL, bug BIGINT NOT NULL, PRIMARY KEY (hash, bug));
CREATE TABLE IF NOT EXISTS findings (name VARCHAR(190) NOT NULL PRIMARY KEY, cell BIGINT NOT NULL, shard BIGINT NOT NULL, n BIGINT NOT NULL, state VARCHAR(16) NOT NULL,
  bug BIGINT NOT NULL, kept BIGINT NOT NULL, at BIGINT NOT NULL, record {text} NOT NULL, signature {text} NOT NULL);
CREATE TABLE IF NOT EXISTS changes (id BIGINT NOT NULL PRIMARY KEY, bug BIGINT NOT NULL, at BIGINT NOT NULL, who VARCHAR(190) NOT NULL, what {text} NOT NULL);
CREATE TABLE IF NOT EXISTS unchecked (cell BIGINT NOT NULL, n BIGINT NOT NULL, reason {text} NOT NULL, detail {text} NOT NULL, PRIMARY KEY (cell, n));
CREATE TABLE IF NOT EXISTS events (id BIGINT NOT NULL PRIMARY KEY, at BIGINT NOT NULL, cell BIGINT NOT NULL, kind VARCHAR(32) NOT NULL, what {text} NOT NULL);
CREATE TABLE IF NOT EXISTS artifacts (finding VARCHAR(190) NOT NULL, path VARCHAR(190) NOT NULL, part BIGINT NOT NULL, body {bytes} NOT NULL, PRIMARY KEY (finding, path, part));
{index} findings_waiting ON findings (cell, shard, state, n, name);
{index} findings_bug ON findings (bug, at);
{index} findings_cell ON findings (cell, bug);
{index} bug_keys_bug ON bug_keys (bug);
{index} changes_bug ON changes (bug, id);
{index} samples_at ON samples (at);
{index} events_at ON events (at);
`

// What format 2 has that format 1 has not, besides tables; all of it is there or none where the DBMS can undo changes
// of tables.
var (
	hasFormat2 = "SELECT edges, features FROM samples WHERE cell < 0"
	toFormat2  = []string{"ALTER TABLE samples ADD COLUMN edges BIGINT NOT NULL DEFAULT 0",
		"ALTER TABLE samples ADD COLUMN features BIGINT NOT NULL DEFAULT 0"}
)

// upgrade brings tables of an older format to this one. Whoever was killed amidst it has left it to the next: what is
// looked at is the tables. A txweave of the older format that runs meanwhile goes on.
func (d *DB) upgrade(ctx context.Context) error {
	if rows, err := d.sql.QueryContext(ctx, hasFormat2); err == nil {
		return rows.Close()
	}
	return d.tx(ctx, func(t *tx) error {
		var have string
		if err := t.row("SELECT v FROM meta WHERE k = 'format'").Scan(&have); err != nil && !isNone(err) {
			return err
		}
		if have != "" && have != "1" {
			return nil // it is refused
		}
		for _, stmt := range toFormat2 {
			if err := t.exec(stmt); err != nil && !t.d.dialect.columnThere(err) {
				return err
			}
		}
		return t.exec("UPDATE meta SET v = ? WHERE k = 'format'", strconv.Itoa(format))
	})
}

// create makes the tables that are not there, brings older ones up to date, and refuses those of another format.
func (d *DB) create(ctx context.Context) error {
	// The format is written last: where it is this one, all is there, and nobody needs to be kept from writing to find
	// that out.
	var have string
	if err := d.sql.QueryRowContext(ctx, "SELECT v FROM meta WHERE k = 'format'").Scan(&have); err == nil &&
		have == strconv.Itoa(format) {
		return nil
	}
	text := strings.NewReplacer("{text}", d.dialect.text, "{bytes}", d.dialect.bytes, "{index}",
		d.dialect.index).Replace(schema)
	for stmt := range strings.SplitSeq(text, ";\n") {
		if stmt = strings.TrimSpace(stmt); stmt == "" {
			continue
		}
		if strings.HasPrefix(stmt, "CREATE TABLE") {
			stmt += d.dialect.table
		}
		if _, err := d.sql.ExecContext(ctx, stmt); err != nil && !d.dialect.indexThere(err) {
			return fmt.Errorf("the campaign's tables: %w", d.fault(err))
		}
	}
	if err := d.upgrade(ctx); err != nil {
		return err
	}
	return d.tx(ctx, func(t *tx) error {
		for k, v := range map[string]string{"format": strconv.Itoa(format), "bugs": "1", "lock": "", "campaign": "",
			"shards": ""} {
			var have string
			switch err := t.row("SELECT v FROM meta WHERE k = ?", k).Scan(&have); {
			case isNone(err):
				if err := t.exec("INSERT INTO meta (k, v) VALUES (?, ?)", k, v); err != nil {
					return err
				}
			case err != nil:
				return err
			}
		}
		return t.checkFormat()
	})
}

// checkFormat refuses a database whose tables are of another format.
func (d *DB) checkFormat(ctx context.Context) error {
	return d.read(ctx, func(t *tx) error { return t.checkFormat() })
}

func (t *tx) checkFormat() error {
	var have string
	if err := t.row("SELECT v FROM meta WHERE k = 'format'").Scan(&have); err != nil {
		return err
	}
	switch n, err := strconv.Atoi(have); {
	case err != nil || n < 1:
		return &PlanError{fmt.Sprintf("the campaign's database is of the format %q, which no txweave writes", have)}
	case n > format:
		return &PlanError{fmt.Sprintf("a newer txweave wrote the campaign's database: its format is %d, and this one reads %d",
			n, format)}
	case n < format:
		return &PlanError{fmt.Sprintf("an older txweave wrote the campaign's database (format %d, now %d): "+
			"txweave campaign run brings it up to date where it can be written", n, format)}
	}
	return nil
}

// Meta reads a value that belongs to the whole campaign; "" if there is none.
func (d *DB) Meta(ctx context.Context, k string) (v string, err error) {
	err = d.row(ctx, "SELECT v FROM meta WHERE k = ?", k).Scan(&v)
	if isNone(err) {
		return "", nil
	}
	return v, err
}

// SetMeta keeps a value that belongs to the whole campaign: one that the schema names.
func (d *DB) SetMeta(ctx context.Context, k, v string) error {
	return d.tx(ctx, func(t *tx) error { return t.exec("UPDATE meta SET v = ? WHERE k = ?", v, k) })
}
