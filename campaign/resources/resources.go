// Package resources says what a campaign takes of its machine.
package resources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process is this one, or one that descends from it: a server.
type Process struct {
	PID     int    `json:"pid"`
	Name    string `json:"name"`
	Started int64  `json:"started"` // in ticks since the machine began: numbers of processes are used again
	RSS     int64  `json:"rss"`     // resident, in bytes
}

// Processes are this process and those that descend from it, its servers; none where that cannot be told.
func Processes() (out []Process) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	parent, all := map[int]int{}, []Process{}
	page := int64(os.Getpagesize())
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold anything; after it come the state, the parent …
		_, name, _ := strings.Cut(string(text[:strings.LastIndexByte(string(text), ')')+1]), "(")
		f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		const ppid, started, rss = 1, 19, 21
		if len(f) <= rss {
			continue
		}
		p := Process{PID: pid, Name: strings.TrimSuffix(name, ")")}
		parent[pid], _ = strconv.Atoi(f[ppid])
		p.Started, _ = strconv.ParseInt(f[started], 10, 64)
		pages, _ := strconv.ParseInt(f[rss], 10, 64)
		p.RSS = pages * page
		all = append(all, p)
	}
	self := os.Getpid()
	for _, p := range all {
		for at, steps := p.PID, 0; at > 1 && steps < 64; at, steps = parent[at], steps+1 {
			if at == self {
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// Memory is how much processes have resident, in bytes. Memory that they share counts once for each.
func Memory(list []Process) (sum int64) {
	for _, p := range list {
		sum += p.RSS
	}
	return sum
}

// Disk is how much the files below a directory take, in bytes.
func Disk(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var st fs.FileInfo
			if st, err = e.Info(); err == nil {
				sum += st.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it is removed meanwhile
		}
		return err
	})
	return sum, err
}

// Detail is what the system says of a process's memory, by kind; "" where it says nothing.
func Detail(pid int) string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "smaps_rollup"))
	if err != nil {
		return ""
	}
	return string(text)
}
