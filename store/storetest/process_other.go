//go:build !linux

package storetest

import "syscall"

// attributes of a server that a test runs: none.
func attributes() *syscall.SysProcAttr { return nil }
