// Package binlog recovers version certificates from the row binary log of MySQL and MariaDB: transactions stand in it in
// the order in which they committed, with the rows that they wrote before and after. With strict two-phase locking, and
// wherever the first committer or updater wins, that is the order of the versions.
//
// The log is read as mariadb-binlog and mysqlbinlog print it with --base64-output=decode-rows -v: the tool of the very
// server decodes its own format, and no replication library has to be carried along.
package binlog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/history/register"
	"txweave/oracle/certificate"
)

// Commit is one committed transaction.
type Commit []Change

// Change is one row that a transaction wrote. Before is nil of an insert, After of a delete.
type Change struct {
	Database, Table string
	Before, After   []Field
}

// Field is a column of a row. It is not known where the tool prints it in a form of its own (escaped strings, decimals,
// dates, floats).
type Field struct {
	Value history.Value
	Known bool
}

// tools print a binary log; the first one that is there is used.
var tools = []string{"mariadb-binlog", "mysqlbinlog"}

// Decode runs the server's tool on log files and reads what it prints.
func Decode(ctx context.Context, files ...string) ([]Commit, error) {
	var path string
	for _, tool := range tools {
		if p, err := exec.LookPath(tool); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		return nil, fmt.Errorf("binary log: none of %s found; it comes with the server's client programs", strings.Join(tools, ", "))
	}
	cmd := exec.CommandContext(ctx, path, append([]string{"--no-defaults", "--base64-output=decode-rows", "-v"}, files...)...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("binary log: %w", err)
	}
	commits, err := Parse(out)
	if err != nil {
		cmd.Process.Kill() // it may wait for somebody to read on
	}
	if waited := cmd.Wait(); err == nil && waited != nil {
		err = fmt.Errorf("%s: %w: %s", filepath.Base(path), waited, strings.TrimSpace(complaint.String()))
	}
	return commits, err
}

var (
	changeRE = regexp.MustCompile("^### (INSERT INTO|UPDATE|DELETE FROM) `([^`]+)`\\.`([^`]+)`$")
	fieldRE  = regexp.MustCompile(`^###   @(\d+)=(.*)$`)
)

// Parse reads what the tools print.
func Parse(in io.Reader) ([]Commit, error) {
	var out []Commit
	var now Commit
	var image *[]Field
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, 64<<20)
	for n := 1; scan.Scan(); n++ {
		line := scan.Text()
		switch m := changeRE.FindStringSubmatch(line); {
		case m != nil:
			now, image = append(now, Change{Database: m[2], Table: m[3]}), nil
		case line == "### WHERE" && len(now) > 0:
			image = &now[len(now)-1].Before
		case line == "### SET" && len(now) > 0:
			image = &now[len(now)-1].After
		case strings.HasPrefix(line, "###   @"):
			m := fieldRE.FindStringSubmatch(line)
			if m == nil || image == nil || m[1] != strconv.Itoa(len(*image)+1) {
				return nil, fmt.Errorf("binary log: line %d: column out of place: %q", n, line)
			}
			*image = append(*image, field(m[2]))
		case strings.HasPrefix(line, "### "):
			return nil, fmt.Errorf("binary log: line %d: not understood: %q", n, line)
		case strings.HasPrefix(line, "COMMIT"):
			if len(now) > 0 {
				out = append(out, now)
			}
			now, image = nil, nil
		case strings.HasPrefix(line, "ROLLBACK"):
			now, image = nil, nil
		}
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("binary log: %w", err)
	}
	if len(now) > 0 {
		return nil, errors.New("binary log: it ends within a transaction")
	}
	return out, nil
}

// field reads a value: an integer (a negative one is followed by what it is without its sign), NULL, or a plain string.
func field(text string) Field {
	if text == "NULL" {
		return Field{Known: true}
	}
	if s, ok := strings.CutPrefix(text, "'"); ok && strings.HasSuffix(s, "'") && !strings.ContainsAny(s[:len(s)-1], `'\`) {
		return Field{history.TextValue(s[:len(s)-1]), true}
	}
	number, more, _ := strings.Cut(text, " (")
	n, err := strconv.ParseInt(number, 10, 64)
	return Field{history.IntValue(n), err == nil && (more == "" || n < 0)}
}

// Layout says how rows of a table are keys of a history.
type Layout struct {
	Database, Table string
	Columns         []certificate.Column
	Key, Version    int // columns, from 0: what names the row, and what was written
	// Name is the key's name in the history.
	Name func(key int64) string
}

// Certifier makes certificates of histories that were recorded on a server from its log. Its commits must be all since the
// tables were made.
type Certifier struct {
	Log    []Commit
	Tables []Layout
}

// Certify implements certificate.Certifier: the version order, when each writer committed (by its place in the log), and
// the rows. There are no version sets in a log: searches are the recorder's to add. It does not know deletes.
func (c *Certifier) Certify(h *register.History) (*certificate.Certificate, error) {
	out := &certificate.Certificate{Source: "binary log", Order: make([][]int64, h.Keys()), Times: make([]certificate.Times, len(h.Txns))}
	keys := map[string]int32{}
	for k := range int32(h.Keys()) {
		keys[h.KeyName(k)] = k
	}
	for _, l := range c.Tables {
		out.Tables = append(out.Tables, certificate.Table{Name: l.Table, Columns: l.Columns, Rows: map[certificate.Version][]history.Value{}})
	}
	writers, listed := writersOf(h), map[int32]bool{}
	for at, commit := range c.Log {
		var order []int32
		last := map[int32]int64{}
		for _, change := range commit {
			i := slices.IndexFunc(c.Tables, func(l Layout) bool { return l.Table == change.Table && l.Database == change.Database })
			if i < 0 {
				continue
			}
			version, err := c.Tables[i].version(change, keys)
			if err != nil {
				return nil, fmt.Errorf("binary log: commit %d: %w", at+1, err)
			}
			if version.Key < 0 {
				continue
			}
			if _, again := last[version.Key]; !again {
				order = append(order, version.Key)
			}
			last[version.Key] = version.Value
			if !listed[version.Key] {
				listed[version.Key] = true
				out.Tables[i].Keys = append(out.Tables[i].Keys, version.Key)
			}
			if row := values(change.After); row != nil {
				out.Tables[i].Rows[version] = row
			}
		}
		for _, key := range order {
			if h.HasInitialValue && last[key] == h.InitialValue && out.Order[key] == nil {
				continue // how the table was filled
			}
			out.Order[key] = append(out.Order[key], last[key])
			if t, ok := writers[certificate.Version{Key: key, Value: last[key]}]; ok {
				out.Times[t].Commit = int64(at + 1)
			}
		}
	}
	return out, nil
}

// writersOf says which transaction wrote each version. One that aborted does not count where another one did.
func writersOf(h *register.History) map[certificate.Version]int {
	out := map[certificate.Version]int{}
	for t := range h.Txns {
		for _, op := range h.TxnOps(t) {
			v := certificate.Version{Key: op.Key, Value: op.Value}
			if old, again := out[v]; op.Kind == register.Write && (!again || h.Txns[old].Status == register.Aborted) {
				out[v] = t
			}
		}
	}
	return out
}

// version returns the version that a change made; its key is -1 where the history does not have it.
func (l *Layout) version(c Change, keys map[string]int32) (certificate.Version, error) {
	if c.After == nil {
		return certificate.Version{}, fmt.Errorf("a row of %s was deleted: no version names that", l.Table)
	}
	if len(c.After) != len(l.Columns) {
		return certificate.Version{}, fmt.Errorf("a row of %s has %d columns, not %d (binlog_row_image must be FULL)", l.Table, len(c.After), len(l.Columns))
	}
	key, version := c.After[l.Key], c.After[l.Version]
	if !key.Known || key.Value.Kind != history.Int || !version.Known || version.Value.Kind != history.Int {
		return certificate.Version{}, fmt.Errorf("a row of %s has no integer as key or version", l.Table)
	}
	k, ok := keys[l.Name(key.Value.N)]
	if !ok {
		k = -1
	}
	return certificate.Version{Key: k, Value: version.Value.N}, nil
}

// values returns the columns of a row; nil if not all of them are known.
func values(row []Field) []history.Value {
	out := make([]history.Value, len(row))
	for i, f := range row {
		if !f.Known {
			return nil
		}
		out[i] = f.Value
	}
	return out
}

// Files begins a new log file and lists those before it, oldest first. The server must be on this machine.
func Files(ctx context.Context, s certificate.Session) ([]string, error) {
	rows, err := s.Read(ctx, "SELECT @@log_bin_basename")
	if err != nil {
		return nil, fmt.Errorf("binary log: %w", err)
	}
	base := rows.Row(0)[0]
	if base.Kind != history.Text || base.S == "" {
		return nil, errors.New("binary log: the server keeps none; start it with --log-bin --binlog-format=ROW")
	}
	if err := s.Must(ctx, "FLUSH BINARY LOGS"); err != nil {
		return nil, fmt.Errorf("binary log: %w", err)
	}
	files, err := filepath.Glob(base.S + ".[0-9]*")
	if err != nil || len(files) < 2 {
		return nil, fmt.Errorf("binary log: no files %s.* that can be read here", base.S)
	}
	slices.Sort(files)
	return files[:len(files)-1], nil
}
