// Package tidb builds the TiDB server that private targets run: a module of its own in the folder server, whose
// sources are kept here as text, so that a txweave without its source tree can build it.
package tidb

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sys/unix"
)

// Release is the version of TiDB that is built.
const Release = "8.5.4"

//go:generate go run archive.go

// archive holds the files of the nested module.
//
//go:embed server.txtar
var archive []byte

// binaryName is the server's name in its folder of the cache.
const binaryName = "tidb-server"

// key names what is built: the sources, and for what machine.
func key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s/%s\n", runtime.GOOS, runtime.GOARCH)
	h.Write(archive)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// CacheDir is the folder of the user's cache that holds the server once it is built.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to build TiDB in: %w", err)
	}
	return filepath.Join(base, "txweave", "tidb-"+key()), nil
}

// Build returns the path of the server. Where the user's cache does not hold it yet it is built, which is announced to
// progress and reported there every few seconds. Of several processes that want it one builds and the others wait.
func Build(ctx context.Context, progress io.Writer) (string, error) {
	dir, err := CacheDir()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, binaryName)
	if isFile(binary) {
		return binary, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("no folder to build TiDB in: %w", err)
	}
	unlock, err := lock(ctx, dir, progress)
	if err != nil {
		return "", err
	}
	defer unlock()
	if isFile(binary) {
		return binary, nil // somebody else built it meanwhile
	}
	if err := sweep(dir); err != nil {
		return "", err
	}
	return binary, build(ctx, dir, binary, progress)
}

// sweep removes what builds that were killed left behind. Its caller holds the lock.
func sweep(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, "src-*"))
	for _, src := range left {
		err = errors.Join(err, os.RemoveAll(src))
	}
	return err
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// lock makes other processes wait until unlock is called, or until this process ends.
func lock(ctx context.Context, dir string, progress io.Writer) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for told := false; ; told = true {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			f.Close()
			return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
		}
		if !told {
			fmt.Fprintln(progress, "txweave: another process is building TiDB; waiting for it")
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// build unpacks the sources and compiles them. The binary appears under its name once it is whole.
func build(ctx context.Context, dir, binary string, progress io.Writer) error {
	tool, err := exec.LookPath("go")
	if err != nil {
		return errors.New(
			"TiDB is built from source once, which needs Go 1.26 or newer in PATH (https://go.dev/doc/install); or give " +
				"--server PATH, a tidb-server of yours")
	}
	fmt.Fprintf(progress,
		"txweave: building TiDB %s, once, into %s: about 310 MB of Go modules to download, 3 GB of disk for Go's caches, 8 "+
			"minutes of processor time\n", Release, dir)
	src, err := os.MkdirTemp(dir, "src-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(src)
	for _, f := range txtar.Parse(archive).Files {
		if err := os.WriteFile(filepath.Join(src, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	out := filepath.Join(src, binaryName)
	cmd := exec.CommandContext(ctx, tool, "build", "-v", "-mod=readonly", "-ldflags=-s -w", "-o", out, ".")
	cmd.Dir = src
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	cmd.WaitDelay = 5 * time.Second
	start := time.Now()
	if err := watch(cmd, progress); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	if err := os.Rename(out, binary); err != nil {
		return err
	}
	fmt.Fprintf(progress, "txweave: TiDB is built, after %.0f s\n", time.Since(start).Seconds())
	return nil
}

// watch runs the compiler and reports how far it is.
func watch(cmd *exec.Cmd, progress io.Writer) error {
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot run the go command: %w", err)
	}
	start, last := time.Now(), time.Now()
	modules, packages := 0, 0
	var said bytes.Buffer // what is neither a module nor a package
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			modules++
		case strings.ContainsAny(line, " \t"):
			said.WriteString(line + "\n")
		default:
			packages++
		}
		if time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Fprintf(progress, "txweave: building TiDB: %d modules downloaded, %d packages compiled, %.0f s\n", modules,
				packages, time.Since(start).Seconds())
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf(
			"building TiDB failed: %w: %s (it needs the network, or a proxy that GOPROXY names, the first time; --server PATH "+
				"uses a tidb-server of yours instead)",
			err, firstLines(said.String(), 3))
	}
	return nil
}

// firstLines joins the first lines of a text into one.
func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(n, len(lines))], "; ")
}
