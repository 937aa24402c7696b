package exec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// dieWith chooses the signal with which a process is ended when its parent does.
func dieWith(attributes *syscall.SysProcAttr, signal syscall.Signal) { attributes.Pdeathsig = signal }

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
