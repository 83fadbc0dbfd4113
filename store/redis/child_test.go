package redis

import (
	"syscall"
	"testing"
)

// TestUnlockedDirectoryCanBeLocked checks that a data directory can be locked again at once, although a process that was just forked has a
// copy of the lock file.
func TestUnlockedDirectoryCanBeLocked(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	lock, err := lockDirectory(directory)
	if err != nil {
		t.Fatal(err)
	}
	forked, err := syscall.Dup(int(lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(forked) })
	if err := unlockDirectory(lock); err != nil {
		t.Fatal(err)
	}
	again, err := lockDirectory(directory)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockDirectory(directory); err == nil {
		t.Error("the directory is locked twice")
	}
	if err := unlockDirectory(again); err != nil {
		t.Error(err)
	}
}
