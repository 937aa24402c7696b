package exec

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a child process that dies with its parent.
type process struct {
	cmd  *exec.Cmd
	end  syscall.Signal // that ends it at once, and lets it clear away what the system does not; 0: SIGKILL
	done chan struct{}  // closed when it has ended
}

// startProcess starts a server and watches it. It runs in a process group of its own, so that Ctrl-C reaches
// txweave alone, which then ends it; if txweave is killed the kernel ends it. What it prints goes to the log, and
// its temporary files into dir.
func startProcess(binary string, args []string, dir, log string, as *account, end syscall.Signal) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &process{cmd: exec.Command(binary, args...), end: end, done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	p.cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	p.cmd.SysProcAttr = childAttributes()
	if end != 0 {
		dieWith(p.cmd.SysProcAttr, end)
	}
	as.as(p.cmd.SysProcAttr)
	started := make(chan error)
	go func() {
		// The parent-death signal is sent when the *thread* that started the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		if err == nil {
			EndFirst(p.pid())
		}
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ended is in ProcessState
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", binary, err)
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// ended waits up to d and says how the process ended; ok is false while it runs.
func (p *process) ended(d time.Duration) (how string, ok bool) {
	select {
	case <-p.done:
		return p.cmd.ProcessState.String(), true
	default:
	}
	select {
	case <-p.done:
		return p.cmd.ProcessState.String(), true
	case <-time.After(d):
		return "", false
	}
}

// killed says, of a process that has ended, that it was ended from outside: by a signal that a process does not raise
// itself, or in an orderly way after one that asks it to end. Nobody else asks a private server to.
func (p *process) killed() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case !ok:
		return false
	case status.Exited():
		return status.ExitStatus() == 0
	}
	return status.Signaled() && slices.Contains([]syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGQUIT,
		syscall.SIGINT, syscall.SIGHUP, syscall.SIGXCPU}, status.Signal())
}

// state is the process's as the system says it: "T (stopped)"; "" where that is not known.
func (p *process) state() string { return p.status("State") }

// memory is what the process holds of the machine's, in bytes; 0 where that is not known.
func (p *process) memory() uint64 {
	var kib uint64
	if _, err := fmt.Sscanf(p.status("VmRSS"), "%d kB", &kib); err != nil {
		return 0
	}
	return kib << 10
}

// status is a line of the process's file of the same name in /proc; "" where there is none.
func (p *process) status(key string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid()))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// endTime is how long a process may take that is ended by a signal which it handles.
const endTime = 5 * time.Second

// stackTime is how long a debugger may take over the stacks of a process.
const stackTime = 30 * time.Second

// stacks are the stacks of all threads as gdb prints them; where it is not there, or may not look, what the system says
// of each thread: its name and the function of the kernel that it waits in.
func (p *process) stacks(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, stackTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "gdb", "--batch", "--nx", "-ex", "set pagination off", "-ex",
		"thread apply all backtrace 40", "-p", strconv.Itoa(p.pid()))
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err == nil && bytes.Contains(out, []byte("\n#0 ")) {
		return string(out)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "gdb does not print the stacks (%v); the system says of each thread:\n", err)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", p.pid()))
	for _, task := range tasks {
		name, _ := os.ReadFile(filepath.Join(task, "comm"))
		waits, _ := os.ReadFile(filepath.Join(task, "wchan"))
		fmt.Fprintf(&b, "%s %s in %s\n", filepath.Base(task), bytes.TrimSpace(name), waits)
	}
	return b.String()
}

// kill ends the process at once and waits for it.
func (p *process) kill() {
	if p.end != 0 {
		_ = p.cmd.Process.Signal(p.end)
		if _, ok := p.ended(endTime); ok {
			return
		}
	}
	_ = p.cmd.Process.Signal(os.Kill) // an error means that it has ended already
	<-p.done
}

// OwnGroup puts a command that is about to start into a process group of its own, out of reach of Ctrl-C.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = groupAttributes() }
