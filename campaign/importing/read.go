package importing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"txweave/internal/asked"
	"txweave/internal/input"
	"txweave/internal/outcome"
	"txweave/testcase"
	"txweave/testcase/importer"
)

// Case makes a case of a text, and says how it was read. Without an order, it gets the bookkeeping columns.
func Case(ctx context.Context, path string, text []byte, o importer.Options) (*testcase.Case, []string, error) {
	read, err := asked.Obeying(ctx, func() (imported, error) { return readCase(path, text, o) })
	return read.c, read.notes, err
}

// imported is the case that a text is, and what is to be said of how it was read.
type imported struct {
	c     *testcase.Case
	notes []string
}

// readCase makes a case of a text, with the bookkeeping columns unless it says itself what its statements must give.
func readCase(path string, text []byte, o importer.Options) (imported, error) {
	c, notes, err := importer.Read(path, text, o)
	if err != nil {
		if _, other := importer.ReadScripts(path, text, o, true); other == nil {
			err = fmt.Errorf("%w (import --run runs a text as it stands)", err)
		}
		return imported{}, outcome.Misuse(err)
	}
	if len(c.Order) > 0 || c.Tool != "" {
		return imported{c, notes}, nil
	}
	watched, err := importer.Keep(c)
	if err != nil {
		return imported{c,
			append(notes,
				fmt.Sprintf("no bookkeeping columns: %v: replay needs them or an order; import --run runs the text as it stands",
					err))}, nil
	}
	return imported{watched,
		append(notes, "the tables have the bookkeeping columns pkey, vkey and pvkey, and the statements their values")}, nil
}

// ReadText reads a file, a directory that holds a script for each session, or standard input for "-".
func ReadText(ctx context.Context, path string) ([]byte, error) {
	if st, err := os.Stat(path); path != input.Stdin && err == nil && st.IsDir() {
		return readSessions(ctx, path)
	}
	return testcase.ReadText(ctx, path)
}

// readSessions reads a directory that holds a script for each session, as export writes them.
func readSessions(ctx context.Context, dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !importer.IsSessions(names) {
		return nil, fmt.Errorf("%s is a directory without setup.sql and T0.sql, T1.sql, …, as export --to sql writes them",
			dir)
	}
	var files []importer.SessionFile
	for _, name := range names {
		if filepath.Ext(name) != ".sql" {
			continue
		}
		text, err := testcase.ReadText(ctx, filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files = append(files, importer.SessionFile{Name: name, Text: string(text)})
	}
	text, err := importer.Join(files)
	return []byte(text), err
}
