//go:build unix

package rest

import "golang.org/x/sys/unix"

// newBuffer returns a buffer outside of the heap. It must not be used after release. discard gives the memory of a part of it back
// to the system; the part begins at a multiple of the size of a memory page, and is not read again.
func newBuffer(size int) (data []byte, discard func(part []byte), release func()) {
	data, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]byte, size), func([]byte) {}, func() {}
	}
	discard = func(part []byte) { _ = unix.Madvise(part, unix.MADV_DONTNEED) } // release gives it back at the latest
	return data, discard, func() { _ = unix.Munmap(data) }                     // it was mapped as a whole
}
