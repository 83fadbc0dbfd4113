//go:build !unix

package rest

// newBuffer returns a buffer. It must not be used after release, and a part of it not after discard.
func newBuffer(size int) (data []byte, discard func(part []byte), release func()) {
	return make([]byte, size), func([]byte) {}, func() {}
}
