//go:build unix

package drafts

import (
	"os"
	"syscall"
)

// lock locks a file for this program alone, or says that another has it.
func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
