//go:build !linux

package storetest

import (
	"os"
	"syscall"
)

// attributes of a server that a test runs: none.
func attributes() *syscall.SysProcAttr { return nil }

// end kills a server.
func end(process *os.Process) { _ = process.Kill() }
