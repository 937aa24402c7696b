package exec

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"txweave/dbms"
)

// hasData says whether servers begin with a copy of a data directory.
func (l *Launcher) hasData() bool { return l.kind.Private.Data != nil }

// A template is a data directory that servers start from, or why it could not be made.
type template struct {
	dir string
	err error
}

// template is the data directory that servers of a shape start from, made when one is first asked for; "" where servers
// begin without.
func (l *Launcher) template(ctx context.Context, shape *dbms.StoreShape) (string, error) {
	if !l.hasData() {
		return "", nil
	}
	name := "template"
	if shape != nil && shape.Lasting() {
		name += "-" + shape.Name
	}
	l.making.Lock()
	defer l.making.Unlock()
	made, tried := l.made[name]
	if !tried {
		made = l.find(ctx, name, serverArguments(shape))
		if made.err == nil || ctx.Err() == nil { // who was told to stop has not tried
			l.made[name] = made
		}
	}
	return made.dir, made.err
}

// find returns the template that an earlier launcher of this user's kept, or makes it and keeps it.
func (l *Launcher) find(ctx context.Context, name string, shaped []string) template {
	kept := l.keptTemplate(shaped)
	if _, err := os.Stat(kept); kept != "" && err == nil {
		return template{dir: kept}
	}
	dir := filepath.Join(l.root.Path, name)
	if err := l.makeData(ctx, dir, shaped); err != nil {
		return template{err: errors.Join(err, os.RemoveAll(dir))}
	}
	keep(dir, kept)
	return template{dir: dir}
}

// keptTemplate is where the template of the server that is installed is kept among the user's caches, by all that it
// was made from; "" for binaries that somebody names, which may be another one tomorrow, and where there are no caches.
func (l *Launcher) keptTemplate(shaped []string) string {
	caches, err := os.UserCacheDir()
	if err != nil || l.named {
		return ""
	}
	st, err := os.Stat(l.binary)
	if err != nil {
		return ""
	}
	_, args := l.kind.Private.Data.Command(l.binary, "", "")
	made := fmt.Sprintf("%s\n%d %d\n%s\n%q %q", l.binary, st.Size(), st.ModTime().UnixNano(), l.version,
		args, shaped)
	return filepath.Join(caches, "txweave", "templates", fmt.Sprintf("%s-%x", strings.ToLower(l.kind.Name),
		sha256.Sum256([]byte(made)))[:40])
}

// keep copies a template to where later launchers find it, at once or not at all: without it they make their own.
func keep(dir, kept string) {
	if kept == "" || os.MkdirAll(filepath.Dir(kept), 0o700) != nil {
		return
	}
	half, err := os.MkdirTemp(filepath.Dir(kept), "half-")
	if err != nil {
		return
	}
	if err := os.CopyFS(half, os.DirFS(dir)); err == nil {
		_ = os.Rename(half, kept) // where another one was first this fails, and theirs is as good
	}
	_ = os.RemoveAll(half)
}
