package drafts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrHeld says that a draft is being written on another screen of the same person.
var ErrHeld = errors.New("it is being written on another screen of yours")

// holds is where the files are that are locked, beside the drafts.
func (dir Dir) holds() Dir { return Dir(filepath.Join(string(dir), "holds")) }

// Hold implements Journal: it locks a file, and the lock goes with the program, however that ends. The file is removed while
// it is locked, so that whoever locks one looks whether it is still there.
func (dir Dir) Hold(id string) (func(), error) {
	path := dir.holds().path(id)
	if err := os.MkdirAll(string(dir.holds()), 0o700); err != nil {
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
		if isThere(file, path) {
			return func() {
				_ = os.Remove(path) // a file that stays locks nothing
				_ = file.Close()
			}, nil
		}
		_ = file.Close() // it was removed by who had it
	}
}

// isThere reports whether a path still names an open file.
func isThere(file *os.File, path string) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(open, named)
}
