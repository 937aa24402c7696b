package exec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// dieWith chooses the signal with which a process is ended when its parent does.
func dieWith(attributes *syscall.SysProcAttr, signal syscall.Signal) { attributes.Pdeathsig = signal }

// endsFirst is by how much the kernel prefers a server to txweave where memory runs out, in thousandths of what there
// is.
const endsFirst = 500

// EndFirst makes the kernel end a child, and what descends from it, before txweave where memory runs out, however small
// each of them is: a server may be many small processes. That it cannot be made to changes nothing else.
func EndFirst(pid int) {
	adjust := func(pid string) string { return filepath.Join("/proc", pid, "oom_score_adj") }
	text, err := os.ReadFile(adjust("self"))
	if err != nil {
		return
	}
	own, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return
	}
	const most = 1000
	// it is there, or has ended
	_ = os.WriteFile(adjust(strconv.Itoa(pid)), []byte(strconv.Itoa(min(own+endsFirst, most))), 0)
}

// crowd puts all threads of the process on one of the processors that ours may use, or on all of them.
func (p *process) crowd(one bool) error {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	set := all
	if one {
		set.Zero()
		for cpu := 0; set.Count() == 0; cpu++ {
			if all.IsSet(cpu) {
				set.Set(cpu)
			}
		}
	}
	tasks, err := os.ReadDir(filepath.Join("/proc", fmt.Sprint(p.pid()), "task"))
	if err != nil {
		return nil // it has ended
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(tid, &set); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// inMemory says whether a file system is kept in memory.
func inMemory(st *unix.Statfs_t) bool { return st.Type == unix.TMPFS_MAGIC }
