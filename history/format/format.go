// Package format reads and writes the files in which histories of black-box tests are kept: txweave's own JSON
// lines and those of Jepsen and Elle, elle-cli, PolySI, Plume, MTC and IsoVista, dbcop, Cobra, Chronos and AWDIT.
//
// A reader keeps what the file says and no more: a format without client-side times gives a history without real
// time, values are never guessed to be different, an operation without an answer has an unknown outcome.
package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"txweave/history/register"
)

// Auto is the name that lets Read find out the format.
const Auto = "auto"

// reader is one format.
type reader struct {
	name  string
	about string
	// looks says whether a file that begins like this may be of the format; whole is set when head is all of it.
	looks func(head []byte) bool
	read  func(r io.Reader, b *register.Builder) error
}

// readers lists the formats; where two would take a file, the first one does.
func readers() []reader {
	return []reader{
		{"txweave", "txweave's own JSON lines", looksOwn, readOwn},
		{"trace", "txweave's interval traces, where they hold no conditions and no deletions", looksTrace, readTrace},
		{"dbcop", "dbcop's bincode", looksDBCop, readDBCop},
		{"text", "r(key,value,session,transaction): PolySI, Plume, MTC, IsoVista", looksText, readText},
		{"awdit", "AWDIT's test format", looksAWDIT, readAWDIT},
		{"jepsen-log", "log lines of Jepsen: one register with read, write, cas", looksJepsenLog, readJepsenLog},
		{"edn", "Jepsen's and Elle's EDN", looksEDN, readEDN},
		{"dbcop-json", "dbcop's JSON", looksDBCopJSON, readDBCopJSON},
		{"chronos", "Chronos' JSON", looksChronos, readChronos},
		{"jepsen-json", "elle-cli's JSON", looksJepsenJSON, readJepsenJSON},
	}
}

// cobra is the one format that is a directory: a file T<n>.log for each session.
const cobra = "cobra"

// Names returns the names of the formats.
func Names() []string {
	var names []string
	for _, r := range readers() {
		names = append(names, r.name)
	}
	return append(names, cobra)
}

// About returns one line for each format: its name and what it is.
func About() []string {
	var lines []string
	for _, r := range readers() {
		lines = append(lines, fmt.Sprintf("%-12s %s", r.name, r.about))
	}
	return append(lines, fmt.Sprintf("%-12s %s", cobra, "Cobra's directory of T<n>.log"))
}

// Error is a file that cannot be read as a history.
type Error struct {
	Path string
	Line int // from 1; 0 where the format has no lines
	Msg  string
}

// Error returns "path:line: message".
func (e *Error) Error() string {
	switch {
	case e.Path == "":
		return e.Msg
	case e.Line == 0:
		return e.Path + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Msg)
}

// at returns an error at a line; Read adds the path.
func at(line int, format string, args ...any) error {
	return &Error{Line: line, Msg: fmt.Sprintf(format, args...)}
}

// headSize is how much of a file the format is recognised by.
const headSize = 64 << 10

// Read reads a history from a file, or from a directory that holds one. It returns the format's name too.
func Read(path, name string) (*register.History, string, error) {
	h, name, err := read(path, name)
	var e *Error
	if errors.As(err, &e) && e.Path == "" {
		e.Path = path
	}
	return h, name, err
}

func read(path, name string) (*register.History, string, error) {
	if name != Auto && !slices.Contains(Names(), name) {
		return nil, name, fmt.Errorf("unknown format %q: want %s or %s", name, strings.Join(Names(), ", "), Auto)
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, name, plainError(err)
	}
	if st.IsDir() {
		return readDir(path, name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, name, plainError(err)
	}
	defer f.Close()
	if name == cobra {
		return nil, name, &Error{Msg: "Cobra's format is a directory of T<n>.log files"}
	}
	return readFile(f, name)
}

// plainError drops the operation from a file system's error: the path is there already.
func plainError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return &Error{Msg: p.Err.Error()}
	}
	return err
}

// readFile reads one file.
func readFile(f io.Reader, name string) (*register.History, string, error) {
	in := bufio.NewReaderSize(f, headSize)
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, name, plainError(err)
	}
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	for _, r := range readers() {
		if r.name != name && (name != Auto || !r.looks(head)) {
			continue
		}
		b := register.NewBuilder(0, 0)
		if err := r.read(in, b); err != nil {
			return nil, r.name, plainError(err)
		}
		h := b.History()
		if len(h.Txns) == 0 {
			return nil, r.name, &Error{Msg: "holds no transaction"}
		}
		return h, r.name, nil
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, name, &Error{Msg: "is empty"}
	}
	return nil, name, &Error{Msg: "is no history in a format known here (" + strings.Join(Names(), ", ") + ")"}
}

// Expand replaces a directory that holds several histories by its files, in order of their names. One that is a
// history itself, or holds one alone, stays.
func Expand(path string) []string {
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) < 2 {
		return []string{path}
	}
	if logs, err := cobraLogs(path); err != nil || len(logs) > 0 {
		return []string{path}
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	return files
}

// readDir reads Cobra's logs, or the one file in the directory, as Plume and dbcop keep their histories.
func readDir(path, name string) (*register.History, string, error) {
	logs, err := cobraLogs(path)
	if err != nil {
		return nil, name, plainError(err)
	}
	if name == cobra || name == Auto && len(logs) > 0 {
		h, err := readCobra(logs)
		return h, cobra, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, name, plainError(err)
	}
	if len(entries) != 1 || entries[0].IsDir() {
		return nil, name, &Error{Msg: "is a directory without T<n>.log files and not of one file"}
	}
	return Read(filepath.Join(path, entries[0].Name()), name)
}
