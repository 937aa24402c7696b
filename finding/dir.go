package finding

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"txweave/internal/input"
	"txweave/internal/outcome"
	"txweave/internal/strict"
	"txweave/testcase"
)

// The files of a finding's directory.
const (
	RecordFile      = "finding.json"     // a Record
	CaseFile        = "case.txw"         // the case
	TraceFile       = "trace.jsonl"      // every statement as sent and answered, in transactions …
	ReplayFile      = "replay.jsonl"     // … and without
	ObservationFile = "observation.json" // what each statement of the run saw and wrote
	GraphFile       = "sdg.json"         // the statement-dependency graph …
	DrawingFile     = "sdg.dot"          // … to draw
	LogFile         = "log.txt"          // of a crash: the tail of the server's log
	// of a hang: what the threads of the server, or of the engine's process, were doing
	StacksFile    = "stacks.txt"
	ReductionFile = "reduction.json" // how the case was made smaller
	PlainFile     = "plain.json"     // the case as a person would write it, and what it was answered
	StormFile     = "storm.json"     // of a storm, which has no case: what it was
	PageFile      = "timeline.html"  // all of it as one page
	ReducedDir    = "reduced"        // directory of the smaller case, shaped like the finding's
)

// maxFile is how many bytes of a file of a finding are read: more than any campaign writes.
const maxFile = 256 << 20

// maxCase is the same for a case.
const maxCase = testcase.MaxSize

// Dir is a finding's directory as it lies on disk.
type Dir struct {
	Path   string
	Record *Record // nil where there is no finding.json
}

// Open opens a finding's directory. An error says what is wrong with it, on one line.
func Open(path string) (*Dir, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("%s is not a finding's directory", path)
	}
	d := &Dir{Path: path}
	text, err := d.Read(RecordFile)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, err
	}
	d.Record = &Record{}
	if err := json.Unmarshal(text, d.Record); err != nil {
		return nil, fmt.Errorf("%s: %w", d.file(RecordFile), strict.Unread(text, err))
	}
	d.Record.Signature, d.Record.With = Renamed(d.Record.Signature), Renamed(d.Record.With)
	if err := CheckFormat(d.Record.Format, Format); err != nil {
		return nil, fmt.Errorf("%s: %w", d.file(RecordFile), err)
	}
	return d, nil
}

// CheckFormat refuses a format that is newer than the one that is read. 0 is what was written before formats had
// numbers.
func CheckFormat(got, known int) error {
	if got < 0 || got > known {
		return outcome.Misusef("it has format %d, which a newer txweave wrote: this one reads formats up to %d", got, known)
	}
	return nil
}

func (d *Dir) file(name string) string { return filepath.Join(d.Path, name) }

// Read reads a file of the directory. Its error is fs.ErrNotExist where there is none.
func (d *Dir) Read(name string) ([]byte, error) {
	limit := int64(maxFile)
	if name == CaseFile {
		limit = maxCase
	}
	return input.Kept(d.file(name), limit)
}

// Case reads the case. Its error is fs.ErrNotExist where there is none, as of a finding of a storm.
func (d *Dir) Case() (*testcase.Case, error) {
	text, err := d.Read(CaseFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &noCaseError{d.Path, d.Storm()}
	}
	if err != nil {
		return nil, err
	}
	return testcase.Read(d.file(CaseFile), text)
}

// Storm is the command line of the storm that made the finding; "" where none did, or it is not told.
func (d *Dir) Storm() string {
	var of struct {
		Command string `json:"command"`
	}
	text, err := d.Read(StormFile)
	if err != nil || json.Unmarshal(text, &of) != nil {
		return ""
	}
	return of.Command
}

// noCaseError says that a directory has no case, and what to do where a storm made it.
type noCaseError struct{ dir, storm string }

func (e *noCaseError) Error() string {
	if e.storm != "" {
		return fmt.Sprintf("%s is of a storm, and has no case: %s --save storm.toml runs it again, for txweave storm repeat, "+
			"reduce and script", e.dir, e.storm)
	}
	return fmt.Sprintf("%s is no finding: it has no %s", e.dir, CaseFile)
}

func (*noCaseError) Unwrap() error { return fs.ErrNotExist }

// Minimal says whether the case of a finding, one of a reduced/, is reduced until nothing more could go.
func (d *Dir) Minimal() (bool, error) {
	var how struct {
		Stop string `json:"stop"`
	}
	text, err := d.Read(ReductionFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return false, nil
	}
	if err == nil {
		if err = json.Unmarshal(text, &how); err != nil {
			err = fmt.Errorf("%s: %w", d.file(ReductionFile), strict.Unread(text, err))
		}
	}
	return how.Stop == Fixpoint, err
}

// Fixpoint is what reduction.json says where nothing more could go.
const Fixpoint = "fixpoint"

// Reduced opens the directory of the smaller case; nil where there is none.
func (d *Dir) Reduced() (*Dir, error) {
	if st, err := os.Lstat(d.file(ReducedDir)); err == nil && !st.IsDir() { // a link would lead elsewhere
		return nil, fmt.Errorf("%s is not a directory", d.file(ReducedDir))
	}
	if _, err := os.Lstat(filepath.Join(d.Path, ReducedDir, CaseFile)); err != nil {
		return nil, nil
	}
	return Open(d.file(ReducedDir))
}

// Write writes a finding with its files, by name, in a directory of its own, which must not be there yet and appears
// under its name only when it is whole and on disk: its error is fs.ErrExist otherwise. Page, unless nil, makes
// timeline.html from the directory as it is to be. Nobody but the user can read it: there are answers of the user's
// server in it.
func Write(path string, r *Record, files map[string][]byte, page func(dir string) []byte) error {
	tmp, err := os.MkdirTemp(filepath.Dir(path), TempPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	record, err := r.Print()
	if err != nil {
		return err
	}
	all := maps.Clone(files)
	if all == nil {
		all = map[string][]byte{}
	}
	all[RecordFile] = record
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if filepath.Base(name) != name {
			return fmt.Errorf("%q is not the name of a finding's file", name)
		}
		if err := WriteFile(filepath.Join(tmp, name), all[name]); err != nil {
			return err
		}
	}
	if page != nil {
		if err := WriteFile(filepath.Join(tmp, PageFile), page(tmp)); err != nil {
			return err
		}
	}
	if err := SyncDir(tmp); err != nil {
		return err
	}
	if err := rename(tmp, path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// rename gives a directory a name that nothing has: os.Rename takes an empty directory's.
func rename(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// TempPrefix begins the names of what is being written, and of what is being removed, beside findings' directories.
const TempPrefix = ".new-"

// Remove removes a finding's directory. It loses its name first, so that nobody sees a part of it, whenever that is
// killed.
func Remove(path string) error {
	tmp, err := os.MkdirTemp(filepath.Dir(path), TempPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	err = os.Rename(path, filepath.Join(tmp, "gone"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// WriteFile writes a new file that is on disk when this returns.
func WriteFile(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// SyncDir brings a directory's entries to disk.
func SyncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// PathIn returns where the finding of a name lies below a store's directory. There is no name that leads out of it.
func PathIn(dir, name string) (string, error) {
	if !ValidName(name) {
		return "", fmt.Errorf("%q is not the name of a finding in %s", name, dir)
	}
	return filepath.Join(dir, name), nil
}

// ValidName says whether a text can be the name of a finding's directory below a store: no way leads out of it.
func ValidName(name string) bool {
	return name != "" && filepath.Base(name) == name && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(name, `/\`+"\x00")
}
