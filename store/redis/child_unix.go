//go:build unix && !linux

package redis

import "syscall"

// childAttributes protects the child from the terminal's interrupt, because it must outlive the active requests.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
