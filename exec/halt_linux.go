package exec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Nap sleeps in the kernel, with its resolution.
func Nap(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // interrupted by a signal: the caller looks at the clock anyway
}

// halt stops one thread of the process, or of the processes that it has started, and lets it go on after a while, as a
// scheduler does that has taken its processor away. pick chooses among so many. Nothing is done where there is none;
// the error is unix.EPERM where the system does not let one process stop threads of another.
func (p *process) halt(pick func(n int) int, lasts time.Duration) error {
	threads := p.threads()
	if len(threads) == 0 {
		return nil
	}
	tid := threads[pick(len(threads))]
	runtime.LockOSThread() // whoever stops a thread has to let it go
	defer runtime.UnlockOSThread()
	if err := unix.PtraceSeize(tid); err != nil {
		return notGone(err)
	}
	if err := unix.PtraceInterrupt(tid); err != nil {
		return notGone(errors.Join(err, unix.PtraceDetach(tid)))
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(tid, &status, unix.WALL, nil); err != nil || !status.Stopped() {
		return notGone(err)
	}
	time.Sleep(lasts)
	return notGone(unix.PtraceDetach(tid))
}

// notGone is an error but that the thread has ended.
func notGone(err error) error {
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.ECHILD) {
		return nil
	}
	return err
}

// threads are those of the process, without its first one, whose end whoever has started it waits for, and those of its
// children.
func (p *process) threads() []int {
	out := slices.DeleteFunc(numbers(filepath.Join("/proc", fmt.Sprint(p.pid()), "task")), func(tid int) bool {
		return tid == p.pid()
	})
	for _, pid := range p.children() {
		out = append(out, numbers(filepath.Join("/proc", fmt.Sprint(pid), "task"))...)
	}
	return out
}

// delays is for how long each thread of the process, and of those that it has started, has been ready to run and had no
// processor.
func (p *process) delays() map[int]time.Duration {
	out := map[int]time.Duration{}
	for _, tid := range append(p.threads(), p.pid()) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", tid))
		if err != nil {
			continue // it has ended, or the system does not count
		}
		var ran, waited int64
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			out[tid] = time.Duration(waited)
		}
	}
	return out
}

// children are the processes that the process has started and that have not ended.
func (p *process) children() []int {
	var out []int
	tasks := filepath.Join("/proc", fmt.Sprint(p.pid()), "task")
	for _, tid := range numbers(tasks) {
		text, err := os.ReadFile(filepath.Join(tasks, fmt.Sprint(tid), "children"))
		if err != nil {
			continue // it has ended
		}
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// lives says whether a process has not ended, whoever waits for it.
func lives(pid int) bool {
	s := state(pid)
	return s != "" && s != "Z"
}

// stopped says whether a process that was told to stop has stopped: until then it may still start others. One that has
// ended has.
func stopped(pid int) bool { return !lives(pid) || strings.EqualFold(state(pid), "T") }

// state is the letter by which the system says what a process does; "" where there is none of that number.
func state(pid int) string {
	text, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "stat"))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return rest[:min(1, len(rest))]
}

// numbers are the entries of a directory that are numbers.
func numbers(dir string) []int {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it has ended
	}
	var out []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, n)
		}
	}
	return out
}
