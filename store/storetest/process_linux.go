package storetest

import (
	"os"
	"syscall"
)

// attributes returns the attributes of a server process that exits with the test.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// kill kills a server and its forked snapshot writers, which would otherwise write while the test cleans up.
func kill(process *os.Process) { _ = syscall.Kill(-process.Pid, syscall.SIGKILL) } // it may have exited already
