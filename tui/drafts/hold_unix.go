//go:build unix

package drafts

import (
	"os"
	"syscall"
)

// lock locks a file exclusively, or returns ErrHeld if another process has locked it.
func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
