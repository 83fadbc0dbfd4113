//go:build unix && !linux

package redis

import "syscall"

// childAttributes keep the terminal's interrupt from the child, which has to
// outlive the requests that are being answered.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
