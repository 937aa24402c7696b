package worker

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"

	"txweave/finding"
)

// SkippedKilled is why a case was not checked whose process was ended from outside.
const SkippedKilled = "killed from outside"

// SkippedHang is why a case was not checked whose server stopped answering and was replaced.
const SkippedHang = "hang"

// skippedRefused is why a case of the generator's was not checked that the database does not take, or whose rows it
// gives back otherwise than they were written, and that a new database takes no better.
const skippedRefused = "refused"

// maxKills is how many processes in a row may be ended from outside before the target counts as unavailable: something
// on this machine does not want it.
const maxKills = 5

// ending is how a worker process came to its end.
type ending uint8

const (
	crashed ending = iota // the engine's doing
	outside               // somebody's signal, or the kernel's when memory ran out
	ours                  // txweave's
	hung                  // the campaign's, because it did not answer
)

// endedError is of a process that ended by a fault of txweave's own.
type endedError struct {
	why error
	log string
}

func (e *endedError) Error() string { return e.why.Error() }

func (e *endedError) Unwrap() error { return e.why }

// LastWords implements campaign.Testament.
func (e *endedError) LastWords() string { return e.log }

// endOf tells from a child's end and its standard error whose doing it was. An engine does not kill itself by a signal
// that a process sends to another one to end it; it raises SIGSEGV, SIGABRT and the like, which Go turns into a panic
// where it can.
func endOf(err error, log string) (how ending, why string) {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	last := lines[len(lines)-1]
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return ours, last // it ended as if all were well
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled():
		switch status.Signal() {
		case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU,
			syscall.SIGPIPE:
			return outside, exit.Error()
		}
		return crashed, exit.Error()
	case strings.Contains(log, "fatal error: runtime: out of memory") ||
		strings.Contains(log, "runtime: cannot allocate memory"):
		return outside, "out of memory"
	case strings.Contains(log, "sigcode=0\n"): // the kernel's word for: sent by a process
		return outside, exit.Error()
	case strings.HasPrefix(last, "txweave: "):
		return ours, last // an error that it reported
	}
	if top := finding.TopFrame(log); finding.Own(top) {
		return ours, "panic in " + top
	}
	return crashed, exit.Error()
}
