package exec

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"txweave/dbms"
)

// Launcher starts private servers from one binary. A data directory is initialised once for each shape of the store,
// and copied for each server; that of an installed server is kept among the user's caches.
type Launcher struct {
	kind    *Server
	binary  string
	built   bool // the binary is the one that txweave builds
	named   bool // somebody has named it
	root    *WorkDir
	version string
	user    *account            // that servers run as; nil: the one that txweave runs as
	started atomic.Int64        // servers so far; workers start theirs at the same time
	making  sync.Mutex          // held while a data directory is made, or looked for
	made    map[string]template // by name

	// CommitLog makes the servers started from now on keep a log from which a Driver's Log tells the order of
	// versions. It costs time and space.
	CommitLog bool
	// Durable makes them keep every acknowledged commit though their process is killed, as long as the machine stays up.
	Durable bool
}

// binaryDirs are searched after PATH: Debian keeps servers out of an ordinary user's PATH.
var binaryDirs = []string{"/usr/sbin", "/usr/libexec", "/usr/local/sbin", "/opt/homebrew/bin"}

// NewLauncher finds the server (path may name it), or builds it and says so to progress, and initialises a data
// directory.
func NewLauncher(ctx context.Context, kind *Server, path string, progress io.Writer) (*Launcher, error) {
	if kind.Private == nil {
		return nil, fmt.Errorf("%w: txweave starts no server of %s: name one with --dsn", ErrUnavailable, kind.Name)
	}
	l := &Launcher{kind: kind, binary: path, named: path != "", made: map[string]template{}}
	var err error
	switch {
	case path != "":
		if l.binary, err = resolveBinary(path); err != nil {
			return nil, err
		}
	case kind.Binary.Build != nil:
		l.built = true
		if l.binary, err = kind.Binary.Build(ctx, progress); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	default:
		dirs := slices.Concat(kind.Binary.Dirs, binaryDirs, kind.Binary.Beside)
		if l.binary = findBinary(&kind.Binary); l.binary == "" {
			return nil,
				fmt.Errorf("%w: no %s server found (looked for %s in PATH and %s); install it (%s) or give --server PATH",
					ErrUnavailable, kind.Name, strings.Join(kind.Binary.Names, ", "), strings.Join(dirs, ", "), kind.Binary.Packages)
		}
	}
	out, err := Output(ctx, versionTime, l.binary, kind.Binary.Version...)
	if err != nil {
		return nil, fmt.Errorf("%w: %s %s: %w", ErrUnavailable, l.binary, strings.Join(kind.Binary.Version, " "), err)
	}
	l.version = strings.TrimSpace(string(out))
	if !kind.Binary.Is(l.version) {
		return nil, fmt.Errorf("%w: %s is not a %s server: %s", ErrUnavailable, l.binary, kind.Name, l.version)
	}
	if l.root, err = NewWorkDir(); err != nil {
		return nil, err
	}
	if accounts := kind.Private.Accounts; len(accounts) > 0 {
		if l.user, err = unprivileged(l.root.Path, accounts); err != nil {
			return nil, errors.Join(err, l.root.Remove())
		}
	}
	if _, err := l.template(ctx, nil); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Close removes everything the launcher made. Its servers must have been closed.
func (l *Launcher) Close() error { return l.root.Remove() }

// How long the programs may take that come before a server.
const (
	versionTime    = 30 * time.Second
	initialiseTime = 5 * time.Minute
)

// Output runs a program that ends by itself and returns what it prints, standard error included.
func Output(ctx context.Context, limit time.Duration, binary string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.WaitDelay = time.Second // a child of its may hold the pipe
	out, err := cmd.CombinedOutput()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("%w within %s", ErrTimeout, limit)
	}
	return out, err
}

// Installed returns the binary of a server on this machine; "" if there is none.
func (s *Server) Installed() string { return findBinary(&s.Binary) }

// resolveBinary makes a path absolute: servers are started in directories of their own. A name alone is looked up in
// PATH.
func resolveBinary(path string) (string, error) {
	if !strings.ContainsRune(path, filepath.Separator) {
		return path, nil
	}
	return filepath.Abs(path)
}

// findBinary looks for a server: in directories that match a pattern of its own, the last one first, in PATH, and where
// servers are.
func findBinary(b *Binary) string {
	for _, pattern := range b.Dirs {
		dirs, _ := filepath.Glob(pattern)
		slices.SortFunc(dirs, compareNumbers)
		for _, dir := range slices.Backward(dirs) {
			for _, n := range b.Names {
				if p := filepath.Join(dir, n); isExecutable(p) {
					return p
				}
			}
		}
	}
	for _, n := range b.Names {
		if p, err := exec.LookPath(n); err == nil {
			return p
		}
		for _, dir := range slices.Concat(binaryDirs, b.Beside) {
			if p := filepath.Join(dir, n); isExecutable(p) {
				return p
			}
		}
	}
	return ""
}

// compareNumbers orders paths that differ in a number by it: 9 comes before 15.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func isExecutable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// AsUser is the option without which the servers refuse to run as root.
func AsUser() []string {
	if u, err := user.Current(); err == nil && u.Uid == "0" {
		return []string{"--user=root"}
	}
	return nil
}

// makeData makes a data directory that servers start from, as the user that will run them. shaped are arguments of the
// shape of the store.
func (l *Launcher) makeData(ctx context.Context, dir string, shaped []string) error {
	maker := l.kind.Private.Data
	// A temporary directory of its own: what looks like its temporary files in the system's may be another server's.
	temporary := filepath.Join(l.root.Path, "tmp")
	for _, made := range []string{temporary, dir} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			return err
		}
		if err := l.user.give(made); err != nil {
			return err
		}
	}
	var stdin io.Reader
	if maker.Script != nil {
		script, err := maker.Script(ctx, l.binary)
		if err != nil {
			return err
		}
		stdin = bytes.NewReader(script)
	}
	ctx, cancel := context.WithTimeout(ctx, initialiseTime)
	defer cancel()
	program, args := maker.Command(l.binary, dir, temporary)
	cmd := exec.CommandContext(ctx, program, slices.Concat(args, shaped)...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay, cmd.SysProcAttr = dir, stdin, time.Second, groupAttributes()
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
	l.user.as(cmd.SysProcAttr)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: cannot make a data directory with %s: %w: %s", ErrUnavailable, program, err, lastLines(out, 3))
	}
	return nil
}

// Start starts a server and returns it as a target.
func (l *Launcher) Start(ctx context.Context) (Target, error) {
	srv, err := l.start(ctx, nil)
	if err != nil {
		return nil, err
	}
	t, err := l.kind.Private.Open(ctx, srv)
	if err != nil {
		return nil, errors.Join(err, srv.Close())
	}
	return t, nil
}

// Instance is one running private server.
type Instance struct {
	launcher *Launcher
	dir      string
	process  *process
	shape    *dbms.StoreShape // of its store; nil: the usual one
}

func (l *Launcher) start(ctx context.Context, shape *dbms.StoreShape) (*Instance, error) {
	template, err := l.template(ctx, shape)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(l.root.Path, fmt.Sprintf("s%d", l.started.Add(1)))
	if err = os.Mkdir(dir, 0o700); err == nil {
		err = os.Mkdir(filepath.Join(dir, FilesName), 0o700)
	}
	if err == nil && template != "" {
		data := filepath.Join(dir, "data")
		if err = os.CopyFS(data, os.DirFS(template)); err == nil {
			err = os.Chmod(data, 0o700) // some insist on it
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: cannot make a data directory: %w", ErrUnavailable, err)
	}
	if err := l.user.give(dir); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s := &Instance{launcher: l, dir: dir, shape: shape}
	if err := s.run(); err != nil {
		return nil, err
	}
	if err := s.waitReady(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// run starts the process.
func (s *Instance) run() error {
	l := s.launcher
	arguments := l.kind.Private.Arguments(s.dir, l.built)
	arguments = slices.Concat(arguments, s.durable(), serverArguments(s.shape))
	if l.CommitLog {
		arguments = append(arguments, l.kind.Private.CommitLog...)
	}
	p, err := startProcess(l.binary, arguments, s.dir, s.log(), l.user, l.kind.Private.End)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.process = p
	if err := os.WriteFile(filepath.Join(s.dir, PIDName), fmt.Append(nil, p.pid()), 0o600); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// durable are the arguments with which the server keeps what it acknowledged; none where that is not asked for, or it
// cannot.
func (s *Instance) durable() []string {
	if l := s.launcher; l.Durable && l.kind.Private.Durable != nil {
		return l.kind.Private.Durable(s.dir, l.built)
	}
	return nil
}

// Durable says whether the server keeps what it acknowledged though its process is killed.
func (s *Instance) Durable() bool { return len(s.durable()) > 0 }

func (s *Instance) log() string { return filepath.Join(s.dir, LogName) }

// readyTime is how long a server may take to come up.
const readyTime = 60 * time.Second

// waitReady waits until the server accepts connections.
func (s *Instance) waitReady(ctx context.Context) error {
	deadline := time.Now().Add(readyTime)
	for {
		attempt, cancel := context.WithTimeout(ctx, dialTime)
		err := s.launcher.kind.Private.Ready(attempt, s)
		cancel()
		if err == nil {
			return nil
		}
		if crash := s.crashed(0); crash != nil {
			return fmt.Errorf("%w: %s ended while starting: %s", ErrUnavailable, s.launcher.binary,
				lastLines([]byte(crash.Log), 5))
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%w: %s does not answer: %w", ErrUnavailable, s.launcher.binary, errors.Join(err, ctx.Err()))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// crashed waits up to d for the process to end by itself and says how it did; nil while it runs.
func (s *Instance) crashed(d time.Duration) *CrashError {
	reason, gone := s.process.ended(d)
	if !gone {
		return nil
	}
	log := s.Tail()
	return &CrashError{Reason: reason, Log: log, Killed: s.process.killed() || fromOutside(log)}
}

// Tail returns the end of the server's log.
func (s *Instance) Tail() string {
	log, err := os.ReadFile(s.log())
	if err != nil {
		log = []byte(err.Error())
	}
	return string(telling(log, 200))
}

// telling returns the last n lines of a log. Of a program in Go, which prints thousands of lines of stacks behind what
// ended it, half of them are those that say so.
func telling(log []byte, n int) []byte {
	log = bytes.TrimRight(log, "\n")
	tail := lastLines(log, n)
	at := max(bytes.LastIndex(log, []byte("\nfatal error: ")), bytes.LastIndex(log, []byte("\npanic: "))) + 1
	if at == 0 || at >= len(log)-len(tail) {
		return tail
	}
	first := bytes.SplitAfterN(log[at:], []byte("\n"), n/2+1)
	return slices.Concat(bytes.Join(first[:n/2], nil), []byte("…\n"), lastLines(log, n/2))
}

// fromOutside says, of the end of a server's log, that the server gave up because it got no memory, or because somebody
// ended it or one of its processes. What the log tells of its earlier lives does not count.
func fromOutside(log string) bool {
	for _, up := range []string{"ready to accept connections", "ready for connections"} {
		log = log[max(strings.LastIndex(log, up), 0):]
	}
	for _, sign := range []string{"out of memory", "Out of memory", "std::bad_alloc", "Cannot allocate memory",
		"was terminated by signal 9:", "was terminated by signal 15:"} {
		if strings.Contains(log, sign) {
			return true
		}
	}
	return false
}

// Dir is the server's directory.
func (s *Instance) Dir() string { return s.dir }

// Server is what is known of its DBMS.
func (s *Instance) Server() *Server { return s.launcher.kind }

// Memory is what its first process holds of the machine's, in bytes; 0 where that is not known.
func (s *Instance) Memory() uint64 { return s.process.memory() }

// Worn says that so many cases have gone by that it is to be replaced.
func (s *Instance) Worn(cases int) bool {
	wear := s.launcher.kind.Private.Wear
	return wear > 0 && cases >= wear
}

// Shape is that of its store; nil: the usual one.
func (s *Instance) Shape() *dbms.StoreShape { return s.shape }

// PrepareShape makes the data directory of a shape, where it is not there yet.
func (s *Instance) PrepareShape(ctx context.Context, shape *dbms.StoreShape) error {
	_, err := s.launcher.template(ctx, shape)
	return err
}

// Again starts a fresh server in place of one that has crashed, with a store of a shape.
func (s *Instance) Again(ctx context.Context, shape *dbms.StoreShape) (*Instance, error) {
	if err := s.Close(); err != nil {
		return nil, err
	}
	return s.launcher.start(ctx, shape)
}

// Close kills the server, whose data nobody needs, and removes its directory.
func (s *Instance) Close() error {
	s.process.kill()
	return os.RemoveAll(s.dir)
}

// lastLines returns the last n lines of a text, without the final newline.
func lastLines(text []byte, n int) []byte {
	text = bytes.TrimRight(text, "\n")
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '\n' {
			if n--; n == 0 {
				return text[i+1:]
			}
		}
	}
	return text
}
