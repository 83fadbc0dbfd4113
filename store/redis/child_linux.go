package redis

import "syscall"

// childAttributes protects the child from the terminal's interrupt, because it must outlive the active requests, and
// makes it exit with this process.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
