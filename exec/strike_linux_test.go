package exec

import (
	osexec "os/exec"
	"syscall"
	"testing"
	"time"
)

// A process that was told to stop has not stopped before the system says so, and one that has ended starts no others
// either.
func TestStopped(t *testing.T) {
	cmd := osexec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if stopped(pid) || !lives(pid) {
		t.Errorf("a process that nobody has stopped: state %q", state(pid))
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(endTime); !stopped(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("it does not stop: state %q", state(pid))
		}
	}
	if !lives(pid) {
		t.Error("a process that was stopped has ended")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
	if lives(pid) || !stopped(pid) {
		t.Errorf("a process that has ended: state %q", state(pid))
	}
}
