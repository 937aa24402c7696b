package resources

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kernel is one of control groups that keeps to the rules of version 2: no process beside groups that are counted.
type kernel struct {
	files  map[string]string
	dirs   []string
	others bool // another process is in the group
	log    []string
}

func (k *kernel) Read(path string) (string, error) {
	text, ok := k.files[path]
	if !ok {
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return text, nil
}

func (k *kernel) Write(path, text string) error {
	k.log = append(k.log, strings.TrimPrefix(path, "/sys/fs/cgroup")+" "+strings.ReplaceAll(text,
		fmt.Sprint(os.Getpid()), "PID"))
	home := "/sys/fs/cgroup/svc"
	switch filepath.Base(path) {
	case "cgroup.subtree_control":
		if text == "+memory" && (k.others || k.files["in"] == home) {
			return fmt.Errorf("device or resource busy")
		}
		k.files[path] = strings.Trim(text, "+")
	case "cgroup.procs":
		if filepath.Dir(path) == home && k.files[home+"/cgroup.subtree_control"] == "memory" {
			return fmt.Errorf("device or resource busy")
		}
		k.files["in"] = filepath.Dir(path)
	case "memory.max":
		if k.files[home+"/cgroup.subtree_control"] != "memory" {
			return fs.ErrNotExist
		}
	}
	return nil
}

func (k *kernel) Mkdir(path string) error {
	k.dirs = append(k.dirs, path)
	return nil
}

func (k *kernel) Remove(path string) error {
	if k.files["in"] == path {
		return fmt.Errorf("device or resource busy")
	}
	k.dirs = slices.DeleteFunc(k.dirs, func(d string) bool { return d == path })
	return nil
}

func (k *kernel) List(string) (out []string, err error) {
	for _, d := range k.dirs {
		out = append(out, filepath.Base(d))
	}
	return out, nil
}

// TestConfine: the process goes into a group of its own that is bounded, and back again; what killed ones left is
// removed; where it cannot be bounded nothing has changed.
func TestConfine(t *testing.T) {
	const home = "/sys/fs/cgroup/svc"
	v2 := map[string]string{"/proc/self/cgroup": "0::/svc\n", home + "/cgroup.controllers": "cpu memory pids\n",
		home + "/cgroup.subtree_control": "", home + "/cgroup.type": "domain\n",
		home + "/cgroup.procs": fmt.Sprintf("%d\n", os.Getpid()), "in": home}
	for name, one := range map[string]struct {
		change func(k *kernel)
		want   string // what is written, or the error
		fails  bool
	}{
		"version 2": {func(*kernel) {},
			"/svc/txweave-PID/cgroup.procs PID; /svc/cgroup.subtree_control +memory; /svc/txweave-PID/memory.max 1000; " +
				"/svc/cgroup.subtree_control -memory; /svc/cgroup.procs PID", false},
		"counted already": {func(k *kernel) { k.files[home+"/cgroup.subtree_control"] = "memory"; k.files["in"] = "" },
			"/svc/txweave-PID/cgroup.procs PID; /svc/txweave-PID/memory.max 1000; /svc/cgroup.procs PID", false},
		"version 1": {func(k *kernel) { k.files["/proc/self/cgroup"] = "5:cpu:/\n4:memory:/a/b\n0::/svc\n" },
			"/memory/a/b/txweave-PID/memory.limit_in_bytes 1000; /memory/a/b/txweave-PID/cgroup.procs PID; " +
				"/memory/a/b/cgroup.procs PID", false},
		"not alone": {func(k *kernel) { k.others = true; k.files[home+"/cgroup.procs"] += "4711\n" },
			"other processes are in /sys/fs/cgroup/svc", true},
		"no memory": {func(k *kernel) { k.files[home+"/cgroup.controllers"] = "cpu" },
			"no control group that counts memory", true},
		"no cgroups": {func(k *kernel) { delete(k.files, "/proc/self/cgroup") }, "does not exist", true},
	} {
		t.Run(name, func(t *testing.T) {
			k := &kernel{files: map[string]string{}, dirs: []string{home + "/other"}}
			for path, text := range v2 {
				k.files[path] = text
			}
			one.change(k)
			if can := confinable(k); (can != nil) != one.fails {
				t.Errorf("that it can be done is foretold wrongly: %v", can)
			}
			k.dirs = append(k.dirs, home+"/txweave-99999999")
			g, err := confine(k, 1000)
			if one.fails {
				if err == nil || !strings.Contains(err.Error(), one.want) {
					t.Errorf("%v", err)
				}
			} else if err != nil {
				t.Fatal(err)
			} else if lerr := g.Leave(); name != "counted already" && lerr != nil { // there nobody can be in the group above
				t.Error(lerr)
			} else if got := strings.ReplaceAll(strings.Join(k.log, "; "), fmt.Sprintf("txweave-%d", os.Getpid()),
				"txweave-PID"); got != one.want {
				t.Errorf("%s\nwant %s", got, one.want)
			}
			own := fmt.Sprintf("txweave-%d", os.Getpid())
			left := slices.ContainsFunc(k.dirs, func(d string) bool { return strings.HasSuffix(d, own) })
			if name != "counted already" && (left || strings.HasSuffix(k.files["in"], own)) {
				t.Errorf("left behind: in %s, %v", k.files["in"], k.dirs)
			}
			if name != "no memory" && name != "no cgroups" && name != "version 1" && slices.Contains(k.dirs,
				home+"/txweave-99999999") {
				t.Errorf("what a killed one left is there: %v", k.dirs)
			}
			if !slices.Contains(k.dirs, home+"/other") {
				t.Errorf("somebody else's group is gone: %v", k.dirs)
			}
		})
	}
}
