package main

import (
	"cmp"
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
		var scripts []string
		for i, text := range texts.all {
			if i%pick(b, 16, 1) == 0 && texts.asScript(text) != "" {
				scripts = append(scripts, text)
			}
		}
		err = b.made("imported, "+dialect, ".sql", scripts, texts.asScript,
			func(side int, paths []string) ([]verdict, error) {
				return b.each(side, paths, withoutTool, "import",
					"--target", dialect, "--isolation", usual[dialect])
			})
		if err != nil {
			return err
		}
		if !slices.Contains(b.targets, dialect) {
			b.add(elsewhere("statements", fmt.Sprintf("judged, %s: %d", dialect, len(texts.all))))
			continue
		}
		asCase := func(text string) string { return texts.asCase(dialect, text) }
		if err := b.made("judged, "+dialect, ".txw", texts.all, asCase, func(side int, paths []string) ([]verdict, error) {
			return b.replay(side, paths, (*replayed).told)
		}); err != nil {
			return err
		}
	}
	return nil
}

// made compares what is said of files that are made of statements.
func (b *bench) made(name, extension string, texts []string, as func(string) string,
	ask func(side int, paths []string) ([]verdict, error)) error {
	var paths []string
	dir := filepath.Join(b.tmp, "statements "+name)
	err := os.MkdirAll(dir, 0o755)
	for i, text := range texts {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("%03d%s", i+1, extension)))
		err = cmp.Or(err, os.WriteFile(paths[i], []byte(as(text)), 0o644))
	}
	if err != nil {
		return err
	}
	all, err := b.asked("statements "+name, paths, ask)
	for i, o := range all {
		o.name = strings.Join(strings.Fields(texts[i]), " ")
	}
	b.add(agreement("statements", fmt.Sprintf("%s: %d", name, len(texts)), all, true))
	return err
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
	all := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	if len(all) < 3 {
		return nil, fmt.Errorf("%s has no statements", path)
	}
	return &corpus{all[0], all[1], all[2:]}, nil
}

// usual are the levels at which statements are judged.
var usual = map[string]string{"sqlite": "serializable", "mariadb": "repeatable-read", "mysql": "repeatable-read",
	"postgresql": "repeatable-read", "tidb": "repeatable-read"}

// defines says whether a block goes to the schema, and is read from by a query; framed whether it is a transaction
// already.
func defines(text string) bool { return begins(text, "CREATE ", "ALTER ") }

func framed(text string) bool { return begins(text, "BEGIN", "START ", "XA ", "SET autocommit") }

func begins(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(text, w) })
}

// asCase makes a case of a block: of a definition one that has it in its schema, of sections those, of a statement one
// in a transaction.
func (c *corpus) asCase(dialect, text string) string {
	schema, body := c.schema, text
	frame := func(sql string) string { return "-- T0 --\nBEGIN;\n" + sql + "\nCOMMIT;" }
	switch {
	case strings.Contains(text, "-- T0 --"):
		before, after, _ := strings.Cut(text, "-- T0 --")
		schema, body = schema+"\n"+before, "-- T0 --"+after
	case defines(text):
		schema, body = schema+"\n"+text,
			frame("UPDATE t0 SET pvkey = vkey, vkey = 901, c0 = c0 + 1 WHERE pkey = 1;\nSELECT pkey, vkey, c0 FROM t0;")
	case framed(text):
		body = "-- T0 --\n" + text
	default:
		body = frame(text)
	}
	return fmt.Sprintf("txweave case 1\ntarget: %s\nisolation: %s\n\n-- schema --\n%s\n\n-- rows --\n%s\n\n%s\n", dialect,
		usual[dialect], schema, c.rows, body)
}

// asScript makes a script of a block, as people write them; "" of what is none.
func (c *corpus) asScript(text string) string {
	if strings.Contains(text, "-- T0 --") {
		return ""
	}
	tables, _, _ := strings.Cut(c.schema, "CREATE VIEW") // which a case of a script has not
	if defines(text) {
		return tables + c.rows + "\n" + text + "\n-- session 1\nBEGIN;\nSELECT * FROM t0;\nCOMMIT;\n"
	}
	if !framed(text) {
		text = "BEGIN;\n" + text + "\nCOMMIT;"
	}
	return tables + c.rows + "\n-- session 1\n" + text + "\n-- session 2\nSELECT * FROM t0;\n"
}

// withoutTool takes the lines from printed cases that name the build.
func withoutTool(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "tool: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
