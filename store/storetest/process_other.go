//go:build !linux

package storetest

import (
	"os"
	"syscall"
)

// attributes returns nil.
func attributes() *syscall.SysProcAttr { return nil }

// kill kills a server process.
func kill(process *os.Process) { _ = process.Kill() } // it may have exited already
