// Package format reads and writes the files in which histories of black-box tests are kept: txweave's own JSON
// lines and those of Jepsen and Elle, elle-cli, PolySI, Plume, MTC and IsoVista, dbcop, Cobra, Chronos and AWDIT.
//
// A reader keeps what the file says and no more: a format without client-side times gives a history without real
// time, values are never guessed to be different, an operation without an answer has an unknown outcome.
package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"txweave/history/register"
	"txweave/history/workload"
)

// Auto is the name that lets Read find out the format.
const Auto = "auto"

// reader is one format.
type reader struct {
	name  string
	about string
	// looks says whether a file that begins like this may be of the format; whole is set when head is all of it.
	looks func(head []byte) bool
	read  func(r io.Reader, to *sink) error
}

// Contents are what a file holds.
type Contents struct {
	Format string
	// History is of reads and writes; Workload is of one of Jepsen's other workloads. One of the two is nil.
	History  *register.History
	Workload *workload.Clients
	// LongFork says that the History may be one of Jepsen's long-fork workload: single writes, and reads of groups of
	// keys.
	LongFork bool
}

// sink is what a reader gives to.
type sink struct {
	*register.Builder
	size     int64 // of what is read, in bytes; 0: not known, or room has been made for it
	workload *workload.Clients
	longFork bool
	lists    bool // reads that returned nothing are of empty lists
	streamed bool // transactions are passed on: what has been given cannot be had back
}

// took says that the builder has been given what stands in the first so many bytes of the file. The first time it makes
// room for as much as the file then seems to hold, and a bit.
func (to *sink) took(bytes int) {
	if times := float64(to.size) / float64(max(bytes, 1)) * 1.03; times > 1 {
		to.Expect(times)
	}
	to.size = 0
}

// registers is a reader of a format that has nothing but reads and writes.
func registers(read func(r io.Reader, b *register.Builder) error) func(io.Reader, *sink) error {
	return func(r io.Reader, to *sink) error { return read(r, to.Builder) }
}

// readers lists the formats; where two would take a file, the first one does.
func readers() []reader {
	return []reader{
		{"txweave", "txweave's own JSON lines", looksOwn, readOwn},
		{"compact", "txweave's own, smaller", looksCompact, readCompact},
		{"trace", "txweave's interval traces, where they hold no conditions and no deletions", looksTrace,
			registers(readTrace)},
		{"dbcop", "dbcop's bincode", looksDBCop, registers(readDBCop)},
		{"text", "r(key,value,session,transaction): PolySI, Plume, MTC, IsoVista", looksText, readText},
		{"awdit", "AWDIT's test format", looksAWDIT, registers(readAWDIT)},
		{"jepsen-log", "log lines of Jepsen: one register with read, write, cas", looksJepsenLog, readJepsenLog},
		{"edn", "Jepsen's and Elle's EDN", looksEDN, readEDN},
		{"dbcop-json", "dbcop's JSON", looksDBCopJSON, registers(readDBCopJSON)},
		{"chronos", "Chronos' JSON", looksChronos, registers(readChronos)},
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

// byteOrderMark may stand at the beginning of a text.
const byteOrderMark = "\ufeff"

// headSize is how much of a file the format is recognised by.
const headSize = 64 << 10

// CheckName returns an error that lists the formats where name is none of them, nor Auto.
func CheckName(name string) error {
	if name != Auto && !slices.Contains(Names(), name) {
		return fmt.Errorf("unknown format %q: want %s or %s", name, strings.Join(Names(), ", "), Auto)
	}
	return nil
}

// Read reads what a file holds, or a directory that holds one history. "-" is standard input. A file may be compressed.
func Read(ctx context.Context, path, name string) (*Contents, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); path != Stdin && err == nil && st.IsDir() {
		r, err := readDir(ctx, path, name)
		return r, named(err, path)
	}
	in, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Contents(name)
}

// Contents reads what the file holds.
func (in *Opened) Contents(name string) (*Contents, error) {
	if name == cobra {
		return nil, named(&Error{Msg: "Cobra's format is a directory of T<n>.log files"}, in.Path)
	}
	r, err := in.read(name)
	return r, named(err, in.Path)
}

// named gives an error its file.
func named(err error, path string) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Path == "" {
		e.Path = path
	}
	return err
}

// plainError makes an Error of any error. It drops the operation from a file system's: the path is there already.
func plainError(err error) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return &Error{Msg: err.Error()}
}

// read finds the format and reads the file.
func (in *Opened) read(name string) (*Contents, error) {
	r, err := in.reader(name)
	if err != nil {
		return nil, err
	}
	out, err := in.readAs(r, &sink{Builder: register.NewBuilder(0, 0), size: in.size})
	if err == nil && out.Workload == nil && len(out.History.Txns) == 0 {
		err = plainError(errNoTransaction)
	}
	return out, err
}

var errNoTransaction = errors.New("holds no transaction")

// reader is the reader of a format, or of that which the file seems to be of.
func (in *Opened) reader(name string) (*reader, error) {
	head, err := in.Head()
	if err != nil {
		return nil, plainError(err)
	}
	for _, r := range readers() {
		if r.name == name || name == Auto && r.looks(head) {
			return &r, nil
		}
	}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, &Error{Msg: "is empty"}
	}
	return nil, &Error{Msg: "is not a history in a format known here (" + strings.Join(Names(), ", ") + ")"}
}

// readAs reads the file, whose format is known.
func (in *Opened) readAs(r *reader, to *sink) (*Contents, error) {
	if err := r.read(in.Reader, to); errors.Is(err, ErrApart) {
		return nil, err
	} else if err != nil {
		return &Contents{Format: r.name}, plainError(err)
	}
	out := &Contents{Format: r.name, Workload: to.workload, LongFork: to.longFork}
	if out.Workload == nil {
		out.History = to.History()
	}
	return out, nil
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
func readDir(ctx context.Context, path, name string) (*Contents, error) {
	logs, err := cobraLogs(path)
	if err != nil {
		return nil, plainError(err)
	}
	if name == cobra || name == Auto && len(logs) > 0 {
		h, err := readCobra(ctx, logs)
		return &Contents{Format: cobra, History: h}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, plainError(err)
	}
	if len(entries) != 1 || entries[0].IsDir() {
		return nil, &Error{Msg: "is a directory without T<n>.log files and not of one file"}
	}
	return Read(ctx, filepath.Join(path, entries[0].Name()), name)
}
