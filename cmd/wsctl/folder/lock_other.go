//go:build !unix

package folder

// takeLock does nothing where files cannot be locked.
func (f *Folder) takeLock() error { return nil }

// releaseLock does nothing.
func (f *Folder) releaseLock() {}
