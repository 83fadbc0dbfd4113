package storetest

import (
	"os"
	"syscall"
)

// attributes end a server together with the test that runs it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// end kills a server and what it has forked to write a snapshot: that would go on writing where the test cleans up.
func end(process *os.Process) { _ = syscall.Kill(-process.Pid, syscall.SIGKILL) }
