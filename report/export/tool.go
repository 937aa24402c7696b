package export

import (
	"context"
	"path/filepath"
	"strings"

	"txweave/history"
)

// Trier is a server on which a test is tried, as a session over it sees it.
type Trier interface {
	Read(ctx context.Context, sql string) (*history.Rows, error)
	Must(ctx context.Context, sqls ...string) error
}

// OfMaintainers are the formats that programs of databases' maintainers run.
var OfMaintainers = []string{"mtr", "isolation-spec"}

// Tool is the maintainers' own program that runs tests of a format.
type Tool struct {
	Format string // of those of Formats
	Name   string // of the program
	Ending string // of the file beside the test that holds what it prints: ".result"
	// Installed says whether the program is on this machine, with all that it needs.
	Installed func() bool
	// Run runs a test on a server and returns what the program prints. The server is nobody else's.
	Run func(ctx context.Context, server Trier, test string) (printed string, err error)
}

// Beside is the file that holds what the program prints of the test in a file.
func (t *Tool) Beside(test string) string {
	return strings.TrimSuffix(test, filepath.Ext(test)) + t.Ending
}

// runners are the DBMSs of whose maintainers a program runs tests of a format.
func runners(format string) (out []string) {
	for _, s := range spellings {
		if s.Tool != nil && s.Tool.Format == format {
			out = append(out, s.DBMS)
		}
	}
	return out
}

// ToolOf is the maintainers' program for findings of a DBMS in a format; nil where txweave knows of none.
func ToolOf(dbms, format string) *Tool {
	s, err := spellingOf(dbms)
	if err != nil || s.Tool == nil || s.Tool.Format != format {
		return nil
	}
	return s.Tool
}
