package exec

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a child process that dies with its parent.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// startProcess starts a server and watches it. It runs in a process group of its own, so that Ctrl-C reaches
// txweave alone, which then ends it; if txweave is killed the kernel ends it. What it prints goes to the log, and
// its temporary files into dir.
func startProcess(binary string, args []string, dir, log string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &process{cmd: exec.Command(binary, args...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	p.cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	p.cmd.SysProcAttr = childAttributes()
	started := make(chan error)
	go func() {
		// The parent-death signal is sent when the *thread* that started the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
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

// killed says, of a process that has ended, that it was ended from outside.
func (p *process) killed() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGKILL || status.Signal() == syscall.SIGTERM)
}

// kill ends the process at once and waits for it.
func (p *process) kill() {
	_ = p.cmd.Process.Signal(os.Kill) // an error means that it has ended already
	<-p.done
}

// OwnGroup puts a command that is about to start into a process group of its own, out of reach of Ctrl-C.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = groupAttributes() }
