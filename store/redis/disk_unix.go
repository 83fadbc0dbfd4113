//go:build unix

package redis

import (
	"fmt"
	"syscall"
)

// diskSpace returns the disk space of a directory that is available to unprivileged users.
func diskSpace(directory string) (Space, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(directory, &stat); err != nil {
		return Space{}, fmt.Errorf("store: %w", err)
	}
	block := int64(stat.Bsize) //nolint:unconvert // of another type on other systems

	return Space{Free: int64(stat.Bavail) * block, Total: int64(stat.Blocks) * block}, nil //nolint:gosec,unconvert // no disk is that large
}
