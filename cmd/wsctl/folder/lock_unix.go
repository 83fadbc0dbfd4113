//go:build unix

package folder

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// takeLock takes the lock of the folder if it has one already. A folder without data has nothing to protect.
func (f *Folder) takeLock() error {
	file, err := f.top.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil //nolint:nilerr // the folder has no data
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = file.Close() // only locked
		if errors.Is(err, unix.EWOULDBLOCK) {
			return &app.ConflictError{Message: "another wsctl works in " + f.dir, Hint: "wait until it has ended"}
		}
		return fmt.Errorf("lock %s: %w", f.dir, err)
	}
	f.lock = file
	return nil
}

// releaseLock releases the lock. Closing the file alone would not, while a child process that is being started has a copy of it.
func (f *Folder) releaseLock() {
	_ = unix.Flock(int(f.lock.Fd()), unix.LOCK_UN) // closing it releases it, too
	_ = f.lock.Close()                             // only locked
}
