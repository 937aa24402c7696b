package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// statements compares what is made of statements that people, and other programs, write.
func (b *bench) statements() error {
	for _, dialect := range dialects {
		texts, err := readStatements(filepath.Join(b.tree, "bench", "freeze", "testdata", "statements", dialect+".sql"))
		if err != nil {
			return err
		}
		if err := b.imports(dialect, texts); err != nil {
			return err
		}
		what := fmt.Sprintf("%s: %d, as they are judged", dialect, len(texts.all))
		if !slices.Contains(b.targets, dialect) {
			b.add(elsewhere("statements", what))
			continue
		}
		var paths []string
		for i, text := range texts.all {
			path := filepath.Join(b.tmp, fmt.Sprintf("%s-%03d.txw", dialect, i+1))
			if err := os.WriteFile(path, []byte(texts.asCase(dialect, text)), 0o644); err != nil {
				return err
			}
			paths = append(paths, path)
		}
		all, err := b.asked("statements, "+dialect, paths, func(side int, cases []string) ([]verdict, error) { return b.replay(side, cases, (*replayed).told) })
		if err != nil {
			return err
		}
		for i, o := range all {
			o.name = strings.Join(strings.Fields(texts.all[i]), " ")
		}
		b.add(agreement("statements", what, all, true))
	}
	return nil
}

// corpus is a file of statements: its tables and rows first, then one statement or transaction after the other, with an
// empty line between two.
type corpus struct {
	schema, rows string
	all          []string
}

func readStatements(path string) (*corpus, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c corpus
	for i, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		switch i {
		case 0:
			c.schema = block
		case 1:
			c.rows = block
		default:
			c.all = append(c.all, block)
		}
	}
	if len(c.all) == 0 {
		return nil, fmt.Errorf("%s has no statements", path)
	}
	return &c, nil
}

// usual are the levels at which statements are judged.
var usual = map[string]string{"sqlite": "serializable", "mariadb": "repeatable-read", "mysql": "repeatable-read", "postgresql": "repeatable-read", "tidb": "repeatable-read"}

// reads are the words with which a block begins that goes to the schema, and is read from by a query.
var creates = []string{"CREATE ", "ALTER "}

// asCase makes a case of a block: of a definition one that has it in its schema, of sections those, of a statement one in a
// transaction.
func (c *corpus) asCase(dialect, text string) string {
	schema, body := c.schema, text
	frame := func(sql string) string { return "-- T0 --\nBEGIN;\n" + sql + "\nCOMMIT;" }
	switch {
	case strings.Contains(text, "-- T0 --"):
		before, after, _ := strings.Cut(text, "-- T0 --")
		schema, body = schema+"\n"+before, "-- T0 --"+after
	case slices.ContainsFunc(creates, func(word string) bool { return strings.HasPrefix(text, word) }):
		schema, body = schema+"\n"+text, frame("UPDATE t0 SET pvkey = vkey, vkey = 901, c0 = c0 + 1 WHERE pkey = 1;\nSELECT pkey, vkey, c0 FROM t0;")
	case strings.HasPrefix(text, "BEGIN"), strings.HasPrefix(text, "START "), strings.HasPrefix(text, "XA "), strings.HasPrefix(text, "SET autocommit"):
		body = "-- T0 --\n" + text
	default:
		body = frame(text)
	}
	return fmt.Sprintf("txweave case 1\ntarget: %s\nisolation: %s\n\n-- schema --\n%s\n\n-- rows --\n%s\n\n%s\n", dialect, usual[dialect], schema, c.rows, body)
}

// asScript makes a script of a block, as people write them; "" of what is none.
func (c *corpus) asScript(text string) string {
	if strings.Contains(text, "-- T0 --") {
		return ""
	}
	var b strings.Builder
	tables, _, _ := strings.Cut(c.schema, "CREATE VIEW") // which a case of a script has not
	b.WriteString(tables + c.rows + "\n")
	if slices.ContainsFunc(creates, func(word string) bool { return strings.HasPrefix(text, word) }) {
		b.WriteString(text + "\n-- session 1\nBEGIN;\nSELECT * FROM t0;\nCOMMIT;\n")
		return b.String()
	}
	b.WriteString("-- session 1\nBEGIN;\n" + text + "\nCOMMIT;\n-- session 2\nSELECT * FROM t0;\n")
	return b.String()
}

// imports compares how scripts are read, and printed as cases, byte by byte: no server is needed.
func (b *bench) imports(dialect string, texts *corpus) error {
	var outcomes []*outcome
	var paths []string
	for i, text := range texts.all {
		if script := texts.asScript(text); script != "" && i%pick(b, 16, 1) == 0 {
			outcomes = append(outcomes, &outcome{name: strings.Join(strings.Fields(text), " ")})
			paths = append(paths, filepath.Join(b.tmp, fmt.Sprintf("%s-%d.sql", dialect, i)))
			if err := os.WriteFile(paths[len(paths)-1], []byte(script), 0o644); err != nil {
				return err
			}
		}
	}
	got, err := both(b, "statements imported, "+dialect, len(outcomes), func(i, side int) (v verdict, err error) {
		e, err := b.run(side, "import", paths[i], "--target", dialect, "--isolation", usual[dialect])
		if err != nil {
			return v, err
		}
		defer e.forget()
		return verdict{e.Code, printed(string(e.Out))}, nil
	})
	for i, o := range outcomes {
		o.answers = [2][]verdict{{got[i][0]}, {got[i][1]}}
	}
	b.add(agreement("statements", fmt.Sprintf("%s: %d, as import prints them", dialect, len(outcomes)), outcomes, true))
	return err
}

// printed is a case without the line that names the build.
func printed(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "tool: ") }), "\n")
}
