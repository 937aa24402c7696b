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

// Memory is how much this process and those that descend from it, its servers, have resident, in bytes; 0 where that cannot be told.
// Memory that they share counts once for each.
func Memory() int64 {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	parent, resident := map[int]int{}, map[int]int64{}
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
		f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		const ppid, rss = 1, 21
		if len(f) <= rss {
			continue
		}
		parent[pid], _ = strconv.Atoi(f[ppid])
		pages, _ := strconv.ParseInt(f[rss], 10, 64)
		resident[pid] = pages * page
	}
	self, sum := os.Getpid(), int64(0)
	for pid, bytes := range resident {
		for at, steps := pid, 0; at > 1 && steps < 64; at, steps = parent[at], steps+1 {
			if at == self {
				sum += bytes
				break
			}
		}
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
