package resources

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Group is a control group of this process and its servers, whose memory the kernel bounds: beyond it the kernel ends
// one of the servers (exec.EndFirst), and not one that is none of ours.
type Group struct {
	files     groupFiles
	home, own string // the group that the process was in, and the one made below it
	enabled   bool   // the memory of groups below home is counted since we asked for it
}

// groupFiles is what of the file system control groups need; tests have their own.
type groupFiles interface {
	Read(path string) (string, error)
	Write(path, text string) error // to a file that is there
	Mkdir(path string) error
	Remove(path string) error // an empty directory
	List(dir string) ([]string, error)
}

// groupPrefix begins the names of groups that txweave makes; a number of a process follows.
const groupPrefix = "txweave-"

// Where control groups are: those of version 2, and of version 1 those that count memory.
const (
	groupRoot   = "/sys/fs/cgroup"
	groupRootV1 = "/sys/fs/cgroup/memory"
)

// Confine puts this process, and with it the servers that it starts from now on, into a control group with so much
// memory, in bytes. Its error says why that cannot be: the group belongs to somebody else, other processes are in it,
// the system has none.
func Confine(limit int64) (*Group, error) { return confine(system{}, limit) }

func confine(files groupFiles, limit int64) (*Group, error) {
	g := &Group{files: files}
	v2, err := g.find()
	if err != nil {
		return nil, err
	}
	g.sweep()
	g.own = filepath.Join(g.home, groupPrefix+strconv.Itoa(os.Getpid()))
	if err := files.Mkdir(g.own); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if v2 {
		err = g.boundV2(limit)
	} else if err = files.Write(filepath.Join(g.own, "memory.limit_in_bytes"), strconv.FormatInt(limit, 10)); err == nil {
		err = g.move(g.own)
	}
	if err != nil {
		return nil, errors.Join(err, g.Leave())
	}
	return g, nil
}

// find finds the group that the process is in, and says which version it is of.
func (g *Group) find() (v2 bool, err error) {
	text, err := g.files.Read("/proc/self/cgroup")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if slices.Contains(strings.Split(parts[1], ","), "memory") {
			g.home = filepath.Join(groupRootV1, parts[2])
			return false, nil
		}
		if parts[0] == "0" {
			home := filepath.Join(groupRoot, parts[2])
			if have, err := g.files.Read(filepath.Join(home, "cgroup.controllers")); err == nil &&
				slices.Contains(strings.Fields(have), "memory") {
				g.home, v2 = home, true
			}
		}
	}
	if g.home == "" {
		return false, errors.New("there is no control group that counts memory here")
	}
	return v2, nil
}

// boundV2 bounds the memory of a group of version 2, in which no process may be in a group whose groups below are
// counted.
func (g *Group) boundV2(limit int64) error {
	if err := g.move(g.own); err != nil {
		return err
	}
	control := filepath.Join(g.home, "cgroup.subtree_control")
	have, err := g.files.Read(control)
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Fields(have), "memory") {
		if err := g.files.Write(control, "+memory"); err != nil {
			return fmt.Errorf("other processes are in %s: %w", g.home, err)
		}
		g.enabled = true
	}
	return g.files.Write(filepath.Join(g.own, "memory.max"), strconv.FormatInt(limit, 10))
}

func (g *Group) move(to string) error {
	return g.files.Write(filepath.Join(to, "cgroup.procs"), strconv.Itoa(os.Getpid()))
}

// sweep removes groups of processes that were killed: the kernel refuses it where one is left in them.
func (g *Group) sweep() {
	names, err := g.files.List(g.home)
	if err != nil {
		return
	}
	for _, name := range names {
		if rest, ours := strings.CutPrefix(name, groupPrefix); ours && strings.Trim(rest, "0123456789") == "" {
			_ = g.files.Remove(filepath.Join(g.home, name))
		}
	}
}

// Leave goes back to the group that the process was in, and removes the other one. Where a server is left in that the
// next campaign does.
func (g *Group) Leave() error {
	if g == nil || g.own == "" {
		return nil
	}
	if g.enabled {
		if err := g.files.Write(filepath.Join(g.home, "cgroup.subtree_control"), "-memory"); err != nil {
			return err
		}
		g.enabled = false
	}
	if err := g.move(g.home); err != nil {
		return err
	}
	_ = g.files.Remove(g.own)
	g.own = ""
	return nil
}

// Confinable says whether memory could be bounded, as far as that can be told without doing it.
func Confinable() error {
	return confinable(system{})
}

func confinable(files groupFiles) error {
	g := &Group{files: files}
	v2, err := g.find()
	if err != nil {
		return err
	}
	if v2 {
		if err := g.alone(); err != nil {
			return err
		}
	}
	at := filepath.Join(g.home, groupPrefix+strconv.Itoa(os.Getpid()))
	if err := g.files.Mkdir(at); err != nil {
		return err
	}
	return g.files.Remove(at)
}

// alone says who keeps the memory of groups below home from being counted: another process that is in it. Only the
// first of all groups may have both.
func (g *Group) alone() error {
	have, err := g.files.Read(filepath.Join(g.home, "cgroup.subtree_control"))
	if err != nil || slices.Contains(strings.Fields(have), "memory") {
		return err
	}
	if _, err := g.files.Read(filepath.Join(g.home, "cgroup.type")); errors.Is(err, fs.ErrNotExist) {
		return nil // the first of all groups has no type
	}
	list, err := g.files.Read(filepath.Join(g.home, "cgroup.procs"))
	if err != nil {
		return err
	}
	for _, pid := range strings.Fields(list) {
		if pid != strconv.Itoa(os.Getpid()) {
			return fmt.Errorf("process %s is in %s, too", pid, g.home)
		}
	}
	return nil
}

// system is the kernel's.
type system struct{}

func (system) Read(path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(text), err
}

func (system) Write(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (system) Mkdir(path string) error { return os.Mkdir(path, 0o755) }

func (system) Remove(path string) error { return os.Remove(path) }

func (system) List(dir string) (out []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out, err
}
