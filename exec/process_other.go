//go:build !linux && unix

package exec

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// childAttributes: without a parent-death signal, a killed txweave leaves its servers to the next start's sweep.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func dieWith(*syscall.SysProcAttr, syscall.Signal) {}

// EndFirst does nothing where the kernel is not told which process to end first.
func EndFirst(int) {}

// crowd does nothing where threads are not put on processors.
func (p *process) crowd(bool) error { return nil }

// halt does nothing where single threads are not stopped.
func (p *process) halt(func(int) int, time.Duration) error { return nil }

// delays are not known where there is no /proc.
func (p *process) delays() map[int]time.Duration { return nil }

// children are not known where there is no /proc: a server of several processes is not killed there.
func (p *process) children() []int { return nil }

func lives(int) bool { return false }

func stopped(int) bool { return true }

// Nap sleeps, as finely as the runtime does.
func Nap(d time.Duration) { time.Sleep(d) }

// inMemory: which file systems are kept in memory is not known here.
func inMemory(*unix.Statfs_t) bool { return false }
