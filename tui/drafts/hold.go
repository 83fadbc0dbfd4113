package drafts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrHeld is returned by Hold if another screen of the user holds the draft.
var ErrHeld = errors.New("it is being written on another screen of yours")

// locksDir returns the directory of the lock files.
func (dir Dir) locksDir() Dir { return Dir(filepath.Join(string(dir), "holds")) }

// Hold implements Journal with a file lock, which is released when the program exits. The file is removed while it is
// locked, so after locking it must be checked that the path still refers to it.
func (dir Dir) Hold(id string) (func(), error) {
	path := dir.locksDir().path(id)
	if err := os.MkdirAll(string(dir.locksDir()), 0o700); err != nil {
		return nil, fmt.Errorf("hold draft: %w", err)
	}
	for {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // below the caller's own configuration
		if err != nil {
			return nil, fmt.Errorf("hold draft: %w", err)
		}
		if err := lock(file); err != nil {
			return nil, errors.Join(ErrHeld, file.Close())
		}
		if isCurrent(file, path) {
			return func() {
				_ = os.Remove(path) // a leftover file is not a lock
				_ = file.Close()    // nothing was written
			}, nil
		}
		_ = file.Close() // removed by the previous holder
	}
}

// isCurrent reports whether a path still refers to an open file.
func isCurrent(file *os.File, path string) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(open, named)
}
