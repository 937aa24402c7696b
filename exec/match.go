package exec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/history"
	"txweave/sql/sqltext"
)

// MatchQuery asks which versions of a table's rows a WHERE clause is true for.
type MatchQuery struct {
	// Of tells sets of written versions apart: queries with the same one have the same for a table. nil: this query alone
	// has them.
	Of      any
	Table   string
	Alias   string          // the name under which Where knows the table
	Where   string          // "" for every row
	Written []*history.Rows // versions beyond the initial ones, as reads printed them
	// Name names the version that row i of whole rows of the table is; false where it is none that is known. nil: after
	// its columns pkey and vkey.
	Name func(rows *history.Rows, i int) (history.Version, bool)
}

// byKeys names a version after its columns pkey and vkey.
func (q *MatchQuery) byKeys(rows *history.Rows, i int) (history.Version, bool) {
	pkey, ok1 := rows.Row(i)[slices.Index(rows.Columns, sqltext.PKey)].Int64()
	vkey, ok2 := rows.Row(i)[slices.Index(rows.Columns, sqltext.VKey)].Int64()
	return history.Version{Item: history.Item{Table: q.Table, PKey: pkey}, VKey: vkey}, ok1 && ok2
}

// scratchPrefix names the tables on which WHERE clauses are evaluated.
const scratchPrefix = "txm_"

// scratchTable is a temporary table that holds versions.
type scratchTable struct {
	of    any // see MatchQuery
	holds map[history.Version]bool
}

// Matching evaluates a WHERE clause on a temporary table that holds the initial rows and the written versions
// side by side. A version that is not in the answer was not on the table; where the database has no such temporary
// tables, none is. The table stays for the next query of the same versions, until something is run or replayed.
func (r *Runner) Matching(q MatchQuery) (map[history.Version]bool, error) {
	if r.replayer.protocol.Scratch == "" {
		return nil, nil
	}
	if q.Name == nil {
		q.Name = q.byKeys
	}
	scratch := scratchPrefix + q.Table
	made, ok := r.scratches[q.Table]
	if !ok || q.Of == nil || made.of != q.Of {
		var err error
		if made, err = r.fillScratch(scratch, &q); err != nil {
			return nil, err
		}
	}
	where := ""
	if q.Where != "" {
		where = " WHERE " + q.Where
	}
	matched, err := r.replayer.Read(r.ctx, fmt.Sprintf("SELECT * FROM %s AS %s%s", scratch, q.Alias, where))
	if r.ofStatement(err) {
		return nil, nil // of a version that the statement itself never met the clause may well be an error
	}
	if err != nil {
		return nil, err
	}
	out := maps.Clone(made.holds)
	for n := range matched.Len() {
		if v, ok := q.Name(matched, n); ok {
			out[v] = true
		}
	}
	return out, nil
}

// fillScratch makes the scratch table of a query.
func (r *Runner) fillScratch(scratch string, q *MatchQuery) (scratchTable, error) {
	made := scratchTable{of: q.Of, holds: map[history.Version]bool{}}
	if r.scratches == nil {
		r.scratches = map[string]scratchTable{}
	}
	r.scratches[q.Table] = scratchTable{} // if only a part of it comes to be
	if err := r.scratch(scratch, q.Table); err != nil {
		return made, err
	}
	for _, rows := range q.Written {
		if err := r.addVersions(scratch, rows); err != nil {
			return made, err
		}
	}
	all, err := r.replayer.Read(r.ctx, "SELECT * FROM "+scratch)
	if err != nil {
		return made, err
	}
	for n := range all.Len() {
		if v, ok := q.Name(all, n); ok {
			made.holds[v] = false
		}
	}
	r.scratches[q.Table] = made
	return made, nil
}

// batch is how long the VALUES of one statement may be, in bytes: a server ends the connection over which a longer one
// comes than it takes.
const batch = 256 << 10

// addVersions adds rows to a scratch table, many at once or, where one is refused, one by one: what INSERT IGNORE
// leaves in an ENUM is no value that a statement may give it, and such a version is left out.
func (r *Runner) addVersions(scratch string, rows *history.Rows) error {
	into := fmt.Sprintf("INSERT INTO %s (%s) VALUES ", scratch, strings.Join(rows.Columns, ", "))
	values := make([]string, rows.Len())
	for i := range values {
		values[i] = r.literals(rows.Row(i))
	}
	for _, some := range batches(values, batch) {
		err := r.replayer.Must(r.ctx, into+strings.Join(some, ", "))
		if r.unlessOfStatement(err) != nil {
			return err
		}
		if err == nil || len(some) == 1 {
			continue
		}
		for _, v := range some {
			if err := r.replayer.Must(r.ctx, into+v); r.unlessOfStatement(err) != nil {
				return err
			}
		}
	}
	return nil
}

// batches splits texts into runs of so many bytes at most, or of a single one.
func batches(texts []string, limit int) (out [][]string) {
	from, size := 0, 0
	for i, t := range texts {
		if size += len(t); size > limit && i > from {
			out, from, size = append(out, texts[from:i]), i, len(t)
		}
	}
	if from < len(texts) {
		out = append(out, texts[from:])
	}
	return out
}

// dropScratches drops the scratch tables: nothing that is run or replayed shall meet them.
func (r *Runner) dropScratches() error {
	for _, table := range slices.Sorted(maps.Keys(r.scratches)) {
		if err := r.replayer.Must(r.ctx, "DROP TABLE IF EXISTS "+scratchPrefix+table); err != nil {
			return err
		}
	}
	r.scratches = nil
	return nil
}

// unlessOfStatement is an error that does not come from a statement and its data alone.
func (r *Runner) unlessOfStatement(err error) error {
	if r.ofStatement(err) {
		return nil
	}
	return err
}

// scratch makes a temporary table of a table's initial rows, whose columns compare as the table's do.
func (r *Runner) scratch(name, table string) error {
	p := r.replayer.protocol
	if err := r.replayer.Must(r.ctx, "DROP TABLE IF EXISTS "+name, fmt.Sprintf(p.Scratch, name, Copy(table))); err != nil {
		return err
	}
	def := r.loaded.Schema.Table(table)
	if p.ScratchColumns == "" || def == nil || !slices.ContainsFunc(def.Columns, func(c sqltext.Column) bool {
		return c.Collation != ""
	}) {
		return nil
	}
	rows, err := r.replayer.Read(r.ctx, fmt.Sprintf(p.ScratchColumns, name))
	if err != nil {
		return err
	}
	columns := make([]string, rows.Len())
	for i := range columns {
		columns[i] = fmt.Sprintf("%q %s", rows.Cell(i, 0).S, rows.Cell(i, 1).S)
		if c := def.Column(strings.ToLower(rows.Cell(i, 0).S)); c != nil && c.Collation != "" {
			columns[i] += " COLLATE " + c.Collation
		}
	}
	return r.replayer.Must(r.ctx, "DROP TABLE "+name, fmt.Sprintf("CREATE TEMPORARY TABLE %s (%s)", name,
		strings.Join(columns, ", ")),
		fmt.Sprintf("INSERT INTO %s SELECT * FROM %s", name, Copy(table)))
}

// ofStatement says whether an error comes from a statement and its data alone.
func (r *Runner) ofStatement(err error) bool {
	var answer *AnswerError
	return errors.As(err, &answer) && r.profile.Errors.Classify(answer.Err.Code, answer.Err.Message) ==
		dbms.Deterministic &&
		!r.profile.Errors.Impossible.Has(answer.Err.Code, answer.Err.Message)
}

// literals prints a row as a VALUES list.
func (r *Runner) literals(row []history.Value) string {
	parts := make([]string, len(row))
	for i, v := range row {
		s := v.String()
		if v.Kind == history.Text && sqltext.SyntaxOf(r.profile.DBMS).Quoting.Backslash {
			s = strings.ReplaceAll(s, `\`, `\\`)
		}
		parts[i] = s
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
