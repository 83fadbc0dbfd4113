package pack

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"docspace.dev/wsd/client/api"
)

// archiveRoot is the folder in the archive that has all files. The server removes it, and so keeps the folders of the files.
const archiveRoot = "folder/"

// Open returns the archive, which is packed while it is read. Reading fails if a file has changed since it was read first.
func (f *Folder) Open() (io.ReadCloser, error) {
	reader, writer := io.Pipe()
	go func() {
		writer.CloseWithError(f.pack(writer, func(each *file, size int64, sum uint32) error {
			if size != each.size || sum != each.sum {
				return fmt.Errorf("%s has changed while it was sent; send it again", each.path)
			}
			return nil
		}))
	}()
	return reader, nil
}

// measure reads all files once, for their checksums and the size of the archive. Files that cannot be read are named in the error.
func (f *Folder) measure() error {
	var unreadable []api.FieldError
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return err //nolint:wrapcheck // it names the path
	}
	defer func() { _ = root.Close() }() // only read from
	for _, each := range f.files {
		opened, err := root.Open(filepath.FromSlash(each.path))
		if err != nil {
			unreadable = append(unreadable, unreadableField(each.path, err))
			continue
		}
		_ = opened.Close() // only read from
	}
	if err := unreadableError(f.name, unreadable); err != nil {
		return err
	}
	counter := &countingWriter{}
	err = f.pack(counter, func(each *file, size int64, sum uint32) error {
		each.size, each.sum = size, sum
		return nil
	})
	if err != nil {
		return err
	}
	if f.size = counter.n; f.size > api.MaxImportArchive {
		return &api.Error{Reason: "client", Message: fmt.Sprintf("nothing was sent: the archive of %s has %s; at most %s are imported",
			f.name, mebibytes(f.size), mebibytes(api.MaxImportArchive))}
	}
	return nil
}

// pack writes the archive. A link that leads out of the folder is an error, also if it was made after the files were listed. It calls
// read for each file with what was read of it, and stops if that returns an error.
func (f *Folder) pack(to io.Writer, read func(each *file, size int64, sum uint32) error) error {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return err //nolint:wrapcheck // it names the path
	}
	defer func() { _ = root.Close() }() // only read from
	packed := zip.NewWriter(to)
	for _, each := range f.files {
		entry, err := packed.CreateHeader(&zip.FileHeader{Name: archiveRoot + each.path, Method: zip.Deflate})
		if err != nil {
			return fmt.Errorf("%s: %w", each.path, err)
		}
		opened, err := root.Open(filepath.FromSlash(each.path))
		if err != nil {
			return fmt.Errorf("%s: %w", each.path, err)
		}
		sum := crc32.NewIEEE()
		size, err := io.Copy(io.MultiWriter(entry, sum), opened)
		_ = opened.Close() // only read from
		if err != nil {
			return fmt.Errorf("%s: %w", each.path, err)
		}
		if err := read(each, size, sum.Sum32()); err != nil {
			return err
		}
	}
	return packed.Close() //nolint:wrapcheck // of to
}

// countingWriter counts what is written.
type countingWriter struct{ n int64 }

// Write implements io.Writer.
func (w *countingWriter) Write(data []byte) (int, error) {
	w.n += int64(len(data))
	return len(data), nil
}
