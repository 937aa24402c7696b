package exec

import "syscall"

func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// dieWith chooses the signal with which a process is ended when its parent does.
func dieWith(attributes *syscall.SysProcAttr, signal syscall.Signal) { attributes.Pdeathsig = signal }
